// Builds the regions of a node of a general graph.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include <weft/ir/general.h>

namespace weft::ir {

// A region that differs between the samples, as input for building the general region.
struct RegionOfSamples {
  std::uint32_t number = 0;  // index among the node's regions
  std::vector<const Graph*> bodies;
  std::vector<Type> inputs;  // the inputs of the bodies, followed by all constants of the node's regions
  std::span<const General::Constant> constants;  // the constants of this region
  std::size_t first = 0;                         // position of `constants` among the constants of the node
};
using MakeRegion = std::function<std::shared_ptr<Graph>(const RegionOfSamples& region)>;

// Returns the regions of a node that has the given counterparts in the samples. Its operands end with the `constants` of its
// regions, which are nested `depth` regions deep. A region that is equal in all samples is the sample's; the others are built by
// `make`. Throws Error if regions differ and the op does not pass its operands to them.
std::vector<std::shared_ptr<const Graph>> general_regions(std::span<const Node* const> samples,
                                                          std::span<const Value> operands,
                                                          std::span<const General::Constant> constants,
                                                          std::size_t depth, const MakeRegion& make);

}  // namespace weft::ir
