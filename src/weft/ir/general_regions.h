// The regions of a node of a general graph.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include <weft/ir/general.h>

namespace weft::ir {

// What a region is made of that differs among the samples.
struct RegionOfSamples {
  std::uint32_t number = 0;  // among the node's
  std::vector<const Graph*> bodies;
  std::vector<Type> inputs;                      // the bodies', and behind them all constants of the node's regions
  std::span<const General::Constant> constants;  // its own
  std::size_t first = 0;                         // where these begin among all
};
using MakeRegion = std::function<std::shared_ptr<Graph>(const RegionOfSamples& region)>;

// Of the samples' node at one place, whose operands end with the `constants` of its regions, `depth` regions deep: those that do not
// differ are the sample's, the others are made. Throws Error if they differ and the op does not give its operands to them.
std::vector<std::shared_ptr<const Graph>> general_regions(std::span<const Node* const> samples,
                                                          std::span<const Value> operands,
                                                          std::span<const General::Constant> constants,
                                                          std::size_t depth, const MakeRegion& make);

}  // namespace weft::ir
