#include <weft/tensor/selection.h>

#include <algorithm>
#include <bit>

#include <weft/ir/builder.h>
#include <weft/tensor/creation.h>
#include <weft/tensor/elementwise.h>
#include <weft/tensor/frame.h>
#include <weft/tensor/indexing.h>
#include <weft/tensor/manipulation.h>
#include <weft/tensor/reduction.h>

namespace weft {

using detail::Frame;

namespace {

Tensor number(std::int64_t value) { return constant(value, DType::i32); }

void require_size(const Frame& frame, std::int64_t size) {
  frame.require(size >= 0, "the size cannot be negative, got ", size);
}

// The positions of the true elements of a vector, in order, in a vector of this size; others follow.
struct Places {
  Tensor places, are_real, count;
};

Places places_of(const Tensor& is_wanted, std::int64_t size) {
  const std::int64_t n = is_wanted.size(0);
  Tensor places = argsort(is_wanted.to(DType::i32), 0, true);
  places = n >= size ? slice(places, 0, 0, size) : concatenate({places, zeros({size - n}, DType::i32)});
  const Tensor count = minimum(sum(is_wanted).to(DType::i32), number(size));
  return {places, arange(size) < count, count};
}

// Returns for each element how many of the ones up to it are true.
Tensor running_count(const Tensor& is_counted) {
  Tensor counts = is_counted.to(DType::i32);
  const std::int64_t n = counts.size(0);
  for (std::int64_t step = 1; step < n; step *= 2)
    counts = counts + concatenate({zeros({step}, DType::i32), slice(counts, 0, 0, n - step)});
  return counts;
}

Tensor integers(const Frame& frame, const Operand& x, int rank, const char* what) {
  frame.require(!x.is_number() && is_integer(x.tensor().dtype()) && x.tensor().rank() == rank, what,
                " must be integers of rank ", rank, x.is_number() ? "" : concat(", got ", x.tensor().type()));
  return x.tensor();
}

// The result of a reduction of no elements: 0, 1, or the lowest or the highest number.
ir::Value start_of(ir::Graph& graph, Type type, Combine combine) {
  std::vector<Dim> dims{Dim(0)};
  dims.insert(dims.end(), type.dims().begin(), type.dims().end());
  const ir::Value nothing = ir::constant(graph, Type(type.dtype(), dims), 0);
  const std::int64_t first[] = {0};
  switch (combine) {
    case Combine::sum: return ir::reduce_sum(nothing, first);
    case Combine::product: return ir::reduce_product(nothing, first);
    case Combine::max: return ir::reduce_max(nothing, first);
    case Combine::min: return ir::reduce_min(nothing, first);
  }
  __builtin_unreachable();
}

Tensor segments_of(const char* function, const Operand& values, const Operand& segments, std::int64_t count,
                   Combine combine) {
  Frame frame(function, values);
  require_size(frame, count);
  const Tensor value = frame.tensor(frame.value(values)), numbers = integers(frame, segments, 1, "the segments");
  frame.require(value.rank() > 0 && value.size(0) == numbers.size(0), "there are ", numbers.size(0), " segments for ",
                value.type());
  Shape shape = value.shape();
  shape[0] = Dim(count);
  const Tensor start = frame.tensor(start_of(frame.graph(), Type(value.dtype(), shape), combine));
  return index_reduce(start, 0, numbers, value, combine);
}

}  // namespace

Nonzero nonzero(const Operand& x, std::int64_t size) {
  Frame frame("nonzero", x);
  require_size(frame, size);
  const Tensor value = frame.tensor(frame.value(x));
  const auto [places, are_real, count] = places_of(reshape(value != 0, {-1}), size);
  std::vector<Tensor> columns;
  std::int64_t stride = 1;
  for (int d = value.rank() - 1; d >= 0; --d) {
    const std::int64_t n = std::max<std::int64_t>(value.size(d), 1);
    columns.insert(columns.begin(), remainder(floor_divide(places, number(stride)), number(n)));
    stride *= n;
  }
  const Tensor indices = columns.empty() ? zeros({size, 0}, DType::i32) : stack(columns, 1);
  return {where(unsqueeze(are_real, 1), indices, number(-1)), count};
}

Tensor masked_select(const Operand& x, const Operand& mask, std::int64_t size, const Operand& fill) {
  Frame frame("masked_select", x);
  require_size(frame, size);
  const Tensor value = frame.tensor(frame.value(x)), wanted = frame.tensor(frame.value(mask));
  frame.require(value.shape() == wanted.shape(), "the mask ", wanted.type(), " does not have the shape of ",
                value.type());
  const Tensor filled = full({size}, fill, value.dtype());
  if (value.type().elements() == 0) return filled;
  const Places found = places_of(reshape(wanted != 0, {-1}), size);
  return where(found.are_real, take(reshape(value, {-1}), found.places), filled);
}

Unique unique(const Operand& x, std::int64_t size) {
  Frame frame("unique", x);
  require_size(frame, size);
  const Tensor value = frame.tensor(frame.value(x)), flat = reshape(value, {-1});
  const std::int64_t n = flat.size(0);
  frame.require(n > 0, "there are no elements in ", value.type());
  const Tensor order = argsort(flat), ascending = take(flat, order);
  const Tensor differ = slice(ascending, 0, 1) != slice(ascending, 0, 0, n - 1);
  const Tensor is_first = concatenate({full({1}, true, DType::boolean), differ});
  const Tensor group = running_count(is_first) - number(1);
  const Places firsts = places_of(is_first, size);
  const Tensor smallest = broadcast_to(slice(ascending, 0, 0, 1), {size});
  return {.values = where(firsts.are_real, take(ascending, firsts.places), smallest),
          .inverse = reshape(take(group, argsort(order)), value.shape()),
          .counts = bincount(group, size).to(DType::i32),
          .count = sum(is_first).to(DType::i32)};
}

// Binary search: the position grows by smaller and smaller steps, as long as all elements before it are smaller.
Tensor searchsorted(const Operand& sorted, const Operand& values, bool right) {
  Frame frame("searchsorted", sorted);
  const Tensor vector = frame.tensor(frame.value(sorted));
  frame.require(vector.rank() == 1, "expected a sorted vector, got ", vector.type());
  const Tensor wanted = values.is_number() ? full({}, values, vector.dtype()) : values.tensor();
  const std::int64_t n = vector.size(0);
  Tensor position = zeros(wanted.shape(), DType::i32);
  for (auto step = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(n))); step > 0; step /= 2) {
    const Tensor next = position + number(step), last = take(vector, next - number(1));
    const Tensor is_before = right ? last <= wanted : last < wanted;
    position = where(logical_and(next <= number(n), is_before), next, position);
  }
  return position;
}

