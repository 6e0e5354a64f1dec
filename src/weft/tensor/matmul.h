// Matrix products of values, for composites. Internal.
#pragma once

#include <weft/ir/graph.h>

namespace weft::detail {

// [..., m, k] with [..., k, n]; the leading dimensions broadcast. Requires can_matmul().
ir::Value matmul(ir::Value a, ir::Value b);
bool can_matmul(Type a, Type b);

}  // namespace weft::detail
