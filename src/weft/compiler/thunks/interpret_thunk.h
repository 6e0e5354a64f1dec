// Runs a node that has no kernel in the reference interpreter on the host; reported as a fallback.
#pragma once

#include <weft/compiler/plan/unit.h>

namespace weft::compiler {

Unit interpret_unit(const ir::Node& node);

}  // namespace weft::compiler
