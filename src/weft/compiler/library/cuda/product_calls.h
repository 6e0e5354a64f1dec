// Describes a matrix product as calls of cuBLASLt. Its matrices are column-major and weft's are row-major, so the library is asked for the
// transposed result: D = op(A) op(B), where A is rhs, B is lhs, and D, column-major [n, m], is the result, row-major [m, n].
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <weft/base/dtype.h>
#include <weft/compiler/plan/matmul.h>

namespace weft::compiler {

// A column-major matrix in memory.
struct GpuMatrix {
  bool transposed = false;  // whether the product reads it transposed
  std::int64_t rows = 1, columns = 1;
  std::int64_t leading = 1;       // elements from one column to the next
  std::int64_t batch_stride = 0;  // elements from one matrix of the batch to the next

  friend auto operator<=>(const GpuMatrix&, const GpuMatrix&) = default;
};

// One call: D = activation(op(A) op(B) + residual + bias), for each matrix of a batch. The residual lies as D does.
struct GpuProduct {
  GpuMatrix a, b, d;
  std::int64_t batch = 1;
  DType operands = DType::f32, result = DType::f32;  // sums are computed in f64 if these are f64, in f32 otherwise
  bool adds_residual = false;
  bool adds_bias = false;  // one element for each row of D
  bool applies_gelu = false;
  bool in_one_part = false;  // no sum may be divided among blocks
  bool measured = false;     // the algorithm is chosen by measurement

  friend auto operator<=>(const GpuProduct&, const GpuProduct&) = default;
};

// The calls of a product whose batch has several dimensions, which the library cannot walk together: one call for each position in the
// product of the repeats.
struct GpuCalls {
  struct Repeat {
    std::int64_t count, a, b, d;  // distances are in bytes
  };
  GpuProduct product;
  std::vector<Repeat> repeats;
};

// Returns whether cuBLASLt multiplies these element types.
bool gpu_multiplies(DType lhs, DType rhs, DType result);

// Returns nullopt if the library cannot compute the product, whose sizes must be constants. The activation is GELU in its tanh form.
std::optional<GpuCalls> gpu_calls(const Matmul& matmul, const MatmulShape& shape, bool strict, bool measured = false);

// Returns what is multiplied, for messages: "bf16 [12, 768, 50257], 4 in a batch, bias".
std::string text_of(const GpuProduct& product);
// Returns a text that no other product has.
std::string key_of(const GpuProduct& product);

}  // namespace weft::compiler
