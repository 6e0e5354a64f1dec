// while, if and case: regions as nested programs, run without leaving the thread; predicates are read on the host. A loop whose
// state is small enough is one kernel instead (plan/while_kernel.h).
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <weft/compiler/thunks/native_context.h>

namespace weft::compiler {

// A loop's unit: carried values that no step changes, and whose results nobody uses, stay where they are, and are only read.
struct LoopUnit {
  Unit unit;                          // writes the results of the others, in place where possible
  std::vector<std::size_t> changing;  // those others
};
LoopUnit loop_unit(const ir::Node& loop);

// While, if and case: their regions are programs for all sizes, whatever is known of these.
bool has_programs(const ir::Node& node);
Unit while_unit(const ir::Node& node, const NativeContext& context);
std::optional<Unit> while_kernel_unit(const ir::Node& node, const NativeContext& context);
Unit branch_unit(const ir::Node& node, const NativeContext& context);  // if, case

// A region, which the node's graph keeps alive.
inline std::shared_ptr<const ir::Graph> region_of(const ir::Node& node, std::size_t i) {
  return {std::shared_ptr<const ir::Graph>(), node.regions[i]};
}

}  // namespace weft::compiler
