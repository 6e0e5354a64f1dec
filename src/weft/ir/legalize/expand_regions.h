// Operations with regions that are written as others: chlo.scan as a loop, stablehlo.map as what its body does, on whole tensors.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <weft/ir/graph.h>

namespace weft::ir::legalize {

struct Scan {
  std::span<const Value> inputs, carries;  // the second: initial values
  std::span<const Value> captures;         // what the body takes behind slices and carries
  std::span<const Type> outputs;           // types of the stacked results
  std::int64_t dimension = 0;
  bool is_reverse = false;
  std::shared_ptr<const Graph> body;  // (slices, carries, captures) to (slices of the outputs, carries)
};

// Outputs, then carries. Throws Error where the parts do not fit.
std::vector<Value> expand_scan(Graph& graph, const Scan& scan);

// The results of a body of rank-0 values for every element of tensors of one shape. Throws Error for a body that is not made of
// elementwise operations and constants.
std::vector<Value> expand_map(Graph& graph, std::span<const Value> operands, const Graph& body);

}  // namespace weft::ir::legalize
