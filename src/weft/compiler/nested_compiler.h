// This compiler, as the thunks see it whose nodes have regions.
#pragma once

#include <weft/compiler/thunks/nested_compiler.h>

namespace weft::compiler {

const NestedCompiler& nested_compiler();

}  // namespace weft::compiler
