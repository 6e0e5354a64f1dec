// Promotion, conversion and broadcasting of operands, for the functions of this folder. Internal.
#pragma once

#include <utility>

#include <weft/ir/builder.h>
#include <weft/tensor/frame.h>
#include <weft/tensor/shape.h>

namespace weft::detail {

struct Pair {
  ir::Value a, b;
};

// Converts x to `dtype`; returns x itself if it has that dtype.
inline ir::Value as(ir::Value x, DType dtype) { return x.dtype() == dtype ? x : ir::convert(x, dtype); }

// Broadcasts x to `shape`; returns x itself if it has that shape.
ir::Value broadcast(ir::Value x, std::span<const Dim> shape);

// Converts two operands to their promoted dtype, or to `least` if that is wider; the shapes stay as they are.
Pair promoted(Frame& frame, const Operand& a, const Operand& b, DType least = DType::boolean);
// Converts the operands of a product: like promoted, but to the dtype of the enclosing Autocast, if there is one.
Pair contracted(Frame& frame, const Operand& a, const Operand& b);
DType contracted_dtype(DType promoted);
// Promotes two operands and broadcasts them to one shape.
Pair matched(Frame& frame, const Operand& a, const Operand& b, DType least = DType::boolean);
Pair broadcast_together(Frame& frame, Pair pair);

// Converts an operand to `dtype`.
inline ir::Value value_as(Frame& frame, const Operand& x, DType dtype) {
  return x.is_number() ? frame.number(x, dtype) : as(frame.value(x.tensor()), dtype);
}

// Converts integer and boolean operands to f32; floating-point operands stay as they are.
ir::Value floating(Frame& frame, const Operand& x);

// The dtype in which composites compute: f32 for 16-bit floats, otherwise `dtype` itself.
inline DType compute_dtype(DType dtype) { return is_float(dtype) && byte_size(dtype) == 2 ? DType::f32 : dtype; }

// Build one operation from its operands. The source location is that of the first operand.
using Unary = ir::Value (*)(ir::Value);
using Binary = ir::Value (*)(ir::Value, ir::Value);
Tensor unary(const char* function, const Operand& x, Unary build);
Tensor float_unary(const char* function, const Operand& x, Unary build);  // computes integers in f32
Tensor binary(const char* function, const Operand& a, const Operand& b, Binary build, DType least = DType::boolean);

}  // namespace weft::detail
