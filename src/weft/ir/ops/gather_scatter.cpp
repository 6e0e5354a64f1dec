// Type rules of gather and scatter, which use the same dimension numbers in opposite directions.
#include <algorithm>

#include <weft/ir/ops/indexing.h>
#include <weft/ir/ops/rules.h>

namespace weft::ir {

namespace {

// The dimension numbers under common names.
struct DimensionNumbers {
  Ints window_dims;       // window dimensions in the result of gather or in the updates of scatter
  Ints dropped;           // operand dimensions that windows lack: collapsed or inserted
  Ints batching;          // operand dimensions paired with ...
  Ints indices_batching;  // ... dimensions of the indices
  Ints index_map;         // operand dimension of each component of an index
  std::int64_t index_vector_dim;
  std::string_view window_name, dropped_name, batching_name, indices_batching_name, index_map_name;
};

// Requires dimension numbers that fit the operand and the indices; returns the operand dimensions that windows have.
DimSet require_numbers(const Call& call, const DimensionNumbers& n, Type x, Type indices) {
  const int rank = x.rank();
  call.require(is_integer(indices.dtype()), "indices must be integers, got ", indices);
  call.require(n.index_vector_dim >= 0 && n.index_vector_dim <= indices.rank(), "index_vector_dim ", n.index_vector_dim,
               " is out of range for indices of rank ", indices.rank());
  const DimSet dropped = require_dimensions(call, n.dropped_name, n.dropped, rank);
  const DimSet batching = require_dimensions(call, n.batching_name, n.batching, rank);
  const DimSet mapped = require_dimensions(call, n.index_map_name, n.index_map, rank);
  const DimSet indices_batching = require_dimensions(call, n.indices_batching_name, n.indices_batching, indices.rank());
  require_sorted(call, n.dropped_name, n.dropped);
  require_sorted(call, n.batching_name, n.batching);
  call.require((dropped & batching) == 0, n.dropped_name, " and ", n.batching_name, " share a dimension");
  call.require((mapped & batching) == 0, n.index_map_name, " and ", n.batching_name, " share a dimension");
  call.require(!has(indices_batching, n.index_vector_dim) || n.index_vector_dim == indices.rank(),
               n.indices_batching_name, " holds index_vector_dim ", n.index_vector_dim);
  const Dim components = n.index_vector_dim < indices.rank() ? indices.dim(n.index_vector_dim) : Dim(1);
  call.require(components == Dim(std::ssize(n.index_map)), n.index_map_name, " has ", n.index_map.size(),
               " entries, an index has ", components, " components");
  call.require(n.batching.size() == n.indices_batching.size(), n.batching_name, " has ", n.batching.size(),
               " entries, ", n.indices_batching_name, " has ", n.indices_batching.size());
  for (std::size_t i = 0; i < n.batching.size(); ++i) {
    const Dim a = x.dim(n.batching[i]), b = indices.dim(n.indices_batching[i]);
    call.require(a == b, "batching dimension ", n.batching[i], " of the operand has size ", a, ", dimension ",
                 n.indices_batching[i], " of the indices has size ", b);
  }
  return ((DimSet{1} << rank) - 1) & ~dropped & ~batching;
}

// Requires sorted window dimensions of a tensor of this rank, as many as the windows have; returns them as a set.
DimSet require_window_dims(const Call& call, const DimensionNumbers& n, DimSet window, int rank) {
  const DimSet set = require_dimensions(call, n.window_name, n.window_dims, rank);
  require_sorted(call, n.window_name, n.window_dims);
  call.require(std::ssize(n.window_dims) == std::popcount(window), n.window_name, " has ", n.window_dims.size(),
               " entries, windows have ", std::popcount(window), " dimensions");
  return set;
}

int batch_rank(const DimensionNumbers& n, Type indices) {
  return indices.rank() - (n.index_vector_dim < indices.rank() ? 1 : 0);
}

// Calls f with each dimension of the indices except the index vector's, in order.
template <class F>
void for_each_batch_dim(const DimensionNumbers& n, Type indices, F f) {
  for (int d = 0; d < indices.rank(); ++d)
    if (d != n.index_vector_dim) f(indices.dim(d));
}

void require_slice_sizes(const Call& call, const GatherAttributes& a, Type x) {
  require_count(call, "slice_sizes", a.slice_sizes, x.rank());
  for (std::size_t d = 0; d < a.slice_sizes.size(); ++d)
    call.require(a.slice_sizes[d] >= 0 && a.slice_sizes[d] <= x.dims()[d].min(), "a slice of ", a.slice_sizes[d],
                 " does not fit dimension ", d, " of size ", x.dims()[d]);
  for (const Ints dropped : {a.collapsed_slice_dims, a.operand_batching_dims})
    for (const std::int64_t d : dropped)
      // A size of 0 is not allowed either, as in XLA: the result would have elements that the operand lacks.
      call.require(a.slice_sizes[d] == 1, "the slice of dimension ", d,
                   ", which the result drops, must have size 1, got ", a.slice_sizes[d]);
}

}  // namespace

void gather_type(const Call& call, std::vector<Type>& results) {
  const Type x = call.type(0), indices = call.type(1);
  const auto& a = call.attributes<GatherAttributes>();
  const DimensionNumbers n{a.offset_dims,           a.collapsed_slice_dims,
                           a.operand_batching_dims, a.start_indices_batching_dims,
                           a.start_index_map,       a.index_vector_dim,
                           "offset_dims",           "collapsed_slice_dims",
                           "operand_batching_dims", "start_indices_batching_dims",
                           "start_index_map"};
  const DimSet window = require_numbers(call, n, x, indices);
  require_slice_sizes(call, a, x);
  const int rank = batch_rank(n, indices) + std::popcount(window);
  call.require(rank <= Type::max_rank, "the result would have rank ", rank);
  const DimSet offset = require_window_dims(call, n, window, rank);

  DimList dims;
  dims.resize(rank, 0);
  int batch = 0;
  for_each_batch_dim(n, indices, [&](Dim size) {
    while (has(offset, batch)) ++batch;
    dims[batch++] = size;
  });
  std::size_t at = 0;
  for (int d = 0; d < x.rank(); ++d)
    if (has(window, d)) dims[a.offset_dims[at++]] = a.slice_sizes[d];
  results.push_back(dims.type(x.dtype()));
}

void scatter_type(const Call& call, std::vector<Type>& results) {
  const std::size_t count = call.operands.size() / 2;
  call.require(count > 0 && call.operands.size() % 2 == 1,
               "expected operands, indices and as many updates as operands");
  const Type x = call.type(0), indices = call.operands[count].type(), updates = call.operands[count + 1].type();
  const auto& a = call.attributes<ScatterAttributes>();
  const DimensionNumbers n{a.update_window_dims,           a.inserted_window_dims,
                           a.input_batching_dims,          a.scatter_indices_batching_dims,
                           a.scatter_dims_to_operand_dims, a.index_vector_dim,
                           "update_window_dims",           "inserted_window_dims",
                           "input_batching_dims",          "scatter_indices_batching_dims",
                           "scatter_dims_to_operand_dims"};
  const DimSet window = require_numbers(call, n, x, indices);
  std::vector<Type> scalars(2 * count);
  for (std::size_t i = 0; i < count; ++i) {
    const Type other = call.operands[i].type(), update = call.operands[count + 1 + i].type();
    call.require(std::ranges::equal(other.dims(), x.dims()), "operands must have one shape, got ", x, " and ", other);
    call.require(std::ranges::equal(update.dims(), updates.dims()), "updates must have one shape, got ", updates,
                 " and ", update);
    call.require(update.dtype() == other.dtype(), "updates must be ", other.dtype(), ", got ", update);
    scalars[i] = scalars[count + i] = Type(other.dtype(), {});
    results.push_back(other);
  }
  const int rank = batch_rank(n, indices) + std::popcount(window);
  call.require(updates.rank() == rank, "updates must have rank ", rank, ", got ", updates);
  const DimSet window_dims = require_window_dims(call, n, window, rank);

  int batch = 0;
  for_each_batch_dim(n, indices, [&](Dim size) {
    while (has(window_dims, batch)) ++batch;
    call.require(updates.dim(batch) == size, "dimension ", batch, " of the updates has size ", updates.dim(batch),
                 ", the indices have ", size);
    ++batch;
  });
  std::size_t at = 0;
  for (int d = 0; d < x.rank(); ++d) {
    if (!has(window, d)) continue;
    const int u = a.update_window_dims[at++];
    call.require(updates.dim(u) == x.dim(d) || updates.dim(u).min() <= x.dim(d).max(), "dimension ", u,
                 " of the updates has size ", updates.dim(u), ", which does not fit dimension ", d, " of size ",
                 x.dim(d));
  }
  require_region(call, 0, scalars, std::span(scalars).first(count));
}

}  // namespace weft::ir
