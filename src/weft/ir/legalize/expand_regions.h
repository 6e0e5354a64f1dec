// Expands operations with regions: chlo.scan becomes a loop; stablehlo.map becomes its body, applied to whole tensors.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <weft/ir/graph.h>

namespace weft::ir::legalize {

struct Scan {
  std::span<const Value> inputs, carries;  // carries: the initial values
  std::span<const Value> captures;         // inputs of the body after the slices and carries
  std::span<const Type> outputs;           // types of the stacked results
  std::int64_t dimension = 0;
  bool is_reverse = false;
  std::shared_ptr<const Graph> body;  // maps (slices, carries, captures) to (slices of the outputs, carries)
};

// Returns the outputs, then the carries. Throws Error if the parts do not fit.
std::vector<Value> expand_scan(Graph& graph, const Scan& scan);

// Applies a body of rank-0 values to every element of tensors that have one shape, and returns its outputs. Throws Error if the body has
// other operations than elementwise ones and constants.
std::vector<Value> expand_map(Graph& graph, std::span<const Value> operands, const Graph& body);

}  // namespace weft::ir::legalize
