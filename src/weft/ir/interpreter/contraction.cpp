// Sums of products. They are accumulated in double (floats) or modulo 2^64 (integers) and converted once; if the options say so,
// they are rounded to f32 after every product and every sum instead.
#include <algorithm>
#include <functional>
#include <numeric>

#include <weft/base/convert.h>
#include <weft/ir/interpreter/rules.h>
#include <weft/ir/interpreter/view.h>
#include <weft/ir/ops.h>
#include <weft/ir/ops/window.h>

namespace weft::ir::interpreter {

namespace {

// Returns the elements under a view, in row-major order, as accumulators.
template <class Sum>
std::vector<Sum> load(const Array& array, const View& view) {
  std::vector<Sum> result;
  result.reserve(view.size());
  visit_any(array.dtype(), [&]<class T>(T) {
    const T* from = array.data<T>().data();
    for_each(view, view, [&](std::int64_t at, std::int64_t) { result.push_back(static_cast<Sum>(from[at])); });
  });
  return result;
}

template <class Sum>
void store(const std::vector<Sum>& sums, Array& result, const View& view) {
  visit_any(result.dtype(), [&]<class T>(T) {
    T* to = result.data<T>().data();
    auto from = sums.begin();
    for_each(view, view, [&](std::int64_t at, std::int64_t) { to[at] = convert_element<T>(*from++); });
  });
}

std::int64_t product(std::span<const std::int64_t> sizes) {
  return std::reduce(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>());
}

// The dimensions of an operand in three groups: batching, free and contracting.
struct Split {
  Index batching, free, contracting;

  Split(Type type, Ints batching_dims, Ints contracting_dims)
      : batching(batching_dims.begin(), batching_dims.end()),
        contracting(contracting_dims.begin(), contracting_dims.end()) {
    for (std::int64_t d = 0; d < type.rank(); ++d)
      if (std::ranges::find(batching, d) == batching.end() && std::ranges::find(contracting, d) == contracting.end())
        free.push_back(d);
  }
};

View grouped(Type type, std::initializer_list<const Index*> groups) {
  Index order;
  for (const Index* group : groups) order.insert(order.end(), group->begin(), group->end());
  return permuted(whole(type), order);
}

// Rounding functions that are applied to every product and every sum.
struct Keep {
  auto operator()(auto value) const { return value; }
};
struct RoundToF32 {
  double operator()(double value) const { return static_cast<float>(value); }
};

// Calls f with a value of the accumulator type and with the rounding function.
template <class F>
std::vector<Array> accumulate(const NodeCall& call, F&& f) {
  const DType dtype = call.type().dtype();
  if (!is_float(dtype)) return f(std::uint64_t{}, Keep());
  if (call.context.options.accumulation == Accumulation::wide) return f(double{}, Keep());
  return dtype == DType::f64 ? f(double{}, Keep()) : f(double{}, RoundToF32());
}

template <class Sum>
std::vector<Array> dot_general_in(const NodeCall& call, auto round) {
  const auto& a = call.attributes<DotAttributes>();
  const Type lhs_type = call[0].type(), rhs_type = call[1].type();
  const Split l(lhs_type, a.lhs_batching, a.lhs_contracting), r(rhs_type, a.rhs_batching, a.rhs_contracting);
  const auto lhs = load<Sum>(call[0], grouped(lhs_type, {&l.batching, &l.free, &l.contracting}));
  const auto rhs = load<Sum>(call[1], grouped(rhs_type, {&r.batching, &r.contracting, &r.free}));
  const auto batches = product(grouped(lhs_type, {&l.batching}).sizes), m = product(grouped(lhs_type, {&l.free}).sizes),
             k = product(grouped(lhs_type, {&l.contracting}).sizes), n = product(grouped(rhs_type, {&r.free}).sizes);
  std::vector<Sum> sums(batches * m * n);
  for (std::int64_t row = 0; row < batches * m; ++row) {
    Sum* to = sums.data() + row * n;
    for (std::int64_t c = 0; c < k; ++c) {
      const Sum x = lhs[row * k + c];
      const Sum* y = rhs.data() + (row / m * k + c) * n;
      for (std::int64_t j = 0; j < n; ++j) to[j] = round(to[j] + round(x * y[j]));
    }
  }
  Array result(call.type());
  store(sums, result, whole(call.type()));
  return one(std::move(result));
}

// One spatial contribution: element `in` of a feature's input times element `weight` of its kernel is added to `out`.
struct Tap {
  std::int64_t in, weight, out;
};

// A convolution with its dimensions in the order batch, feature, spatial (kernel: output feature, input feature, spatial).
struct Convolution {
  View x, kernel, result;
  std::vector<Tap> taps;

