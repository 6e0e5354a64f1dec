// dynamic_update_slice, in the bytes of its operand where they are free, optimization_barrier, and tokens.
#pragma once

#include <weft/compiler/plan/unit.h>

namespace weft::compiler {

Unit update_slice_unit(const ir::Node& node);
Unit barrier_unit(const ir::Node& node);
Unit token_unit(const ir::Node& node);

}  // namespace weft::compiler
