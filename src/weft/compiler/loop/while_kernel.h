// A while loop whose state is small, or is read and written in small pieces, as one kernel: no launch per step, values in registers,
// stacked arrays updated in place.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <weft/ir/graph.h>

namespace weft::compiler {

// One of the loop's two regions. A carried value lives in registers, element by element, or in memory. A value in memory has one version at
// a time, so the nodes are ordered such that every reader of a version runs before the update that ends it.
struct WhileRegion {
  std::shared_ptr<const ir::Graph> graph;
  // The values in memory, each with the number of the carried value whose bytes it shares.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> in_memory;  // by node and result
  // For each node: the nodes that must run before it, besides those that make its operands.
  std::vector<std::vector<std::uint32_t>> after;

  std::optional<std::size_t> memory_of(ir::Value v) const {
    const auto found = in_memory.find({v.node->id, v.index});
    return found == in_memory.end() ? std::nullopt : std::optional(found->second);
  }
};

struct WhileKernel {
  WhileRegion condition, body;
  std::vector<bool> in_memory;  // of each carried value
  bool contract = true;         // multiply and add may be contracted

  // Returns the text that determines the machine code: equal keys mean equal code.
  std::string key() const;
};

}  // namespace weft::compiler
