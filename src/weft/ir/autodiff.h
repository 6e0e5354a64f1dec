// Reverse-mode differentiation, graph to graph.
#pragma once

#include <span>
#include <vector>

#include <weft/ir/graph.h>

namespace weft::ir {

// Appends the nodes that compute the vector-Jacobian product to `graph`. Returns, for each x of `xs`, the sum over i of
// y_cotangents[i] * dys[i]/dx; it has the type of x and is zero if no y depends on x. All ys and xs are floating-point values of
// the graph, and each cotangent has the type of its y. An x may depend on another x: each gets its total derivative.
//
// Only nodes between xs and ys are visited. New nodes have the location of the node whose gradient they compute. They are
// ordinary nodes, so they can be differentiated again. The graph determines the order of summation. Throws Error if a path from a
// y to an x leads through an op that has no gradient.
//
// `copies` are results of one-operand nodes that equal their operand. The derivative with respect to an x does not include what
// flows through its copies; that part still counts for the values on which x depends.
std::vector<Value> gradient(Graph& graph, std::span<const Value> ys, std::span<const Value> y_cotangents,
                            std::span<const Value> xs, std::span<const Value> copies = {});

// Returns whether a derivative may pass from operands of the node to its results.
bool passes_derivatives(const Node& node);

// Returns whether a derivative reaches y from one of `xs` along some path; its value may still be zero.
bool depends(Graph& graph, Value y, std::span<const Value> xs);

// Returns the nodes between `xs` and y that pass values on but end the derivative: comparisons, roundings, stop_gradient.
std::vector<const Node*> ends_of_derivatives(const Graph& graph, Value y, std::span<const Value> xs);

// Returns whether x is a constant of zeros, which gradient() returns where nothing depends on an x.
bool is_zero(Value x);

}  // namespace weft::ir
