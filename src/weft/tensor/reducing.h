// Helpers of reductions that several composites use. Axes must be normalised and sorted. Internal.
#pragma once

#include <weft/ir/builder.h>
#include <weft/tensor/shape.h>

namespace weft::detail {

// Returns the reduced dimensions: `axes`, or all dimensions if it is empty.
Axes reduced_axes(ir::Value x, const Axes& axes, const char* function);

// kept_shape returns the shape of x with size 1 for the reduced dimensions; keep reshapes a reduced value to it; spread
// also broadcasts the value to the shape of x.
Shape kept_shape(ir::Value x, const Axes& axes);
ir::Value keep(ir::Value reduced, ir::Value x, const Axes& axes);
ir::Value spread(ir::Value reduced, ir::Value x, const Axes& axes);

std::int64_t reduced_count(ir::Value x, const Axes& axes);  // the number of elements that are reduced to one
ir::Value mean(ir::Value x, const Axes& axes);
// The square root with gradient 0 at 0, because the gradient of a norm has no direction there.
ir::Value root(ir::Value x);

}  // namespace weft::detail
