#include <weft/ir/matrix_exp.h>

#include <array>
#include <cmath>
#include <numbers>
#include <span>

#include <weft/ir/composites.h>
#include <weft/ir/matrices.h>
#include <weft/ir/ops/decomposition.h>

namespace weft::ir {

namespace {

struct Pade {
  double largest_norm;  // of matrices for which the approximation is exact up to rounding
  std::span<const double> coefficients;
};
constexpr std::array f32_coefficients = {17297280., 8648640., 1995840., 277200., 25200., 1512., 56., 1.};
constexpr std::array f64_coefficients = {64764752532480000.,
                                         32382376266240000.,
                                         7771770303897600.,
                                         1187353796428800.,
                                         129060195264000.,
                                         10559470521600.,
                                         670442572800.,
                                         33522128640.,
                                         1323241920.,
                                         40840800.,
                                         960960.,
                                         16380.,
                                         182.,
                                         1.};
constexpr Pade f32_pade{3.925724783138660, f32_coefficients}, f64_pade{5.371920351148152, f64_coefficients};

// A number for each matrix as a number for each element.
Value spread(Value numbers, Value matrices) {
  return broadcast_in_dim(numbers, matrices.type(), dimension_range(0, numbers.rank()));
}

// The largest sum of absolute values of a column, of each matrix.
Value one_norm(Value a) {
  const std::int64_t rows[] = {a.rank() - 2};
  const Value sums = reduce_sum(abs(a), rows);
  return reduce_max(sums, std::array<std::int64_t, 1>{sums.rank() - 1});
}

// 2^-n, exactly, from the bits of its exponent.
Value negative_power_of_two(Value n, DType dtype) {
  const bool is_double = dtype == DType::f64;
  const Value bits = convert(n, is_double ? DType::i64 : DType::i32);
  const Value exponent = constant_like(bits, is_double ? 1023 : 127) - bits;
  return bitcast_convert(shift_left(exponent, constant_like(bits, is_double ? 52 : 23)), bits.type().with(dtype));
}

// The sum of the coefficients first, first + 2, ... times even powers of the matrix.
Value sum_of_even_powers(std::span<const Value> powers, std::span<const double> coefficients, std::size_t first) {
  Value sum = powers[0] * coefficients[first];
  for (std::size_t i = 1; i < powers.size(); ++i) sum = sum + powers[i] * coefficients[first + 2 * i];
  return sum;
}

// The approximation for matrices of small norm: (V - U)^-1 (V + U), where U has the odd powers and V the even ones.
Value approximation(Value a, const Pade& pade) {
  const Value identity = identity_like(a), a2 = product(a, a), a4 = product(a2, a2), a6 = product(a2, a4);
  const std::array powers = {identity, a2, a4, a6};
  const std::span<const double> b = pade.coefficients;
  Value odd = sum_of_even_powers(powers, b, 1), even = sum_of_even_powers(powers, b, 0);
  if (b.size() > 8) {
    const std::array higher = {a2, a4, a6};
    odd = odd + product(a6, sum_of_even_powers(higher, b, 9));
    even = even + product(a6, sum_of_even_powers(higher, b, 8));
  }
  odd = product(a, odd);
  return solve(even - odd, even + odd, false);
}

std::vector<Value> decomposition(std::span<const Value> operands) {
  const Value a = operands[0];
  Graph& graph = a.graph();
  const Pade& pade = a.dtype() == DType::f64 ? f64_pade : f32_pade;
  // How often each matrix is halved. Where the norm is not finite, so is the result.
  const Value norm = one_norm(a);
  const Value wanted = ceil(log(norm * (1 / pade.largest_norm)) * std::numbers::log2e);
  const Value bound = constant_like(norm, a.dtype() == DType::f64 ? 1022 : 126), zero = constant_like(norm, 0);
  const Value halvings = convert(select(is_finite(norm), clamp(zero, wanted, bound), zero), DType::i32);
  const Value scaled = a * spread(negative_power_of_two(halvings, a.dtype()), a);
  const Value small = approximation(scaled, pade);

  const Value most = reduce_max(halvings, all_dimensions(halvings));
  const Type number(DType::i32, {});
  const std::array types = {number, number, halvings.type(), small.type()};
  const auto condition = make_graph(
      types, [](Graph&, std::span<const Value> x) { return std::vector{compare(x[0], x[1], Direction::LT)}; });
  const auto body = make_graph(types, [](Graph&, std::span<const Value> x) {
    const Value goes_on = compare(broadcast_in_dim(x[0], x[2].type(), {}), x[2], Direction::LT);
    const Value is_squared = spread(goes_on, constant(x[0].graph(), x[3].type().with(DType::boolean), 0));
    return std::vector{x[0] + 1, x[1], x[2], select(is_squared, product(x[3], x[3]), x[3])};
  });
  const std::array inits = {constant(graph, number, 0), most, halvings, small};
  return {while_(inits, condition, body)[3]};
}

}  // namespace

Value matrix_exp(Value a) { return call_composite(matrix_exp_name, std::array{a}, decomposition)[0]; }

void matrix_exp_gradient(const GradientCall& c) {
  const Value a = transposed(c.x()), dy = c.dy();
  const std::int64_t rows = a.rank() - 2, columns = a.rank() - 1;
  const Value upper = concatenate(std::array{a, dy}, columns),
              lower = concatenate(std::array{zeros_like(a), a}, columns);
  const Value exponential = matrix_exp(concatenate(std::array{upper, lower}, rows));
  const std::int64_t n = a.type().size(rows);
  std::vector<std::int64_t> start(a.rank(), 0), limit(a.rank()), strides(a.rank(), 1);
  for (int d = 0; d < rows; ++d) limit[d] = a.type().size(d);
  start[columns] = n;
  limit[rows] = n;
  limit[columns] = 2 * n;
  c.add(0, slice(exponential, start, limit, strides));
}

}  // namespace weft::ir
