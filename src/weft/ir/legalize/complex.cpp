#include <weft/ir/legalize/complex.h>

#include <algorithm>

#include <weft/ir/legalize/bitcast.h>
#include <weft/ir/legalize/complex_math.h>

namespace weft::ir::legalize {

namespace {

using WrittenOperands = std::span<const WrittenValue>;

void require_complex(WrittenOperands x) {
  for (const WrittenValue& v : x) {
    require(v.is_complex(), "takes complex numbers, got ", v.type());
    require(v.type() == x[0].type(), "operands must be of one type, got ", x[0].type(), " and ", v.type());
  }
}

Complex converted(Complex z, DType dtype) {
  return both(z, [&](Value part) { return convert(part, dtype); });
}

// Applies a function to each part.
template <Value (*function)(Value)>
Complex parts(WrittenOperands x, WrittenType) {
  require_complex(x);
  return {function(x[0].re), function(x[0].im)};
}
template <Value (*function)(Value, Value)>
Complex parts(WrittenOperands x, WrittenType) {
  require_complex(x);
  return {function(x[0].re, x[1].re), function(x[0].im, x[1].im)};
}

// Adapters for the functions of complex_math.h. Numbers with f32 parts are computed in f64, where nothing overflows and no
// precision is lost.
Complex widened(WrittenOperands x, std::size_t i) {
  require_complex(x);
  return converted(x[i], DType::f64);
}
template <Complex (*function)(Complex)>
Complex wide(WrittenOperands x, WrittenType) {
  return converted(function(widened(x, 0)), x[0].part().dtype());
}
template <Complex (*function)(Complex, Complex)>
Complex wide(WrittenOperands x, WrittenType) {
  return converted(function(widened(x, 0), widened(x, 1)), x[0].part().dtype());
}

// ---- parts and wholes

Complex real(WrittenOperands x, WrittenType) { return {x[0].re}; }
Complex imag(WrittenOperands x, WrittenType) { return {x[0].is_complex() ? x[0].im : constant_like(x[0].re, 0)}; }
Complex make_complex(WrittenOperands x, WrittenType) {
  require(!x[0].is_complex() && x[0].type() == x[1].type(), "takes two tensors of real numbers of one type, got ",
          x[0].type(), " and ", x[1].type());
  return {x[0].re, x[1].re};
}
Complex conjugate(WrittenOperands x, WrittenType) {
  require_complex(x);
  return {x[0].re, -x[0].im};
}

// A real number gets the imaginary part 0. Conversion to a real type, including booleans, keeps only the real part (StableHLO: convert).
Complex convert_any(WrittenOperands x, WrittenType result) {
  const DType dtype = result.part.dtype();
  const Complex z = x[0];
  if (!result.is_complex) return {convert(z.re, dtype)};
  const Value re = convert(z.re, dtype);
  return {re, z.is_complex() ? convert(z.im, dtype) : constant_like(re, 0)};
}

Complex bitcast_any(WrittenOperands x, WrittenType result) { return bitcast(x[0], result); }

// ---- arithmetic

Complex multiply_any(WrittenOperands x, WrittenType) {
  require_complex(x);
  return complex_math::multiply(x[0], x[1]);
}
Complex square(WrittenOperands x, WrittenType) {  // 0, not inf - inf, if the parts have equal magnitude
  require_complex(x);
  const auto [a, b] = x[0];
  const Value same_size = compare(abs(a), abs(b), Direction::EQ);
  return {select(same_size, constant_like(a, 0), (a + b) * (a - b)), a * b * 2};
}
Complex absolute(WrittenOperands x, WrittenType) {
  const DType dtype = x[0].part().dtype();
  const Complex z = widened(x, 0);
  return {convert(dtype == DType::f32 ? complex_math::absolute_of_f32(z) : complex_math::absolute(z), dtype)};
}
Complex logistic(Complex z) {
  const Complex e = complex_math::exponential({-z.re, -z.im});
  const Value one = constant_like(z.re, 1);
  return complex_math::divide({one, constant_like(z.re, 0)}, {e.re + one, e.im});
}
// -i log((x + i y) / sqrt(x^2 + y^2))
Complex arc_tangent(Complex y, Complex x) {
  const Complex xx = complex_math::multiply(x, x), yy = complex_math::multiply(y, y),
                root = complex_math::sqrt({xx.re + yy.re, xx.im + yy.im});
  const Complex log = complex_math::log(complex_math::divide({x.re - y.im, x.im + y.re}, root));
  return {log.im, -log.re};
}

// ---- order: by the real parts, and where they are equal by the imaginary ones

Value is_before(Complex a, Complex b, Direction direction) {
  return select(compare(a.re, b.re, Direction::EQ), compare(a.im, b.im, direction), compare(a.re, b.re, direction));
}
Value has_nan(Complex z) { return or_(compare(z.re, z.re, Direction::NE), compare(z.im, z.im, Direction::NE)); }
template <Direction direction>
Complex extreme_of(Complex a, Complex b) {
  return choose(or_(has_nan(a), and_(not_(has_nan(b)), is_before(a, b, direction))), a, b);
}
template <Direction direction>
Complex extreme(WrittenOperands x, WrittenType) {
  require_complex(x);
  return extreme_of<direction>(x[0], x[1]);
}
Complex clamped(WrittenOperands x, WrittenType) {
  const auto bound = [&](Complex limit) {
    require(limit.is_complex() && x[1].is_complex() && limit.part().dtype() == x[1].part().dtype(),
            "takes complex numbers of one type, got ", limit.type(), " and ", x[1].type());
    if (limit.part() == x[1].part()) return limit;
    require(limit.part().rank() == 0, "bounds must be of the operand's shape or of rank 0, got ", limit.type());
    return Complex{broadcast(limit.re, x[1].part()), broadcast(limit.im, x[1].part())};
  };
  return extreme_of<Direction::LE>(extreme_of<Direction::GE>(bound(x[0]), x[1]), bound(x[2]));
}

Complex select_any(WrittenOperands x, WrittenType) {
  require_complex(x.subspan(1));
  require(!x[0].is_complex(), "the predicate must be i1, got ", x[0].type());
  return choose(x[0].re, x[1], x[2]);
}

namespace m = complex_math;

constexpr ComplexFunction complex_functions[] = {
    {"chlo.acos", 1, wide<m::acos>},
    {"chlo.acosh", 1, wide<m::acosh>},
    {"chlo.asin", 1, wide<m::asin>},
    {"chlo.asinh", 1, wide<m::asinh>},
    {"chlo.atan", 1, wide<m::atan>},
    {"chlo.atanh", 1, wide<m::atanh>},
    {"chlo.conj", 1, conjugate},
    {"chlo.cosh", 1, wide<m::cosh>},
    {"chlo.sinh", 1, wide<m::sinh>},
    {"chlo.square", 1, square},
    {"chlo.tan", 1, wide<m::tan>},
    {"stablehlo.abs", 1, absolute},
    {"stablehlo.add", 2, parts<add>},
    {"stablehlo.atan2", 2, wide<arc_tangent>},
    {"stablehlo.bitcast_convert", 1, bitcast_any},
    {"stablehlo.cbrt", 1, wide<m::cbrt>},
    {"stablehlo.clamp", 3, clamped},
    {"stablehlo.complex", 2, make_complex},
    {"stablehlo.convert", 1, convert_any},
    {"stablehlo.cosine", 1, wide<m::cosine>},
    {"stablehlo.divide", 2, wide<m::divide>},
    {"stablehlo.exponential", 1, wide<m::exponential>},
    {"stablehlo.exponential_minus_one", 1, wide<m::exponential_minus_one>},
    {"stablehlo.imag", 1, imag},
    {"stablehlo.log", 1, wide<m::log>},
    {"stablehlo.log_plus_one", 1, wide<m::log_plus_one>},
    {"stablehlo.logistic", 1, wide<logistic>},
    {"stablehlo.maximum", 2, extreme<Direction::GE>},
    {"stablehlo.minimum", 2, extreme<Direction::LE>},
    {"stablehlo.multiply", 2, multiply_any},
    {"stablehlo.negate", 1, parts<negate>},
    {"stablehlo.power", 2, wide<m::power>},
    {"stablehlo.real", 1, real},
    {"stablehlo.rsqrt", 1, wide<m::rsqrt>},
    {"stablehlo.select", 3, select_any},
    {"stablehlo.sign", 1, wide<m::sign>},
    {"stablehlo.sine", 1, wide<m::sine>},
    {"stablehlo.sqrt", 1, wide<m::sqrt>},
    {"stablehlo.subtract", 2, parts<subtract>},
    {"stablehlo.tan", 1, wide<m::tan>},
    {"stablehlo.tanh", 1, wide<m::tanh>},
};

}  // namespace

const ComplexFunction* find_complex(std::string_view name) {
  const auto* found = std::ranges::find(complex_functions, name, &ComplexFunction::name);
  return found == std::end(complex_functions) ? nullptr : found;
}

}  // namespace weft::ir::legalize
