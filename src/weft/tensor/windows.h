// Checks that convolutions, pools and functions of images share. Internal.
#pragma once

#include <cstdint>
#include <span>

#include <weft/tensor/frame.h>

namespace weft::detail {

using Sizes = std::span<const std::int64_t>;

// Returns the type of a tensor, or that of a number alone.
inline Type type_of(const Operand& x) {
  return x.is_number() ? Type(x.number().default_dtype(), {}) : x.tensor().type();
}

// Returns "[batch, channels, height, width]" for two spatial dimensions.
const char* with_spatial_dimensions(std::int64_t count);

// Throws Error unless a window of `taps` elements fits into the dimension with its padding and `beyond` more elements.
void require_window(Frame& frame, Type x, std::int64_t dimension, std::int64_t taps, std::int64_t stride,
                    std::int64_t dilation, std::int64_t padding, std::int64_t beyond = 0);

}  // namespace weft::detail
