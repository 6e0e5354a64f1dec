// A Sharding says how the devices of a mesh hold one tensor: along which axes each dimension is split, and along which axes the devices
// hold summands of the tensor instead of its elements. Along every other axis the tensor is replicated. The semantics are those of
// Shardy's sdy.sharding and of jax.sharding.NamedSharding with `unreduced` axes. Eight bytes, compared by value: equal shardings are one
// interned object that lives as long as the process, so copying and comparing them costs as much as for a pointer. Thread-safe.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <span>
#include <utility>
#include <vector>

#include <weft/base/type.h>
#include <weft/ir/mesh.h>

namespace weft::ir {

// How the parts of a partial value combine to the value.
enum class Reduction : std::uint8_t { sum, max, min };
std::ostream& operator<<(std::ostream& out, Reduction reduction);

class Sharding {
 public:
  using Axes = std::vector<int>;                           // indices of axes of the mesh, from major to minor
  using Partial = std::vector<std::pair<int, Reduction>>;  // sorted by axis

  // Replicates a tensor of this rank.
  Sharding(const Mesh& mesh, int rank) : Sharding(mesh, std::vector<Axes>(rank)) {}
  // Throws Error if an axis is used twice.
  Sharding(const Mesh& mesh, std::vector<Axes> dims, Partial partial = {});

  const Mesh& mesh() const { return data_->mesh; }
  int rank() const { return static_cast<int>(data_->dims.size()); }
  const std::vector<Axes>& dims() const { return data_->dims; }
  const Axes& axes(int dim) const { return data_->dims[dim]; }
  const Partial& partial() const { return data_->partial; }
  bool is_replicated() const;

  // Returns into how many shards a dimension is split.
  std::int64_t shards(int dim) const;
  // Returns which of the shards of a dimension a device holds.
  std::int64_t shard(int dim, std::int64_t device) const;

  // Returns the type of one device's shard. Throws Error if a size does not divide, which names the nearest sizes that do.
  Type local_type(Type type) const;

  // Returns the type of the tensor of which a device's shard has this type.
  Type whole_type(Type local) const;

  // Returns a number that no other sharding has, in this process.
  std::uintptr_t identity() const { return reinterpret_cast<std::uintptr_t>(data_); }

  friend bool operator==(const Sharding&, const Sharding&) = default;
  // [{"data", "model"}, {}], unreduced={"stage"}: in Shardy's form. Reductions other than sums stand after the axis: {"stage":max}.
  friend std::ostream& operator<<(std::ostream& out, const Sharding& sharding);

 private:
  struct Data {
    Mesh mesh;
    std::vector<Axes> dims;
    Partial partial;
    friend bool operator==(const Data&, const Data&) = default;
  };
  struct Registry;
  const Data* data_;
};

// Returns the product of the sizes of axes.
std::int64_t devices_along(const Mesh& mesh, std::span<const int> axes);
// Returns a device's position among those along the axes, of which the first is the major one.
std::int64_t position_along(const Mesh& mesh, std::span<const int> axes, std::int64_t device);

}  // namespace weft::ir
