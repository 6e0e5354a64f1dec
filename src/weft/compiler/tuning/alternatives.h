// The alternative ways to do a matrix product or a reduction, as rewrites of the graph. Which one is the fastest is for
// autotune.h to find out.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <weft/compiler/options/options.h>
#include <weft/ir/graph.h>

namespace weft::compiler {

enum class Alternative : std::uint8_t {
  standard,
  generated,   // a product: multiply and reduce in a kernel of our own
  transposed,  // a product: the right side is transposed before
  padded,      // a product: its sizes are filled up with zeros to whole vectors, and the rest of the result is cut off
  split,       // a product: what is summed over is shared by the threads, each of which makes a result to be added
  apart,       // a product: what follows is another kernel; a reduction: what it reduces is
};
std::string name(Alternative alternative);
std::optional<Alternative> find_alternative(std::string_view name);

// Those in which the product can be done at all, and that are worth measuring; the standard one first.
std::vector<Alternative> alternatives_of_product(const ir::Node& dot, bool has_epilogue, Tuning tuning);

// The graph with each node done in the way that `alternative_of` says.
std::shared_ptr<const ir::Graph> apply(const ir::Graph& graph,
                                       const std::function<Alternative(const ir::Node&)>& alternative_of);

}  // namespace weft::compiler
