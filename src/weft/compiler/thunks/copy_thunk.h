// A copy of a value's bytes.
#pragma once

#include <weft/compiler/plan/unit.h>

namespace weft::compiler {

// Reads `value` and writes it once more.
Unit copy_unit(ir::Value value);

}  // namespace weft::compiler
