// What the gradients of ops with regions share.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <weft/ir/graph.h>

namespace weft::ir {

// The gradient of a region as a graph: it takes the region's inputs and cotangents of the outputs `given`, and returns the
// cotangents of the inputs `wanted`.
struct RegionGradient {
  std::shared_ptr<const Graph> graph;
  std::vector<Value> outputs;  // where the region's own outputs stand in it
  std::uint32_t forward = 0;   // nodes with smaller ids compute those; the others the cotangents
};
RegionGradient region_gradient(const Graph& region, std::span<const int> given, std::span<const int> wanted);

}  // namespace weft::ir
