// pad with interior padding between the elements of the operand; other pads are part of kernels.
#pragma once

#include <weft/compiler/plan/unit.h>

namespace weft::compiler {

Unit pad_unit(const ir::Node& node);

}  // namespace weft::compiler
