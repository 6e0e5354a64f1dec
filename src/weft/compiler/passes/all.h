// The graph passes, one per file; pipeline.cpp orders them. A pass returns null if it changes nothing.
#pragma once

#include <memory>

#include <weft/compiler/options/target.h>
#include <weft/ir/attributes.h>
#include <weft/ir/graph.h>

namespace weft::compiler {

std::shared_ptr<ir::Graph> absorb_transposes(const ir::Graph& graph);
std::shared_ptr<ir::Graph> eliminate_common_subexpressions(const ir::Graph& graph);
std::shared_ptr<ir::Graph> eliminate_dead_nodes(const ir::Graph& graph);
std::shared_ptr<ir::Graph> expand_collectives(const ir::Graph& graph);
std::shared_ptr<ir::Graph> expand_dots(const ir::Graph& graph, const Target& target);
std::shared_ptr<ir::Graph> expand_small_dots(const ir::Graph& graph, const Target& target);
std::shared_ptr<ir::Graph> find_extremes(const ir::Graph& graph);
std::shared_ptr<ir::Graph> fold_constants(const ir::Graph& graph);
std::shared_ptr<ir::Graph> hoist_invariants(const ir::Graph& graph);
std::shared_ptr<ir::Graph> inline_composites(const ir::Graph& graph);
// The same for all composites but those that the target has a kernel for.
std::shared_ptr<ir::Graph> inline_composites_without_kernel(const ir::Graph& graph, const Target& target);
std::shared_ptr<ir::Graph> merge_loops(const ir::Graph& graph);
std::shared_ptr<ir::Graph> order_dot_operands(const ir::Graph& graph);
std::shared_ptr<ir::Graph> place_windows(const ir::Graph& graph);
std::shared_ptr<ir::Graph> expand_scatters(const ir::Graph& graph, const Target& target);
std::shared_ptr<ir::Graph> simplify(const ir::Graph& graph);
std::shared_ptr<ir::Graph> split_reductions(const ir::Graph& graph, const Target& target);
std::shared_ptr<ir::Graph> turn_dots(const ir::Graph& graph);

std::shared_ptr<ir::Graph> expand_convolutions(const ir::Graph& graph, const Target& target);
std::shared_ptr<ir::Graph> expand_padding(const ir::Graph& graph);
std::shared_ptr<ir::Graph> expand_windows(const ir::Graph& graph, const Target& target, bool strict);

// Passes for GPUs: what their kernels do not compute becomes something that they do.
std::shared_ptr<ir::Graph> expand_folds(const ir::Graph& graph, const Target& target);
// Others replace what a GPU computes by what it computes faster.
std::shared_ptr<ir::Graph> pick_elements(const ir::Graph& graph, const Target& target);
std::shared_ptr<ir::Graph> replace_tanh(const ir::Graph& graph, const Target& target);

// Returns the product as the passes that expand dots rewrite it: a sum over products, either along rows, whose elements are summed, or down
// columns, of which several are computed at once.
enum class SumsOfDot : std::uint8_t { along_rows, down_columns };
ir::Value multiply_and_reduce(ir::Value lhs, ir::Value rhs, const ir::DotAttributes& dimensions, DType dtype,
                              SumsOfDot sums);
// Returns the kind that reads neighbours of the right operand.
SumsOfDot sums_along(ir::Value rhs, const ir::DotAttributes& dimensions);

}  // namespace weft::compiler
