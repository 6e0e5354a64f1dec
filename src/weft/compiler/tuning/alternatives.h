// The alternative ways to compute a matrix product or a reduction, as rewrites of the graph. autotune.h measures which is the fastest.
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
  generated,   // a product: multiply and reduce in a generated kernel
  transposed,  // a product: the right side is transposed first
  padded,      // a product: its sizes are padded with zeros to whole vectors, and the result is cut to size
  split,       // a product: threads share the summed dimension, and their partial results are added
  apart,       // the epilogue of a product, or the operand of a reduction, gets a kernel of its own
};
std::string name(Alternative alternative);
std::optional<Alternative> find_alternative(std::string_view name);

// Returns the alternatives that can compute the product and are worth measuring; the standard one comes first.
std::vector<Alternative> alternatives_of_product(const ir::Node& dot, bool has_epilogue, Tuning tuning);

// Returns the graph with each node computed in the way that `alternative_of` says.
std::shared_ptr<const ir::Graph> apply(const ir::Graph& graph,
                                       const std::function<Alternative(const ir::Node&)>& alternative_of);

}  // namespace weft::compiler
