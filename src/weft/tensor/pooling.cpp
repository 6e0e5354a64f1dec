#include <weft/tensor/pooling.h>

#include <algorithm>
#include <limits>
#include <vector>

#include <weft/ir/ops.h>
#include <weft/tensor/broadcasting.h>
#include <weft/tensor/creation.h>
#include <weft/tensor/elementwise.h>
#include <weft/tensor/indexing.h>
#include <weft/tensor/manipulation.h>
#include <weft/tensor/reduction.h>
#include <weft/tensor/windows.h>

namespace weft {

using detail::Frame;
using ir::Value;

namespace {

using detail::Sizes;
using Numbers = std::vector<std::int64_t>;

// The windows along one spatial dimension.
struct PoolDimension {
  std::int64_t taps, stride, dilation, low, high;  // low, high: padding, with what the last window covers beyond it
  std::int64_t count;                              // of windows
};

std::vector<PoolDimension> pool_dimensions(Frame& frame, Type x, Sizes window, Sizes stride, Sizes padding,
                                           Sizes dilation, bool ceil_mode) {
  const std::int64_t spatial = std::ssize(window);
  frame.require(x.rank() == spatial + 2, "expected ", detail::with_spatial_dimensions(spatial), ", got ", x);
  std::vector<PoolDimension> dimensions;
  for (std::int64_t i = 0; i < spatial; ++i) {
    PoolDimension d{window[i], stride[i] ? stride[i] : window[i], dilation[i], padding[i], padding[i], 0};
    detail::require_window(frame, x, 2 + i, d.taps, d.stride, d.dilation, d.low, ceil_mode ? d.stride - 1 : 0);
    const std::int64_t reach = (d.taps - 1) * d.dilation + 1, size = x.size(static_cast<int>(2 + i));
    frame.require(2 * d.low <= reach, "a padding of ", d.low, " is more than half of the window ", reach);
    const std::int64_t begun = size + 2 * d.low - reach + (ceil_mode ? d.stride - 1 : 0);
    d.count = begun / d.stride + 1;
    if (ceil_mode && (d.count - 1) * d.stride >= size + d.low) --d.count;
    d.high = std::max(d.low, (d.count - 1) * d.stride + reach - size - d.low);
    dimensions.push_back(d);
  }
  return dimensions;
}

// Folds dense windows of the last dimensions of x.
Value fold_windows(Value x, const std::vector<PoolDimension>& dimensions, double init, const ir::Op& op) {
  const std::size_t leading = x.rank() - dimensions.size();
  Numbers windows(leading, 1), strides(leading, 1), paddings(2 * leading);
  const Numbers ones(x.rank(), 1);
  for (const PoolDimension& d : dimensions) {
    windows.push_back(d.taps);
    strides.push_back(d.stride);
    paddings.push_back(d.low);
    paddings.push_back(d.high);
  }
  return ir::reduce_window(x, ir::constant(x.graph(), Type(x.dtype(), {}), init),
                           {windows, strides, ones, ones, paddings}, ir::reduction_body(op, x.dtype()));
}

constexpr double lowest = -std::numeric_limits<double>::infinity();

// The elements of a dilated window are neighbours among the elements whose positions differ by multiples of the dilation. So each
// dimension is split into [quotient, remainder] of the position, and dense windows slide along the quotients.
Value dilated_maximum(Value x, const std::vector<PoolDimension>& dimensions) {
  const std::size_t leading = x.rank() - dimensions.size();
  Numbers low(leading), high(leading), none(x.rank()), start(x.rank()), stop, step(leading, 1);
  Shape split(x.type().dims().first(leading)), joined = split;
  std::vector<PoolDimension> dense;
  for (std::size_t i = 0; i < leading; ++i) stop.push_back(x.size(static_cast<int>(i)));
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    const PoolDimension& d = dimensions[i];
    const std::int64_t size = d.low + x.size(static_cast<int>(leading + i)) + d.high;
    const std::int64_t quotients = (size + d.dilation - 1) / d.dilation;
    low.push_back(d.low);
    high.push_back(d.high + quotients * d.dilation - size);
    split.push_back(quotients);
    split.push_back(d.dilation);
    joined.push_back((quotients - d.taps + 1) * d.dilation);
    dense.push_back({d.taps, 1, 1, 0, 0, 0});
    dense.push_back({1, 1, 1, 0, 0, 0});
    stop.push_back((d.count - 1) * d.stride + 1);
    step.push_back(d.stride);
  }
  const Value padded = ir::pad(x, ir::constant(x.graph(), Type(x.dtype(), {}), lowest), low, high, none);
  const Value folded = fold_windows(ir::reshape(padded, split), dense, lowest, ir::ops::maximum);
  return ir::slice(ir::reshape(folded, joined), start, stop, step);
}

template <int N>
Tensor max_pool(const char* name, const Operand& x, const Spatial<N>& window, const MaxPoolOptionsOf<N>& with) {
  Frame frame(name, x);
  const Value value = frame.value(x);
  frame.require(is_float(value.dtype()), "expected floating point, got ", value.type());
  const auto dimensions =
      pool_dimensions(frame, value.type(), window, with.stride, with.padding, with.dilation, with.ceil_mode);
  const bool is_dense = std::ranges::all_of(dimensions, [](const PoolDimension& d) { return d.dilation == 1; });
  return frame.tensor(is_dense ? fold_windows(value, dimensions, lowest, ir::ops::maximum)
                               : dilated_maximum(value, dimensions));
}

// Returns how many elements each window counts, broadcast to the type of the sums.
Value counts(Value x, Value sums, std::vector<PoolDimension> dimensions, bool include_pad) {
  Shape all{Dim(1), Dim(1)}, counted;
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    const Dim size = x.type().dim(static_cast<int>(2 + i));
    PoolDimension& d = dimensions[i];
    all.push_back(include_pad ? size + Dim(2 * d.low) : size);
    if (!include_pad) continue;
    d.high -= d.low;
    d.low = 0;
  }
  const Value ones = ir::constant(x.graph(), Type(x.dtype(), all), 1);
  const Value of_plane = fold_windows(ones, dimensions, 0, ir::ops::add);
  Numbers places;
  for (int d = 2; d < x.rank(); ++d) {
    places.push_back(d);
    counted.push_back(of_plane.type().dim(d));
  }
  return ir::broadcast_in_dim(ir::reshape(of_plane, counted), sums.type(), places);
}

