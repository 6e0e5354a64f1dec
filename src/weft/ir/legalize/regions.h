// Regions as closed graphs, brought into the form that the ops of the table take.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include <weft/ir/graph.h>

namespace weft::ir::legalize {

// A body that is one op becomes the one all such reductions share.
std::shared_ptr<const Graph> shared_body(std::shared_ptr<const Graph> graph);

// The region of one part alone, if it does the same to the parts of complex numbers, each by itself: sums do, products do not. Its
// inputs are real parts and imaginary ones in turn. Null: it does not.
std::shared_ptr<const Graph> part_of_region(const Graph& region);

// The inputs that the branches use, in the order in which they do.
std::vector<std::size_t> used_inputs(std::span<const std::shared_ptr<const Graph>> branches);
// The same graph of other inputs: those that `chosen` names, in its order.
std::shared_ptr<const Graph> with_inputs(const Graph& from, std::span<const std::size_t> chosen);

}  // namespace weft::ir::legalize
