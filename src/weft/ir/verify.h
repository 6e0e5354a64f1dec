// The verifier: is a graph what Graph::append would have made? Run between compiler passes, where a mistake of a pass should be
// found before the next one builds on it.
#pragma once

#include <weft/ir/graph.h>

namespace weft::ir {

// Checks every node, and the graphs of its regions: its id is its position, operands are results of earlier nodes of the same
// graph, the op's type rule accepts it and gives the types it has, and inputs are the graph's parameters in order. Outputs must
// be values of the graph. Throws Error that names the node's position, op and location: "verify: main: node 7, add (train.cpp:31):
// operand 1 comes later". Thread-safe for a finished graph.
void verify(const Graph& graph);

}  // namespace weft::ir
