#include <weft/ir/legalize/bitcast.h>

#include <algorithm>
#include <numeric>

#include <weft/ir/builder.h>
#include <weft/ir/legalize/complex_parts.h>
#include <weft/ir/legalize/expand.h>
#include <weft/ir/num_bits.h>

namespace weft::ir::legalize {

namespace {

using Dims = std::vector<Dim>;

Dims dims_of(Type type) { return {type.dims().begin(), type.dims().end()}; }

Dims with_last(Type type, std::int64_t size) {
  Dims dims = dims_of(type);
  dims.emplace_back(size);
  return dims;
}

Value reshaped(Value x, const Dims& dims) { return std::ranges::equal(x.type().dims(), dims) ? x : reshape(x, dims); }

// ---- bits as unsigned integers that can be shifted

DType word_for(int bits) {
  if (bits <= 8) return DType::u8;
  return bits == 16 ? DType::u16 : bits == 32 ? DType::u32 : DType::u64;
}

// Returns the unsigned dtype of a byte or less whose elements have `bits` bits.
DType unsigned_of(int bits) {
  require(bits != 6, "elements of 6 bits can be read as elements of 6 bits only");
  return bits == 2 ? DType::u2 : bits == 4 ? DType::u4 : word_for(bits);
}

// Returns the bits of each element in the low bits of a word.
Value to_words(Value x) {
  const DType word = word_for(num_bits(x.dtype()));
  if (x.dtype() == DType::boolean) return convert(x, word);
  if (is_narrow(x.dtype()) && is_signed_integer(x.dtype())) {  // narrow signed integers are stored sign-extended
    const Value byte = bitcast_convert(convert(x, DType::i8), x.type().with(DType::u8));
    return and_(byte, constant_like(byte, (1 << num_bits(x.dtype())) - 1));
  }
  const DType exact = unsigned_of(num_bits(x.dtype()));
  const bool is_same = have_same_bytes(x.dtype(), exact);
  return convert(is_same && x.dtype() != exact ? bitcast_convert(x, x.type().with(exact)) : convert(x, exact), word);
}

// The inverse of to_words; the bits above the element must be 0.
Value from_words(Value words, DType dtype) {
  if (dtype == DType::boolean) return convert(words, dtype);
  const DType exact = unsigned_of(num_bits(dtype));
  const Value x = convert(words, exact);
  if (dtype == exact) return x;
  return have_same_bytes(dtype, exact) ? bitcast_convert(x, x.type().with(dtype)) : convert(x, dtype);
}

// Returns how far each element of the last dimension is shifted.
Value shifts(Graph& graph, Type type, int bits) {
  const Value place = iota(graph, type, type.rank() - 1);
  return place * constant_like(place, bits);
}

// ---- elements of other widths

Value narrowed(Value x, Type result) {
  const int bits = num_bits(result.dtype()), ratio = num_bits(x.dtype()) / bits;
  const Value words = to_words(x);
  const Type parts(words.dtype(), with_last(x.type(), ratio));
  std::vector<std::int64_t> dims(x.rank());
  std::iota(dims.begin(), dims.end(), 0);
  const Value shifted = shift_right_logical(broadcast_in_dim(words, parts, dims), shifts(x.graph(), parts, bits));
  const Value low = and_(shifted, constant_like(shifted, (std::uint64_t{1} << bits) - 1));
  return reshaped(from_words(convert(low, word_for(bits)), result.dtype()), dims_of(result));
}

Value widened(Value x, Type result) {
  const int bits = num_bits(x.dtype()), ratio = num_bits(result.dtype()) / bits;
  const Value words = convert(to_words(reshaped(x, with_last(result, ratio))), word_for(num_bits(result.dtype())));
  const std::int64_t last[] = {result.rank()};
  return from_words(reduce_sum(shift_left(words, shifts(x.graph(), words.type(), bits)), last), result.dtype());
}

// Returns the same bits in the same order as a tensor of the type `result`.
Value reinterpreted(Value x, Type result) {
  const int from = num_bits(x.dtype()), to = num_bits(result.dtype());
  require(std::max(from, to) % std::min(from, to) == 0, "cannot produce ", result, " for ", x.type());
  if (from > to) return narrowed(x, result);
  if (from < to) return widened(x, result);
  const Value same = reshaped(x, dims_of(result));
  if (x.dtype() == DType::boolean) return same;
  if (have_same_bytes(x.dtype(), result.dtype())) return bitcast_convert(same, result);
  return from_words(to_words(same), result.dtype());
}

// ---- complex numbers: as if they had one more dimension of 2

Value as_pairs(const Complex& z) {
  const Dims dims = with_last(z.part(), 1);
  const Value pair[] = {reshape(z.re, dims), reshape(z.im, dims)};
  return concatenate(pair, z.part().rank());
}

Complex from_pairs(Value pairs, Type part) {
  const auto take = [&](std::int64_t i) {
    return reshape(slice_in_dim(pairs, i, i + 1, 1, pairs.rank() - 1), part.dims());
  };
  return {take(0), take(1)};
}

// Checks StableHLO's constraint C1.
void check(WrittenType from, WrittenType to) {
  const auto bits = [](WrittenType type) { return num_bits(type.part.dtype()) * (type.is_complex ? 2 : 1); };
  const int a = bits(from), b = bits(to);
  const Dims wide = dims_of(a > b ? from.part : to.part), narrow = dims_of(a > b ? to.part : from.part);
  Dims expected = wide;
  if (a != b) expected.emplace_back(std::max(a, b) / std::min(a, b));
  require(std::max(a, b) % std::min(a, b) == 0 && narrow == expected, "cannot produce ", to, " for ", from);
}

}  // namespace

WrittenValue bitcast(const WrittenValue& x, WrittenType result) {
  check(x.type(), result);
  if (x.is_complex() && x.type() == result) return x;
  const Value elements = x.is_complex() ? as_pairs(x) : x.re;
  if (!result.is_complex) return {reinterpreted(elements, result.part)};
  return from_pairs(reinterpreted(elements, Type(result.part.dtype(), with_last(result.part, 2))), result.part);
}

}  // namespace weft::ir::legalize
