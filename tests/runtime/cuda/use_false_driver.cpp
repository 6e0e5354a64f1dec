#include <cstdlib>
#include <tests/runtime/cuda/false_driver.h>

#include <dlfcn.h>

#include <weft/base/error.h>
#include <weft/base/knobs.h>

namespace weft::runtime::cuda {

bool use_false_driver() {
  static const bool is_used = [] {
    const char* const wants_gpu = std::getenv("WEFT_TEST_GPU");
    if (wants_gpu && *wants_gpu == '1') return false;
    ::setenv("NVTX_INJECTION64_PATH", WEFT_FALSE_DRIVER, 1);
    new knobs::Override(knobs::cuda_driver, WEFT_FALSE_DRIVER);  // until the process ends
    return true;
  }();
  return is_used;
}

const FalseDriver& false_driver() {
  static const auto* const functions = [] {
    void* const library = ::dlopen(WEFT_FALSE_DRIVER, RTLD_NOW | RTLD_LOCAL);
    require(library != nullptr, "cannot load the false driver: ", WEFT_FALSE_DRIVER);
    return static_cast<const FalseDriver*>(::dlsym(library, "false_driver"));
  }();
  return *functions;
}

}  // namespace weft::runtime::cuda
