// Running folds: each element of the result folds all elements of the operand up to its own, along one dimension. JAX writes cumulative sums as
// reduce_window of this kind.
#pragma once

#include <optional>

#include <weft/ir/graph.h>

namespace weft::compiler {

struct RunningFold {
  const ir::Op* op = nullptr;  // add, multiply, maximum...
  int dimension = 0;
  bool is_forward = true;  // over the elements before each one, not those behind it
};

// Returns nullopt if the node is not a reduce_window that folds one tensor so, beginning with the neutral element of the op.
std::optional<RunningFold> running_fold(const ir::Node& node);

}  // namespace weft::compiler
