#include <weft/tensor/special.h>

#include <cmath>
#include <limits>
#include <numbers>

#include <weft/ir/legalize/chlo_special.h>
#include <weft/tensor/broadcasting.h>

namespace weft {

using detail::Frame;
using ir::Direction;
using ir::Value;

namespace {

constexpr double unbounded = std::numeric_limits<double>::infinity();

Value number_like(Value x, double number) { return ir::constant_like(x, number); }
Value is(Value x, Direction direction, double number) { return ir::compare(x, number_like(x, number), direction); }

// Applies `build` in f32 or f64, and converts the result back.
template <class Build>
Tensor special(const char* function, const Operand& x, Build&& build) {
  Frame frame(function, x);
  const Value value = detail::floating(frame, x);
  return frame.tensor(detail::as(build(detail::as(value, detail::compute_dtype(value.dtype()))), value.dtype()));
}

template <class Build>
Tensor special(const char* function, const Operand& x, const Operand& y, Build&& build) {
  Frame frame(function, x);
  const auto [a, b] = detail::matched(frame, x, y);
  const DType dtype = is_float(a.dtype()) ? a.dtype() : DType::f32, wide = detail::compute_dtype(dtype);
  return frame.tensor(detail::as(build(detail::as(a, wide), detail::as(b, wide)), dtype));
}

// The value is that of rational functions, the gradient that of -erf, whose sum with the constant -erf is 0.
Value complementary(Value x) {
  const Value far = ir::select(is(ir::abs(x), Direction::GT, 40), ir::sign(x) * 40.0, x), base = ir::erf(x);
  return ir::stop_gradient(ir::legalize::erfc(far)) + (ir::stop_gradient(base) - base);
}

Value inverse_of_erf(Value x) {
  const Value is_edge = is(ir::abs(x), Direction::EQ, 1);
  const Value inner = ir::legalize::erf_inv(ir::select(is_edge, number_like(x, 0), x));
  return ir::select(is_edge, ir::select(is_edge, x, number_like(x, 1)) * unbounded, inner);
}

// x times the logarithm of 1 + y or of y, whose operand of logarithm 0 is `neutral`.
Value times_logarithm(Value x, Value y, Value logarithm(Value), double neutral) {
  const Value is_infinite = ir::or_(is(y, Direction::LE, neutral - 1), is(y, Direction::EQ, unbounded));
  const Value is_nothing = ir::and_(is(x, Direction::EQ, 0), is_infinite);
  return x * logarithm(ir::select(is_nothing, number_like(y, neutral), y));
}

}  // namespace

Tensor lgamma(const Operand& x) { return special("lgamma", x, ir::legalize::lgamma); }
Tensor digamma(const Operand& x) { return special("digamma", x, ir::legalize::digamma); }

Tensor polygamma(int n, const Operand& x) {
  Frame frame("polygamma", x);
  frame.require(n >= 0, "the order cannot be negative, got ", n);
  if (n == 0) return digamma(x);
  const double factor = (n % 2 == 1 ? 1 : -1) * std::tgamma(n + 1.0);
  return special("polygamma", x, [&](Value v) { return ir::legalize::zeta(number_like(v, n + 1.0), v) * factor; });
}

Tensor zeta(const Operand& x, const Operand& q) { return special("zeta", x, q, ir::legalize::zeta); }
Tensor erfc(const Operand& x) { return special("erfc", x, complementary); }
Tensor erfinv(const Operand& x) { return special("erfinv", x, inverse_of_erf); }

Tensor ndtr(const Operand& x) {
  return special("ndtr", x, [](Value v) { return complementary(v * -std::numbers::sqrt2 * 0.5) * 0.5; });
}

Tensor logit(const Operand& p) {
  return special("logit", p, [](Value v) { return ir::log(v) - ir::log_plus_one(-v); });
}

Tensor entr(const Operand& x) {
  return special("entr", x, [](Value v) {
    const Value is_zero = is(v, Direction::EQ, 0), is_below = is(v, Direction::LT, 0);
    const Value inside = ir::select(is_below, number_like(v, 1), ir::select(is_zero, number_like(v, 1), v));
    const Value of_zero = ir::select(is_zero, number_like(v, 0), -v * ir::log(inside));
    return ir::select(is_below, number_like(v, -unbounded), of_zero);
  });
}

Tensor xlogy(const Operand& x, const Operand& y) {
  return special("xlogy", x, y, [](Value a, Value b) { return times_logarithm(a, b, ir::log, 1); });
}

Tensor xlog1py(const Operand& x, const Operand& y) {
  return special("xlog1py", x, y, [](Value a, Value b) { return times_logarithm(a, b, ir::log_plus_one, 0); });
}

Tensor sinc(const Operand& x) {
  return special("sinc", x, [](Value v) {
    const Value is_zero = is(v, Direction::EQ, 0), angle = ir::select(is_zero, number_like(v, 1), v * std::numbers::pi);
    return ir::select(is_zero, number_like(v, 1), ir::sine(angle) / angle);
  });
}

}  // namespace weft
