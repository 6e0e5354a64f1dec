#include <weft/tensor/broadcasting.h>

#include <weft/tensor/autocast.h>

namespace weft::detail {

ir::Value broadcast(ir::Value x, std::span<const Dim> shape) {
  return std::ranges::equal(x.type().dims(), shape) ? x : ir::broadcast(x, Type(x.dtype(), shape));
}

namespace {

DType promoted_dtype(const Operand& a, const Operand& b) {
  if (a.is_number() && b.is_number()) return promote(a.number().default_dtype(), b.number().default_dtype());
  if (a.is_number()) return a.number().promote_with(b.tensor().dtype());
  if (b.is_number()) return b.number().promote_with(a.tensor().dtype());
  return promote(a.tensor().dtype(), b.tensor().dtype());
}

}  // namespace

Pair promoted(Frame& frame, const Operand& a, const Operand& b, DType least) {
  const DType dtype = promote(promoted_dtype(a, b), least);
  const ir::Value x = value_as(frame, a, dtype);
  return {x, value_as(frame, b, dtype)};
}

DType contracted_dtype(DType promoted) {
  return promoted == DType::f32 ? Autocast::current().value_or(promoted) : promoted;
}

Pair contracted(Frame& frame, const Operand& a, const Operand& b) {
  const DType dtype = contracted_dtype(promoted_dtype(a, b));
  const ir::Value x = value_as(frame, a, dtype);
  return {x, value_as(frame, b, dtype)};
}

Pair matched(Frame& frame, const Operand& a, const Operand& b, DType least) {
  return broadcast_together(frame, promoted(frame, a, b, least));
}

Pair broadcast_together(Frame& frame, Pair pair) {
  if (pair.a.type() == pair.b.type()) return pair;
  Shape shape;
  frame.require(broadcast_shapes(pair.a.type().dims(), pair.b.type().dims(), shape), "cannot broadcast ", pair.a.type(),
                " with ", pair.b.type());
  return {broadcast(pair.a, shape), broadcast(pair.b, shape)};
}

ir::Value floating(Frame& frame, const Operand& x) {
  if (x.is_number()) return frame.number(x, DType::f32);
  const ir::Value value = frame.value(x.tensor());
  return is_float(value.dtype()) ? value : as(value, DType::f32);
}

Tensor unary(const char* function, const Operand& x, Unary build) {
  Frame frame(function, x);
  return frame.tensor(build(frame.value(x)));
}

Tensor float_unary(const char* function, const Operand& x, Unary build) {
  Frame frame(function, x);
  return frame.tensor(build(floating(frame, x)));
}

Tensor binary(const char* function, const Operand& a, const Operand& b, Binary build, DType least) {
  Frame frame(function, a);
  const Pair pair = matched(frame, a, b, least);
  return frame.tensor(build(pair.a, pair.b));
}

}  // namespace weft::detail
