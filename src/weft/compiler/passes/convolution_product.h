// Computes convolutions as matrix products of patches: a row has the elements that the kernel covers at one position.
#pragma once

#include <weft/ir/graph.h>

namespace weft::compiler {

// Returns whether all sizes of a convolution that concern windows are known. Batches and features may be symbols.
bool has_known_spatial_sizes(const ir::Node& convolution);

// Returns whether the convolution has a product of patches: its spatial sizes are known, and along each spatial dimension the kernel has few
// elements or the result has few.
bool has_product_of_patches(const ir::Node& convolution);

// Returns the convolution of these operands, computed as one product.
ir::Value product_of_patches(const ir::Node& convolution, ir::Value input, ir::Value kernel);

}  // namespace weft::compiler
