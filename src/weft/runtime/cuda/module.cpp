#include <weft/runtime/cuda/module.h>

#include <array>
#include <cstdint>

#include <weft/base/error.h>
#include <weft/runtime/cuda/gpus.h>

namespace weft::runtime::cuda {

Module::Module(int ordinal, std::string_view image) : ordinal_(ordinal) {
  const Current current(ordinal);
  constexpr int error_log_buffer = 5, error_log_buffer_bytes = 6;  // options of the driver
  std::array<char, 8192> log{};
  std::array<int, 2> options = {error_log_buffer, error_log_buffer_bytes};
  std::array<void*, 2> values = {log.data(), reinterpret_cast<void*>(std::uintptr_t{log.size() - 1})};
  const std::string terminated(image);  // the driver finds the end of PTX by the zero after it
  const CUresult result =
      driver().cuModuleLoadDataEx(&module_, terminated.data(), options.size(), options.data(), values.data());
  check(result, log[0] == '\0' ? "cuModuleLoadDataEx" : concat("cuModuleLoadDataEx (", log.data(), ")"));
}

Module::~Module() {
  release_on(ordinal_, [&](const Driver& driver) { driver.cuModuleUnload(module_); });
}

CUfunction Module::function(const std::string& name) const {
  const Current current(ordinal_);
  CUfunction found = nullptr;
  check(driver().cuModuleGetFunction(&found, module_, name.c_str()), concat("cuModuleGetFunction of ", name));
  return found;
}

}  // namespace weft::runtime::cuda
