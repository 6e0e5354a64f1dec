// Tensors on meshes. A program that reads sharded tensors runs on all devices of their mesh: the compiler divides it,
// and adds collectives where devices need what others have. The function is the same as for one device:
//
//   const weft::Mesh mesh{{"data", 8}};
//   auto train_step = weft::compile(mesh, [&](const Tensor& images, const Tensor& labels) { ... });
//   train_step(images.sharded("data", mesh), labels.sharded("data", mesh));  // each device gets 1/8 of the batch
//
// Tensors that are not sharded are replicated: every device has a copy. Results are sharded as the data flow decides;
// reading one gives the whole tensor. The devices are logical: results depend on the mesh and the shardings, never on
// how many processes or threads they run on. As jax.sharding.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <source_location>
#include <string>
#include <string_view>
#include <vector>

#include <weft/ir/sharding.h>
#include <weft/tensor/module.h>
#include <weft/tensor/tensor.h>

namespace weft {

using ir::Mesh;
using ir::Sharding;

// The mesh on which all programs of this thread run from now on, as set_device chooses the device. Tensors on one
// device are copied to all devices of the mesh when a program reads them.
void set_mesh(const Mesh& mesh);
// Throws Error if set_mesh was not called, and if no function compiled for a mesh is being recorded.
const Mesh& current_mesh();

// Returns the axes that a text names, from major to minor: "data,model". Throws Error for an axis that the mesh lacks.
Sharding::Axes axes_named(const Mesh& mesh, std::string_view names);

// The processes that mpirun started together share the devices of every mesh: each has an equal, contiguous part of them.
// They run the same program on the same data. As jax.process_index and jax.process_count. The first call joins the
// processes.
std::uint32_t process_index();
std::uint32_t process_count();

// For each dimension, the axes of a mesh along which it is split: {"data", "", "model"}. A dimension that is split
// along several axes names them from major to minor: "data,model". Dimensions that are not given are not split. (The
// PartitionSpec of JAX.)
class PartitionSpec {
 public:
  PartitionSpec(const char* first) : dims_{first} {}  // NOLINT
  PartitionSpec(std::initializer_list<std::string_view> dims) : dims_(dims.begin(), dims.end()) {}
  explicit PartitionSpec(std::vector<std::string> dims) : dims_(std::move(dims)) {}

  // Throws Error, led by `function`, for an axis that the mesh lacks or that is used twice, and for sizes that do not
  // divide.
  Sharding on(const Mesh& mesh, Type type, const char* function) const;
  // The same for the type of the parts.
  Sharding of_parts(const Mesh& mesh, Type part, const char* function) const;

 private:
  std::vector<std::string> dims_;
};

// Returns how the devices hold the tensor; nullopt if it is on one device. Calls sync() if the tensor is recorded,
// because only the compiled program knows.
std::optional<Sharding> sharding_of(const Tensor& x);

// Moves a parameter to the devices of a mesh. Every later value of it gets the same sharding.
void shard(Parameter& parameter, const PartitionSpec& spec, const Mesh& mesh = current_mesh());

// Shards the parameters whose names match a pattern, in which * stands for any characters, as in a shell.
struct ShardingPattern {
  std::string names;
  PartitionSpec spec;
};
// The first pattern that matches a parameter counts; parameters that match none are replicated. Throws Error for a
// pattern that matches nothing, or only parameters that earlier patterns match.
void shard(const std::vector<NamedParameter>& parameters, const std::vector<ShardingPattern>& patterns,
           const Mesh& mesh = current_mesh());
template <Module M>
void shard(M& model, const std::vector<ShardingPattern>& patterns, const Mesh& mesh = current_mesh()) {
  shard(named_parameters(model), patterns, mesh);
}

// ZeRO: each device of an axis keeps a part of the state only. Applied to an optimizer's state, each device updates a
// part of the parameters (ZeRO-1 and -2); applied to a model as well, it also keeps only a part of the parameters, which
// are gathered where they are needed (ZeRO-3, FSDP).
namespace zero {
class Over {
 public:
  const std::string& axis() const { return axis_; }

 private:
  // Not a constructor from one argument, so that a braced list of patterns is no Over.
  Over(std::string axis, int) : axis_(std::move(axis)) {}
  friend Over over(std::string axis);
  std::string axis_;
};
inline Over over(std::string axis) { return {std::move(axis), 0}; }
}  // namespace zero

// Splits each parameter along the first of its dimensions that divides, in addition to how it is sharded already.
// Parameters without such a dimension stay as they are.
void shard(const std::vector<NamedParameter>& parameters, const zero::Over& over, const Mesh& mesh = current_mesh());
template <Module M>
void shard(M& model, const zero::Over& over, const Mesh& mesh = current_mesh()) {
  shard(named_parameters(model), over, mesh);
}

}  // namespace weft
