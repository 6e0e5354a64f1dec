// while, if and case: regions as nested programs, run without leaving the thread; predicates are read on the host. A loop whose
// state is small enough is one kernel instead (fusion/while_kernel.h).
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <weft/compiler/thunks/native.h>

namespace weft::compiler {

// A loop's unit: carried values that no step changes, and whose results nobody uses, stay where they are, and are only read.
struct LoopUnit {
  Unit unit;                          // writes the results of the others, in place where possible
  std::vector<std::size_t> changing;  // those others
};
LoopUnit loop_unit(const ir::Node& loop);

Unit while_unit(const ir::Node& node, const NativeContext& context);
std::optional<Unit> while_kernel_unit(const ir::Node& node, const NativeContext& context);
Unit branch_unit(const ir::Node& node, const NativeContext& context);  // if, case

}  // namespace weft::compiler
