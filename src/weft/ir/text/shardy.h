// Reads what Shardy's attributes say: sdy.mesh, and sdy.sharding of arguments, results and constraints.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include <weft/ir/graph.h>
#include <weft/ir/sharding.h>

namespace weft::ir {

// Reads <["x"=2, "y"=4]>, or the same after #sdy.mesh or mesh. Throws Error with the position in the text, and UnsupportedError for a mesh
// that names single devices.
Mesh parse_mesh(std::string_view text);

// Reads #sdy.sharding<@mesh, [{"x"}, {?}], replicated={"y"}, unreduced={"z"}> for a tensor of this rank. Priorities are ignored, and an open
// dimension (?) gets the axes that are given. Throws Error if the text is wrong, if the mesh lacks an axis, or if the rank differs, and
// UnsupportedError for a part of an axis ("x":(1)2).
Sharding parse_sharding(std::string_view text, const Mesh& mesh, int rank);

// The shardings of a manual_computation along its manual axes; along the other axes of the mesh, every device computes the same.
struct ManualShardings {
  std::vector<Sharding> operands, results;
};
// Throws Error if the texts are wrong, or if the region's types are not those of the shards.
ManualShardings manual_shardings(const Node& manual_computation, const Mesh& mesh);

// The mesh of a function's module, and the shardings that its arguments and results declare.
struct DeclaredShardings {
  Mesh mesh;
  std::vector<std::optional<Sharding>> inputs, outputs;
};

// Returns nullopt if the module has no mesh. Throws what the functions above throw, led by the argument or result, and UnsupportedError if
// the function's shardings use several meshes.
std::optional<DeclaredShardings> declared_shardings(const Graph& function);

}  // namespace weft::ir
