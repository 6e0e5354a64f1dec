#include <weft/tensor/patches.h>

#include <vector>

#include <weft/tensor/broadcasting.h>
#include <weft/tensor/manipulation.h>
#include <weft/tensor/windows.h>

namespace weft {

using detail::Frame;
using ir::Value;

namespace {

// Where the places of a window lie in an image.
struct Places {
  Places(Frame& frame, Type image, Pair2d by, const UnfoldOptions& options) : window(by), with(options) {
    for (int d = 0; d < 2; ++d) {
      const std::int64_t size = image.dims()[2 + d].value();
      detail::require_window(frame, image, 2 + d, window[d], with.stride[d], with.dilation[d], with.padding[d]);
      padded[d] = size + 2 * with.padding[d];
      count[d] = (padded[d] - with.dilation[d] * (window[d] - 1) - 1) / with.stride[d] + 1;
    }
  }
  std::int64_t taps() const { return window[0] * window[1]; }

  Pair2d window;
  const UnfoldOptions& with;
  std::int64_t padded[2] = {}, count[2] = {};
};

}  // namespace

Tensor unfold(const Operand& x, Pair2d window, const UnfoldOptions& options) {
  Frame frame("unfold", x);
  const Tensor image = frame.tensor(frame.value(x));
  frame.require(image.rank() == 4, "expected [batch, channels, height, width], got ", image.type());
  const Places at(frame, image.type(), window, options);
  const Tensor padded =
      pad(image, {{options.padding[0], options.padding[0]}, {options.padding[1], options.padding[1]}});
  std::vector<Tensor> taps;
  for (std::int64_t i = 0; i < window[0]; ++i) {
    for (std::int64_t j = 0; j < window[1]; ++j) {
      Tensor tap = padded;
      for (int d = 0; d < 2; ++d) {
        const std::int64_t first = (d == 0 ? i : j) * options.dilation[d];
        tap = slice(tap, 2 + d, first, first + (at.count[d] - 1) * options.stride[d] + 1, options.stride[d]);
      }
      taps.push_back(flatten(tap, 2));
    }
  }
  return flatten(stack(taps, 2), 1, 2);
}

Tensor fold(const Operand& x, Pair2d size, Pair2d window, const UnfoldOptions& options) {
  Frame frame("fold", x);
  const Tensor columns = frame.tensor(frame.value(x));
  frame.require(columns.rank() == 3, "expected [batch, channels * window elements, places], got ", columns.type());
  const Shape shape = columns.shape();
  const Places at(frame, Type(columns.dtype(), {shape[0], Dim(1), Dim(size[0]), Dim(size[1])}), window, options);
  const std::int64_t places = at.count[0] * at.count[1], taps = at.taps();
  frame.require(columns.size(1) % taps == 0 && columns.size(2) == places, columns.type(), " does not have ", places,
                " places of windows of ", taps, " elements");
  const Tensor parts = unflatten(unflatten(columns, 2, {at.count[0], at.count[1]}), 1, {-1, taps});
  const Value zero = ir::constant(frame.graph(), Type(columns.dtype(), {}), 0);
  Value total;
  for (std::int64_t i = 0; i < window[0]; ++i) {
    for (std::int64_t j = 0; j < window[1]; ++j) {
      const Value part = frame.value(select(parts, 2, i * window[1] + j));
      std::int64_t low[4] = {}, high[4] = {}, interior[4] = {};
      for (int d = 0; d < 2; ++d) {
        const std::int64_t first = (d == 0 ? i : j) * options.dilation[d];
        const std::int64_t extent = (at.count[d] - 1) * options.stride[d] + 1;
        low[2 + d] = first - options.padding[d];
        high[2 + d] = at.padded[d] - first - extent - options.padding[d];
        interior[2 + d] = options.stride[d] - 1;
      }
      const Value placed = ir::pad(part, zero, low, high, interior);
      total = total ? total + placed : placed;
    }
  }
  return frame.tensor(total);
}

}  // namespace weft
