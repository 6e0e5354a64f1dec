// The part of cuBLASLt's C interface that products need. The library is found when it is first asked for, so that weft needs neither its
// headers nor the library to be built. The numbers are those of cublasLt.h of CUDA 13 and are the same in CUDA 12. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include <weft/base/status.h>

struct CUstream_st;

namespace weft::compiler::cublaslt {

enum class Code : int { success = 0, not_initialized = 1, alloc_failed = 3, execution_failed = 13, not_supported = 15 };

enum class DataType : int { f32 = 0, f64 = 1, f16 = 2, bf16 = 14 };
enum class ComputeType : int { f32 = 68, f64 = 70 };  // exactly these; f32 is never rounded to TF32
enum class Operation : int { as_is = 0, transposed = 1 };

enum class LayoutAttribute : int { batch_count = 5 /* int32 */, batch_stride = 6 /* int64, in elements */ };
enum class ProductAttribute : int {
  transpose_a = 3,   // int32: Operation
  transpose_b = 4,   // int32: Operation
  epilogue = 7,      // uint32: Epilogue
  bias_pointer = 8,  // an address on the GPU
};
enum class Epilogue : std::uint32_t { none = 1, bias = 4, gelu = 32, gelu_bias = 36 };
enum class PreferenceAttribute : int {
  workspace_bytes = 1,    // uint64
  reduction_schemes = 3,  // uint32: a mask of ReductionScheme
  alignment_a = 5,        // uint32, in bytes, as are the following ones
  alignment_b = 6,
  alignment_c = 7,
  alignment_d = 8,
};
// How the parts of a sum that several blocks compute are added.
enum class ReductionScheme : std::uint32_t { none = 0, in_compute_type = 2 };

struct Algorithm {
  std::uint64_t data[8];
};
struct Choice {
  Algorithm algorithm;
  std::size_t workspace_bytes;
  Code state;
  float waves;
  int reserved[4];
};
static_assert(sizeof(Algorithm) == 64 && sizeof(Choice) == 96);

// Opaque objects of the library.
using Handle = struct HandleOf*;
using Layout = struct LayoutOf*;
using Description = struct DescriptionOf*;
using Preference = struct PreferenceOf*;

// CUBLASLT_FUNCTION(member, name, parameters): functions that return a Code.
#define WEFT_CUBLASLT_FUNCTIONS(CUBLASLT_FUNCTION)                                                                  \
  CUBLASLT_FUNCTION(create, cublasLtCreate, (Handle*))                                                              \
  CUBLASLT_FUNCTION(create_layout, cublasLtMatrixLayoutCreate,                                                      \
                    (Layout*, DataType, std::uint64_t rows, std::uint64_t columns, std::int64_t leading_dimension)) \
  CUBLASLT_FUNCTION(set_layout, cublasLtMatrixLayoutSetAttribute,                                                   \
                    (Layout, LayoutAttribute, const void* value, std::size_t bytes))                                \
  CUBLASLT_FUNCTION(destroy_layout, cublasLtMatrixLayoutDestroy, (Layout))                                          \
  CUBLASLT_FUNCTION(create_description, cublasLtMatmulDescCreate, (Description*, ComputeType, DataType scale))      \
  CUBLASLT_FUNCTION(set_description, cublasLtMatmulDescSetAttribute,                                                \
                    (Description, ProductAttribute, const void* value, std::size_t bytes))                          \
  CUBLASLT_FUNCTION(destroy_description, cublasLtMatmulDescDestroy, (Description))                                  \
  CUBLASLT_FUNCTION(create_preference, cublasLtMatmulPreferenceCreate, (Preference*))                               \
  CUBLASLT_FUNCTION(set_preference, cublasLtMatmulPreferenceSetAttribute,                                           \
                    (Preference, PreferenceAttribute, const void* value, std::size_t bytes))                        \
  CUBLASLT_FUNCTION(destroy_preference, cublasLtMatmulPreferenceDestroy, (Preference))                              \
  CUBLASLT_FUNCTION(                                                                                                \
      choose, cublasLtMatmulAlgoGetHeuristic,                                                                       \
      (Handle, Description, Layout a, Layout b, Layout c, Layout d, Preference, int most, Choice*, int* count))     \
  CUBLASLT_FUNCTION(check_algorithm, cublasLtMatmulAlgoCheck,                                                       \
                    (Handle, Description, Layout a, Layout b, Layout c, Layout d, const Algorithm*, Choice* found)) \
  CUBLASLT_FUNCTION(multiply, cublasLtMatmul,                                                                       \
                    (Handle, Description, const void* alpha, const void* a, Layout, const void* b, Layout,          \
                     const void* beta, const void* c, Layout, void* d, Layout, const Algorithm*, void* workspace,   \
                     std::size_t workspace_bytes, CUstream_st*))

struct Library {
#define WEFT_DECLARE_FUNCTION(member, name, parameters) Code(*member) parameters = nullptr;
  WEFT_CUBLASLT_FUNCTIONS(WEFT_DECLARE_FUNCTION)
#undef WEFT_DECLARE_FUNCTION
  std::size_t (*version)() = nullptr;           // 130002: 13.0.2
  const char* (*name_of)(Code code) = nullptr;  // CUBLAS_STATUS_NOT_SUPPORTED
  std::string path;                             // of the file
};

// Returns where libcublasLt.so is looked for, in this order: in the folder that WEFT_CUDA_LIBRARIES names, where the loader looks (which
// finds a library that the process has already loaded, wherever it lies), in the toolkit, in the packages of an active virtual environment.
std::vector<std::filesystem::path> places();

// Loads the first library of these that can be loaded. A failure names what was tried.
Result<Library> load(std::span<const std::filesystem::path> files);

// Returns the library of this process, which is loaded at the first call.
const Result<Library>& library();
// Returns the same. Throws Error if there is none.
const Library& loaded();

// Returns the handle for a GPU, whose context must be current on the calling thread when this is first called for it. Throws Error.
Handle handle_of(int ordinal);

}  // namespace weft::compiler::cublaslt
