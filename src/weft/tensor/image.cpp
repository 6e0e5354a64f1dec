#include <weft/tensor/image.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include <weft/record/call.h>
#include <weft/tensor/broadcasting.h>
#include <weft/tensor/creation.h>
#include <weft/tensor/elementwise.h>
#include <weft/tensor/indexing.h>
#include <weft/tensor/manipulation.h>
#include <weft/tensor/pooling.h>
#include <weft/tensor/reduction.h>
#include <weft/tensor/windows.h>

namespace weft {

namespace {

// How one dimension is resampled.
struct Resample {
  std::int64_t from, to;
  double step;  // the distance of two elements of the result, in elements of x
};

Resample resample(const record::Call& call, const Tensor& x, int dimension, std::size_t spatial,
                  const InterpolateOptions& with) {
  const std::int64_t from = x.size(dimension);
  const auto of = [&](const auto& all) { return all.size() == 1 ? all[0] : all[dimension - 2]; };
  const auto check_count = [&](std::size_t count, const char* name) {
    call.require(count == 1 || count == spatial, "expected one ", name, ", or ", spatial, " for ", x.type(), ", got ",
                 count);
  };
  call.require(with.size.empty() != with.scale.empty(), "expected either a size or a scale");
  Resample r{from, 0, 0};
  if (with.scale.empty()) {
    check_count(with.size.size(), "size");
    r.to = of(with.size);
    r.step = static_cast<double>(from) / static_cast<double>(std::max<std::int64_t>(1, r.to));
  } else {
    check_count(with.scale.size(), "scale");
    call.require(of(with.scale) > 0, "a scale must be positive, got ", of(with.scale));
    r.to = static_cast<std::int64_t>(std::floor(static_cast<double>(from) * of(with.scale)));
    r.step = 1 / of(with.scale);
  }
  call.require(from >= 1 && r.to >= 1, "cannot resample ", from, " elements of dimension ", dimension, " of ", x.type(),
               " to ", r.to);
  if (with.align_corners) r.step = r.to > 1 ? static_cast<double>(from - 1) / static_cast<double>(r.to - 1) : 0;
  return r;
}

Tensor nearest(const Tensor& x, int axis, const Resample& r, bool exact) {
  // These forms have gradients without a scatter.
  if (const double times = 1 / r.step; r.to == r.from * std::llround(times) && times == std::round(times))
    return times == 1 ? x : repeat(x, std::llround(times), axis);
  if (!exact && r.step == std::round(r.step) && r.from >= (r.to - 1) * std::llround(r.step) + 1)
    return slice(x, axis, 0, (r.to - 1) * std::llround(r.step) + 1, std::llround(r.step));
  const Tensor place = arange(r.to).to(DType::f32);
  const Tensor at = floor((exact ? place + constant(0.5) : place) * static_cast<float>(r.step));
  return take(x, minimum(at.to(DType::i32), r.from - 1), axis);
}

// The kernels of linear and cubic interpolation, at distances from their centres. (Keys 1981)
Tensor linear_kernel(const Tensor& distance) { return maximum(1 - abs(distance), 0); }

Tensor cubic_kernel(const Tensor& distance, double a) {
  const Tensor d = abs(distance);
  const Tensor near = ((a + 2) * d - (a + 3)) * d * d + 1, far = ((a * d - 5 * a) * d + 8 * a) * d - 4 * a;
  return where(d <= 1, near, where(d < 2, far, 0));
}

Tensor smooth(const Tensor& x, int axis, const Resample& r, const InterpolateOptions& with) {
  const bool cubic = with.mode == Interpolation::cubic;
  const DType dtype = x.dtype();
  const double widening = with.antialias ? std::max(1., r.step) : 1, support = (cubic ? 2 : 1) * widening;
  const Tensor place = reshape(arange(r.to).to(dtype), {r.to, 1});
  Tensor centre, first;
  std::int64_t taps = cubic ? 4 : 2;
  if (with.antialias) {
    taps = static_cast<std::int64_t>(std::ceil(support)) * 2 + 1;
    centre = (place + 0.5) * r.step - 0.5;
    first = maximum(floor(centre - support + 1), 0);
  } else {
    centre = with.align_corners ? place * r.step : (place + 0.5) * r.step - 0.5;
    if (!cubic) centre = maximum(centre, 0);
    first = floor(centre) - (cubic ? 1 : 0);
  }
  const Tensor at = first + arange(taps).to(dtype), distance = (at - centre) * (1 / widening);
  Tensor weight = cubic ? cubic_kernel(distance, with.antialias ? -0.5 : -0.75) : linear_kernel(distance);
  if (with.antialias) {
    const Tensor end = minimum(floor(centre + support + 1), r.from);
    weight = where(at < end, weight, 0);
    weight = weight / sum(weight, 1, true);
  }
  // Neighbours beyond the edge are the element at the edge.
  const Tensor index = clamp(at, 0, r.from - 1).to(DType::i32);
  std::vector<std::int64_t> split, weights(x.rank() + 1, 1);
  for (int d = 0; d < x.rank(); ++d) split.push_back(d == axis ? r.to : x.size(d));
  split.insert(split.begin() + axis + 1, taps);
  weights[axis] = r.to;
  weights[axis + 1] = taps;
  return sum(reshape(take(x, reshape(index, {r.to * taps}), axis), split) * reshape(weight, weights), axis + 1);
}

Tensor area(const Operand& x, const std::vector<std::int64_t>& to) {
  if (to.size() == 1) return adaptive_avg_pool1d(x, to[0]);
  if (to.size() == 2) return adaptive_avg_pool2d(x, {to[0], to[1]});
  return adaptive_avg_pool3d(x, {to[0], to[1], to[2]});
}

}  // namespace

Tensor interpolate(const Operand& x, const InterpolateOptions& options) {
  const record::Call call("interpolate", x.where());
  call.require(!x.is_number() && x.tensor().rank() >= 3 && x.tensor().rank() <= 5,
               "expected [batch, channels, spatial...] with one to three spatial dimensions, got ", detail::type_of(x));
  const Tensor& given = x.tensor();
  const Interpolation mode = options.mode;
  const bool is_smooth = mode == Interpolation::linear || mode == Interpolation::cubic;
  call.require(is_float(given.dtype()), "expected floating point, got ", given.type());
  call.require(is_smooth || !(options.align_corners || options.antialias),
               "align_corners and antialias are options of linear and cubic interpolation");
  call.require(!(options.align_corners && options.antialias), "align_corners and antialias cannot be combined");
  std::vector<Resample> dimensions;
  std::vector<std::int64_t> to;
  for (int d = 2; d < given.rank(); ++d) {
    dimensions.push_back(resample(call, given, d, given.rank() - 2, options));
    to.push_back(dimensions.back().to);
  }
  if (mode == Interpolation::area) return area(x, to);
  Tensor y = is_smooth ? given.to(detail::compute_dtype(given.dtype())) : given;
  for (int d = 2; d < given.rank(); ++d)
    y = is_smooth ? smooth(y, d, dimensions[d - 2], options)
                  : nearest(y, d, dimensions[d - 2], mode == Interpolation::nearest_exact);
  return y.to(given.dtype());
}

Tensor pixel_shuffle(const Operand& x, std::int64_t factor) {
  const record::Call call("pixel_shuffle", x.where());
  call.require(!x.is_number() && x.tensor().rank() >= 3, "expected [..., channels, height, width], got ",
               detail::type_of(x));
  const Tensor& given = x.tensor();
  const int at = given.rank() - 3;  // the channels
  const std::int64_t square = factor * factor, height = given.size(at + 1), width = given.size(at + 2);
  call.require(factor >= 1 && given.size(at) % square == 0, "the square of the factor ", factor,
               " does not divide the channels of ", given.type());
  Shape split(given.type().dims().first(at)), joined = split;
  Axes order;
  for (int d = 0; d < at; ++d) order.push_back(d);
  for (const std::int64_t size : {given.size(at) / square, factor, factor, height, width}) split.push_back(size);
  for (const int d : {0, 3, 1, 4, 2}) order.push_back(at + d);
  for (const std::int64_t size : {given.size(at) / square, height * factor, width * factor}) joined.push_back(size);
  return reshape(permute(reshape(x, split), order), joined);
}

Tensor pixel_unshuffle(const Operand& x, std::int64_t factor) {
  const record::Call call("pixel_unshuffle", x.where());
  call.require(!x.is_number() && x.tensor().rank() >= 3, "expected [..., channels, height, width], got ",
               detail::type_of(x));
  const Tensor& given = x.tensor();
  const int at = given.rank() - 3;
  call.require(factor >= 1 && given.size(at + 1) % factor == 0 && given.size(at + 2) % factor == 0, "the factor ",
               factor, " does not divide the height and width of ", given.type());
  const std::int64_t channels = given.size(at), height = given.size(at + 1) / factor,
                     width = given.size(at + 2) / factor;
  Shape split(given.type().dims().first(at)), joined = split;
  Axes order;
  for (int d = 0; d < at; ++d) order.push_back(d);
  for (const std::int64_t size : {channels, height, factor, width, factor}) split.push_back(size);
  for (const int d : {0, 2, 4, 1, 3}) order.push_back(at + d);
  for (const std::int64_t size : {channels * factor * factor, height, width}) joined.push_back(size);
  return reshape(permute(reshape(x, split), order), joined);
}

}  // namespace weft
