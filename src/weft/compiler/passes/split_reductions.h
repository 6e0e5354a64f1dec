// The order in which reductions take their elements.
#pragma once

#include <weft/base/size.h>
#include <weft/compiler/options/target.h>
#include <weft/ir/graph.h>

namespace weft::compiler {

// Returns whether a `reduce` that was compiled without knowing its sizes takes its elements in another order than it would with known
// sizes.
bool is_reordered(const ir::Node& reduce, const SizeValues& sizes, const Target& target);

}  // namespace weft::compiler
