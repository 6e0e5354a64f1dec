#include <weft/tensor/windows.h>

namespace weft::detail {

const char* with_spatial_dimensions(std::int64_t count) {
  return count == 1   ? "[batch, channels, time]"
         : count == 2 ? "[batch, channels, height, width]"
                      : "[batch, channels, depth, height, width]";
}

void require_window(Frame& frame, Type x, std::int64_t dimension, std::int64_t taps, std::int64_t stride,
                    std::int64_t dilation, std::int64_t padding, std::int64_t beyond) {
  frame.require(taps >= 1 && stride >= 1 && dilation >= 1, "window, stride and dilation must be positive, got ", taps,
                ", ", stride, " and ", dilation);
  frame.require(padding >= 0, "the padding must not be negative, got ", padding);
  const std::int64_t size = x.size(static_cast<int>(dimension)) + 2 * padding, reach = (taps - 1) * dilation + 1;
  frame.require(reach <= size + beyond, "a window of ", reach, " does not fit dimension ", dimension, " of ", x,
                ", which has ", size, " elements with its padding");
}

}  // namespace weft::detail
