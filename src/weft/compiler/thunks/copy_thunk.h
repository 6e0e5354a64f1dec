// Copies a value's bytes.
#pragma once

#include <weft/compiler/plan/unit.h>

namespace weft::compiler {

// Returns a unit that copies `value`.
Unit copy_unit(ir::Value value);

}  // namespace weft::compiler
