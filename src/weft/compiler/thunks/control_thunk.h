// while, if and case: regions as nested programs, run without leaving the thread; predicates are read on the host.
#pragma once

#include <weft/compiler/thunks/native.h>

namespace weft::compiler {

Unit while_unit(const ir::Node& node, const NativeContext& context);
Unit branch_unit(const ir::Node& node, const NativeContext& context);  // if, case

}  // namespace weft::compiler
