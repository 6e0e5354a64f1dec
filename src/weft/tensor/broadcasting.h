// Operands brought to one type: promotion, conversion and broadcasting, for the functions of this layer. Internal.
#pragma once

#include <utility>

#include <weft/ir/builder.h>
#include <weft/tensor/frame.h>
#include <weft/tensor/shape.h>

namespace weft::detail {

struct Pair {
  ir::Value a, b;
};

// x as `dtype`, or x itself.
inline ir::Value as(ir::Value x, DType dtype) { return x.dtype() == dtype ? x : ir::convert(x, dtype); }

// x with the sizes `shape`, which it broadcasts to, or x itself.
ir::Value broadcast(ir::Value x, std::span<const Dim> shape);

// Two operands with the type that promotion gives, but at least `least`, each of its own shape.
Pair promoted(Frame& frame, const Operand& a, const Operand& b, DType least = DType::boolean);
// The operands of a product: the same, or as the Autocast around it says.
Pair contracted(Frame& frame, const Operand& a, const Operand& b);
DType contracted_dtype(DType promoted);
// Two operands promoted, broadcast to one shape.
Pair matched(Frame& frame, const Operand& a, const Operand& b, DType least = DType::boolean);
Pair broadcast_together(Frame& frame, Pair pair);

// An operand as `dtype`.
inline ir::Value value_as(Frame& frame, const Operand& x, DType dtype) {
  return x.is_number() ? frame.number(x, dtype) : as(frame.value(x.tensor()), dtype);
}

// An operand as floating point: integers and booleans become f32.
ir::Value floating(Frame& frame, const Operand& x);

// 16-bit floating point widened to f32, in which composites compute; others as they are.
inline DType compute_dtype(DType dtype) { return is_float(dtype) && byte_size(dtype) == 2 ? DType::f32 : dtype; }

// The place of a call: that of the first operand.
using Unary = ir::Value (*)(ir::Value);
using Binary = ir::Value (*)(ir::Value, ir::Value);
Tensor unary(const char* function, const Operand& x, Unary build);
Tensor float_unary(const char* function, const Operand& x, Unary build);  // of integers: in f32
Tensor binary(const char* function, const Operand& a, const Operand& b, Binary build, DType least = DType::boolean);

}  // namespace weft::detail
