#include <weft/tensor/indexing.h>

#include <functional>
#include <memory>

#include <weft/ir/ops.h>
#include <weft/ir/replacing_body.h>
#include <weft/tensor/broadcasting.h>
#include <weft/tensor/manipulation.h>

namespace weft {

using detail::Frame;
using ir::Value;

namespace {

Value integers(Frame& frame, const Operand& indices) {
  const Value value = frame.value(indices);
  frame.require(is_integer(value.dtype()), "indices must be integers, got ", value.type());
  return value;
}

Axes counting(std::int64_t from, std::int64_t count) {
  Axes axes;
  for (std::int64_t i = 0; i < count; ++i) axes.push_back(from + i);
  return axes;
}

Axes all_but(std::int64_t axis, int rank) {
  Axes axes = counting(0, rank);
  axes.erase(axis);
  return axes;
}

// Returns the dimensions of the result that are those of x; the dimensions of the indices replace `axis`.
Axes around(std::int64_t axis, int rank, int index_rank) {
  Axes axes = counting(0, axis);
  for (std::int64_t i = axis + 1; i < rank; ++i) axes.push_back(i + index_rank - 1);
  return axes;
}

Tensor take(Frame& frame, Value x, Value indices, std::int64_t axis) {
  const Axes collapsed(axis), offsets = around(axis, x.rank(), indices.rank());
  Axes sizes;
  for (int i = 0; i < x.rank(); ++i) sizes.push_back(i == axis ? 1 : x.size(i));
  ir::GatherAttributes attributes;
  attributes.offset_dims = offsets;
  attributes.collapsed_slice_dims = attributes.start_index_map = collapsed;
  attributes.index_vector_dim = indices.rank();
  attributes.slice_sizes = sizes;
  return frame.tensor(ir::gather(x, indices, attributes));
}

// Returns the normalised axis of gather or scatter_add. Throws Error if the types do not fit.
std::int64_t element_axis(Frame& frame, Value x, Value indices, std::int64_t axis) {
  const std::int64_t along = frame.axis(axis, x.rank());
  bool fits = indices.rank() == x.rank();
  for (int i = 0; fits && i < x.rank(); ++i) fits = i == along || indices.type().dim(i) == x.type().dim(i);
  frame.require(fits, "the indices ", indices.type(), " do not fit dimension ", along, " of ", x.type());
  return along;
}

using Body = std::function<std::shared_ptr<const ir::Graph>(DType)>;

std::shared_ptr<const ir::Graph> adding_body(DType dtype) { return ir::reduction_body(ir::ops::add, dtype); }

const ir::Op& op_of(Combine combine) {
  switch (combine) {
    case Combine::sum: return ir::ops::add;
    case Combine::product: return ir::ops::multiply;
    case Combine::max: return ir::ops::maximum;
    case Combine::min: return ir::ops::minimum;
  }
  __builtin_unreachable();
}

Body combining_body(Combine combine) {
  return [&op = op_of(combine)](DType dtype) { return ir::reduction_body(op, dtype); };
}

// Combines element x[i][indices[i][j]] (for axis 1) with updates[i][j].
Tensor scattered(const char* function, const Operand& x, std::int64_t axis, const Operand& indices,
                 const Operand& updates, const Body& body) {
  Frame frame(function, x);
  const Value value = frame.value(x), places = integers(frame, indices);
  const Value given = detail::as(frame.value(updates), value.dtype());
  const std::int64_t along = element_axis(frame, value, places, axis);
  frame.require(std::ranges::equal(given.type().dims(), places.type().dims()), "the updates ", given.type(),
                " do not have the shape of the indices ", places.type());
  const Axes batching = all_but(along, value.rank()), inserted(along);
  ir::ScatterAttributes attributes;
  attributes.inserted_window_dims = attributes.scatter_dims_to_operand_dims = inserted;
  attributes.input_batching_dims = attributes.scatter_indices_batching_dims = batching;
  attributes.index_vector_dim = value.rank();
  return frame.tensor(ir::scatter(value, places, given, attributes, body(value.dtype())));
}

// Combines the parts of x at the indices along the axis with the parts of the updates.
Tensor at_indices(const char* function, const Operand& x, std::int64_t axis, const Operand& indices,
                  const Operand& updates, const Body& body) {
  Frame frame(function, x);
  const Value value = frame.value(x), places = integers(frame, indices);
  const Value given = detail::as(frame.value(updates), value.dtype());
  const std::int64_t along = frame.axis(axis, value.rank());
  Shape expected(value.type().dims());
  frame.require(places.rank() == 1, "expected a vector of indices, got ", places.type());
  expected[along] = places.type().dim(0);
  frame.require(expected == Shape(given.type().dims()), "expected updates of shape ", expected, ", got ", given.type());
  const Axes inserted(along), windows = all_but(along, value.rank());
  ir::ScatterAttributes attributes;
  attributes.update_window_dims = windows;
  attributes.inserted_window_dims = attributes.scatter_dims_to_operand_dims = inserted;
  attributes.index_vector_dim = 1;
  return frame.tensor(ir::scatter(value, places, given, attributes, body(value.dtype())));
}

}  // namespace

Tensor take(const Operand& x, const Operand& indices, std::int64_t axis) {
  Frame frame("take", x);
  const Value value = frame.value(x), places = integers(frame, indices);
  const std::int64_t along = frame.axis(axis, value.rank());
  frame.require(value.size(along) > 0 || places.type().elements() == 0, "nothing to take from ", value.type());
  return take(frame, value, places, along);
}

Tensor embedding(const Operand& table, const Operand& indices) {
  Frame frame("embedding", table);
  const Value rows = frame.value(table);
  frame.require(rows.rank() == 2, "expected a table [rows, width], got ", rows.type());
  return take(frame, rows, integers(frame, indices), 0);
}

Tensor gather(const Operand& x, std::int64_t axis, const Operand& indices) {
  Frame frame("gather", x);
  const Value value = frame.value(x), places = integers(frame, indices);
  const std::int64_t along = element_axis(frame, value, places, axis);
  const Axes batching = all_but(along, value.rank()), collapsed(along);
  if (value.type().elements() == 0 &&
      places.type().elements() == 0)  // no slice of size 1 fits into a dimension of size 0
    return frame.tensor(ir::reshape(value, places.type().dims()));
  const std::vector<std::int64_t> sizes(value.rank(), 1);
  ir::GatherAttributes attributes;
  attributes.collapsed_slice_dims = attributes.start_index_map = collapsed;
  attributes.operand_batching_dims = attributes.start_indices_batching_dims = batching;
  attributes.index_vector_dim = value.rank();
  attributes.slice_sizes = sizes;
  return frame.tensor(ir::gather(value, places, attributes));
}

Tensor scatter_add(const Operand& x, std::int64_t axis, const Operand& indices, const Operand& updates) {
  return scattered("scatter_add", x, axis, indices, updates, adding_body);
}

Tensor scatter(const Operand& x, std::int64_t axis, const Operand& indices, const Operand& updates) {
  return scattered("scatter", x, axis, indices, updates, ir::replacing_body);
}

Tensor scatter_reduce(const Operand& x, std::int64_t axis, const Operand& indices, const Operand& updates,
                      Combine combine) {
  return scattered("scatter_reduce", x, axis, indices, updates, combining_body(combine));
}

Tensor index_add(const Operand& x, std::int64_t axis, const Operand& indices, const Operand& updates) {
  return at_indices("index_add", x, axis, indices, updates, adding_body);
}

Tensor index_copy(const Operand& x, std::int64_t axis, const Operand& indices, const Operand& updates) {
  return at_indices("index_copy", x, axis, indices, updates, ir::replacing_body);
}

Tensor index_reduce(const Operand& x, std::int64_t axis, const Operand& indices, const Operand& updates,
                    Combine combine) {
  return at_indices("index_reduce", x, axis, indices, updates, combining_body(combine));
}

Tensor one_hot(const Operand& indices, std::int64_t classes, DType dtype) {
  Frame frame("one_hot", indices);
  const Value places = integers(frame, indices);
  frame.require(classes >= 0, "the number of classes cannot be negative, got ", classes);
  Shape shape(places.type().dims());
  shape.push_back(classes);
  const Type type(places.dtype(), shape);
  const Value wanted = ir::broadcast_in_dim(places, type, counting(0, places.rank()));
  return frame.tensor(
      ir::convert(ir::compare(wanted, ir::iota(frame.graph(), type, places.rank()), ir::Direction::EQ), dtype));
}

}  // namespace weft
