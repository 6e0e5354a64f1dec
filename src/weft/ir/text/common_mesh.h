// One mesh for all the meshes of a program. A program may arrange the same devices in several ways, as @mesh of 2 x 4 and @mesh_0 of 8. Their
// common mesh has the axes that all of them are made of, here 2 x 4: the axes of @mesh, and the parts of the one axis of @mesh_0.
#pragma once

#include <set>
#include <span>
#include <string_view>
#include <vector>

#include <weft/ir/annotations.h>
#include <weft/ir/mesh.h>
#include <weft/ir/text/shardy_reader.h>

namespace weft::ir {

// Reads <["x"=2, "y"=4], device_ids=[7, 6, 5, 4, 3, 2, 1, 0]>, as parse_mesh() of shardy.h does, and leaves the reader behind it.
Mesh read_mesh(ShardyReader& reader);

// Adds the names of the meshes that a text with shardings refers to: <@mesh, [{"x"}]>.
void add_meshes(std::string_view text, std::set<std::string_view>& names);

// Returns whether a mesh of the module has no axes. JAX gives such a mesh to what is whole on every device of whatever mesh the function uses.
bool has_no_axes(const Annotation& mesh);

class CommonMesh {
 public:
  // Makes the common mesh of the meshes that the texts name; if they name none, the module must have a single one. Meshes without axes do not
  // count; if there is no other, the common mesh has no axes either. Throws UnsupportedError if the meshes have no common axes, or for a mesh of a single device.
  CommonMesh(const Annotations& meshes, std::span<const std::string_view> texts);

  // The devices are in the order of the mesh that is the first one by name and has several devices.
  const Mesh& mesh() const { return mesh_; }
  // Returns the common mesh with the devices in the order of the mesh of this name. Throws Error if there is no such mesh.
  Mesh in_order_of(std::string_view name) const;

 private:
  const Annotations& meshes_;
  Mesh mesh_;
};

// Returns whether the mesh of this name has other names for the axes of the common mesh.
bool has_names_of(const Mesh& common, std::string_view mesh);

// Returns the axes of the common mesh, from major to minor, that are an axis or a part of an axis of the mesh of this name. Throws Error if
// that mesh has no such axis or no such part.
std::vector<int> axes_of(const AxisPart& part, const Mesh& common, std::string_view mesh);

}  // namespace weft::ir