Tensor bincount(const Operand& x, std::int64_t length) {
  Frame frame("bincount", x);
  const Tensor numbers = integers(frame, x, 1, "the elements");
  return bincount({numbers, x.where()}, length, ones(numbers.shape(), DType::i64));
}

Tensor bincount(const Operand& x, std::int64_t length, const Operand& weights) {
  Frame frame("bincount", x);
  require_size(frame, length);
  const Tensor numbers = integers(frame, x, 1, "the elements"), weight = frame.tensor(frame.value(weights));
  frame.require(weight.shape() == numbers.shape(), "the weights ", weight.type(), " do not have the shape of ",
                numbers.type());
  return segment_sum(weight, numbers, length);
}

Tensor segment_sum(const Operand& values, const Operand& segments, std::int64_t count) {
  return segments_of("segment_sum", values, segments, count, Combine::sum);
}

Tensor segment_mean(const Operand& values, const Operand& segments, std::int64_t count) {
  Frame frame("segment_mean", values);
  const Tensor sums = segments_of("segment_mean", values, segments, count, Combine::sum);
  Tensor counts = maximum(bincount(segments, count), 1).to(is_float(sums.dtype()) ? sums.dtype() : DType::f32);
  for (int d = 1; d < sums.rank(); ++d) counts = unsqueeze(counts, -1);
  return sums / counts;
}

Tensor segment_prod(const Operand& values, const Operand& segments, std::int64_t count) {
  return segments_of("segment_prod", values, segments, count, Combine::product);
}

Tensor segment_max(const Operand& values, const Operand& segments, std::int64_t count) {
  return segments_of("segment_max", values, segments, count, Combine::max);
}

Tensor segment_min(const Operand& values, const Operand& segments, std::int64_t count) {
  return segments_of("segment_min", values, segments, count, Combine::min);
}

Tensor quantile(const Operand& x, const Operand& q, std::optional<std::int64_t> axis, bool keepdim) {
  Frame frame("quantile", x);
  const Tensor given = frame.tensor(frame.value(x));
  const Tensor value = is_float(given.dtype()) ? given : given.to(DType::f32);
  const Tensor wanted = q.is_number() ? full({}, q, value.dtype()) : q.tensor().to(value.dtype());
  frame.require(wanted.rank() <= 1, "q must be a number or a vector, got ", wanted.type());
  const int rank = value.rank();
  const std::int64_t along = axis ? frame.axis(*axis, rank) : 0;
  // The axis comes first, so that a vector of places becomes the first dimension.
  Tensor ascending = axis ? value : reshape(value, {-1});
  Axes order(along);
  for (std::int64_t d = 0; d < ascending.rank(); ++d)
    if (d != along) order.push_back(d);
  ascending = sort(permute(ascending, order), 0);
  const std::int64_t n = ascending.size(0);
  frame.require(n > 0, "there are no elements in ", given.type(), axis ? concat(" along axis ", *axis) : "");
  const Tensor place = wanted * static_cast<double>(n - 1), below = floor(place);
  Tensor share = place - below;
  for (int d = 1; d < ascending.rank(); ++d) share = unsqueeze(share, -1);
  const Tensor low = take(ascending, below.to(DType::i32)), high = take(ascending, ceil(place).to(DType::i32));
  const Tensor last = select(ascending, 0, n - 1);  // NaN comes last
  const Tensor result = where(isnan(last), last, low + share * where(share == 0.0, zeros_like(high), high - low));
  if (!keepdim) return result;
  Shape shape = value.shape();
  if (axis)
    shape[along] = Dim(1);
  else
    shape = Shape(std::vector<std::int64_t>(rank, 1));
  if (wanted.rank() == 0) return reshape(result, shape);
  std::vector<Dim> dims(shape.begin(), shape.end());
  dims.insert(dims.begin(), wanted.shape()[0]);
  return reshape(result, Shape(dims));
}

Tensor median(const Operand& x, std::optional<std::int64_t> axis, bool keepdim) {
  return quantile(x, 0.5, axis, keepdim);
}

}  // namespace weft
