#include <weft/ir/legalize/chlo.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <numbers>

#include <weft/ir/builder.h>
#include <weft/ir/legalize/chlo_special.h>
#include <weft/ir/legalize/expand.h>

namespace weft::ir::legalize {

namespace {

using Operands = std::span<const Value>;

Value less(Value x, double limit) { return compare(x, constant_like(x, limit), Direction::LT); }
Value equal(Value x, double value) { return compare(x, constant_like(x, value), Direction::EQ); }

double largest(DType dtype) {
  return dtype == DType::f64 ? std::numeric_limits<double>::max() : double{std::numeric_limits<float>::max()};
}

// Returns operand i of a function of floats, in f32 or f64.
Value widened(Operands x, std::size_t i) {
  require(is_float(x[0].dtype()), "takes floating-point numbers, got ", x[0].type());
  const bool is_short = byte_size(x[0].dtype()) < 4;
  return is_short ? convert(x[i], DType::f32) : x[i];
}

template <Value (*function)(Value)>
Value wide(Operands x) {
  return convert(function(widened(x, 0)), x[0].dtype());
}
template <Value (*function)(Value, Value)>
Value wide(Operands x) {
  return convert(function(widened(x, 0), widened(x, 1)), x[0].dtype());
}

// ---- trigonometric and hyperbolic functions

Value acos(Value x) {
  const Value one = constant_like(x, 1);
  const Value angle = atan2(sqrt((one - x) * (one + x)), one + x) * 2;
  return select(equal(x, -1), constant_like(x, std::numbers::pi), angle);
}

Value asin(Value x) {
  const Value one = constant_like(x, 1);
  return atan2(x, one + sqrt((one - x) * (one + x))) * 2;
}

Value atan(Value x) { return atan2(x, constant_like(x, 1)); }

// log(x + sqrt((x + 1) (x - 1))); for large x the product would overflow.
Value acosh(Value x) {
  const Value one = constant_like(x, 1), nan = constant_like(x, std::numeric_limits<double>::quiet_NaN());
  const Value is_small = less(x, std::sqrt(largest(x.dtype())));
  const Value of_small = log(x + sqrt((x + one) * (x - one))), of_large = log(x) + std::numbers::ln2;
  return select(less(x, -1), nan, select(is_small, of_small, of_large));
}

// sign(x) log(|x| + sqrt(x^2 + 1)); for small |x| with log_plus_one.
Value asinh(Value x) {
  const Value a = abs(x), one = constant_like(x, 1), root = sqrt(a * a + one);
  const Value of_small = log_plus_one(a + a * a / (one + root));
  const Value of_large = log(a) + std::numbers::ln2, between = log(a + root);
  const Value is_large = not_(less(a, std::sqrt(largest(x.dtype()))));
  return sign(x) * select(is_large, of_large, select(less(a, 1), of_small, between));
}

Value atanh(Value x) {
  const Value result = (log_plus_one(x) - log_plus_one(-x)) * 0.5;
  return select(compare(abs(x), constant_like(x, 1), Direction::GT),
                constant_like(x, std::numeric_limits<double>::quiet_NaN()), result);
}

// The factor 1/2 is folded into the exponents, so that no intermediate value overflows before the result does.
Value cosh(Value x) { return exponential(x + -std::numbers::ln2) + exponential(-x + -std::numbers::ln2); }

Value sinh(Value x) {
  const Value e = exponential_minus_one(x), one = constant_like(x, 1);
  const Value of_small = (e + e / (e + one)) * 0.5;
  const Value of_large = exponential(x + -std::numbers::ln2) - exponential(-x + -std::numbers::ln2);
  return select(less(abs(x), 1), of_small, of_large);
}

// ---- bits

// Returns the next float after x in the direction of y.
Value next_after(Operands operands) {
  const Value x = operands[0], y = operands[1];
  require(is_float(x.dtype()), "takes floating-point numbers, got ", x.type());
  constexpr DType integers_of[] = {DType::i16, DType::i32, DType::i64};
  const int bytes = byte_size(x.dtype());
  const Type bits_type(integers_of[bytes / 4], x.type().dims());
  const Value bits = bitcast_convert(x, bits_type), one = constant_like(bits, 1);
  // The magnitude grows if y lies on the side of x that is away from 0.
  const Value grows = compare(less(x, 0), compare(y, x, Direction::LT), Direction::EQ);
  const Value stepped = bitcast_convert(select(grows, bits + one, bits - one), x.type());
  const Value least = bitcast_convert(one, x.type());
  const Value from_zero = select(less(y, 0), -least, least);
  const Value is_nan = or_(compare(x, x, Direction::NE), compare(y, y, Direction::NE));
  const Value moved = select(equal(x, 0), from_zero, stepped);
  return select(is_nan, x + y, select(compare(x, y, Direction::EQ), y, moved));
}

// Returns the upper half of the product of 64-bit integers, computed from 32-bit halves: first unsigned, then corrected for the signs.
Value mulhi_64(Value a, Value b) {
  const Type type = a.type(), words(DType::u64, type.dims());
  const auto as_words = [&](Value x) { return is_signed_integer(type.dtype()) ? bitcast_convert(x, words) : x; };
  const Value x = as_words(a), y = as_words(b), half = constant_like(x, 32), mask = constant_like(x, 0xffffffffu);
  const Value x0 = and_(x, mask), x1 = shift_right_logical(x, half), y0 = and_(y, mask),
              y1 = shift_right_logical(y, half);
  const Value middle = x1 * y0 + shift_right_logical(x0 * y0, half);
  const Value carry = and_(middle, mask) + x0 * y1;
  const Value high = x1 * y1 + shift_right_logical(middle, half) + shift_right_logical(carry, half);
  if (!is_signed_integer(type.dtype())) return high;
  const Value zero = constant_like(a, 0), result = bitcast_convert(high, type);
  return result - select(less(a, 0), b, zero) - select(less(b, 0), a, zero);
}

Value mulhi(Operands x) {
  const DType dtype = x[0].dtype();
  require(is_integer(dtype), "takes integers, got ", x[0].type());
  const int bytes = byte_size(dtype);
  if (bytes == 8) return mulhi_64(x[0], x[1]);
  const DType wider = is_signed_integer(dtype) ? DType::i64 : DType::u64;
  const Value product = convert(x[0], wider) * convert(x[1], wider);
  return convert(shift_right_arithmetic(product, constant_like(product, bit_width(dtype))), dtype);
}

Value is_inf(Operands x) { return equal(abs(x[0]), std::numeric_limits<double>::infinity()); }
Value is_neg_inf(Operands x) { return equal(x[0], -std::numeric_limits<double>::infinity()); }
Value is_pos_inf(Operands x) { return equal(x[0], std::numeric_limits<double>::infinity()); }
Value square(Operands x) { return x[0] * x[0]; }
Value tangent(Operands x) { return tan(x[0]); }

constexpr ChloFunction chlo_functions[] = {
    {"chlo.acos", 1, wide<acos>},
    {"chlo.acosh", 1, wide<acosh>},
    {"chlo.asin", 1, wide<asin>},
    {"chlo.asinh", 1, wide<asinh>},
    {"chlo.atan", 1, wide<atan>},
    {"chlo.atanh", 1, wide<atanh>},
    {"chlo.bessel_i1e", 1, wide<bessel_i1e>},
    {"chlo.cosh", 1, wide<cosh>},
    {"chlo.digamma", 1, wide<digamma>},
    {"chlo.erf_inv", 1, wide<erf_inv>},
    {"chlo.erfc", 1, wide<erfc>},
    {"chlo.is_inf", 1, is_inf},
    {"chlo.is_neg_inf", 1, is_neg_inf},
    {"chlo.is_pos_inf", 1, is_pos_inf},
    {"chlo.lgamma", 1, wide<lgamma>},
    {"chlo.mulhi", 2, mulhi},
    {"chlo.next_after", 2, next_after},
    {"chlo.polygamma", 2, wide<polygamma>},
    {"chlo.sinh", 1, wide<sinh>},
    {"chlo.square", 1, square},
    {"chlo.tan", 1, tangent},
    {"chlo.zeta", 2, wide<zeta>},
};

}  // namespace

const ChloFunction* find_chlo(std::string_view name) {
  const auto* found = std::ranges::find(chlo_functions, name, &ChloFunction::name);
  return found == std::end(chlo_functions) ? nullptr : found;
}

std::vector<Value> chlo_top_k(Value x, std::int64_t k) {
  require(x.rank() >= 1, "takes rank 1 or more, got ", x.type());
  const std::int64_t last = x.rank() - 1;
  const Value indices = iota(x.graph(), Type(DType::i32, x.type().dims()), last);
  const Comparison how = is_float(x.dtype()) ? Comparison::TOTALORDER : Comparison::NOTYPE;
  const Type element(x.dtype(), {}), index(DType::i32, {});
  const Type types[] = {element, element, index, index};
  const auto before = make_graph(
      types, [&](Graph&, Operands each) { return std::vector<Value>{compare(each[0], each[1], Direction::GT, how)}; });
  const Value both[] = {x, indices};
  return first_k(both, last, k, before);
}

}  // namespace weft::ir::legalize
