// Along which axes of a mesh the devices hold different values of a program that each of them runs (the manual axes of JAX's
// shard_map, "varying" there).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <weft/ir/graph.h>
#include <weft/ir/mesh.h>

namespace weft::ir {

using AxisMask = std::uint32_t;  // bit i: along axis i

// Returns the axes along which each output may differ, for the axes along which the inputs may.
std::vector<AxisMask> varying(const Graph& program, const Mesh& mesh, std::span<const AxisMask> inputs);

}  // namespace weft::ir
