// Copies a value's bytes.
#pragma once

#include <weft/compiler/plan/unit.h>

namespace weft::compiler {

// Returns a unit that copies `value` in the memory of the target.
Unit copy_unit(ir::Value value, const Target& target);

}  // namespace weft::compiler
