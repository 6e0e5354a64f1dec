#include <weft/ir/text/expand.h>

#include <weft/ir/builder.h>

namespace weft::ir::text {

namespace {

Type like(Type type, DType dtype) { return Type(dtype, type.dims()); }

DType bits_of(DType dtype) {
  switch (byte_size(dtype)) {
    case 1: return DType::u8;
    case 2: return DType::u16;
    case 4: return DType::u32;
    default: return DType::u64;
  }
}

Value as_bits(Value x) {
  const DType bits = bits_of(x.dtype());
  return x.dtype() == bits ? x : bitcast_convert(x, like(x.type(), bits));
}

Value from_bits(Value bits, Type type) { return bits.type() == type ? bits : bitcast_convert(bits, type); }

// How far each element of the last dimension is shifted.
Value shifts(Graph& graph, Type type, int bits) {
  const Value place = iota(graph, type, type.rank() - 1);
  return place * constant_like(place, bits);
}

}  // namespace

Value bitcast_widths(Value x, Type result) {
  const Type type = x.type();
  require(type.dtype() != DType::boolean && result.dtype() != DType::boolean, "takes numbers, got ", type, " and ",
          result);
  const bool narrows = byte_size(result.dtype()) < byte_size(type.dtype());
  const Type wide = narrows ? type : result, narrow = narrows ? result : type;
  const int ratio = byte_size(wide.dtype()) / byte_size(narrow.dtype()), bits = 8 * byte_size(narrow.dtype());
  bool fits = ratio > 1 && narrow.rank() == wide.rank() + 1 && narrow.dim(wide.rank()) == Dim(ratio);
  for (int d = 0; fits && d < wide.rank(); ++d) fits = narrow.dim(d) == wide.dim(d);
  require(fits, "cannot give ", result, " for ", type);

  const Type wide_bits = like(narrow, bits_of(wide.dtype()));  // one wide word for each narrow one
  const Value by = shifts(x.graph(), wide_bits, bits);
  std::vector<std::int64_t> dims(static_cast<std::size_t>(wide.rank()));
  for (std::size_t d = 0; d < dims.size(); ++d) dims[d] = static_cast<std::int64_t>(d);
  if (narrows) {
    const Value word = broadcast_in_dim(as_bits(x), wide_bits, dims);
    return from_bits(convert(shift_right_logical(word, by), bits_of(narrow.dtype())), result);
  }
  const Value parts = shift_left(convert(as_bits(x), wide_bits.dtype()), by);
  const std::int64_t last[] = {wide.rank()};
  return from_bits(reduce_sum(parts, last), result);
}

Value slice_in_dim(Value x, std::int64_t start, std::int64_t limit, std::int64_t stride, int dimension) {
  const auto rank = static_cast<std::size_t>(x.rank()), along = static_cast<std::size_t>(dimension);
  std::vector<std::int64_t> starts(rank, 0), limits(rank), strides(rank, 1);
  for (std::size_t d = 0; d < rank; ++d) limits[d] = x.size(static_cast<int>(d));
  starts[along] = start;
  limits[along] = limit;
  strides[along] = stride;
  return slice(x, starts, limits, strides);
}

std::vector<Value> first_k(std::span<const Value> x, std::int64_t dimension, std::int64_t k,
                           std::shared_ptr<const Graph> before) {
  const Type type = x[0].type();
  require(dimension >= 0 && dimension < type.rank(), "there is no dimension ", dimension, " in ", type);
  require(k >= 0 && k <= type.size(static_cast<int>(dimension)), "k = ", k, " is not within dimension ", dimension,
          " of ", type);
  std::vector<Value> sorted = sort(x, dimension, true, std::move(before));
  for (Value& v : sorted) v = slice_in_dim(v, 0, k, 1, static_cast<int>(dimension));
  return sorted;
}

}  // namespace weft::ir::text
