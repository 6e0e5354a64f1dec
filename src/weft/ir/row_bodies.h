// Divides a graph that computes one row of several tables into a body for each table, and what depends on no row.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include <weft/ir/graph.h>

namespace weft::ir {

// The inputs and outputs of one table, by position.
struct RowsOfTable {
  std::vector<std::size_t> inputs, outputs;
};

struct RowBodies {
  std::vector<Value> numbers;  // values of the given graph that depend on no row, which the bodies use
  // Distinct bodies: a body takes the inputs of its table, then the numbers, and returns the outputs of its table.
  std::vector<std::shared_ptr<const Graph>> bodies;
  std::vector<std::size_t> of_table;  // for each table: its body
};

// Values that depend on no input at all are computed in the bodies. Throws Error if the outputs of a table depend on the inputs of another.
RowBodies divide_rows(const Graph& graph, std::span<const RowsOfTable> tables);

}  // namespace weft::ir
