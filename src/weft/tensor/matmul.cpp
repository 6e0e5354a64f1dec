#include <weft/tensor/matmul.h>

#include <weft/tensor/broadcasting.h>
#include <weft/tensor/linalg.h>
#include <weft/tensor/manipulation.h>

namespace weft {

using detail::Frame;
using ir::Value;

namespace detail {

namespace {

// Broadcasts `x` [..., rows, columns] to the leading sizes `batch`.
Value with_batch(Value x, std::span<const Dim> batch) {
  Shape shape(batch);
  for (const Dim size : x.type().dims().last(2)) shape.push_back(size);
  return broadcast(x, shape);
}

// Multiplies with a single right matrix: the left operand's leading dimensions become rows of one product.
Value matmul_shared(Value a, Value b) {
  const std::int64_t lhs[] = {a.rank() - 1}, rhs[] = {0};
  return ir::dot_general(a, b,
                         {.lhs_batching = {}, .rhs_batching = {}, .lhs_contracting = lhs, .rhs_contracting = rhs});
}

}  // namespace

Value matmul(Value a, Value b) {
  if (b.rank() == 2) return matmul_shared(a, b);
  Shape batch;
  const auto lead = [](Value x) { return x.type().dims().first(x.rank() - 2); };
  broadcast_shapes(lead(a), lead(b), batch);
  a = with_batch(a, batch);
  b = with_batch(b, batch);
  Axes shared;
  for (int i = 0; i < batch.rank(); ++i) shared.push_back(i);
  const std::int64_t lhs[] = {batch.rank() + 1}, rhs[] = {batch.rank()};
  return ir::dot_general(
      a, b, {.lhs_batching = shared, .rhs_batching = shared, .lhs_contracting = lhs, .rhs_contracting = rhs});
}

bool can_matmul(Type a, Type b) {
  if (a.rank() < 2 || b.rank() < 2 || a.dim(a.rank() - 1) != b.dim(b.rank() - 2)) return false;
  Shape batch;
  return broadcast_shapes(a.dims().first(a.rank() - 2), b.dims().first(b.rank() - 2), batch);
}

}  // namespace detail

Tensor matmul(const Operand& a, const Operand& b) {
  Frame frame("matmul", a);
  const auto [x, y] = detail::contracted(frame, a, b);
  frame.require(x.dtype() != DType::boolean, "is not defined for booleans, got ", x.type(), " and ", y.type());
  frame.require(x.rank() > 0 && y.rank() > 0, "cannot multiply ", x.type(), " and ", y.type(),
                ": expected rank 1 or more");
  // Vectors become a row and a column.
  const Value row = x.rank() > 1 ? x : ir::reshape(x, {Dim(1), x.type().dim(0)});
  const Value column = y.rank() > 1 ? y : ir::reshape(y, {y.type().dim(0), Dim(1)});
  const Dim inner = row.type().dim(row.rank() - 1), rows = column.type().dim(column.rank() - 2);
  frame.require(inner == rows, "cannot multiply ", x.type(), " and ", y.type(), ": the first has ", inner,
                " columns, the second ", rows, " rows");
  frame.require(detail::can_matmul(row.type(), column.type()), "cannot multiply ", x.type(), " and ", y.type(),
                ": the leading dimensions do not broadcast");
  Value product = detail::matmul(row, column);
  if (x.rank() == 1 || y.rank() == 1) {
    Shape shape(product.type().dims());
    if (y.rank() == 1) shape.erase(shape.rank() - 1);
    if (x.rank() == 1) shape.erase(shape.rank() - (y.rank() == 1 ? 1 : 2));
    product = ir::reshape(product, shape);
  }
  return frame.tensor(product);
}

Tensor dot(const Operand& a, const Operand& b) {
  Frame frame("dot", a);
  const auto [x, y] = detail::contracted(frame, a, b);
  frame.require(x.rank() == 1 && y.rank() == 1 && x.type() == y.type(), "expected two vectors of one size, got ",
                x.type(), " and ", y.type());
  const std::int64_t first[] = {0};
  return frame.tensor(ir::dot_general(
      x, y, {.lhs_batching = {}, .rhs_batching = {}, .lhs_contracting = first, .rhs_contracting = first}));
}

Tensor outer(const Operand& a, const Operand& b) {
  Frame frame("outer", a);
  const auto [x, y] = detail::promoted(frame, a, b);
  frame.require(x.rank() == 1 && y.rank() == 1, "expected two vectors, got ", x.type(), " and ", y.type());
  const Type type(x.dtype(), {x.type().dim(0), y.type().dim(0)});
  const std::int64_t rows[] = {0}, columns[] = {1};
  return frame.tensor(ir::broadcast_in_dim(x, type, rows) * ir::broadcast_in_dim(y, type, columns));
}

namespace {

Value linear(Frame& frame, Value x, Value weight) {
  frame.require(x.rank() >= 1 && weight.rank() == 2 && x.type().dim(x.rank() - 1) == weight.type().dim(1),
                "cannot apply the weight ", weight.type(), " to ", x.type());
  const std::int64_t lhs[] = {x.rank() - 1}, rhs[] = {1};
  return ir::dot_general(x, weight,
                         {.lhs_batching = {}, .rhs_batching = {}, .lhs_contracting = lhs, .rhs_contracting = rhs});
}

}  // namespace

Tensor linear(const Operand& x, const Operand& weight) {
  Frame frame("linear", x);
  const auto [value, matrix] = detail::contracted(frame, x, weight);
  return frame.tensor(linear(frame, value, matrix));
}

Tensor linear(const Operand& x, const Operand& weight, const Operand& bias) {
  Frame frame("linear", x);
  const auto [value, matrix] = detail::contracted(frame, x, weight);
  const Value product = linear(frame, value, matrix);
  const Value offset = detail::as(frame.value(bias), product.dtype());
  frame.require(offset.rank() == 1 && offset.type().dim(0) == matrix.type().dim(0), "the bias ", offset.type(),
                " does not fit the weight ", matrix.type());
  return frame.tensor(product + ir::broadcast(offset, product.type()));
}

}  // namespace weft