template <int N>
Tensor avg_pool(const char* name, const Operand& x, const Spatial<N>& window, const AvgPoolOptionsOf<N>& with) {
  Frame frame(name, x);
  const Value given = detail::floating(frame, x), wide = detail::as(given, detail::compute_dtype(given.dtype()));
  const auto dimensions =
      pool_dimensions(frame, wide.type(), window, with.stride, with.padding, Spatial<N>(1), with.ceil_mode);
  frame.require(with.divisor >= 0, "the divisor must not be negative, got ", with.divisor);
  const Value sums = fold_windows(wide, dimensions, 0, ir::ops::add);
  double taps = 1;
  bool all_count = true;
  for (const PoolDimension& d : dimensions) {
    taps *= static_cast<double>(d.taps);
    all_count = all_count && d.high == d.low && (with.count_include_pad || d.low == 0);
  }
  if (with.divisor > 0) taps = static_cast<double>(with.divisor);
  const Value means =
      all_count || with.divisor > 0 ? sums * (1 / taps) : sums / counts(wide, sums, dimensions, with.count_include_pad);
  return frame.tensor(detail::as(means, given.dtype()));
}

// The parts of one dimension of an adaptive pool: `stretched` has a window of `taps` elements for each part, and `lengths` [parts] says how
// many of them are different; the rest repeat the last one, or are 0.
struct Parts {
  Tensor stretched, lengths;  // lengths: undefined if all parts have `taps` elements
  std::int64_t taps;
};

Parts divide(const Tensor& x, std::int64_t axis, std::int64_t parts, bool repeat_last) {
  const std::int64_t size = x.size(axis);
  if (size % parts == 0) return {x, {}, size / parts};
  std::int64_t taps = 0;
  for (std::int64_t i = 0; i < parts; ++i)
    taps = std::max(taps, ((i + 1) * size + parts - 1) / parts - i * size / parts);
  const auto begin = [&](const Tensor& i) { return floor_divide(i * size, parts); };
  const auto end = [&](const Tensor& i) { return floor_divide(i * size + (size + parts - 1), parts); };
  const Tensor place = arange(parts * taps, DType::i64), part = floor_divide(place, taps);
  const Tensor from = begin(part) + (place - part * taps), last = end(part) - 1;
  Tensor stretched = take(x, minimum(from, last), axis);
  if (!repeat_last) {
    std::vector<std::int64_t> shape(x.rank(), 1);
    shape[axis] = parts * taps;
    stretched = where(reshape(from <= last, shape), stretched, constant(0, x.dtype()));
  }
  const Tensor all = arange(parts, DType::i64);
  return {stretched, end(all) - begin(all), taps};
}

