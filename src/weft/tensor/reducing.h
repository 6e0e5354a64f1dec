// Pieces of reductions that composites share. Axes are normalised and sorted. Internal.
#pragma once

#include <weft/ir/builder.h>
#include <weft/tensor/shape.h>

namespace weft::detail {

// The dimensions that `axes` names: all when it is empty.
Axes reduced_axes(ir::Value x, const Axes& axes, const char* function);

// The shape of x with 1 for the reduced dimensions; and a reduced value given that shape, or spread over x again.
Shape kept_shape(ir::Value x, const Axes& axes);
ir::Value keep(ir::Value reduced, ir::Value x, const Axes& axes);
ir::Value spread(ir::Value reduced, ir::Value x, const Axes& axes);

std::int64_t reduced_count(ir::Value x, const Axes& axes);  // elements that become one
ir::Value mean(ir::Value x, const Axes& axes);

}  // namespace weft::detail
