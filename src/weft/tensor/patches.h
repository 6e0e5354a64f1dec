// Patches of images [batch, channels, height, width] as columns, and images as sums of patches.
#pragma once

#include <cstdint>

#include <weft/tensor/operand.h>
#include <weft/tensor/spatial.h>
#include <weft/tensor/tensor.h>

namespace weft {

struct UnfoldOptions {
  Pair2d dilation = 1;
  Pair2d padding = 0;  // zeros added on both sides
  Pair2d stride = 1;
};

// The elements under each place of a window: [batch, channels * window elements, places]. (torch.nn.functional.unfold)
Tensor unfold(const Operand& x, Pair2d window, const UnfoldOptions& options = {});
// Adds the columns that unfold gives for an image of this size at their places: [batch, channels, height, width].
Tensor fold(const Operand& x, Pair2d size, Pair2d window, const UnfoldOptions& options = {});

}  // namespace weft
