// Reverse-mode differentiation, graph to graph.
#pragma once

#include <span>
#include <vector>

#include <weft/ir/graph.h>

namespace weft::ir {

// Appends to `graph` what computes the vector-Jacobian product: for each x of `xs`, the sum over i of y_cotangents[i] * dys[i]/dx,
// of the type of x; zeros where no y depends on x. Both ys and xs are values of the graph, floating-point, and a cotangent has the
// type of its y. An x may depend on another x: each gets its whole derivative.
//
// Only nodes between xs and ys are looked at. New nodes get the location of the node whose gradient they are part of, and are
// ordinary nodes: they can be differentiated again. The order of summation is fixed by the graph. Throws Error where the way
// from a y to an x leads through an op that has no gradient.
//
// `copies` are results of nodes with one operand, which they are equal to. The derivative by an x is none by its copies: what a copy
// adds counts for what x depends on, and not for x.
std::vector<Value> gradient(Graph& graph, std::span<const Value> ys, std::span<const Value> y_cotangents,
                            std::span<const Value> xs, std::span<const Value> copies = {});

// Whether a derivative may pass from operands of the node to its results.
bool passes_derivatives(const Node& node);

// Whether a derivative passes on some way from one of `xs` to y, though what comes of it may be zero.
bool depends(Graph& graph, Value y, std::span<const Value> xs);

// The nodes between `xs` and y at which derivatives end though values go on: comparisons, roundings, stop_gradient.
std::vector<const Node*> ends_of_derivatives(const Graph& graph, Value y, std::span<const Value> xs);

// Whether it is what gradient() gives where nothing depends: a constant of zeros.
bool is_zero(Value x);

}  // namespace weft::ir
