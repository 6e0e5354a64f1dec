// Type rules of shape ops.
#include <weft/ir/ops/shape.h>

#include <algorithm>
#include <limits>

#include <weft/base/size.h>
#include <weft/ir/ops/rules.h>

namespace weft::ir {

namespace {

Dim element_count(Type type) {
  if (type.is_static()) return type.elements();
  Dim product = 1;
  for (const Dim d : type.dims()) product = product * d;
  return product;
}

// Returns the size of a dimension with padding at both edges, which may be negative, and between its elements.
Dim padded_size(const Call& call, int i, Dim size, std::int64_t low, std::int64_t high, std::int64_t interior) {
  std::int64_t edges = 0, spread = 0, padded = 0;
  const std::int64_t gaps = size.is_constant() && size.value() > 0 ? size.value() - 1 : 0;
  const bool fits = !__builtin_add_overflow(low, high, &edges) && !__builtin_mul_overflow(gaps, interior, &spread) &&
                    !__builtin_add_overflow(spread, size.is_constant() ? size.value() : 0, &spread) &&
                    !__builtin_add_overflow(spread, edges, &padded) &&
                    interior < std::numeric_limits<std::int64_t>::max();
  call.require(fits, "the padding of dimension ", i, " is too large");
  if (size.is_constant()) {
    call.require(padded >= 0, "dimension ", i, " would have ", padded, " elements");
    return padded;
  }
  call.require(interior == 0 || size.min() > 0, "interior padding of dimension ", i, ", whose size ", size,
               " may be 0");
  const Dim stretched = size * Dim(interior + 1);
  const std::int64_t more = edges - interior;
  call.require(stretched.min() + more >= 0, "dimension ", i, " of size ", size, " may be too small for a padding of ",
               edges);
  return more >= 0 ? stretched + Dim(more) : stretched - Dim(-more);
}

}  // namespace

void broadcast_in_dim_type(const Call& call, std::vector<Type>& results) {
  const Type from = call.type(0), to = call.requested_type();
  const Ints dimensions = call.attributes<BroadcastAttributes>().dimensions;
  call.require(from.dtype() == to.dtype(), "cannot produce ", to, ": the dtypes differ");
  require_count(call, "broadcast_dimensions", dimensions, from.rank());
  require_dimensions(call, "broadcast_dimensions", dimensions, to.rank());
  for (int i = 0; i < from.rank(); ++i) {
    const int d = dimensions[i];
    call.require(from.dim(i) == to.dim(d) || from.dim(i) == Dim(1), "dimension ", i, " of size ", from.dim(i),
                 " cannot become dimension ", d, " of ", to);
  }
  results.push_back(to);
}

void reshape_type(const Call& call, std::vector<Type>& results) {
  const Type from = call.type(0), to = call.requested_type();
  call.require(from.dtype() == to.dtype(), "cannot produce ", to, ": the dtypes differ");
  call.require(element_count(from) == element_count(to), "cannot produce ", to, ": the numbers of elements differ");
  results.push_back(to);
}

void transpose_type(const Call& call, std::vector<Type>& results) {
  const Type type = call.type(0);
  const Ints permutation = call.attributes<TransposeAttributes>().permutation;
  require_count(call, "permutation", permutation, type.rank());
  require_dimensions(call, "permutation", permutation, type.rank());
  DimList dims;
  for (const std::int64_t d : permutation) dims.push_back(type.dim(d));
  results.push_back(dims.type(type.dtype()));
}

void slice_type(const Call& call, std::vector<Type>& results) {
  const Type type = call.type(0);
  const auto& [start, limit, strides] = call.attributes<SliceAttributes>();
  const std::size_t rank = type.rank();
  require_count(call, "start_indices", start, rank);
  require_count(call, "limit_indices", limit, rank);
  require_count(call, "strides", strides, rank);
  DimList dims;
  for (std::size_t i = 0; i < rank; ++i) {
    const Dim size = type.dims()[i];
    if (!Size(limit[i]).is_constant() && Size(limit[i]) == Size(size) && start[i] == 0 && strides[i] == 1) {
      dims.push_back(size);  // all of a dimension whose size is a symbol
      continue;
    }
    const std::int64_t least =
        size.min() == 0 ? size.max() : size.min();  // a minimum of 0 says nothing about how small the size may be
    call.require(0 <= start[i] && start[i] <= limit[i] && limit[i] <= least, "[", start[i], ", ", limit[i],
                 ") is not inside dimension ", i, " of size ", size);
    call.require(strides[i] >= 1, "the stride of dimension ", i, " must be at least 1, got ", strides[i]);
    dims.push_back((limit[i] - start[i] + strides[i] - 1) / strides[i]);
  }
  results.push_back(dims.type(type.dtype()));
}

void pad_type(const Call& call, std::vector<Type>& results) {
  const Type type = call.type(0), value = call.type(1);
  const auto& [low, high, interior] = call.attributes<PadAttributes>();
  const std::size_t rank = type.rank();
  call.require(value.rank() == 0 && value.dtype() == type.dtype(), "the padding value must be of rank 0 and ",
               type.dtype(), ", got ", value);
  require_count(call, "edge_padding_low", low, rank);
  require_count(call, "edge_padding_high", high, rank);
  require_count(call, "interior_padding", interior, rank);
  DimList dims;
  for (std::size_t i = 0; i < rank; ++i) {
    call.require(interior[i] >= 0, "the interior padding of dimension ", i, " must not be negative, got ", interior[i]);
    dims.push_back(padded_size(call, i, type.dims()[i], low[i], high[i], interior[i]));
  }
  results.push_back(dims.type(type.dtype()));
}

void concatenate_type(const Call& call, std::vector<Type>& results) {
  call.require(!call.operands.empty(), "expected at least one operand");
  const Type first = call.type(0);
  const std::int64_t dimension = call.attributes<ConcatenateAttributes>().dimension;
  require_dimension(call, "dimension", dimension, first.rank());
  DimList dims(first.dims());
  for (std::size_t i = 1; i < call.operands.size(); ++i) {
    const Type type = call.operands[i].type();
    call.require(type.dtype() == first.dtype() && type.rank() == first.rank(), "operand ", i, " is ", type,
                 ", which does not fit ", first);
    for (int d = 0; d < first.rank(); ++d)
      call.require(d == dimension || type.dim(d) == first.dim(d), "operand ", i, " is ", type, ", which differs from ",
                   first, " in dimension ", d);
    dims[dimension] = dims[dimension] + type.dim(dimension);
  }
  results.push_back(dims.type(first.dtype()));
}

void reverse_type(const Call& call, std::vector<Type>& results) {
  require_dimensions(call, "dimensions", call.attributes<DimensionsAttributes>().dimensions, call.type(0).rank());
  results.push_back(call.type(0));
}

}  // namespace weft::ir
