#include <cstdlib>
#include <filesystem>
#include <tests/compiler/library/cuda/false_cublaslt.h>

#include <dlfcn.h>

#include <weft/base/error.h>
#include <weft/base/knobs.h>

namespace weft::test {

bool use_false_cublaslt() {
  static const auto* const until_the_process_ends = [] {
    const char* const wants_gpu = std::getenv("WEFT_TEST_GPU");
    const bool is_wanted = !wants_gpu || *wants_gpu != '1';
    return is_wanted ? new knobs::Override(knobs::cuda_libraries, WEFT_FALSE_CUDA_LIBRARIES) : nullptr;
  }();
  return until_the_process_ends != nullptr;
}

FalseCublasLt& false_cublaslt() {
  static auto* const state = [] {
    const auto file = std::filesystem::path(WEFT_FALSE_CUDA_LIBRARIES) / "libcublasLt.so.13";
    void* const library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    require(library != nullptr, "cannot load the false cuBLASLt: ", file);
    return static_cast<FalseCublasLt*>(::dlsym(library, "false_cublaslt_state"));
  }();
  return *state;
}

}  // namespace weft::test
