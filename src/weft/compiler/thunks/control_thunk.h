// while, if and case: runs regions as nested programs on the same thread; predicates are read on the host. A loop with a small enough state
// is one kernel instead (plan/while_kernel.h).
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <weft/compiler/thunks/native_context.h>

namespace weft::compiler {

// The unit of a loop. Carried values that no step changes and whose results nobody uses are only read and stay where they are.
struct LoopUnit {
  Unit unit;                          // writes the results of the changing values, in place where possible
  std::vector<std::size_t> changing;  // the carried values that change
};
LoopUnit loop_unit(const ir::Node& loop);

// Returns whether the node is a while, if or case, whose regions are programs for all sizes, even if the sizes are known.
bool has_programs(const ir::Node& node);
Unit while_unit(const ir::Node& node, const NativeContext& context);
std::optional<Unit> while_kernel_unit(const ir::Node& node, const NativeContext& context);
Unit branch_unit(const ir::Node& node, const NativeContext& context);  // if, case

// Returns a region, which the node's graph keeps alive.
inline std::shared_ptr<const ir::Graph> region_of(const ir::Node& node, std::size_t i) {
  return {std::shared_ptr<const ir::Graph>(), node.regions[i]};
}

}  // namespace weft::compiler
