// Appends the collectives that change how a value is sharded, to the program that every device of a mesh runs. The devices are the
// partitions of one replica, numbered as in the mesh.
#pragma once

#include <span>
#include <vector>

#include <weft/ir/graph.h>
#include <weft/ir/sharding.h>

namespace weft::compiler {

// One collective of a divided program: its cost, and the operation that made it necessary.
struct Communication {
  const ir::Node* node = nullptr;  // of the program of every device
  std::uint32_t operand = 0;       // the one that is communicated; a node may carry several tensors
  // The op of the undivided program that needs the result; for an output, the op that computes it.
  const ir::Op* reason = nullptr;
  ir::Location location;  // of that op
  ir::Sharding::Axes axes;
  // By each device, if a ring carries it: 2(n-1)/n of the bytes for an all-reduce, (n-1)/n for the others.
  double sent_bytes = 0;
  // The number of times that it runs in one launch: once for each step of a loop. A loop of unknown length counts as one step.
  std::int64_t times = 1;

  ir::Value sent() const { return node->operands[operand]; }
  Type received() const { return node->types[operand]; }
};

// Returns what each device sends in a collective with all its operands; 0 for other nodes.
double sent_bytes(const ir::Node& node, std::int64_t devices);

class Collectives {
 public:
  Collectives(ir::Graph& graph, ir::Mesh mesh)
      : graph_(graph), mesh_(std::move(mesh)), coordinates_(mesh_.axes().size()) {}

  // Returns the device's coordinate along an axis, of type tensor<i64>.
  ir::Value coordinate(int axis);
  // Returns the device's position along axes, of which the first is the major one.
  ir::Value position(std::span<const int> axes);

  // `axes` are those among whose devices the collective runs.
  ir::Value all_reduce(ir::Value x, const ir::Sharding::Axes& axes, ir::Reduction reduction);
  ir::Value reduce_scatter(ir::Value x, int dim, const ir::Sharding::Axes& axes, ir::Reduction reduction);
  ir::Value all_gather(ir::Value x, int dim, const ir::Sharding::Axes& axes);
  ir::Value all_to_all(ir::Value x, int split_dim, int concat_dim, const ir::Sharding::Axes& axes);

  // Puts elements of the neighbours along the axes before and after a part of a dimension. `beyond`, of rank 0, stands for elements that
  // lie outside the tensor; zeros if it is empty.
  ir::Value with_neighbours(ir::Value x, int dim, const ir::Sharding::Axes& axes, std::int64_t before,
                            std::int64_t after, ir::Value beyond);

  // Sends each shard to the device that has the same place in another order of the devices.
  ir::Value permute(ir::Value x, const ir::Mesh& from, const ir::Mesh& to);

  // Sends what one device holds to all.
  ir::Value broadcast(ir::Value x, std::int64_t device);

  // Without communication: takes the device's part of a dimension; keeps the elements on the first device along the axes, and zeros on
  // the others.
  ir::Value take_part(ir::Value x, int dim, const ir::Sharding::Axes& axes);
  ir::Value keep_on_first(ir::Value x, const ir::Sharding::Axes& axes);

  // Sets the reason of what is appended from now on.
  void set_reason(const ir::Node* reason) { reason_ = reason; }
  // Adds the communications of a node's regions to those of this program.
  void add(const ir::Node& node, std::span<const Communication> communications);
  // Adds what a node communicates that is part of the undivided program, within a manual computation.
  void add_written(const ir::Node& node, std::int64_t times = 1);
  std::vector<Communication> take_communications() { return std::move(communications_); }

 private:
  // Returns the value of the device that is so many places before this one along the axes.
  ir::Value from_neighbour(ir::Value x, const ir::Sharding::Axes& axes, std::int64_t distance, ir::Value beyond);
  ir::Sharding::Axes all_axes() const;
  ir::Value note(ir::Value result, const ir::Sharding::Axes& axes, double ring_bytes);

  ir::Graph& graph_;
  const ir::Mesh mesh_;
  std::vector<ir::Value> coordinates_;  // by axis
  std::vector<Communication> communications_;
  const ir::Node* reason_ = nullptr;
};

}  // namespace weft::compiler
