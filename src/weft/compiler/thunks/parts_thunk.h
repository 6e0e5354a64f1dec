// A thunk for ops whose declaration computes them part by part (ir::Parts).
#pragma once

#include <weft/compiler/plan/unit.h>

namespace weft::compiler {

Unit parts_unit(const ir::Node& node);

}  // namespace weft::compiler
