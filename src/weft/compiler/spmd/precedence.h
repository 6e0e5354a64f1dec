// Finds the inputs of a program that are data, which may take precedence over state when the program is divided.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <weft/compiler/spmd/partition.h>
#include <weft/ir/graph.h>
#include <weft/ir/sharding.h>

namespace weft::compiler {

// Returns the precedence of data for a program. It is empty if no axis splits both data and state, since then bytes decide the same.
Precedence precedence_of_data(const ir::Graph& graph, std::span<const ir::Sharding> inputs,
                              std::span<const std::optional<ir::Sharding>> outputs);

// Returns whether each node depends on an input that is data.
std::vector<std::uint8_t> nodes_of_data(const ir::Graph& graph, const Precedence& precedence);

// Divides a program with this precedence, as partition() does, which tries both. There is an optional sharding for each output.
Partitioned divide(const ir::Graph& graph, const ir::Mesh& mesh, std::span<const ir::Sharding> inputs,
                   std::span<const std::optional<ir::Sharding>> outputs, PartialOutputs partial_outputs,
                   const Precedence& precedence);

}  // namespace weft::compiler
