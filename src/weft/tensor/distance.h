// Distances of vectors, which are the p-norms of their differences: the root of the sum of squares for p = 2, the sum of absolute values
// for p = 1, the largest for infinity, the number of differences for p = 0. The gradient of a distance of 0 is 0.
#pragma once

#include <weft/tensor/operand.h>
#include <weft/tensor/tensor.h>

namespace weft {

// |a - b + epsilon| of vectors along the last dimension; other dimensions broadcast. (torch.nn.functional.pairwise_distance)
Tensor pairwise_distance(const Operand& a, const Operand& b, double p = 2, double epsilon = 1e-6, bool keepdim = false);
// The distance of each of the vectors a [..., m, width] from each of b [..., n, width]: [..., m, n].
Tensor cdist(const Operand& a, const Operand& b, double p = 2);

}  // namespace weft
