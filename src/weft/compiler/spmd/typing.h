// Decides how every value of a graph is sharded, from the shardings of the inputs: along the data flow, without a search. See
// docs/design/meshes.md.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <weft/compiler/spmd/node_division.h>
#include <weft/compiler/spmd/partition.h>
#include <weft/compiler/spmd/precedence.h>
#include <weft/compiler/spmd/regions.h>
#include <weft/ir/graph.h>
#include <weft/ir/sharding.h>

namespace weft::compiler {

struct NodeTyping {
  std::shared_ptr<const ir::Factors> factors;
  std::shared_ptr<const NodeDivision> division;
  std::shared_ptr<const RegionTyping> regions;  // of a loop or branches,
  std::vector<ir::Sharding> given, asked;       // for operands that are sharded like this, and as their users ask
  std::vector<ir::Sharding> passed_on;  // as the users of the results see them: with partial sums added, if they are
};

// Returns the typing of each node, by id. `outputs[i]` is the sharding that output i shall have, if it is given.
std::vector<NodeTyping> type_nodes(const ir::Graph& graph, const ir::Mesh& mesh, std::span<const ir::Sharding> inputs,
                                   std::span<const std::optional<ir::Sharding>> outputs, PartialOutputs partial_outputs,
                                   const Precedence& precedence);

// Returns the same sharding with partial sums added.
ir::Sharding without_partial(const ir::Sharding& given);

}  // namespace weft::compiler
