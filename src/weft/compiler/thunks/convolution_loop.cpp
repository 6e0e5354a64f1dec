// Computes any convolution, one result element after the other, for element types and attributes that oneDNN does not support.
#include <algorithm>
#include <type_traits>

#include <weft/base/convert.h>
#include <weft/compiler/thunks/convolution_thunk.h>
#include <weft/compiler/thunks/window_taps.h>
#include <weft/runtime/parallel.h>

namespace weft::compiler {

using runtime::Slice;

namespace {

class LoopThunk final : public runtime::Thunk {
 public:
  LoopThunk(const ConvolutionShape& shape, const Slice& x, const Slice& kernel, const Slice& y)
      : shape_(shape), x_(x), kernel_(kernel), y_(y) {
    for (std::size_t d = 0; d < shape.window.size(); ++d) {
      taps_.push_back(window_taps(shape.window[d], shape.x.sizes[d + 2], shape.y.sizes[d + 2]));
      for (auto& position : taps_.back())
        for (Tap& tap : position) tap = {tap.base * shape.x.strides[d + 2], tap.window * shape.kernel.strides[d + 2]};
    }
  }

  void run(const runtime::Launch& launch) const override {
    visit(shape_.dtype, [&]<class T>(T) { visit(shape_.result, [&]<class R>(R) { run_as<T, R>(launch); }); });
  }

 private:
  // Each result is summed by one thread in a fixed order.
  template <class T, class R>
  void run_as(const runtime::Launch& launch) const {
    std::int64_t count = 1;
    for (const std::int64_t size : shape_.y.sizes) count *= size;
    const std::int64_t work = std::max<std::int64_t>(1, shape_.kernel.sizes[1] * shape_.kernel.spatial_elements());
    const T *x = launch.at<T>(x_), *kernel = launch.at<T>(kernel_);
    R* y = launch.at<R>(y_);
    runtime::parallel_for(count, std::max<std::int64_t>(1, 16384 / work), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) element(x, kernel, y, i);
    });
  }

  template <class T, class R>
  void element(const T* x, const T* kernel, R* y, std::int64_t i) const {
    using Float =
        std::conditional_t<std::is_same_v<T, float>, float, double>;  // f32 is summed in f32, as reductions do
    using Sum = std::conditional_t<is_float_type<T>, Float, std::uint64_t>;
    std::int64_t position[Type::max_rank];
    for (std::size_t d = shape_.y.sizes.size(); d-- > 0;) {
      position[d] = i % shape_.y.sizes[d];
      i /= shape_.y.sizes[d];
      y += position[d] * shape_.y.strides[d];
    }
    const std::int64_t feature = position[1], features = shape_.y.sizes[1], channels = shape_.kernel.sizes[1];
    // Groups of output features read their own input features, or their own part of the input's batch.
    const std::int64_t batch = feature / (features / shape_.batch_groups) * shape_.y.sizes[0] + position[0];
    const std::int64_t channel = feature / (features / shape_.feature_groups) * channels;
    x += batch * shape_.x.strides[0] + channel * shape_.x.strides[1];
    kernel += feature * shape_.kernel.strides[0];
    Sum sum = 0;
    add_taps(x, kernel, position + 2, 0, sum);
    *y = convert_element<R>(sum);
  }

  template <class T, class Sum>
  void add_taps(const T* x, const T* kernel, const std::int64_t* position, std::size_t d, Sum& sum) const {
    if (d < taps_.size()) {
      for (const Tap& tap : taps_[d][position[d]]) add_taps(x + tap.base, kernel + tap.window, position, d + 1, sum);
      return;
    }
    for (std::int64_t c = 0; c < shape_.kernel.sizes[1]; ++c)
      sum += static_cast<Sum>(x[c * shape_.x.strides[1]]) * static_cast<Sum>(kernel[c * shape_.kernel.strides[1]]);
  }

  ConvolutionShape shape_;
  std::vector<std::vector<std::vector<Tap>>> taps_;  // for each spatial dimension and position, as offsets
  Slice x_, kernel_, y_;
};

}  // namespace

void convolve_with_loop(Unit& unit, const ConvolutionShape& shape) {
  unit.thunk().make = [shape](std::span<const Slice> reads, std::span<const Slice> writes, const Slice&) {
    return std::make_unique<LoopThunk>(shape, reads[0], reads[1], writes[0]);
  };
}

}  // namespace weft::compiler
