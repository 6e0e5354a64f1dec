#include <weft/ir/legalize/fft.h>

#include <functional>
#include <numbers>
#include <numeric>
#include <string_view>
#include <vector>

#include <weft/ir/composites.h>
#include <weft/ir/legalize/complex_math.h>
#include <weft/ir/legalize/expand.h>

namespace weft::ir::legalize {

namespace {

// Returns exp(sign 2 pi i m / n) for integers m from 0 to n. Angles are reduced first, because small angles are more accurate.
Complex roots(Value m, std::int64_t n, int sign, DType dtype) {
  const Value whole = constant_like(m, n);
  const Value nearest = select(compare(m + m, whole, Direction::GT), m - whole, m);
  const Value angle = convert(nearest, DType::f64) * (2 * std::numbers::pi / n);
  return {convert(cosine(angle), dtype), convert(sine(angle) * sign, dtype)};
}

// Returns a matrix of such roots; the entry at (j, k) has m = j k. The matrix is computed instead of stored as a constant, so
// that reading a program does not take more memory than its text.
Complex roots(Graph& graph, DType dtype, std::int64_t n, std::int64_t rows, std::int64_t columns, int sign) {
  const Type type(DType::i64, {rows, columns});
  const Value product = iota(graph, type, 0) * iota(graph, type, 1);
  return roots(remainder(product, constant_like(product, n)), n, sign, dtype);
}

using complex_math::multiply;

Complex reshaped(Complex z, std::initializer_list<Dim> dims) {
  return both(z, [&](Value v) { return reshape(v, dims); });
}
Complex transposed(Complex z, Ints permutation) {
  return both(z, [&](Value v) { return transpose(v, permutation); });
}
Complex swapped(Complex z) {  // swaps the last two of three dimensions
  constexpr std::int64_t order[] = {0, 2, 1};
  return transposed(z, order);
}

// Multiplies by the matrix along the last of two dimensions; z may be real.
Complex product(Complex z, Complex matrix) {
  constexpr std::int64_t last[] = {1}, first[] = {0};
  const auto dot = [&](Value a, Value b) {
    return dot_general(a, b,
                       {.lhs_batching = {}, .rhs_batching = {}, .lhs_contracting = last, .rhs_contracting = first});
  };
  const Value re = dot(z.re, matrix.re), im = dot(z.re, matrix.im);
  if (!z.is_complex()) return {re, im};
  return {re - dot(z.im, matrix.im), im + dot(z.im, matrix.re)};
}

constexpr std::int64_t most_in_product = 64;

// Returns a factor of n that is small enough for one product, or n itself if there is none.
std::int64_t factor_of(std::int64_t n) {
  if (n <= most_in_product) return n;
  for (std::int64_t f = most_in_product; f > 1; --f)
    if (n % f == 0) return f;
  return n;
}

Complex transform(Complex z, int sign);

Value resized(Value x, std::int64_t size) {  // pads with zeros or cuts the last of two dimensions
  const std::int64_t low[] = {0, 0}, high[] = {0, size - x.size(1)};
  return pad(x, constant(x.graph(), Type(x.dtype(), {}), 0), low, high, low);
}

Complex over_rows(Complex row, std::int64_t rows) {
  constexpr std::int64_t columns[] = {1};
  return both(row, [&](Value v) { return broadcast_in_dim(v, Type(v.dtype(), {rows, v.size(0)}), columns); });
}

// Uses j k = (j^2 + k^2 - (k - j)^2) / 2: multiplies by a chirp, convolves with a chirp, and multiplies by a chirp again. The
// convolution uses transforms whose length is a power of 2.
Complex by_convolution(Complex z, int sign) {
  const std::int64_t rows = z.re.size(0), n = z.re.size(1);
  const DType dtype = z.part().dtype();
  Graph& graph = z.re.graph();
  std::int64_t m = 1;
  while (m < 2 * n - 1) m *= 2;
  const auto chirp = [&](Value j, int sign_of_chirp) {
    const Value squares = remainder(j * j, constant_like(j, 2 * n));
    return roots(squares, 2 * n, sign_of_chirp, dtype);
  };
  const Value places = iota(graph, Type(DType::i64, {n}), 0), all = iota(graph, Type(DType::i64, {m}), 0);
  const Complex around = over_rows(chirp(places, sign), rows);
  const Value distance = minimum(all, constant_like(all, m) - all);  // cyclic distance
  const Value is_reached = compare(distance, constant_like(distance, n), Direction::LT);
  const Complex kernel =
      both(chirp(distance, -sign), [&](Value v) { return select(is_reached, v, constant_like(v, 0)); });

  if (!z.is_complex()) z.im = constant_like(z.re, 0);
  const Complex padded = both(multiply(z, around), [&](Value v) { return resized(v, m); });
  const Complex spectrum = multiply(transform(padded, -1), transform(over_rows(kernel, rows), -1));
  const Complex convolved = both(transform(spectrum, 1), [&](Value v) { return resized(v, n) * (1.0 / m); });
  return multiply(convolved, around);
}

// Transforms the last of two dimensions. With n = a b, element j = j1 b + j2 contributes to k = k1 + a k2: a transform of length
// a over j1, a rotation by j2 k1 / n, and a transform of length b over j2.
Complex transform(Complex z, int sign) {
  const std::int64_t rows = z.re.size(0), n = z.re.size(1), a = factor_of(n), b = n / a;
  Graph& graph = z.re.graph();
  const DType dtype = z.part().dtype();
  if (a > most_in_product) return by_convolution(z, sign);
  if (b == 1) return product(z, roots(graph, dtype, n, n, n, sign));
  Complex y = reshaped(swapped(reshaped(z, {rows, a, b})), {rows * b, a});
  y = reshaped(product(y, roots(graph, dtype, a, a, a, sign)), {rows, b, a});
  const Complex turns = roots(graph, dtype, n, b, a, sign);
  y = multiply(y, both(turns, [&](Value v) {
                 constexpr std::int64_t behind_rows[] = {1, 2};
                 return broadcast_in_dim(v, y.part(), behind_rows);
               }));
  y = transform(reshaped(swapped(y), {rows * a, b}), sign);
  return reshaped(swapped(reshaped(y, {rows, a, b})), {rows, n});
}

// Calls a composite whose decomposition is `function`; a real value is one operand or result.
Complex call_named(std::string_view name, Complex z, const std::function<Complex(Complex)>& function) {
  const auto parts = [](Complex x) { return x.is_complex() ? std::vector{x.re, x.im} : std::vector{x.re}; };
  const auto number = [](std::span<const Value> x) { return Complex{x[0], x.size() == 2 ? x[1] : Value()}; };
  return number(call_composite(name, parts(z), [&](std::span<const Value> x) { return parts(function(number(x))); }));
}

// The following functions are composites, for which some targets have kernels. This one transforms the last of two dimensions.
Complex transform_rows(Complex z, int sign) {
  return call_named(sign < 0 ? fourier : inverse_fourier, z, [&](Complex x) { return transform(x, sign); });
}

// Transforms the middle one of three dimensions.
Complex transform_columns(Complex z, int sign) {
  return call_named(sign < 0 ? column_fourier : inverse_column_fourier, z, [&](Complex x) {
    const std::int64_t outer = x.re.size(0), n = x.re.size(1), inner = x.re.size(2);
    const Complex rows = transform_rows(reshaped(swapped(x), {outer * inner, n}), sign);
    return swapped(reshaped(rows, {outer, inner, n}));
  });
}

// Transforms rows of real numbers; half of the result is conjugate to the other half, and left out.
Complex transform_real_rows(Complex z) {
  const std::int64_t n = z.re.size(1);
  const auto decomposition = [&](Complex x) {
    return both(transform_rows(x, -1), [&](Value v) { return slice_in_dim(v, 0, n / 2 + 1, 1, 1); });
  };
  return n % 2 == 0 ? call_named(real_fourier, z, decomposition) : decomposition(z);
}

// Returns all n numbers of rows, given the first n / 2 + 1: the others are their conjugates in reverse order.
Complex with_conjugates(Complex z, std::int64_t n) {
  constexpr std::int64_t along[] = {1};
  const auto complete = [&](Value v, bool conjugate) {
    const Value rest = reverse(slice_in_dim(v, 1, (n + 1) / 2, 1, 1), along);
    const Value parts[] = {v, conjugate ? -rest : rest};
    return concatenate(parts, 1);
  };
  return {complete(z.re, false), complete(z.im, true)};
}

// Transforms rows back to n real numbers.
Complex transform_to_real_rows(Complex z, std::int64_t n) {
  const auto decomposition = [&](Complex x) -> Complex { return {transform_rows(with_conjugates(x, n), 1).re}; };
  return n % 2 == 0 ? call_named(inverse_real_fourier, z, decomposition) : decomposition(z);
}

// Applies a function of rows to the last dimension.
Complex by_rows(Complex z, const std::function<Complex(Complex)>& function) {
  const Type type = z.part();
  const std::int64_t n = z.re.size(type.rank() - 1);
  const Complex rows = function(reshaped(z, {type.elements() / n, n}));
  std::vector<Dim> dims(type.dims().begin(), type.dims().end());
  dims.back() = rows.re.size(1);
  return both(rows, [&](Value v) { return reshape(v, dims); });
}

// Transforms one dimension of a value of any rank.
Complex transform(Complex z, int dimension, int sign) {
  const Type type = z.part();
  if (dimension == type.rank() - 1) return by_rows(z, [&](Complex rows) { return transform_rows(rows, sign); });
  std::int64_t inner = 1;
  for (int d = dimension + 1; d < type.rank(); ++d) inner *= z.re.size(d);
  const std::int64_t n = z.re.size(dimension);
  const Complex columns = transform_columns(reshaped(z, {type.elements() / (n * inner), n, inner}), sign);
  return both(columns, [&](Value v) { return reshape(v, type.dims()); });
}

// The required sizes of the last dimension of the operand and of the result.
struct Lengths {
  std::int64_t operand, result;
};
Lengths last_lengths(FftType type, std::int64_t n) {
  const std::int64_t half = n / 2 + 1;
  return {type == FftType::IRFFT ? half : n, type == FftType::RFFT ? half : n};
}

void check(Complex x, FftType type, std::span<const std::int64_t> lengths) {
  const int rank = x.re.rank(), count = lengths.size();
  require(count >= 1 && count <= 3 && count <= rank, "takes 1 to 3 lengths of the operand's dimensions, got ", count,
          " for ", x.type());
  require(is_float(x.part().dtype()) && byte_size(x.part().dtype()) >= 4 && x.is_complex() == (type != FftType::RFFT),
          "takes ", type == FftType::RFFT ? "real" : "complex", " numbers, got ", x.type());
  for (int i = 0; i < count; ++i) {
    const std::int64_t length = lengths[i], size = x.re.size(rank - count + i);
    const std::int64_t expected = i == count - 1 ? last_lengths(type, length).operand : length;
    require(length >= 0 && size == expected, "a length of ", length, " does not fit dimension ", rank - count + i,
            " of ", x.type());
  }
}

}  // namespace

WrittenValue fft(WrittenValue x, FftType type, std::span<const std::int64_t> lengths) {
  check(x, type, lengths);
  const int last = x.re.rank() - 1, first = x.re.rank() - std::ssize(lengths);
  const std::int64_t n = lengths.back();
  std::vector<Dim> dims(x.part().dims().begin(), x.part().dims().end());
  dims.back() = last_lengths(type, n).result;
  const Type result(x.part().dtype(), dims);
  if (result.elements() == 0 || x.part().elements() == 0) {
    const Value nothing = constant(x.re.graph(), result, 0);
    return {nothing, type == FftType::IRFFT ? Value() : nothing};
  }
  const bool is_inverse = type == FftType::IFFT || type == FftType::IRFFT;
  const int sign = is_inverse ? 1 : -1;
  // The real dimension is transformed first in a forward transform and last in an inverse one.
  if (type == FftType::RFFT) x = by_rows(x, transform_real_rows);
  if (type == FftType::FFT || type == FftType::IFFT) x = transform(x, last, sign);
  for (int d = first; d < last; ++d) x = transform(x, d, sign);
  if (type == FftType::IRFFT) x = by_rows(x, [&](Complex rows) { return transform_to_real_rows(rows, n); });
  if (!is_inverse) return x;
  const double numbers = std::accumulate(lengths.begin(), lengths.end(), 1.0, std::multiplies<>());
  return both(x, [&](Value v) { return v * (1 / numbers); });
}

}  // namespace weft::ir::legalize
