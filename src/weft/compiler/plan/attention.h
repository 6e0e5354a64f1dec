// Attention of the graph, or its gradient, for which the target has a kernel.
#pragma once

#include <vector>

#include <weft/compiler/loop/access.h>
#include <weft/ir/graph.h>

namespace weft::compiler {

struct Attention {
  const ir::Node* node = nullptr;
  // How its operands are read. The elements of a row are neighbours; rows, heads and the view begin at multiples of 16 bytes.
  std::vector<View> operands;
};

}  // namespace weft::compiler
