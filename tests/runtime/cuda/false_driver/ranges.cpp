#include <tests/runtime/cuda/false_driver/state.h>

// The tool for NVTX. These types are those of NVTX's headers.
namespace {

struct CallbacksTable {
  std::size_t bytes;
  int (*find_module)(int module, void (****table)(), unsigned* size);
};

int push(const char* name) {
  const std::lock_guard lock(state().mutex);
  ++state().ranges[name];
  return state().open_ranges++;
}
int pop() { return --state().open_ranges; }

}  // namespace

extern "C" int InitializeInjectionNvtx2(const void* (*find_table)(std::uint32_t id)) {
  constexpr std::uint32_t callbacks_table = 1;
  constexpr int core_module = 1, range_push = 9, range_pop = 11, last_module = 6;
  const auto* const callbacks = static_cast<const CallbacksTable*>(find_table(callbacks_table));
  if (!callbacks || callbacks->bytes < sizeof(CallbacksTable)) return 0;
  void (***table)() = nullptr;
  unsigned size = 0;
  for (int module = last_module; module >= core_module; --module)
    if (!callbacks->find_module(module, &table, &size)) return 0;
  if (size <= range_pop) return 0;
  *table[range_push] = reinterpret_cast<void (*)()>(push);
  *table[range_pop] = reinterpret_cast<void (*)()>(pop);
  return 1;
}
