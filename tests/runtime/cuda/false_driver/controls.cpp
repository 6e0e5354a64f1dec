#include <tests/runtime/cuda/false_driver/state.h>

extern "C" {

// These functions are no part of the driver: tests call them to control it and to read what it did.
extern const FalseDriver false_driver;
const FalseDriver false_driver = {
    .add_kernel =
        [](const char* name, FalseDriver::Kernel kernel, const std::size_t* argument_bytes, std::size_t count_) {
          const std::lock_guard lock(state().mutex);
          state().kernels[name] = {.kernel = kernel, .argument_bytes = {argument_bytes, argument_bytes + count_}};
        },
    .fail =
        [](const char* function, int error, int calls_before) {
          const std::lock_guard lock(state().mutex);
          state().failing[function] = {.error = error, .calls_before = calls_before};
          state().is_any_failing = true;
        },
    .reset =
        [] {
          const std::lock_guard lock(state().mutex);
          state().failing.clear();
          state().is_any_failing = false;
          state().dead = success;
        },
    .set_version = [](int version) { state().version = version; },
    .set_memory =
        [](std::size_t bytes) {
          const std::lock_guard lock(state().mutex);
          state().memory = bytes;
        },
    .advance = [](std::uint64_t nanoseconds) { state().advanced_ns += nanoseconds; },
    .live =
        [] {
          const std::lock_guard lock(state().mutex);
          return state().live;
        },
    .graph_launches = [] { return state().graph_launches.load(); },
    .ranges_named =
        [](const char* name) {
          const std::lock_guard lock(state().mutex);
          const auto found = state().ranges.find(name);
          return found == state().ranges.end() ? 0 : found->second;
        },
    .open_ranges = [] { return state().open_ranges.load(); },
};

}  // extern "C"
