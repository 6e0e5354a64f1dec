// scatter with a body of one op, or one that replaces: the gradient of an embedding, index updates.
#pragma once

#include <optional>

#include <weft/compiler/unit.h>

namespace weft::compiler {

// Empty if the body is none that is known; the interpreter runs those.
std::optional<Unit> scatter_unit(const ir::Node& node);

}  // namespace weft::compiler
