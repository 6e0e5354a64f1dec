#include <cstring>
#include <tests/runtime/cuda/false_driver/state.h>
#include <utility>

// Modules, kernels, and the linker.
extern "C" {

CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned count_, int* options, void** values) {
  ENTER_UNCAPTURED("cuModuleLoadDataEx");
  const auto code = std::make_unique<CUmod_st>();
  code->code = static_cast<const char*>(image);
  if (code->code.starts_with("wrong")) {
    constexpr int error_log_buffer = 5;
    for (unsigned i = 0; i < count_; ++i)
      if (options[i] == error_log_buffer) std::strcpy(static_cast<char*>(values[i]), "line 1: this is no code");
    return invalid_ptx;
  }
  *module = new CUmod_st(std::move(*code));
  count(&FalseDriver::Live::modules, 1);
  return success;
}
CUresult cuModuleUnload(CUmodule module) {
  ENTER_UNCAPTURED("cuModuleUnload");
  delete module;
  count(&FalseDriver::Live::modules, -1);
  return success;
}
CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  ENTER("cuModuleGetFunction");
  State& s = state();
  const std::lock_guard lock(s.mutex);
  const auto kernel = s.kernels.find(name);
  if (kernel == s.kernels.end() || module->code.find(name) == std::string::npos) return not_found;
  auto& made = module->functions[name];
  if (!made) made = std::make_unique<CUfunc_st>(kernel->second);
  *function = made.get();
  return success;
}
CUresult cuFuncGetAttribute(int* value, int, CUfunction) {
  ENTER("cuFuncGetAttribute");
  *value = 0;
  return success;
}
CUresult cuFuncSetAttribute(CUfunction, int, int) { return enter("cuFuncSetAttribute"); }
CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                        unsigned block_y, unsigned block_z, unsigned, CUstream stream, void** arguments, void**) {
  ENTER("cuLaunchKernel");
  constexpr unsigned most_blocks_y = 65535, most_threads = 1024;
  if (grid_x == 0 || grid_y == 0 || grid_z == 0 || grid_y > most_blocks_y || grid_z > most_blocks_y ||
      block_x * block_y * block_z == 0 || block_x * block_y * block_z > most_threads)
    return invalid_value;
  std::vector<std::vector<std::byte>> values;  // the caller's may change when the call has returned
  for (std::size_t i = 0; i < function->argument_bytes.size(); ++i) {
    const auto* const value = static_cast<const std::byte*>(arguments[i]);
    values.emplace_back(value, value + function->argument_bytes[i]);
  }
  return add(stream, [kernel = function->kernel, values]() mutable {
    std::vector<void*> pointers;
    for (auto& value : values) pointers.push_back(value.data());
    if (const CUresult error = kernel(pointers.data())) state().dead = error;
  });
}

CUresult cuLinkCreate_v2(unsigned, int*, void**, CUlinkState* link) {
  ENTER("cuLinkCreate");
  *link = new CUlinkState_st;
  return success;
}
CUresult cuLinkAddData_v2(CUlinkState link, int, void* data, std::size_t bytes, const char*, unsigned, int*, void**) {
  ENTER("cuLinkAddData");
  link->code.append(static_cast<const char*>(data), bytes);
  return success;
}
CUresult cuLinkComplete(CUlinkState link, void** cubin, std::size_t* bytes) {
  ENTER("cuLinkComplete");
  *cubin = link->code.data();
  *bytes = link->code.size();
  return success;
}
CUresult cuLinkDestroy(CUlinkState link) {
  ENTER("cuLinkDestroy");
  delete link;
  return success;
}

}  // extern "C"
