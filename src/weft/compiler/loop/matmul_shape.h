// A dot_general as a matrix product on strided memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <weft/base/size.h>
#include <weft/compiler/loop/access.h>
#include <weft/ir/attributes.h>
#include <weft/ir/graph.h>

namespace weft::compiler {

// A dot_general as a batched matrix product [batch..., m, k] x [batch..., k, n], with strides in elements.
struct MatmulShape {
  std::vector<Size> batch;
  Size m = 1, n = 1, k = 1;
  std::vector<Size> lhs, rhs;  // strides: batch..., then (m, k) and (k, n)
};

// Returns the dimensions of an operand that are neither of the batch nor summed.
std::vector<std::int64_t> free_dims(int rank, ir::Ints batching, ir::Ints contracting);

// Sizes and strides of an operand's dimensions.
struct Strided {
  std::vector<Size> sizes, strides;
};

// Returns nullopt if a group of dimensions cannot be walked with a single stride, or if both operands repeat along a batch dimension.
std::optional<MatmulShape> matmul_shape(const ir::DotAttributes& attributes, const Strided& lhs, const Strided& rhs);
std::optional<MatmulShape> matmul_shape(const ir::Node& dot, const View& lhs, const View& rhs);

// Returns the dimensions of a dot_general's operand that is read through this view.
Strided strided(const ir::Node& dot, std::size_t operand, const View& view);

}  // namespace weft::compiler
