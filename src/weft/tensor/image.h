// Functions that change the resolution of lines [batch, channels, time], images [batch, channels, height, width] and volumes [batch,
// channels, depth, height, width].
#pragma once

#include <cstdint>
#include <vector>

#include <weft/tensor/operand.h>
#include <weft/tensor/tensor.h>

namespace weft {

enum class Interpolation : std::uint8_t {
  nearest,        // the element at floor(i * step), as PyTorch's "nearest"; positions are computed in f32
  nearest_exact,  // the element whose centre is nearest
  linear,         // PyTorch's "linear", "bilinear" and "trilinear"
  cubic,          // PyTorch's "bicubic", with a = -0.75, or -0.5 with antialias; also for lines and volumes
  area,           // the mean of the covered elements: adaptive_avg_pool
};

// Either the sizes of the result or the factors by which sizes grow (result: floor(size * scale)); one number counts for all spatial
// dimensions.
struct InterpolateOptions {
  std::vector<std::int64_t> size = {};
  std::vector<double> scale = {};
  Interpolation mode = Interpolation::nearest;
  bool align_corners = false;  // linear and cubic: the first and last elements keep their places, instead of the edges
  bool antialias = false;      // linear and cubic: shrinking averages all elements that it covers

  void fields(auto&& field) {
    field("size", size);
    field("scale", scale);
    field("mode", mode);
    field("align_corners", align_corners);
    field("antialias", antialias);
  }
};
// PyTorch's interpolate: resamples the spatial dimensions one after the other. 16-bit floats are computed in f32.
Tensor interpolate(const Operand& x, const InterpolateOptions& options);

// Moves channels into squares of pixels: [..., channels * factor^2, height, width] gives [..., channels, height * factor, width * factor];
// pixel_unshuffle is the inverse.
Tensor pixel_shuffle(const Operand& x, std::int64_t factor);
Tensor pixel_unshuffle(const Operand& x, std::int64_t factor);

}  // namespace weft
