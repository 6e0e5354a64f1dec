// How the values of loops and branches are sharded.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <weft/compiler/spmd/collectives.h>
#include <weft/compiler/spmd/precedence.h>
#include <weft/ir/graph.h>
#include <weft/ir/sharding.h>

namespace weft::compiler {

struct RegionTyping {
  std::vector<ir::Sharding> operands, results;
  std::vector<std::shared_ptr<const ir::Graph>> regions;  // the programs of every device
  std::vector<Communication> communications;              // of the regions
};

// Returns how a loop (Flow::loop) or a choice of branches (Flow::branches) is divided, if its operands are sharded as given. A value that a
// loop carries has one sharding throughout: the one that its body gives it, if a few rounds find one that lasts, otherwise what the
// operand and the result of the body have in common. A partial sum that a loop adds to stays partial, and is added up after the loop.
RegionTyping type_regions(const ir::Node& node, const ir::Mesh& mesh, std::span<const ir::Sharding> operands,
                          const Precedence& precedence);

}  // namespace weft::compiler
