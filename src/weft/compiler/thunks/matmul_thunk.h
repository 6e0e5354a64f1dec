// dot_general through oneDNN, on strided views of its operands.
#pragma once

#include <optional>
#include <vector>

#include <weft/compiler/fusion/access.h>
#include <weft/compiler/fusion/epilogue.h>
#include <weft/compiler/target.h>
#include <weft/compiler/unit.h>
#include <weft/ir/attributes.h>

namespace weft::compiler {

// A dot_general as a batched matrix product [batch..., m, k] x [batch..., k, n], with strides in elements.
struct MatmulShape {
  std::vector<Size> batch;
  Size m = 1, n = 1, k = 1;
  std::vector<Size> lhs, rhs;  // strides: batch..., then (m, k) and (k, n)
};

// Sizes and strides of an operand's dimensions.
struct Strided {
  std::vector<Size> sizes, strides;
};

// Empty if the dimensions of a group do not lie at one stride.
std::optional<MatmulShape> matmul_shape(const ir::DotAttributes& attributes, const Strided& lhs, const Strided& rhs);
std::optional<MatmulShape> matmul_shape(const ir::Node& dot, const View& lhs, const View& rhs);

// A dot_general, how its operands are read, and what is done to the product on its way out.
struct Matmul {
  const ir::Node* dot = nullptr;
  View lhs, rhs;
  MatmulShape shape;
  Epilogue epilogue;
};

// Whether oneDNN has a kernel for it, with the sizes that `values` gives.
bool matmul_exists(const Matmul& matmul, const SizeValues& values, const Target& target);

// Strict: the same bits for any number of threads. A product of sizes that are not known becomes one when they are.
Unit matmul_unit(const Matmul& matmul, bool strict, const SizeValues& values);

}  // namespace weft::compiler
