// Divides a program among the devices of a mesh: one program that every device runs on its shards, with collectives where shards must be
// exchanged (single program, multiple data).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <weft/compiler/spmd/collectives.h>
#include <weft/ir/graph.h>
#include <weft/ir/sharding.h>

namespace weft::compiler {

// Collectives of one kind that became fewer (buckets.h), in the order in which they run.
struct JoinedCollectives {
  const ir::Op* op = nullptr;
  std::vector<std::size_t> sizes = {};  // the number of tensors that each carries
  std::vector<double> sent_bytes = {};  // by each device in each of them
  // When the last one is predicted to end, and when it would with one more and with one fewer; 0 if there is no such choice.
  double end_ms = 0, end_with_more_ms = 0, end_with_fewer_ms = 0;
};

// Decides between operands that ask for different divisions of an op: the one with more bytes wins, or the one that depends on data.
// If the one that depends on data wins, weights that are split like data are gathered, instead of moving activations.
struct Precedence {
  // Whether each input is data: 1 for those of a batch, 0 for state, which outputs replace. Empty if bytes decide.
  std::vector<std::uint8_t> is_data;
};

struct Partitioned {
  ir::Mesh mesh;
  std::shared_ptr<const ir::Graph> graph;  // its inputs and outputs are shards
  std::vector<ir::Sharding> inputs, outputs;
  std::vector<Communication> communications;  // also those of loops and branches
  std::vector<JoinedCollectives> joined = {};
  // What was divided: the program without composites, and how its outputs should be sharded.
  std::shared_ptr<const ir::Graph> whole = {};
  std::vector<std::optional<ir::Sharding>> wanted = {};
  Precedence precedence = {};
};

// Whether an output for which no sharding is given may be a partial sum.
enum class PartialOutputs : std::uint8_t { add, keep };

// `inputs[i]` is the sharding of input i, `outputs[i]` that of output i; nullopt, or an empty list, lets the data flow decide. Their
// meshes may have the devices in another order than `mesh`. Throws Error if the axes of a mesh differ, if the sizes of an input do not
// divide, or if a type is not static, and UnsupportedError if the program contains collectives.
Partitioned partition(const ir::Graph& graph, const ir::Mesh& mesh, std::span<const ir::Sharding> inputs,
                      std::span<const std::optional<ir::Sharding>> outputs = {},
                      PartialOutputs partial_outputs = PartialOutputs::add);

}  // namespace weft::compiler
