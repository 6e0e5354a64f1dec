// Samples images [batch, channels, height, width] and volumes [batch, channels, depth, height, width] at positions that are data, as
// spatial transformers do. (Jaderberg et al. 2015)
#pragma once

#include <cstdint>

#include <weft/tensor/operand.h>
#include <weft/tensor/tensor.h>

namespace weft {

enum class GridMode : std::uint8_t {
  linear,   // PyTorch's "bilinear": the weighted mean of the neighbours
  nearest,  // the nearest element; halves are rounded to even
};
// The elements beyond the edge.
enum class GridPadding : std::uint8_t {
  zeros,
  border,      // those at the edge
  reflection,  // those of the mirror images
};
struct GridSampleOptions {
  GridMode mode = GridMode::linear;
  GridPadding padding = GridPadding::zeros;
  bool align_corners =
      false;  // whether -1 and 1 are the centres of the first and last elements, instead of their outer edges

  void fields(auto&& field) {
    field("mode", mode);
    field("padding", padding);
    field("align_corners", align_corners);
  }
};
// PyTorch's grid_sample: `grid` [batch, height, width, 2] holds a position (x, y) for each element of the result [batch, channels, height,
// width]; for volumes, [batch, depth, height, width, 3] holds (x, y, z). Positions go from -1 to 1. Gradients flow to x and to the grid;
// that of the grid is 0 for the nearest element. 16-bit floats are computed in f32.
Tensor grid_sample(const Operand& x, const Operand& grid, const GridSampleOptions& options = {});

// PyTorch's affine_grid: the grid that samples a result of `size`, [batch, channels, spatial...], at theta (x, y, 1), for matrices theta
// [batch, 2, 3], or at theta (x, y, z, 1), for [batch, 3, 4].
Tensor affine_grid(const Operand& theta, const Shape& size, bool align_corners = false);

}  // namespace weft