void require_adaptive(const record::Call& call, const Operand& x, Sizes size) {
  call.require(!x.is_number() && x.tensor().rank() == std::ssize(size) + 2 && is_float(x.tensor().dtype()),
               "expected floating point ", detail::with_spatial_dimensions(std::ssize(size)), ", got ",
               detail::type_of(x));
  for (std::int64_t i = 0; i < std::ssize(size); ++i)
    call.require(size[i] >= 1 && x.tensor().size(2 + i) >= 1, "cannot divide dimension ", 2 + i, " of ",
                 x.tensor().type(), " into ", size[i], " parts");
}

template <int N>
Tensor adaptive_max_pool(const char* name, const Operand& x, const Spatial<N>& size) {
  const record::Call call(name, x.where());
  require_adaptive(call, x, size);
  Tensor stretched = x.tensor();
  Numbers windows;
  for (int i = 0; i < N; ++i) {
    const Parts parts = divide(stretched, 2 + i, size[i], true);
    stretched = parts.stretched;
    windows.push_back(parts.taps);
  }
  Frame frame(name, x);
  const Value value = frame.value(stretched);
  const auto dimensions = pool_dimensions(frame, value.type(), windows, windows, Spatial<N>(0), Spatial<N>(1), false);
  return frame.tensor(fold_windows(value, dimensions, lowest, ir::ops::maximum));
}

template <int N>
Tensor adaptive_avg_pool(const char* name, const Operand& x, const Spatial<N>& size) {
  const record::Call call(name, x.where());
  require_adaptive(call, x, size);
  const DType dtype = x.tensor().dtype();
  if (std::ranges::all_of(Sizes(size), [](std::int64_t parts) { return parts == 1; })) {
    Axes all;
    for (int i = 0; i < N; ++i) all.push_back(2 + i);
    return mean(x, all, true);
  }
  Tensor stretched = x.tensor().to(detail::compute_dtype(dtype));
  Numbers windows;
  double taps = 1;
  Tensor lengths;
  for (int i = 0; i < N; ++i) {
    const Parts parts = divide(stretched, 2 + i, size[i], false);
    stretched = parts.stretched;
    windows.push_back(parts.taps);
    if (!parts.lengths.defined()) {
      taps *= static_cast<double>(parts.taps);
      continue;
    }
    std::vector<std::int64_t> shape(N, 1);
    shape[i] = size[i];
    const Tensor along = reshape(parts.lengths.to(stretched.dtype()), shape);
    lengths = lengths.defined() ? lengths * along : along;
  }
  Frame frame(name, x);
  const Value value = frame.value(stretched);
  const auto dimensions = pool_dimensions(frame, value.type(), windows, windows, Spatial<N>(0), Spatial<N>(1), false);
  const Tensor sums = frame.tensor(fold_windows(value, dimensions, 0, ir::ops::add) * (1 / taps));
  return (lengths.defined() ? sums / lengths : sums).to(dtype);
}

}  // namespace

Tensor max_pool1d(const Operand& x, Spatial<1> window, const MaxPool1dOptions& options) {
  return max_pool("max_pool1d", x, window, options);
}

Tensor max_pool2d(const Operand& x, Spatial<2> window, const MaxPool2dOptions& options) {
  return max_pool("max_pool2d", x, window, options);
}

Tensor max_pool3d(const Operand& x, Spatial<3> window, const MaxPool3dOptions& options) {
  return max_pool("max_pool3d", x, window, options);
}

Tensor avg_pool1d(const Operand& x, Spatial<1> window, const AvgPool1dOptions& options) {
  return avg_pool("avg_pool1d", x, window, options);
}

Tensor avg_pool2d(const Operand& x, Spatial<2> window, const AvgPool2dOptions& options) {
  return avg_pool("avg_pool2d", x, window, options);
}

Tensor avg_pool3d(const Operand& x, Spatial<3> window, const AvgPool3dOptions& options) {
  return avg_pool("avg_pool3d", x, window, options);
}

Tensor adaptive_max_pool1d(const Operand& x, Spatial<1> size) {
  return adaptive_max_pool("adaptive_max_pool1d", x, size);
}
Tensor adaptive_max_pool2d(const Operand& x, Spatial<2> size) {
  return adaptive_max_pool("adaptive_max_pool2d", x, size);
}
Tensor adaptive_max_pool3d(const Operand& x, Spatial<3> size) {
  return adaptive_max_pool("adaptive_max_pool3d", x, size);
}
Tensor adaptive_avg_pool1d(const Operand& x, Spatial<1> size) {
  return adaptive_avg_pool("adaptive_avg_pool1d", x, size);
}
Tensor adaptive_avg_pool2d(const Operand& x, Spatial<2> size) {
  return adaptive_avg_pool("adaptive_avg_pool2d", x, size);
}
Tensor adaptive_avg_pool3d(const Operand& x, Spatial<3> size) {
  return adaptive_avg_pool("adaptive_avg_pool3d", x, size);
}

}  // namespace weft
