#include <weft/tensor/manipulation.h>

#include <algorithm>
#include <numeric>

#include <weft/tensor/broadcasting.h>

namespace weft {

using detail::Frame;
using ir::Value;

namespace {

// Start, limit and stride of every dimension; at first they select the whole of x.
struct Bounds {
  explicit Bounds(Value x) {
    for (int i = 0; i < x.rank(); ++i) {
      start.push_back(0);
      limit.push_back(x.size(i));
      stride.push_back(1);
    }
  }
  Value take(Value x) const { return ir::slice(x, start, limit, stride); }

  Axes start, limit, stride;
};

// Applies Python's rules: negative positions count from the end, positions out of range are clamped. Steps must be
// positive (use flip to reverse).
void apply_slice(Frame& frame, Bounds& bounds, int axis, const Slice& slice) {
  const std::int64_t size = bounds.limit[axis];
  frame.require(slice.step > 0, "a step must be positive, got ", slice.step, "; flip reverses");
  const auto place = [size](std::int64_t at) { return std::clamp<std::int64_t>(at < 0 ? at + size : at, 0, size); };
  bounds.start[axis] = place(slice.start);
  bounds.limit[axis] = std::max(place(slice.stop), bounds.start[axis]);
  bounds.stride[axis] = slice.step;
}

std::int64_t position(Frame& frame, Value x, int axis, std::int64_t index) {
  const std::int64_t size = x.size(axis);
  frame.require(index >= -size && index < size, "index ", index, " is out of range for dimension ", axis, " of ",
                x.type());
  return index < 0 ? index + size : index;
}

Value without(Value x, std::span<const std::int64_t> sorted_axes) {
  Shape shape;
  for (int i = 0; i < x.rank(); ++i) {
    if (!std::ranges::binary_search(sorted_axes, i)) shape.push_back(x.type().dim(i));
  }
  return ir::reshape(x, shape);
}

// Returns `shape` with its -1 replaced by the inferred size.
Shape inferred_shape(Frame& frame, Value x, Shape shape) {
  const auto missing = std::ranges::find(shape, Shape::inferred);
  if (missing == shape.end()) return shape;
  frame.require(std::ranges::count(shape, Shape::inferred) == 1, "only one size can be -1, got ", shape);
  std::int64_t known = 1;
  for (const Dim size : shape) {
    if (size != Shape::inferred) known *= size.value();
  }
  const std::int64_t elements = x.type().elements();
  frame.require(known > 0 && elements % known == 0, "cannot reshape ", x.type(), " to ", shape);
  *missing = elements / known;
  return shape;
}

}  // namespace

Tensor reshape(const Operand& x, const Shape& shape) {
  Frame frame("reshape", x);
  const Value value = frame.value(x);
  const Shape target = inferred_shape(frame, value, shape);
  frame.require(!value.type().is_static() || Type(value.dtype(), target).elements() == value.type().elements(),
                "cannot reshape ", value.type(), " to ", shape, ": the number of elements differs");
  return frame.tensor(ir::reshape(value, target));
}

Tensor flatten(const Operand& x, std::int64_t start_axis, std::int64_t end_axis) {
  Frame frame("flatten", x);
  const Value value = frame.value(x);
  if (value.rank() == 0) return frame.tensor(ir::reshape(value, Shape{1}));
  const auto first = frame.axis(start_axis, value.rank()), last = frame.axis(end_axis, value.rank());
  frame.require(first <= last, "dimension ", first, " comes after dimension ", last);
  Shape shape;
  for (int i = 0; i < value.rank(); ++i) {
    if (i <= first || i > last) {
      shape.push_back(value.type().dim(i));
    } else {
      shape.back() = shape.back() * value.type().dim(i);
    }
  }
  return frame.tensor(ir::reshape(value, shape));
}

Tensor squeeze(const Operand& x, const Axes& axes) {
  Frame frame("squeeze", x);
  const Value value = frame.value(x);
  Axes which = frame.axes(axes, value.rank());
  for (const std::int64_t axis : which) {
    frame.require(value.type().dim(axis) == Dim(1), "dimension ", axis, " of ", value.type(), " is not 1");
  }
  if (axes.empty()) {
    for (int i = 0; i < value.rank(); ++i) {
      if (value.type().dim(i) == Dim(1)) which.push_back(i);
    }
  }
  return frame.tensor(without(value, which));
}

Tensor unsqueeze(const Operand& x, std::int64_t axis) {
  Frame frame("unsqueeze", x);
  const Value value = frame.value(x);
  Shape shape(value.type().dims());
  shape.insert(frame.axis(axis, value.rank() + 1), 1);
  return frame.tensor(ir::reshape(value, shape));
}

Tensor broadcast_to(const Operand& x, const Shape& shape) {
  Frame frame("broadcast_to", x);
  const Value value = frame.value(x);
  Shape together;
  frame.require(broadcast_shapes(value.type().dims(), shape, together) && together == shape, "cannot broadcast ",
                value.type(), " to ", shape);
  return frame.tensor(detail::broadcast(value, shape));
}

Tensor permute(const Operand& x, const Axes& permutation) {
  Frame frame("permute", x);
  const Value value = frame.value(x);
  frame.axes(permutation, value.rank());
  frame.require(std::ssize(permutation) == value.rank(), "the permutation has ", permutation.size(), " dimensions, ",
                value.type(), " has ", value.rank());
  Axes order;
  for (const std::int64_t axis : permutation) order.push_back(frame.axis(axis, value.rank()));
  return frame.tensor(ir::transpose(value, order));
}

Tensor transpose(const Operand& x, std::int64_t a, std::int64_t b) {
  Frame frame("transpose", x);
  const Value value = frame.value(x);
  Axes order;
  for (int i = 0; i < value.rank(); ++i) order.push_back(i);
  std::swap(order[frame.axis(a, value.rank())], order[frame.axis(b, value.rank())]);
  return frame.tensor(ir::transpose(value, order));
}

Tensor slice(const Operand& x, std::int64_t axis, std::int64_t start, std::int64_t stop, std::int64_t step) {
  Frame frame("slice", x);
  const Value value = frame.value(x);
  Bounds bounds(value);
  apply_slice(frame, bounds, frame.axis(axis, value.rank()), {start, stop, step});
  return frame.tensor(bounds.take(value));
}

Tensor narrow(const Operand& x, std::int64_t axis, std::int64_t start, std::int64_t length) {
  Frame frame("narrow", x);
  const Value value = frame.value(x);
  const int at = frame.axis(axis, value.rank());
  frame.require(start >= 0 && length >= 0 && start <= value.size(at) - length, "[", start, ", ", start, " + ", length,
                ") is not inside dimension ", at, " of ", value.type());
  Bounds bounds(value);
  bounds.start[at] = start;
  bounds.limit[at] = start + length;
  return frame.tensor(bounds.take(value));
}

Tensor select(const Operand& x, std::int64_t axis, std::int64_t at) {
  Frame frame("select", x);
  const Value value = frame.value(x);
  const int where = frame.axis(axis, value.rank());
  Bounds bounds(value);
  bounds.start[where] = position(frame, value, where, at);
  bounds.limit[where] = bounds.start[where] + 1;
  return frame.tensor(without(bounds.take(value), Axes(where)));
}

Tensor index(const Operand& x, std::initializer_list<Index> indices) {
  Frame frame("index", x);
  const Value value = frame.value(x);
  frame.require(std::ssize(indices) <= value.rank(), indices.size(), " indices for ", value.type());
  Bounds bounds(value);
  Axes dropped;
  int axis = 0;
  for (const Index& at : indices) {
    if (at.is_slice()) {
      apply_slice(frame, bounds, axis, at.slice());
    } else {
      bounds.start[axis] = position(frame, value, axis, at.position());
      bounds.limit[axis] = bounds.start[axis] + 1;
      dropped.push_back(axis);
    }
    ++axis;
  }
  return frame.tensor(without(bounds.take(value), dropped));
}

namespace {

// A u64 beyond the range of i64 is replaced by a number that is larger than any size.
Value as_i64(Value start) {
  if (start.dtype() == DType::u64) start = ir::minimum(start, ir::constant_like(start, 0x1p62));
  return detail::as(start, DType::i64);
}

// StableHLO requires that all starts have the same dtype.
std::vector<Value> start_values(Frame& frame, Value x, std::span<const Tensor> starts) {
  frame.require(std::ssize(starts) == x.rank(), starts.size(), " starts for ", x.type());
  std::vector<Value> values;
  for (const Tensor& start : starts) {
    values.push_back(frame.value(start));
    frame.require(values.back().rank() == 0 && is_integer(values.back().dtype()),
                  "a start must be a rank-0 integer, got ", values.back().type());
  }
  const auto is_of_first_dtype = [&](Value value) { return value.dtype() == values.front().dtype(); };
  if (!std::ranges::all_of(values, is_of_first_dtype)) std::ranges::transform(values, values.begin(), as_i64);
  return values;
}

}  // namespace

Tensor dynamic_slice(const Operand& x, std::span<const Tensor> starts, const Shape& sizes) {
  Frame frame("dynamic_slice", x);
  const Value value = frame.value(x);
  Axes extents;
  for (const Dim size : sizes) extents.push_back(size.value());
  return frame.tensor(ir::dynamic_slice(value, start_values(frame, value, starts), extents));
}

Tensor dynamic_update_slice(const Operand& x, const Operand& update, std::span<const Tensor> starts) {
  Frame frame("dynamic_update_slice", x);
  const Value value = frame.value(x);
  const Value part = detail::as(frame.value(update), value.dtype());
  return frame.tensor(ir::dynamic_update_slice(value, part, start_values(frame, value, starts)));
}

namespace {

std::vector<Value> promoted_parts(Frame& frame, std::span<const Tensor> parts) {
  frame.require(!parts.empty(), "nothing to join");
  DType dtype = parts.front().dtype();
  for (const Tensor& part : parts) dtype = promote(dtype, part.dtype());
  std::vector<Value> values;
  for (const Tensor& part : parts) values.push_back(detail::as(frame.value(part), dtype));
  return values;
}

}  // namespace

Tensor concatenate(std::span<const Tensor> parts, std::int64_t axis, std::source_location where) {
  Frame frame("concatenate", where);
  const std::vector<Value> values = promoted_parts(frame, parts);
  const Type first = values.front().type();
  const auto at = frame.axis(axis, first.rank());
  for (const Value value : values) {
    bool fits = value.rank() == first.rank();
    for (int i = 0; fits && i < first.rank(); ++i) fits = i == at || value.type().dim(i) == first.dim(i);
    frame.require(fits, "cannot join ", first, " and ", value.type(), " along dimension ", at);
  }
  return frame.tensor(ir::concatenate(values, at));
}

Tensor concatenate(std::initializer_list<Tensor> parts, std::int64_t axis, std::source_location where) {
  return concatenate(std::span(parts.begin(), parts.size()), axis, where);
}

Tensor stack(std::span<const Tensor> parts, std::int64_t axis, std::source_location where) {
  Frame frame("stack", where);
  std::vector<Value> values = promoted_parts(frame, parts);
  const Type first = values.front().type();
  const auto at = frame.axis(axis, first.rank() + 1);
  Shape shape(first.dims());
  shape.insert(at, 1);
  for (Value& value : values) {
    frame.require(value.type() == first, "cannot stack ", first, " and ", value.type());
    value = ir::reshape(value, shape);
  }
  return frame.tensor(ir::concatenate(values, at));
}

Tensor stack(std::initializer_list<Tensor> parts, std::int64_t axis, std::source_location where) {
  return stack(std::span(parts.begin(), parts.size()), axis, where);
}

std::vector<Tensor> split(const Operand& x, const std::vector<std::int64_t>& sizes, std::int64_t axis) {
  Frame frame("split", x);
  const Value value = frame.value(x);
  const int at = frame.axis(axis, value.rank());
  frame.require(std::ranges::all_of(sizes, [](std::int64_t size) { return size >= 0; }) &&
                    std::reduce(sizes.begin(), sizes.end()) == value.size(at),
                "the sizes do not sum to dimension ", at, " of ", value.type());
  std::vector<Tensor> pieces;
  Bounds bounds(value);
  std::int64_t start = 0;
  for (const std::int64_t size : sizes) {
    bounds.start[at] = start;
    bounds.limit[at] = start += size;
    pieces.push_back(frame.tensor(bounds.take(value)));
  }
  return pieces;
}

Tensor flip(const Operand& x, const Axes& axes) {
  Frame frame("flip", x);
  const Value value = frame.value(x);
  return frame.tensor(ir::reverse(value, frame.axes(axes, value.rank())));
}

std::vector<Tensor> split(const Operand& x, std::int64_t size, std::int64_t axis) {
  Frame frame("split", x);
  frame.require(size > 0, "a piece must have a positive size, got ", size);
  const Tensor whole = frame.tensor(frame.value(x));
  std::vector<std::int64_t> sizes;
  for (std::int64_t rest = whole.size(axis); rest > 0; rest -= size) sizes.push_back(std::min(size, rest));
  return split(whole, sizes, axis);
}

std::vector<Tensor> chunk(const Operand& x, std::int64_t pieces, std::int64_t axis) {
  Frame frame("chunk", x);
  const Tensor whole = frame.tensor(frame.value(x));
  const std::int64_t size = whole.size(axis);
  frame.require(pieces > 0 && size % pieces == 0, "cannot cut dimension ", axis, " of ", whole.type(), " into ", pieces,
                " equal pieces");
  return split(whole, std::vector<std::int64_t>(pieces, size / pieces), axis);
}

Tensor pad(const Operand& x, std::span<const std::pair<std::int64_t, std::int64_t>> widths, const Operand& fill) {
  Frame frame("pad", x);
  const Value value = frame.value(x);
  frame.require(std::ssize(widths) <= value.rank(), widths.size(), " widths for ", value.type());
  Axes low, high, interior;
  for (int i = 0; i < value.rank(); ++i) {
    const std::size_t from_end = value.rank() - i;
    const auto [before, after] =
        from_end > widths.size() ? std::pair<std::int64_t, std::int64_t>() : widths[widths.size() - from_end];
    frame.require(value.size(i) + before + after >= 0, "no elements are left in dimension ", i, " of ", value.type());
    low.push_back(before);
    high.push_back(after);
    interior.push_back(0);
  }
  const Value filling = detail::value_as(frame, fill, value.dtype());
  frame.require(filling.rank() == 0, "the value must have rank 0, got ", filling.type());
  return frame.tensor(ir::pad(value, filling, low, high, interior));
}

Tensor pad(const Operand& x, std::initializer_list<std::pair<std::int64_t, std::int64_t>> widths, const Operand& fill) {
  return pad(x, std::span(widths.begin(), widths.size()), fill);
}

namespace {

// Inserts a new dimension of size `times` before or after dimension `axis` and merges the two.
Tensor copies(Frame& frame, const Operand& x, std::int64_t times, std::int64_t axis, bool after) {
  const Value value = frame.value(x);
  frame.require(times >= 0, "cannot repeat ", times, " times");
  const int at = frame.axis(axis, value.rank());
  Shape spread(value.type().dims()), merged = spread;
  const int place = after ? at + 1 : at;
  spread.insert(place, times);
  merged[at] = merged[at] * Dim(times);
  Axes dimensions;
  for (int i = 0; i < value.rank(); ++i) dimensions.push_back(i < place ? i : i + 1);
  return frame.tensor(ir::reshape(ir::broadcast_in_dim(value, Type(value.dtype(), spread), dimensions), merged));
}

}  // namespace

Tensor repeat(const Operand& x, std::int64_t times, std::int64_t axis) {
  Frame frame("repeat", x);
  return copies(frame, x, times, axis, true);
}

Tensor tile(const Operand& x, std::int64_t times, std::int64_t axis) {
  Frame frame("tile", x);
  return copies(frame, x, times, axis, false);
}

Tensor roll(const Operand& x, std::int64_t shift, std::int64_t axis) {
  Frame frame("roll", x);
  const Value value = frame.value(x);
  const int at = frame.axis(axis, value.rank());
  const std::int64_t size = value.size(at);
  if (size == 0 || shift % size == 0) return frame.tensor(value);
  Bounds head(value), tail(value);
  head.limit[at] = tail.start[at] = size - ((shift % size + size) % size);
  const Value parts[] = {tail.take(value), head.take(value)};
  return frame.tensor(ir::concatenate(parts, at));
}

namespace {

// Returns booleans for the last two dimensions of `type`: column - row compared with the diagonal.
Value triangle(ir::Graph& graph, Type type, std::int64_t diagonal, ir::Direction direction) {
  const Type indices(DType::i64, type.dims().last(2));
  const Value offset = ir::iota(graph, indices, 1) - ir::iota(graph, indices, 0);
  return ir::compare(offset, ir::constant(graph, indices, diagonal), direction);
}

Tensor triangular(const char* function, const Operand& x, std::int64_t diagonal, ir::Direction direction) {
  Frame frame(function, x);
  const Value value = frame.value(x);
  frame.require(value.rank() >= 2, "expected rank 2 or more, got ", value.type());
  const Value kept = detail::broadcast(triangle(frame.graph(), value.type(), diagonal, direction), value.type().dims());
  return frame.tensor(ir::select(kept, value, ir::constant_like(value, 0)));
}

}  // namespace

Tensor tril(const Operand& x, std::int64_t diagonal) { return triangular("tril", x, diagonal, ir::Direction::LE); }
Tensor triu(const Operand& x, std::int64_t diagonal) { return triangular("triu", x, diagonal, ir::Direction::GE); }

Tensor causal_mask(std::int64_t queries, std::int64_t keys, std::source_location where) {
  Frame frame("causal_mask", where);
  const Type type(DType::boolean, Shape{queries, keys});
  return frame.tensor(triangle(frame.graph(), type, keys - queries, ir::Direction::LE));
}

}  // namespace weft
