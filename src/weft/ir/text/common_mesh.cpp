#include <weft/ir/text/common_mesh.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace weft::ir {

namespace {

// The positions at which each axis of a mesh is cut into parts.
using Cuts = std::map<std::string, std::set<std::int64_t>, std::less<>>;
using CutsOfMeshes = std::map<std::string_view, Cuts, std::less<>>;

// Adds the cuts that a text with shardings makes: <@mesh, [{"x":(1)2}]>.
void add_cuts(std::string_view text, CutsOfMeshes& cuts) {
  for (std::size_t at = text.find("\":("); at != text.npos; at = text.find("\":(", at + 1)) {
    const std::size_t mesh = text.rfind("<@", at);
    if (mesh == text.npos) continue;
    ShardyReader reader(text.substr(text.rfind('"', at - 1)));
    const AxisPart part = axis_part(reader);
    cuts[text.substr(mesh + 2, text.find_first_of(",>", mesh) - mesh - 2)][part.name].insert(
        {part.before, part.before * part.size});
  }
}

// An axis that is cut into parts becomes several axes of the mesh, from major to minor, with the names of the parts.
std::string name_of_part(std::string_view axis, std::int64_t before, std::int64_t size) {
  return concat(axis, ":(", before, ')', size);
}

// Returns the device at each place of the mesh; empty if the devices are in the order of their numbers.
std::vector<std::int64_t> order_of(const Mesh& mesh) {
  std::vector<std::int64_t> order(mesh.places().size());
  for (std::size_t device = 0; device < order.size(); ++device)
    order[mesh.places()[device]] = static_cast<std::int64_t>(device);
  return order;
}

// Returns the mesh with an axis for each part. Throws Error if an axis has no such parts.
Mesh cut(const Mesh& mesh, const Cuts& cuts) {
  std::vector<Mesh::Axis> axes;
  for (const Mesh::Axis& axis : mesh.axes()) {
    const auto found = cuts.find(axis.name);
    if (found == cuts.end()) {
      axes.push_back(axis);
      continue;
    }
    std::set<std::int64_t> ends = found->second;
    ends.insert(axis.size);
    std::int64_t before = 1;
    for (const std::int64_t end : ends) {
      require(end % before == 0 && axis.size % end == 0, "the axis \"", axis.name, "\" of size ", axis.size,
              " has no part that ends at ", end, " after one that ends at ", before);
      if (end > before) axes.push_back({name_of_part(axis.name, before, end / before), end / before});
      before = end;
    }
  }
  return Mesh(std::move(axes), order_of(mesh));
}

const Annotation& found(std::string_view name, const Annotations& meshes) {
  const auto found = std::ranges::find(meshes, name, &Annotation::name);
  require(found != meshes.end(), "there is no sdy.mesh @", name);
  return *found;
}

Mesh parsed(std::string_view name, const Annotations& meshes) {
  ShardyReader reader(found(name, meshes).value);
  return read_mesh(reader);
}

bool is_single_device(const Annotation& mesh) { return mesh.value.starts_with("<[]") && !has_no_axes(mesh); }

// Returns the names of the meshes that count, as the constructor of CommonMesh says.
std::set<std::string_view> names_of(const Annotations& meshes, std::span<const std::string_view> texts) {
  std::set<std::string_view> names;
  for (const std::string_view text : texts) add_meshes(text, names);
  for (const Annotation& mesh : meshes)
    if (has_no_axes(mesh)) names.erase(mesh.name);
  if (names.empty())
    for (const Annotation& mesh : meshes)
      if (!is_single_device(mesh) && !has_no_axes(mesh)) names.insert(mesh.name);
  for (const Annotation& mesh : meshes)
    if (is_single_device(mesh) && (names.empty() || names.contains(mesh.name)))
      throw UnsupportedError(
          concat("weft places no arguments and results on single devices, as the mesh ", mesh.name, " asks for"),
          "sdy.mesh");
  return names;
}

// Calls f with each axis of the mesh and its stride: how far apart, in places of the mesh, neighbours along the axis are.
template <class F>
void for_each_stride(const Mesh& mesh, F&& f) {
  std::int64_t stride = mesh.devices();
  for (const Mesh::Axis& axis : mesh.axes()) f(axis, stride /= axis.size);
}

// Cuts the axes of the meshes where an axis of another one begins or ends. Axes of one device split nothing, so they fit any mesh.
void cut_alike(const std::vector<std::pair<std::string_view, Mesh>>& meshes, CutsOfMeshes& cuts) {
  std::set<std::int64_t> strides;
  for (const auto& [name, mesh] : meshes)
    for_each_stride(cut(mesh, cuts[name]), [&](const auto&, std::int64_t stride) { strides.insert(stride); });
  const bool divide_each_other =
      std::ranges::adjacent_find(strides, [](std::int64_t a, std::int64_t b) { return b % a != 0; }) == strides.end();
  const auto& [first_name, first] = meshes.front();
  for (const auto& [name, mesh] : meshes)
    if (mesh.devices() > 1 && (mesh.devices() != first.devices() || (name != first_name && !divide_each_other)))
      throw UnsupportedError(concat("the function uses the meshes ", first_name, " (", first, ") and ", name, " (",
                                    mesh, "), whose axes have no parts in common"),
                             "sdy.mesh");
  for (const auto& [name, mesh] : meshes)
    for_each_stride(mesh, [&](const Mesh::Axis& axis, std::int64_t stride) {
      for (const std::int64_t at : strides)
        if (at > stride && at < stride * axis.size) cuts[name][axis.name].insert(stride * axis.size / at);
    });
}

// Adds the names that another mesh, which is cut alike, gives to the axes of the common mesh.
void add_aliases(std::vector<Mesh::Axis>& common, std::string_view name, const Mesh& mesh) {
  std::size_t next = 0;
  for (const Mesh::Axis& axis : mesh.axes()) {
    Mesh::Axis* alike = nullptr;
    if (axis.size == 1) {
      alike = &common.emplace_back(Mesh::Axis{concat('@', name, ' ', axis.name), 1});
    } else {
      while (common[next].size == 1) ++next;
      alike = &common[next++];
    }
    alike->aliases.push_back({std::string(name), axis.name});
  }
}

}  // namespace