  explicit Convolution(const NodeCall& call) {
    const auto& a = call.attributes<ConvolutionAttributes>();
    const auto layout = [](Type type, std::int64_t first, std::int64_t second, Ints spatial) {
      Index order{first, second};
      order.insert(order.end(), spatial.begin(), spatial.end());
      return permuted(whole(type), order);
    };
    x = layout(call[0].type(), a.input_batch, a.input_feature, a.input_spatial);
    kernel = layout(call[1].type(), a.kernel_output_feature, a.kernel_input_feature, a.kernel_spatial);
    result = layout(call.type(), a.output_batch, a.output_feature, a.output_spatial);
    find_taps(a);
  }

  static std::int64_t spatial_size(const View& view) { return product(std::span(view.sizes).subspan(2)); }

 private:
  void find_taps(const ConvolutionAttributes& a) {
    const std::size_t rank = a.input_spatial.size();
    std::vector<WindowDim> window;
    Index sizes(result.sizes.begin() + 2, result.sizes.end());
    for (std::size_t d = 0; d < rank; ++d) window.push_back(window_dim(a, d, kernel.sizes[d + 2]));
    sizes.insert(sizes.end(), kernel.sizes.begin() + 2, kernel.sizes.end());
    for_each_index(sizes, [&](const Index& at) {  // the position of the window, then the position in the window
      Tap tap{0, 0, 0};
      for (std::size_t d = 0; d < rank; ++d) {
        const WindowDim& w = window[d];
        const std::int64_t dilated = at[d] * w.stride - w.low + at[rank + d] * w.dilation;
        if (dilated < 0 || dilated % w.base_dilation != 0 || dilated / w.base_dilation >= x.sizes[d + 2]) return;
        tap.in = tap.in * x.sizes[d + 2] + dilated / w.base_dilation;
        tap.weight = tap.weight * w.size + (w.reversed ? w.size - 1 - at[rank + d] : at[rank + d]);
        tap.out = tap.out * result.sizes[d + 2] + at[d];
      }
      taps.push_back(tap);
    });
  }
};

template <class Sum>
std::vector<Array> convolution_in(const NodeCall& call, auto round) {
  const auto& a = call.attributes<ConvolutionAttributes>();
  const Convolution c(call);
  const auto x = load<Sum>(call[0], c.x), kernel = load<Sum>(call[1], c.kernel);
  const std::int64_t batch = c.result.sizes[0], features = c.result.sizes[1], channels = c.kernel.sizes[1];
  const std::int64_t in = Convolution::spatial_size(c.x), weights = Convolution::spatial_size(c.kernel),
                     out = Convolution::spatial_size(c.result);
  std::vector<Sum> sums(batch * features * out);
  for_each_index(Index{batch, features}, [&](const Index& at) {
    const auto [n, feature] = std::array{at[0], at[1]};
    // Groups of output features read their own input features, or their own part of the batch.
    const std::int64_t input_channel = feature / (features / a.feature_groups) * channels;
    const std::int64_t input_batch = feature / (features / a.batch_groups) * batch + n;
    const Sum* from = x.data() + (input_batch * c.x.sizes[1] + input_channel) * in;
    const Sum* weight = kernel.data() + feature * channels * weights;
    Sum* to = sums.data() + (n * features + feature) * out;
    for (const Tap& tap : c.taps)
      for (std::int64_t channel = 0; channel < channels; ++channel)
        to[tap.out] = round(to[tap.out] + round(from[channel * in + tap.in] * weight[channel * weights + tap.weight]));
  });
  Array result(call.type());
  store(sums, result, c.result);
  return one(std::move(result));
}

}  // namespace

std::vector<Array> dot_general(const NodeCall& call) {
  return accumulate(call, [&]<class Sum>(Sum, auto round) { return dot_general_in<Sum>(call, round); });
}

std::vector<Array> convolution(const NodeCall& call) {
  return accumulate(call, [&]<class Sum>(Sum, auto round) { return convolution_in<Sum>(call, round); });
}

}  // namespace weft::ir::interpreter
