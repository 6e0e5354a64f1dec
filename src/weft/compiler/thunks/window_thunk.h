// Pooling and its gradient: reduce_window with a body of one op, select_and_scatter that compares and adds.
#pragma once

#include <optional>

#include <weft/compiler/unit.h>

namespace weft::compiler {

// Empty for other bodies.
std::optional<Unit> reduce_window_unit(const ir::Node& node);
std::optional<Unit> select_and_scatter_unit(const ir::Node& node);

}  // namespace weft::compiler
