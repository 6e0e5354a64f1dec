// Reads what Shardy's attributes say: sdy.mesh, and sdy.sharding of arguments, results and constraints.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include <weft/ir/graph.h>
#include <weft/ir/sharding.h>

namespace weft::ir {

// Reads <["x"=2, "y"=4], device_ids=[7, 6, 5, 4, 3, 2, 1, 0]>, or the same after #sdy.mesh or mesh; without device_ids, the devices are in
// the order of their numbers. Throws Error with the position in the text.
Mesh parse_mesh(std::string_view text);

// Reads #sdy.sharding<@mesh, [{"x"}, {?}], replicated={"y"}, unreduced={"z"}> for a tensor of this rank; `mesh` is @mesh itself, or a mesh
// that is common to it and others. Priorities are ignored, and an open dimension (?) gets the axes that are given. A part of an axis
// ("x":(1)2) is an axis of its own in the mesh of declared_shardings(). Throws Error if the text is wrong, if the mesh lacks an axis or a
// part, or if the rank differs.
Sharding parse_sharding(std::string_view text, const Mesh& mesh, int rank);

// Returns what a constraint makes of a value that is sharded like `held`: as above, but an open dimension keeps the axes that `held` splits it
// along, as far as they continue the given ones and the constraint does not use them elsewhere. The result has no partial sums but those that
// the constraint asks for.
Sharding constrained(std::string_view constraint, const Sharding& held);

// Returns the device that holds a whole value, if the sharding says so with a mesh of its own, #sdy.sharding<mesh<[], device_ids=[3]>, []>.
std::optional<std::int64_t> single_device(std::string_view sharding);

// The shardings of a manual_computation along its manual axes; along the other axes of the mesh, every device computes the same.
struct ManualShardings {
  std::vector<Sharding> operands, results;
};
// Throws Error if the texts are wrong, or if the region's types are not those of the shards.
ManualShardings manual_shardings(const Node& manual_computation, const Mesh& mesh);

// The mesh of a function, which is common to all meshes that its shardings use (CommonMesh), and the shardings that its arguments and results
// declare. An axis of which the function uses parts is several axes.
struct DeclaredShardings {
  Mesh mesh;
  std::vector<std::optional<Sharding>> inputs, outputs;
};

// Returns nullopt if the module has no mesh. Throws what the functions above throw, led by the argument or result, and UnsupportedError if
// the meshes have no common axes, or if those of arguments or results are on a single device.
std::optional<DeclaredShardings> declared_shardings(const Graph& function);

}  // namespace weft::ir
