// In which order reductions take their elements.
#pragma once

#include <weft/base/size.h>
#include <weft/ir/graph.h>

namespace weft::compiler {

// Whether a `reduce` whose sizes were not known when it was compiled takes its elements in another order than it would had they been.
bool is_reordered(const ir::Node& reduce, const SizeValues& sizes);

}  // namespace weft::compiler
