#include <weft/tensor/elementwise.h>

#include <limits>
#include <numbers>

#include <weft/tensor/broadcasting.h>

namespace weft {

using detail::binary;
using detail::float_unary;
using detail::Frame;
using detail::Pair;
using detail::unary;
using ir::Direction;
using ir::Value;

Tensor operator+(const Operand& a, const Operand& b) { return binary("add", a, b, ir::add); }
Tensor operator-(const Operand& a, const Operand& b) { return binary("subtract", a, b, ir::subtract); }
Tensor operator*(const Operand& a, const Operand& b) { return binary("multiply", a, b, ir::multiply); }
Tensor operator-(const Operand& x) { return unary("negate", x, ir::negate); }

Tensor operator/(const Operand& a, const Operand& b) {
  Frame frame("divide", a);
  auto [x, y] = detail::matched(frame, a, b);
  if (!is_float(x.dtype())) {
    x = ir::convert(x, DType::f32);
    y = ir::convert(y, DType::f32);
  }
  return frame.tensor(x / y);
}

namespace {

// True where the remainder of a division that rounds towards zero has a different sign than the divisor.
Value wrong_side(Value rest, Value divisor) {
  const Value zero = ir::constant_like(rest, 0);
  const Value signs_differ =
      ir::compare(ir::compare(rest, zero, Direction::LT), ir::compare(divisor, zero, Direction::LT), Direction::NE);
  return ir::and_(ir::compare(rest, zero, Direction::NE), signs_differ);
}

Value floor_divide(Value a, Value b) {
  if (is_float(a.dtype())) return ir::floor(a / b);
  if (is_unsigned_integer(a.dtype())) return a / b;
  const Value quotient = a / b;
  return ir::select(wrong_side(ir::remainder(a, b), b), quotient - ir::constant_like(quotient, 1), quotient);
}

Value floor_remainder(Value a, Value b) {
  const Value rest = ir::remainder(a, b);
  if (is_unsigned_integer(a.dtype())) return rest;
  return ir::select(wrong_side(rest, b), rest + b, rest);
}

// Returns x^exponent computed without a power function; no value if there is no such form.
Value small_power(Value x, double exponent) {
  if (exponent == 1) return x;
  if (exponent == 2) return x * x;
  if (exponent == 3) return x * x * x;
  if (exponent == 4) {
    const Value squared = x * x;
    return squared * squared;
  }
  if (!is_float(x.dtype())) return {};
  if (exponent == 0.5) return ir::sqrt(x);
  if (exponent == -0.5) return ir::rsqrt(x);
  if (exponent == -1) return ir::constant_like(x, 1) / x;
  if (exponent == -2) {
    const Value reciprocal = ir::constant_like(x, 1) / x;  // x * x may underflow, and its gradient with it
    return reciprocal * reciprocal;
  }
  return {};
}

Tensor compare(const char* function, const Operand& a, const Operand& b, Direction direction) {
  Frame frame(function, a);
  const auto [x, y] = detail::matched(frame, a, b);
  return frame.tensor(ir::compare(x, y, direction));
}

Tensor bitwise(const char* function, const Operand& a, const Operand& b, detail::Binary build) {
  Frame frame(function, a);
  const auto [x, y] = detail::matched(frame, a, b);
  frame.require(!is_float(x.dtype()), "expected integers or booleans, got ", x.type(), " and ", y.type());
  return frame.tensor(build(x, y));
}

Value boolean_like(Value x, bool value) { return ir::constant(x.graph(), x.type().with(DType::boolean), value); }

}  // namespace

Tensor floor_divide(const Operand& a, const Operand& b) { return binary("floor_divide", a, b, floor_divide); }
Tensor remainder(const Operand& a, const Operand& b) { return binary("remainder", a, b, floor_remainder); }

Tensor fmod(const Operand& a, const Operand& b) { return binary("fmod", a, b, ir::remainder); }

Tensor pow(const Operand& x, const Operand& y) {
  if (!y.is_number()) return binary("pow", x, y, ir::power);
  Frame frame("pow", x);
  const Value base = frame.value(x);
  const double exponent = y.number().as_double();
  const Value typed = detail::as(base, y.number().promote_with(base.dtype()));
  const Value result = small_power(typed, exponent);
  return frame.tensor(result ? result : ir::power(typed, ir::constant_like(typed, exponent)));
}

Tensor operator==(const Operand& a, const Operand& b) { return compare("equal", a, b, Direction::EQ); }
Tensor operator!=(const Operand& a, const Operand& b) { return compare("not_equal", a, b, Direction::NE); }
Tensor operator<(const Operand& a, const Operand& b) { return compare("less", a, b, Direction::LT); }
Tensor operator<=(const Operand& a, const Operand& b) { return compare("less_equal", a, b, Direction::LE); }
Tensor operator>(const Operand& a, const Operand& b) { return compare("greater", a, b, Direction::GT); }
Tensor operator>=(const Operand& a, const Operand& b) { return compare("greater_equal", a, b, Direction::GE); }

Tensor where(const Operand& condition, const Operand& a, const Operand& b) {
  Frame frame("where", condition);
  Value predicate = detail::as(frame.value(condition), DType::boolean);
  auto [x, y] = detail::matched(frame, a, b);
  if (predicate.type().dims().size() != x.type().dims().size() ||
      !std::ranges::equal(predicate.type().dims(), x.type().dims())) {
    Shape shape;
    frame.require(broadcast_shapes(predicate.type().dims(), x.type().dims(), shape), "cannot broadcast the condition ",
                  predicate.type(), " with ", x.type());
    predicate = detail::broadcast(predicate, shape);
    x = detail::broadcast(x, shape);
    y = detail::broadcast(y, shape);
  }
  return frame.tensor(ir::select(predicate, x, y));
}

Tensor maximum(const Operand& a, const Operand& b) { return binary("maximum", a, b, ir::maximum); }
Tensor minimum(const Operand& a, const Operand& b) { return binary("minimum", a, b, ir::minimum); }

Tensor clamp(const Operand& x, const Operand& low, const Operand& high) {
  Frame frame("clamp", x);
  const Value value = frame.value(x);
  const auto bound = [&](const Operand& operand) {
    if (operand.is_number()) return frame.number(operand, value.dtype());
    const Value given = detail::as(frame.value(operand.tensor()), value.dtype());
    Shape shape;
    frame.require(
        broadcast_shapes(value.type().dims(), given.type().dims(), shape) && shape == Shape(value.type().dims()),
        "the bound ", given.type(), " does not broadcast to ", value.type());
    return given.rank() == 0 ? given : detail::broadcast(given, shape);
  };
  const Value least = bound(low);
  return frame.tensor(ir::clamp(least, value, bound(high)));
}

Tensor masked_fill(const Operand& x, const Operand& mask, const Operand& value) {
  Frame frame("masked_fill", x);
  const Value given = frame.value(x), fill = value_as(frame, value, given.dtype());
  const Value where_not = detail::as(frame.value(mask), DType::boolean);
  Shape shape;
  frame.require(fill.rank() == 0, "the value must be one number, got ", fill.type());
  frame.require(
      broadcast_shapes(given.type().dims(), where_not.type().dims(), shape) && shape == Shape(given.type().dims()),
      "the mask ", where_not.type(), " does not broadcast to ", given.type());
  return frame.tensor(ir::select(detail::broadcast(where_not, shape), detail::broadcast(fill, shape), given));
}

Tensor lerp(const Operand& a, const Operand& b, const Operand& weight) {
  Frame frame("lerp", a);
  const auto [from, to] = matched(frame, a, b, DType::f32);
  const Value share = value_as(frame, weight, from.dtype());
  const auto [moved, scale] = broadcast_together(frame, {to - from, share});
  return frame.tensor(broadcast_together(frame, {from, moved}).a + moved * scale);
}

Tensor isclose(const Operand& a, const Operand& b, double relative, double absolute) {
  Frame frame("isclose", a);
  const auto [x, y] = matched(frame, a, b, DType::f32);
  const Value near = ir::compare(ir::abs(x - y), ir::abs(y) * relative + absolute, Direction::LE);
  return frame.tensor(ir::or_(ir::compare(x, y, Direction::EQ), ir::and_(near, ir::is_finite(y))));
}

Tensor isnan(const Operand& x) {
  Frame frame("isnan", x);
  const Value value = frame.value(x);
  return frame.tensor(is_float(value.dtype()) ? ir::compare(value, value, Direction::NE) : boolean_like(value, false));
}

Tensor isinf(const Operand& x) {
  Frame frame("isinf", x);
  const Value value = frame.value(x);
  if (!is_float(value.dtype())) return frame.tensor(boolean_like(value, false));
  const Value infinity = ir::constant_like(value, std::numeric_limits<double>::infinity());
  return frame.tensor(ir::compare(ir::abs(value), infinity, Direction::EQ));
}

Tensor isfinite(const Operand& x) {
  Frame frame("isfinite", x);
  const Value value = frame.value(x);
  return frame.tensor(is_float(value.dtype()) ? ir::is_finite(value) : boolean_like(value, true));
}

namespace {

double largest_finite(DType dtype) {
  if (dtype == DType::f64) return std::numeric_limits<double>::max();
  if (dtype == DType::f32) return std::numeric_limits<float>::max();
  return dtype == DType::f16 ? 0x1.ffcp15 : 0x1.fep127;
}

}  // namespace

Tensor nan_to_num(const Operand& x, double nan, std::optional<double> posinf, std::optional<double> neginf) {
  Frame frame("nan_to_num", x);
  const Value value = frame.value(x);
  if (!is_float(value.dtype())) return frame.tensor(value);
  const auto replaced = [&](Value given, double what, double with) {
    const Value found = ir::compare(value, ir::constant_like(value, what), Direction::EQ);
    return ir::select(found, ir::constant_like(value, with), given);
  };
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double most = largest_finite(value.dtype());
  const Value is_nan = ir::compare(value, value, Direction::NE);
  const Value number = ir::select(is_nan, ir::constant_like(value, nan), value);
  return frame.tensor(replaced(replaced(number, infinity, posinf.value_or(most)), -infinity, neginf.value_or(-most)));
}

Tensor operator&(const Operand& a, const Operand& b) { return bitwise("and", a, b, ir::and_); }
Tensor operator|(const Operand& a, const Operand& b) { return bitwise("or", a, b, ir::or_); }
Tensor operator^(const Operand& a, const Operand& b) { return bitwise("xor", a, b, ir::xor_); }
Tensor operator~(const Operand& x) { return unary("not", x, ir::not_); }

Tensor operator!(const Operand& x) {
  Frame frame("logical_not", x);
  const Value value = frame.value(x);
  if (value.dtype() == DType::boolean) return frame.tensor(ir::not_(value));
  return frame.tensor(ir::compare(value, ir::constant_like(value, 0), Direction::EQ));
}

namespace {

Tensor logical(const char* function, const Operand& a, const Operand& b, detail::Binary build) {
  Frame frame(function, a);
  const Value x = detail::as(frame.value(a), DType::boolean), y = detail::as(frame.value(b), DType::boolean);
  const auto [left, right] = broadcast_together(frame, {x, y});
  return frame.tensor(build(left, right));
}

}  // namespace

Tensor logical_and(const Operand& a, const Operand& b) { return logical("logical_and", a, b, ir::and_); }
Tensor logical_or(const Operand& a, const Operand& b) { return logical("logical_or", a, b, ir::or_); }
Tensor logical_xor(const Operand& a, const Operand& b) { return logical("logical_xor", a, b, ir::xor_); }

Tensor operator<<(const Tensor& x, const Operand& y) {
  return bitwise("shift_left", {x, y.where()}, y, ir::shift_left);
}

Tensor operator>>(const Tensor& x, const Operand& y) {
  const auto shift = [](Value a, Value b) {
    return is_unsigned_integer(a.dtype()) ? ir::shift_right_logical(a, b) : ir::shift_right_arithmetic(a, b);
  };
  return bitwise("shift_right", {x, y.where()}, y, shift);
}

Tensor abs(const Operand& x) {
  return unary("abs", x,
               [](Value v) { return is_unsigned_integer(v.dtype()) || v.dtype() == DType::boolean ? v : ir::abs(v); });
}
Tensor sign(const Operand& x) { return unary("sign", x, ir::sign); }
Tensor square(const Operand& x) {
  return unary("square", x, [](Value v) { return v * v; });
}
Tensor reciprocal(const Operand& x) {
  return float_unary("reciprocal", x, [](Value v) { return ir::constant_like(v, 1) / v; });
}
Tensor sqrt(const Operand& x) { return float_unary("sqrt", x, ir::sqrt); }
Tensor rsqrt(const Operand& x) { return float_unary("rsqrt", x, ir::rsqrt); }
Tensor cbrt(const Operand& x) { return float_unary("cbrt", x, ir::cbrt); }
Tensor exp(const Operand& x) { return float_unary("exp", x, ir::exponential); }
Tensor expm1(const Operand& x) { return float_unary("expm1", x, ir::exponential_minus_one); }
Tensor log(const Operand& x) { return float_unary("log", x, ir::log); }
Tensor log1p(const Operand& x) { return float_unary("log1p", x, ir::log_plus_one); }
Tensor sin(const Operand& x) { return float_unary("sin", x, ir::sine); }
Tensor cos(const Operand& x) { return float_unary("cos", x, ir::cosine); }
Tensor tan(const Operand& x) { return float_unary("tan", x, ir::tan); }

namespace {

Value one_like(Value v) { return ir::constant_like(v, 1); }
// sqrt(1 - x^2), in a form whose gradient at -1 and 1 is infinite instead of NaN.
Value cathetus(Value x) { return ir::sqrt(one_like(x) - x) * ir::sqrt(one_like(x) + x); }

}  // namespace

Tensor exp2(const Operand& x) {
  return float_unary("exp2", x, [](Value v) { return ir::exponential(v * std::numbers::ln2); });
}
Tensor log2(const Operand& x) {
  return float_unary("log2", x, [](Value v) { return ir::log(v) * std::numbers::log2e; });
}
Tensor log10(const Operand& x) {
  return float_unary("log10", x, [](Value v) { return ir::log(v) * std::numbers::log10e; });
}
Tensor asin(const Operand& x) {
  return float_unary("asin", x, [](Value v) { return ir::atan2(v, cathetus(v)); });
}
Tensor acos(const Operand& x) {
  return float_unary("acos", x, [](Value v) { return ir::atan2(cathetus(v), v); });
}
Tensor atan(const Operand& x) {
  return float_unary("atan", x, [](Value v) { return ir::atan2(v, one_like(v)); });
}
Tensor sinh(const Operand& x) {
  return float_unary("sinh", x, [](Value v) {  // accurate near 0
    return (ir::exponential_minus_one(v) - ir::exponential_minus_one(-v)) * 0.5;
  });
}
Tensor cosh(const Operand& x) {
  return float_unary("cosh", x, [](Value v) { return (ir::exponential(v) + ir::exponential(-v)) * 0.5; });
}
Tensor tanh(const Operand& x) { return float_unary("tanh", x, ir::tanh); }

namespace {

Value inverse_hyperbolic_sine(Value x) {
  const Value one = one_like(x), is_negative = ir::compare(x, ir::constant_like(x, 0), Direction::LT);
  const Value size = ir::select(is_negative, -x, x);
  const Value is_large = ir::compare(size, ir::constant_like(x, 1e18), Direction::GT);
  const Value a = ir::select(is_large, one, size);  // whose square does not overflow
  const Value of_small = ir::log_plus_one(a + a * a / (one + ir::sqrt(one + a * a)));
  const Value of_large = ir::log(ir::select(is_large, size, one)) + std::numbers::ln2;
  const Value result = ir::select(is_large, of_large, of_small);
  return ir::select(is_negative, -result, result);
}

Value inverse_hyperbolic_cosine(Value x) {
  const Value one = one_like(x), is_large = ir::compare(x, ir::constant_like(x, 1e18), Direction::GT);
  const Value beyond = ir::select(is_large, one, x - one);
  const Value of_small = ir::log_plus_one(beyond + ir::sqrt(beyond) * ir::sqrt(beyond + 2));
  return ir::select(is_large, ir::log(ir::select(is_large, x, one)) + std::numbers::ln2, of_small);
}

Value inverse_hyperbolic_tangent(Value x) { return (ir::log_plus_one(x) - ir::log_plus_one(-x)) * 0.5; }

}  // namespace

Tensor asinh(const Operand& x) { return float_unary("asinh", x, inverse_hyperbolic_sine); }
Tensor acosh(const Operand& x) { return float_unary("acosh", x, inverse_hyperbolic_cosine); }
Tensor atanh(const Operand& x) { return float_unary("atanh", x, inverse_hyperbolic_tangent); }
Tensor erf(const Operand& x) { return float_unary("erf", x, ir::erf); }

namespace {

// Rounding leaves integers as they are.
Tensor rounding(const char* function, const Operand& x, detail::Unary build) {
  Frame frame(function, x);
  const Value value = frame.value(x);
  return frame.tensor(is_float(value.dtype()) ? build(value) : value);
}

}  // namespace

Tensor floor(const Operand& x) { return rounding("floor", x, ir::floor); }
Tensor ceil(const Operand& x) { return rounding("ceil", x, ir::ceil); }
Tensor round(const Operand& x) { return rounding("round", x, ir::round_nearest_even); }

namespace {

Value towards_zero(Value x) {
  return ir::select(ir::compare(x, ir::constant_like(x, 0), Direction::LT), ir::ceil(x), ir::floor(x));
}

Value hypotenuse(Value a, Value b) {
  const Value zero = ir::constant_like(a, 0), one = one_like(a),
              unbounded = ir::constant_like(a, std::numeric_limits<double>::infinity());
  const Value x = ir::abs(a), y = ir::abs(b);
  const Value is_infinite = ir::or_(ir::compare(x, unbounded, Direction::EQ), ir::compare(y, unbounded, Direction::EQ));
  const Value longer = ir::maximum(x, y), is_zero = ir::compare(longer, zero, Direction::EQ);
  const Value divisor = ir::select(ir::or_(is_zero, is_infinite), one, longer);
  const Value ratio = ir::select(is_infinite, zero, ir::minimum(x, y)) / divisor;
  return ir::select(is_infinite, unbounded, longer * ir::sqrt(one + ratio * ratio));
}

Value log_of_sum_of_exponentials(Value a, Value b) {
  // Both parts take the same side where the operands are equal, so that all derivatives are right there.
  const Value is_above = ir::compare(a, b, Direction::GT), are_equal = ir::compare(a, b, Direction::EQ);
  const Value are_infinite = ir::and_(are_equal, ir::not_(ir::is_finite(a)));
  const Value difference = ir::select(are_infinite, ir::constant_like(a, 0), a - b);
  return ir::select(is_above, a, b) + ir::log_plus_one(ir::exponential(ir::select(is_above, -difference, difference)));
}

Value with_sign_of(Value a, Value b) {
  const DType bits = byte_size(b.dtype()) == 8 ? DType::i64 : byte_size(b.dtype()) == 4 ? DType::i32 : DType::i16;
  const Value pattern = ir::bitcast_convert(ir::stop_gradient(b), b.type().with(bits));
  const Value size = ir::abs(a);
  return ir::select(ir::compare(pattern, ir::constant_like(pattern, 0), Direction::LT), -size, size);
}

// Applies `build` to floating-point operands; integers become f32.
Tensor float_binary(const char* function, const Operand& a, const Operand& b, detail::Binary build) {
  Frame frame(function, a);
  const auto [x, y] = detail::matched(frame, a, b);
  const DType dtype = is_float(x.dtype()) ? x.dtype() : DType::f32;
  return frame.tensor(build(detail::as(x, dtype), detail::as(y, dtype)));
}

}  // namespace

Tensor atan2(const Operand& y, const Operand& x) { return float_binary("atan2", y, x, ir::atan2); }
Tensor trunc(const Operand& x) { return rounding("trunc", x, towards_zero); }
Tensor frac(const Operand& x) {
  return float_unary("frac", x, [](Value v) { return v - towards_zero(v); });
}
Tensor hypot(const Operand& a, const Operand& b) { return float_binary("hypot", a, b, hypotenuse); }
Tensor logaddexp(const Operand& a, const Operand& b) {
  return float_binary("logaddexp", a, b, log_of_sum_of_exponentials);
}
Tensor copysign(const Operand& a, const Operand& b) { return float_binary("copysign", a, b, with_sign_of); }

Tensor convert(const Operand& x, DType dtype) {
  if (!x.is_number() && x.tensor().dtype() == dtype) return x.tensor();
  Frame frame("convert", x);
  return frame.tensor(detail::as(frame.value(x), dtype));
}

Tensor stop_gradient(const Operand& x) { return unary("stop_gradient", x, ir::stop_gradient); }

}  // namespace weft