Mesh read_mesh(ShardyReader& reader) {
  if (!reader.take("#sdy.mesh")) reader.take("mesh");
  reader.expect("<");
  reader.expect("[");
  std::vector<Mesh::Axis> axes;
  while (!reader.take("]")) {
    if (!axes.empty()) reader.expect(",");
    std::string name = reader.string();
    reader.expect("=");
    axes.push_back({std::move(name), reader.integer()});
  }
  std::vector<std::int64_t> order;
  if (reader.take(",")) {
    reader.expect("device_ids");
    reader.expect("=");
    reader.expect("[");
    while (!reader.take("]")) {
      if (!order.empty()) reader.expect(",");
      order.push_back(reader.integer());
    }
  }
  reader.expect(">");
  return Mesh(std::move(axes), order);
}

void add_meshes(std::string_view text, std::set<std::string_view>& names) {
  for (std::size_t at = text.find("<@"); at != text.npos; at = text.find("<@", at + 1))
    names.insert(text.substr(at + 2, text.find_first_of(",>", at) - at - 2));
}

bool has_no_axes(const Annotation& mesh) { return mesh.value.starts_with("<[]>"); }

CommonMesh::CommonMesh(const Annotations& meshes, std::span<const std::string_view> texts) : meshes_(meshes) {
  CutsOfMeshes cuts;
  for (const std::string_view text : texts) add_cuts(text, cuts);
  std::vector<std::pair<std::string_view, Mesh>> named;
  for (const std::string_view name : names_of(meshes, texts)) named.emplace_back(name, parsed(name, meshes));
  if (named.empty()) return;
  std::ranges::stable_partition(named, [](const auto& one) { return one.second.devices() > 1; });
  cut_alike(named, cuts);
  for (auto& [name, mesh] : named) mesh = cut(mesh, cuts[name]);
  const Mesh& first = named.front().second;
  std::vector<Mesh::Axis> axes(first.axes().begin(), first.axes().end());
  for (const auto& [name, mesh] : named)
    if (!mesh.has_axes_of(first)) add_aliases(axes, name, mesh);
  mesh_ = Mesh(std::move(axes), order_of(first));
}

Mesh CommonMesh::in_order_of(std::string_view name) const {
  if (has_no_axes(found(name, meshes_))) return mesh_;
  return Mesh({mesh_.axes().begin(), mesh_.axes().end()}, order_of(parsed(name, meshes_)));
}

bool has_names_of(const Mesh& common, std::string_view mesh) {
  return std::ranges::any_of(common.axes(), [&](const Mesh::Axis& axis) {
    return std::ranges::count(axis.aliases, mesh, &Mesh::Axis::Alias::mesh) != 0;
  });
}

std::vector<int> axes_of(const AxisPart& part, const Mesh& common, std::string_view mesh) {
  const bool has_aliases = has_names_of(common, mesh);
  std::vector<int> axes;
  std::int64_t before = 1, found = 1;
  bool is_known = false;
  for (int i = 0; i < std::ssize(common.axes()); ++i) {
    const Mesh::Axis& axis = common.axes()[i];
    const auto known_as = std::ranges::find(axis.aliases, mesh, &Mesh::Axis::Alias::mesh);
    if (has_aliases && known_as == axis.aliases.end()) continue;
    const std::string& name = has_aliases ? known_as->name : axis.name;
    if (name == part.name && part.size == 0) return {i};
    is_known = is_known || name == part.name;
    if (name != name_of_part(part.name, before, axis.size)) continue;
    is_known = true;
    if (part.size == 0 || (before >= part.before && before < part.before * part.size)) {
      axes.push_back(i);
      found *= axis.size;
    }
    before *= axis.size;
  }
  require(is_known, "the mesh (", common, ") has no axis '", part.name, '\'');
  require(part.size == 0 || found == part.size, "the mesh (", common, ") has no part ",
          name_of_part(part.name, part.before, part.size));
  return axes;
}

}  // namespace weft::ir
