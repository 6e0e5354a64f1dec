// Brings regions, as closed graphs, into the form that the ops of the table take.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include <weft/ir/graph.h>

namespace weft::ir::legalize {

// Returns the shared body of a reduction (builder.h) if `graph` is just one op, otherwise `graph`.
std::shared_ptr<const Graph> shared_body(std::shared_ptr<const Graph> graph);

// Splits a region on complex numbers: returns the region for a single part if the region does the same to each part independently
// (sums do, products do not). The inputs of `region` are real and imaginary parts in turn. Returns null if it cannot be split.
std::shared_ptr<const Graph> part_of_region(const Graph& region);

// Returns the indices of the inputs that the branches use, in the order of their first use.
std::vector<std::size_t> used_inputs(std::span<const std::shared_ptr<const Graph>> branches);
// Returns the same graph with only the inputs that `chosen` names, in that order.
std::shared_ptr<const Graph> with_inputs(const Graph& from, std::span<const std::size_t> chosen);

}  // namespace weft::ir::legalize
