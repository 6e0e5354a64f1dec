// Forward-mode differentiation, graph to graph: values together with their tangents, the derivatives along one direction. (jvp)
#pragma once

#include <span>
#include <vector>

#include <weft/ir/graph.h>

namespace weft::ir {

struct Dual {
  Value value;
  Value tangent = {};  // has the type of the value; empty: zero
};

// Appends the nodes that compute the outputs of `from` and their tangents, and those that have side effects, to `into`; returns the
// outputs. `inputs`, values of `into`, are in place of the inputs of `from`; only floating-point inputs have tangents.
//
// The tangent of a node is the transpose of its gradient, so that both follow the same conventions at kinks, and an op needs no rule for
// it. Loops and branches compute their tangents as they go, also loops whose number of steps is unknown. New nodes have the location of
// the node that they compute, and can be differentiated again. Throws Error for an op that has no gradient.
std::vector<Dual> forward(Graph& into, const Graph& from, std::span<const Dual> inputs);

}  // namespace weft::ir
