#include <weft/ir/mesh.h>

#include <algorithm>
#include <ostream>

#include <weft/base/error.h>

namespace weft::ir {

namespace {

// Returns the place of each device in an order; empty for the order of their numbers.
std::vector<std::int64_t> places_of(std::span<const std::int64_t> order, std::int64_t devices) {
  if (order.empty()) return {};
  constexpr std::int64_t none = -1;
  std::vector<std::int64_t> places(devices, none);
  for (std::int64_t place = 0; place < std::ssize(order); ++place) {
    const std::int64_t device = order[place];
    require(device >= 0 && device < devices && places[device] == none, "mesh: the order of ", devices,
            " devices names device ", device, device >= 0 && device < devices ? " twice" : "");
    places[device] = place;
  }
  require(std::ssize(order) == devices, "mesh: the order names ", order.size(), " of ", devices, " devices");
  if (std::ranges::is_sorted(places)) places.clear();
  return places;
}

}  // namespace

Mesh::Mesh(std::vector<Axis> axes) : Mesh(std::move(axes), {}) {}

Mesh::Mesh(std::vector<Axis> axes, std::span<const std::int64_t> order) {
  require(axes.size() <= max_axes, "mesh: ", axes.size(), " axes, a mesh has at most ", max_axes);
  for (const Axis& axis : axes) {
    require(!axis.name.empty(), "mesh: an axis has no name");
    require(axis.size >= 1, "mesh: axis '", axis.name, "' has size ", axis.size, "; a size is at least 1");
    require(std::ranges::count(axes, axis.name, &Axis::name) == 1, "mesh: two axes are named '", axis.name, "'");
    require(axis.size <= max_devices / devices_, "mesh: more than ", max_devices, " devices");
    devices_ *= axis.size;
  }
  grid_ = std::make_shared<const Grid>(std::move(axes), places_of(order, devices_));
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
  std::int64_t place = places().empty() ? device : places()[device];
  for (const Axis& minor : axes().subspan(axis + 1)) place /= minor.size;
  return place % size(axis);
}

std::ostream& operator<<(std::ostream& out, const Mesh& mesh) {
  if (mesh.axes().empty()) return out << "one device";
  const char* separator = "";
  for (const Mesh::Axis& axis : mesh.axes()) out << std::exchange(separator, ", ") << axis.name << '=' << axis.size;
  return out;
}

}  // namespace weft::ir
