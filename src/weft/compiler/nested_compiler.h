// Gives this compiler to the thunks of nodes with regions.
#pragma once

#include <weft/compiler/thunks/nested_compiler.h>

namespace weft::compiler {

const NestedCompiler& nested_compiler();

}  // namespace weft::compiler
