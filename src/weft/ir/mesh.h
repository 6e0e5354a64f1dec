// A Mesh arranges the devices of one program in a grid whose axes have names: {"data", 4}, {"model", 2} are 8 devices. The devices are
// logical: how many processes and physical devices they run on does not change results (D15b). As jax.sharding.Mesh and Shardy's sdy.mesh.
// A value: cheap to copy, compared by names, sizes and the order of the devices. Thread-safe, because it never changes.
#pragma once

#include <compare>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weft::ir {

class Mesh {
 public:
  struct Axis {
    // What another mesh of the same program calls the axis.
    struct Alias {
      std::string mesh, name;
      friend bool operator==(const Alias&, const Alias&) = default;
    };
    std::string name;
    std::int64_t size;
    std::vector<Alias> aliases = {};
    friend bool operator==(const Axis&, const Axis&) = default;
  };
  static constexpr std::int64_t max_devices = std::int64_t{1} << 20;
  static constexpr std::size_t max_axes = 64;

  Mesh() : Mesh(std::vector<Axis>{}) {}  // one device, no axes
  // Throws Error for a name that is empty or occurs twice, a size below 1, and more than max_axes axes or max_devices devices.
  explicit Mesh(std::vector<Axis> axes);
  Mesh(std::initializer_list<Axis> axes) : Mesh(std::vector<Axis>(axes)) {}
  // Arranges the devices in this order: the device order[0] is the first one of the grid in row-major order. Throws also if the order does
  // not name every device once.
  Mesh(std::vector<Axis> axes, std::span<const std::int64_t> order);

  std::span<const Axis> axes() const { return grid_->axes; }
  std::int64_t size(int axis) const { return axes()[axis].size; }
  std::int64_t devices() const { return devices_; }
  // Returns the index of an axis. Throws Error that names the axes there are.
  int axis(std::string_view name) const;
  // Returns a device's position along an axis. Without an order, devices are numbered in row-major order: the last axis changes fastest.
  std::int64_t coordinate(std::int64_t device, int axis) const;
  // Returns each device's place in row-major order; empty without an order.
  std::span<const std::int64_t> places() const { return grid_->places; }

  // Returns whether the meshes differ in the order of their devices at most.
  bool has_axes_of(const Mesh& other) const { return grid_->axes == other.grid_->axes; }
  friend bool operator==(const Mesh& a, const Mesh& b) { return a.grid_ == b.grid_ || *a.grid_ == *b.grid_; }
  friend std::ostream& operator<<(std::ostream& out, const Mesh& mesh);  // data=4, model=2

 private:
  struct Grid {
    std::vector<Axis> axes;
    std::vector<std::int64_t> places;
    friend bool operator==(const Grid&, const Grid&) = default;
  };
  std::shared_ptr<const Grid> grid_;
  std::int64_t devices_ = 1;
};

}  // namespace weft::ir
