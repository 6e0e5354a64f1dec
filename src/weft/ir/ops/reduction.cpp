// Type rules of reductions.
#include <weft/ir/ops/reduction.h>

#include <algorithm>

#include <weft/ir/ops/rules.h>
#include <weft/ir/ops/window.h>

namespace weft::ir {

namespace {

// Requires operands x..., init..., where all x have one shape, and a body that fits; returns the number of x.
std::size_t require_reduction(const Call& call) {
  const std::size_t count = call.operands.size() / 2;
  call.require(count > 0 && call.operands.size() % 2 == 0, "expected as many initial values as operands");
  const Type first = call.type(0);
  std::array<Type, 8> few;  // avoids an allocation
  std::vector<Type> many(2 * count > few.size() ? 2 * count : 0);
  const std::span<Type> scalars = many.empty() ? std::span(few).first(2 * count) : std::span(many);
  for (std::size_t i = 0; i < count; ++i) {
    const Type type = call.operands[i].type(), init = call.operands[count + i].type();
    call.require(std::ranges::equal(type.dims(), first.dims()), "operands must have one shape, got ", first, " and ",
                 type);
    call.require(init.rank() == 0 && init.dtype() == type.dtype(), "initial value ", i, " must be of rank 0 and ",
                 type.dtype(), ", got ", init);
    scalars[i] = scalars[count + i] = init;
  }
  require_region(call, 0, scalars, scalars.first(count));
  return count;
}

}  // namespace

void reduce_type(const Call& call, std::vector<Type>& results) {
  const std::size_t count = require_reduction(call);
  const Type first = call.type(0);
  const DimSet reduced =
      require_dimensions(call, "dimensions", call.attributes<DimensionsAttributes>().dimensions, first.rank());
  DimList dims;
  for (int d = 0; d < first.rank(); ++d)
    if (!has(reduced, d)) dims.push_back(first.dim(d));
  for (std::size_t i = 0; i < count; ++i) results.push_back(dims.type(call.operands[i].dtype()));
}

void reduce_window_type(const Call& call, std::vector<Type>& results) {
  const std::size_t count = require_reduction(call);
  const Type first = call.type(0);
  const auto& window = call.attributes<ReduceWindowAttributes>();
  const std::size_t rank = first.rank();
  require_count(call, "window_dimensions", window.window_dimensions, rank);
  if (!window.window_strides.empty()) require_count(call, "window_strides", window.window_strides, rank);
  if (!window.base_dilations.empty()) require_count(call, "base_dilations", window.base_dilations, rank);
  if (!window.window_dilations.empty()) require_count(call, "window_dilations", window.window_dilations, rank);
  if (!window.padding.empty()) require_count(call, "padding", window.padding, 2 * rank);
  DimList dims;
  for (int d = 0; d < first.rank(); ++d) dims.push_back(window_positions(call, d, window_dim(window, d), first.dim(d)));
  for (std::size_t i = 0; i < count; ++i) results.push_back(dims.type(call.operands[i].dtype()));
}

}  // namespace weft::ir
