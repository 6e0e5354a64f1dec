// The arithmetic of matrix products and convolutions, which is most of a program's.
#pragma once

#include <weft/ir/graph.h>

namespace weft::compiler {

// Returns the number of additions and multiplications of a product of known sizes; 0 for other nodes.
double product_flops(const ir::Node& node);

}  // namespace weft::compiler
