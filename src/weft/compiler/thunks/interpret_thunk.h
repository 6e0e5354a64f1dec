// A node that no kernel exists for, computed by the reference interpreter on the host: a fallback, reported as one.
#pragma once

#include <weft/compiler/plan/unit.h>

namespace weft::compiler {

Unit interpret_unit(const ir::Node& node);

}  // namespace weft::compiler
