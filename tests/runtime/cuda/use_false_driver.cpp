#include <cstdlib>
#include <tests/runtime/cuda/false_driver.h>

#include <dlfcn.h>

#include <weft/base/error.h>
#include <weft/base/knobs.h>

namespace weft::runtime::cuda {

bool use_false_driver() {
  static const auto* const until_the_process_ends = []() -> const knobs::Override<std::string>* {
    const char* const wants_gpu = std::getenv("WEFT_TEST_GPU");
    if (wants_gpu && *wants_gpu == '1') return nullptr;
    ::setenv("NVTX_INJECTION64_PATH", WEFT_FALSE_DRIVER, 1);
    return new knobs::Override(knobs::cuda_driver, WEFT_FALSE_DRIVER);
  }();
  return until_the_process_ends != nullptr;
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
