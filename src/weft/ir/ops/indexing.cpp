// Type rules of dynamic slices, sort and select_and_scatter.
#include <weft/ir/ops/indexing.h>

#include <algorithm>

#include <weft/ir/ops/rules.h>
#include <weft/ir/ops/window.h>

namespace weft::ir {

namespace {

// Requires operands from `first` on to be one position for each dimension.
void require_starts(const Call& call, std::size_t first, int rank) {
  call.require(call.operands.size() == first + rank, "expected ", rank, " start indices, got ",
               call.operands.size() - first);
  for (std::size_t i = first; i < call.operands.size(); ++i) {
    require_index(call, i);
    call.require(call.operands[i].dtype() == call.operands[first].dtype(), "start indices must have one dtype");
  }
}

}  // namespace

void dynamic_slice_type(const Call& call, std::vector<Type>& results) {
  call.require(!call.operands.empty(), "expected an operand");
  const Type type = call.type(0);
  const Ints sizes = call.attributes<DynamicSliceAttributes>().sizes;
  require_starts(call, 1, type.rank());
  require_count(call, "slice_sizes", sizes, type.rank());
  DimList dims;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    call.require(sizes[i] >= 0 && sizes[i] <= type.dims()[i].min(), "a slice of ", sizes[i], " does not fit dimension ",
                 i, " of size ", type.dims()[i]);
    dims.push_back(sizes[i]);
  }
  results.push_back(dims.type(type.dtype()));
}

void dynamic_update_slice_type(const Call& call, std::vector<Type>& results) {
  call.require(call.operands.size() >= 2, "expected an operand and an update");
  const Type type = call.type(0), update = call.type(1);
  require_starts(call, 2, type.rank());
  call.require(update.dtype() == type.dtype() && update.rank() == type.rank(), "the update ", update, " does not fit ",
               type);
  for (int d = 0; d < type.rank(); ++d)
    call.require(update.dim(d) == type.dim(d) || update.dim(d).min() <= type.dim(d).max(), "an update of size ",
                 update.dim(d), " does not fit dimension ", d, " of size ", type.dim(d));
  results.push_back(type);
}

void sort_type(const Call& call, std::vector<Type>& results) {
  call.require(!call.operands.empty(), "expected at least one operand");
  const Type first = call.type(0);
  const std::int64_t dimension = call.attributes<SortAttributes>().dimension;
  call.require(dimension >= -first.rank() && dimension < first.rank(), "dimension ", dimension,
               " is out of range for rank ", first.rank());
  std::vector<Type> scalars;
  for (const Value v : call.operands) {
    call.require(std::ranges::equal(v.type().dims(), first.dims()), "operands must have one shape, got ", first,
                 " and ", v.type());
    scalars.insert(scalars.end(), 2, Type(v.dtype(), {}));
    results.push_back(v.type());
  }
  const Type boolean_type(DType::boolean, {});
  require_region(call, 0, scalars, std::span(&boolean_type, 1));
}

void select_and_scatter_type(const Call& call, std::vector<Type>& results) {
  const Type x = call.type(0), source = call.type(1), init = call.type(2);
  const auto& window = call.attributes<SelectAndScatterAttributes>();
  const std::size_t rank = x.rank();
  call.require(source.dtype() == x.dtype() && source.rank() == x.rank(), "the source ", source, " does not fit ", x);
  call.require(init.rank() == 0 && init.dtype() == x.dtype(), "the initial value must be of rank 0 and ", x.dtype(),
               ", got ", init);
  require_count(call, "window_dimensions", window.window_dimensions, rank);
  if (!window.window_strides.empty()) require_count(call, "window_strides", window.window_strides, rank);
  if (!window.padding.empty()) require_count(call, "padding", window.padding, 2 * rank);
  for (int d = 0; d < x.rank(); ++d) {
    const Dim positions = window_positions(call, d, window_dim(window, d), x.dim(d));
    call.require(source.dim(d) == positions, "dimension ", d, " of the source has size ", source.dim(d),
                 ", the window has ", positions, " positions");
  }
  const std::array scalars{init, init};
  const Type boolean_type(DType::boolean, {});
  require_region(call, 0, scalars, std::span(&boolean_type, 1));
  require_region(call, 1, scalars, std::span(&init, 1));
  results.push_back(x);
}

}  // namespace weft::ir
