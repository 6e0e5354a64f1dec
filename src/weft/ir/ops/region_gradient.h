// Helpers shared by the gradients of ops with regions.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <weft/ir/graph.h>
#include <weft/ir/op.h>

namespace weft::ir {

// The gradient of a region as a graph: it takes the region's inputs and the cotangents of the outputs listed in `given`, and
// returns the cotangents of the inputs listed in `wanted`.
struct RegionGradient {
  std::shared_ptr<const Graph> graph;
  std::vector<Value> outputs;  // the region's own outputs, as values of `graph`
  std::uint32_t forward = 0;   // nodes with smaller ids compute the outputs, the others the cotangents
};
RegionGradient region_gradient(const Graph& region, std::span<const int> given, std::span<const int> wanted);

// Adds the gradient of a composite's decomposition, inlined; results of the composite replace the values that the decomposition computes.
void gradient_of_decomposition(const GradientCall& c);

// Returns the indices of the results that have a cotangent.
std::vector<int> given_cotangents(const GradientCall& c);

// The gradient of a checkpoint continues the running sums of the operands' cotangents: it reads the current sums and stores the
// new ones. The order of summation is thus the same as if the checkpoint's nodes were in the graph themselves.
bool is_checkpoint(const Node& node);
void checkpoint_gradient(const GradientCall& c);

}  // namespace weft::ir
