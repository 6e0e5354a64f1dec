// Divides a program among the devices of a mesh: one program that every device runs on its shards, with collectives where shards must be
// exchanged (single program, multiple data).
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <weft/compiler/spmd/collectives.h>
#include <weft/ir/graph.h>
#include <weft/ir/sharding.h>

namespace weft::compiler {

struct Partitioned {
  ir::Mesh mesh;
  std::shared_ptr<const ir::Graph> graph;  // its inputs and outputs are shards
  std::vector<ir::Sharding> inputs, outputs;
  std::vector<Communication> communications;  // also those of loops and branches
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
