// What the gradients of ops with regions share.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <weft/ir/graph.h>
#include <weft/ir/op.h>

namespace weft::ir {

// The gradient of a region as a graph: it takes the region's inputs and cotangents of the outputs `given`, and returns the
// cotangents of the inputs `wanted`.
struct RegionGradient {
  std::shared_ptr<const Graph> graph;
  std::vector<Value> outputs;  // where the region's own outputs stand in it
  std::uint32_t forward = 0;   // nodes with smaller ids compute those; the others the cotangents
};
RegionGradient region_gradient(const Graph& region, std::span<const int> given, std::span<const int> wanted);

// The results that have a cotangent.
std::vector<int> given_cotangents(const GradientCall& c);

// The gradient of a checkpoint goes on with the sums of the operands' cotangents: it finds what they are so far, and leaves what they
// are then. They are then taken in the order in which they would be if its nodes stood in the graph themselves.
bool is_checkpoint(const Node& node);
void checkpoint_gradient(const GradientCall& c);

}  // namespace weft::ir
