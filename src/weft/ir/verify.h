// The verifier checks that a graph is one that Graph::append would have made. It runs between compiler passes, so that a mistake
// of a pass is found before the next pass builds on it.
#pragma once

#include <weft/ir/graph.h>

namespace weft::ir {

// Checks every node, and the graphs of its regions: the node's id is its position, its operands are results of earlier nodes of
// the same graph, the op's type rule accepts it and gives the types that it has, and the inputs are the graph's parameters in
// order. The outputs must be values of the graph. Throws Error that names the node's position, op and location: "verify: main:
// node 7, add (train.cpp:31): operand 1 comes later". Thread-safe for a finished graph.
void verify(const Graph& graph);

}  // namespace weft::ir
