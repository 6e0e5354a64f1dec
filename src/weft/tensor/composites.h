// Composites on values, from which other composites are built. The axis must be normalised, and x must not be a 16-bit
// float. Internal.
#pragma once

#include <weft/ir/builder.h>

namespace weft::detail {

ir::Value softmax(ir::Value x, std::int64_t axis);
ir::Value log_softmax(ir::Value x, std::int64_t axis);
ir::Value soft_plus(ir::Value x);  // log(1 + exp(x)) without overflow

}  // namespace weft::detail
