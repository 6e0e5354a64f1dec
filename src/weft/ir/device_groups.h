// The devices of a mesh that meet along some of its axes, for collectives.
#pragma once

#include <span>

#include <weft/ir/graph.h>
#include <weft/ir/mesh.h>
#include <weft/ir/process_groups.h>
#include <weft/ir/sharding.h>

namespace weft::ir {

// Returns one group for each position along the other axes. The devices of a group are in the order of their positions along `axes`, of
// which the first is the major one.
std::vector<std::vector<std::int64_t>> device_groups(const Mesh& mesh, std::span<const int> axes);
IntMatrix device_groups(Graph& graph, const Mesh& mesh, std::span<const int> axes);

// Returns the axes along which devices that meet in a collective differ.
Sharding::Axes axes_of(std::span<const ProcessGroup> groups, const Mesh& mesh);

// Appends the coordinate along an axis of the device that runs the program, of type tensor<i64>.
Value device_coordinate(Graph& graph, const Mesh& mesh, int axis);

}  // namespace weft::ir
