#include <weft/ir/mesh.h>

#include <algorithm>
#include <ostream>

#include <weft/base/error.h>

namespace weft::ir {

Mesh::Mesh(std::vector<Axis> axes) {
  for (const Axis& axis : axes) {
    require(!axis.name.empty(), "mesh: an axis has no name");
    require(axis.size >= 1, "mesh: axis '", axis.name, "' has size ", axis.size, "; a size is at least 1");
    require(std::ranges::count(axes, axis.name, &Axis::name) == 1, "mesh: two axes are named '", axis.name, "'");
    require(axis.size <= max_devices / devices_, "mesh: more than ", max_devices, " devices");
    devices_ *= axis.size;
  }
  axes_ = std::make_shared<const std::vector<Axis>>(std::move(axes));
}

int Mesh::axis(std::string_view name) const {
  int index = 0;
  for (const Axis& axis : axes()) {
    if (axis.name == name) return index;
    ++index;
  }
  fail("the mesh (", *this, ") has no axis '", name, "'");
}

std::int64_t Mesh::coordinate(std::int64_t device, int axis) const {
  for (const Axis& minor : axes().subspan(axis + 1)) device /= minor.size;
  return device % size(axis);
}

std::ostream& operator<<(std::ostream& out, const Mesh& mesh) {
  if (mesh.axes().empty()) return out << "one device";
  const char* separator = "";
  for (const Mesh::Axis& axis : mesh.axes()) out << std::exchange(separator, ", ") << axis.name << '=' << axis.size;
  return out;
}

}  // namespace weft::ir
