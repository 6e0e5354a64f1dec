// Thunks for linear algebra that no library is asked for: cholesky, triangular_solve.
#pragma once

#include <weft/compiler/plan/unit.h>

namespace weft::compiler {

Unit cholesky_unit(const ir::Node& node);
Unit triangular_solve_unit(const ir::Node& node);

}  // namespace weft::compiler
