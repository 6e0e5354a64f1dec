#include <algorithm>

#include <weft/tensor/creation.h>
#include <weft/tensor/frame.h>
#include <weft/tensor/indexing.h>
#include <weft/tensor/manipulation.h>

namespace weft {

using detail::Frame;

Tensor movedim(const Operand& x, const Axes& from, const Axes& to) {
  Frame frame("movedim", x);
  const Tensor value = frame.tensor(frame.value(x));
  frame.require(from.size() == to.size(), from.size(), " dimensions have ", to.size(), " places");
  frame.axes(from, value.rank());  // Throws Error if one occurs twice.
  frame.axes(to, value.rank());
  std::vector<std::int64_t> order(value.rank(), -1);
  std::vector<bool> is_moved(value.rank());
  for (std::size_t i = 0; i < from.size(); ++i) {
    const std::int64_t dimension = frame.axis(from[i], value.rank());
    order[frame.axis(to[i], value.rank())] = dimension;
    is_moved[dimension] = true;
  }
  std::int64_t next = 0;
  for (std::int64_t& place : order) {
    if (place >= 0) continue;
    while (is_moved[next]) ++next;
    place = next++;
  }
  return permute(value, order);
}

Tensor unflatten(const Operand& x, std::int64_t axis, const Shape& shape) {
  Frame frame("unflatten", x);
  const Tensor value = frame.tensor(frame.value(x));
  const std::int64_t along = frame.axis(axis, value.rank());
  std::int64_t known = 1, inferred = 0;
  for (const Dim size : shape) {
    if (size == Shape::inferred)
      ++inferred;
    else
      known *= size.value();
  }
  const std::int64_t n = value.size(along);
  const bool fits = inferred == 0 ? known == n : inferred == 1 && known > 0 && n % known == 0;
  frame.require(fits, "dimension ", along, " of ", value.type(), " does not have the shape ", shape);
  std::vector<Dim> dims;
  for (int d = 0; d < value.rank(); ++d) {
    if (d != along) {
      dims.push_back(value.shape()[d]);
      continue;
    }
    for (const Dim size : shape) dims.push_back(size == Shape::inferred ? Dim(n / known) : size);
  }
  return reshape(value, Shape(dims));
}

std::vector<Tensor> unbind(const Operand& x, std::int64_t axis) {
  Frame frame("unbind", x);
  const Tensor value = frame.tensor(frame.value(x));
  const std::int64_t along = frame.axis(axis, value.rank());
  std::vector<Tensor> parts;
  for (std::int64_t i = 0; i < value.size(along); ++i) parts.push_back(select(value, along, i));
  return parts;
}

Tensor repeat(const Operand& x, const std::vector<std::int64_t>& times, std::int64_t axis) {
  Frame frame("repeat", x);
  const Tensor value = frame.tensor(frame.value(x));
  const std::int64_t along = frame.axis(axis, value.rank());
  frame.require(std::ssize(times) == value.size(along), times.size(), " numbers of repetitions for dimension ", along,
                " of ", value.type());
  std::vector<std::int32_t> places;
  for (std::size_t i = 0; i < times.size(); ++i) {
    frame.require(times[i] >= 0, "an element cannot be repeated ", times[i], " times");
    places.insert(places.end(), static_cast<std::size_t>(times[i]), static_cast<std::int32_t>(i));
  }
  return take(value, from_vector(places, {places.size()}), along);
}

namespace {

// Returns `count` elements to add before an axis, or after it.
Tensor added(const Tensor& x, std::int64_t axis, std::int64_t count, bool before, PadMode mode) {
  const std::int64_t n = x.size(axis);
  switch (mode) {
    case PadMode::reflect:
      return flip(before ? slice(x, axis, 1, 1 + count) : slice(x, axis, n - 1 - count, n - 1), axis);
    case PadMode::replicate: return repeat(before ? slice(x, axis, 0, 1) : slice(x, axis, n - 1, n), count, axis);
    case PadMode::circular: return before ? slice(x, axis, n - count, n) : slice(x, axis, 0, count);
  }
  return x;
}

}  // namespace

Tensor pad(const Operand& x, std::span<const std::pair<std::int64_t, std::int64_t>> widths, PadMode mode) {
  Frame frame("pad", x);
  Tensor result = frame.tensor(frame.value(x));
  frame.require(std::ssize(widths) <= result.rank(), widths.size(), " widths for ", result.type());
  std::int64_t axis = result.rank() - std::ssize(widths);
  for (const auto& [before, after] : widths) {
    const std::int64_t n = result.size(axis), removed = std::max<std::int64_t>(-before, 0);
    Tensor part = slice(result, axis, removed, std::max(removed, n - std::max<std::int64_t>(-after, 0)));
    const std::int64_t left = part.size(axis), most = std::max<std::int64_t>({before, after, 0});
    const std::int64_t limit = mode == PadMode::reflect ? left - 1 : left;
    const bool fits = mode == PadMode::replicate ? most == 0 || left > 0 : most <= std::max<std::int64_t>(limit, 0);
    frame.require(fits, "dimension ", axis, " of ", result.type(), " has too few elements to add ", most);
    std::vector<Tensor> parts;
    if (before > 0) parts.push_back(added(part, axis, before, true, mode));
    parts.push_back(part);
    if (after > 0) parts.push_back(added(part, axis, after, false, mode));
    result = parts.size() == 1 ? part : concatenate(parts, axis);
    ++axis;
  }
  return result;
}

Tensor pad(const Operand& x, std::initializer_list<std::pair<std::int64_t, std::int64_t>> widths, PadMode mode) {
  return pad(x, std::span(widths.begin(), widths.size()), mode);
}

Tensor rot90(const Operand& x, std::int64_t k, std::int64_t from, std::int64_t to) {
  Frame frame("rot90", x);
  const Tensor value = frame.tensor(frame.value(x));
  const std::int64_t a = frame.axis(from, value.rank()), b = frame.axis(to, value.rank());
  frame.require(a != b, "the dimensions ", from, " and ", to, " are the same");
  switch ((k % 4 + 4) % 4) {
    case 1: return transpose(flip(value, b), a, b);
    case 2: return flip(value, {a, b});
    case 3: return flip(transpose(value, a, b), b);
    default: return value;
  }
}

std::vector<Tensor> meshgrid(std::span<const Tensor> vectors, std::source_location where) {
  Frame frame("meshgrid", where);
  Shape shape;
  for (const Tensor& vector : vectors) {
    frame.require(vector.rank() <= 1, "expected vectors, got ", vector.type());
    shape.push_back(vector.rank() == 0 ? Dim(1) : vector.shape()[0]);
  }
  std::vector<Tensor> grids;
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    Shape column(std::vector<std::int64_t>(vectors.size(), 1));
    column[i] = shape[i];
    grids.push_back(broadcast_to(reshape(vectors[i], column), shape));
  }
  return grids;
}

std::vector<Tensor> meshgrid(std::initializer_list<Tensor> vectors, std::source_location where) {
  return meshgrid(std::span(vectors.begin(), vectors.size()), where);
}

Tensor unfold(const Operand& x, std::int64_t axis, std::int64_t size, std::int64_t step) {
  Frame frame("unfold", x);
  const Tensor value = frame.tensor(frame.value(x));
  const std::int64_t along = frame.axis(axis, value.rank()), n = value.size(along);
  frame.require(size >= 0 && size <= n, "a window of ", size, " elements does not fit into dimension ", along, " of ",
                value.type());
  frame.require(step > 0, "the step must be positive, got ", step);
  const std::int64_t count = (n - size) / step + 1;
  const Shape places{count, size};
  const Tensor windows = take(value, iota(places, 0) * constant(step, DType::i32) + iota(places, 1), along);
  return movedim(windows, along + 1, -1);
}

}  // namespace weft
