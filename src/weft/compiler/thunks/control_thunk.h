// while, if and case: regions as nested programs, run without leaving the thread; predicates are read on the host. A loop whose
// state is small enough is one kernel instead (fusion/while_kernel.h).
#pragma once

#include <optional>

#include <weft/compiler/thunks/native.h>

namespace weft::compiler {

Unit while_unit(const ir::Node& node, const NativeContext& context);
std::optional<Unit> while_kernel_unit(const ir::Node& node, const NativeContext& context);
Unit branch_unit(const ir::Node& node, const NativeContext& context);  // if, case

}  // namespace weft::compiler
