// Gradients of elementwise ops that are longer than a line.
#include <numbers>

#include <weft/ir/ops.h>
#include <weft/ir/ops/gradients.h>

namespace weft::ir {

namespace {

// Returns the cotangent of an operand that may have rank 0 and then applies to every element.
Value to_bound(Value cotangent, Value bound) {
  if (bound.type() == cotangent.type()) return cotangent;
  return reduce_sum(cotangent, all_dimensions(cotangent));
}

}  // namespace

void atan2_gradient(const GradientCall& c) {
  const Value a = c.x(0), b = c.x(1), squares = a * a + b * b;  // 0 at the origin, where both gradients are 0
  const Value scaled =
      select(compare(squares, zeros_like(squares), Direction::EQ), zeros_like(squares), c.dy() / squares);
  if (c.needs(0)) c.add(0, scaled * b);
  if (c.needs(1)) c.add(1, -(scaled * a));
}

void same_gradient(const GradientCall& c) { c.add(0, c.dy()); }

void clamp_gradient(const GradientCall& c) {
  const Value x = c.x(1), low = broadcast(c.x(0), x.type()), high = broadcast(c.x(2), x.type()), zeros = zeros_like(x);
  if (c.needs(0)) {
    const Value raised = and_(compare(low, x, Direction::GT), compare(low, high, Direction::LT));
    c.add(0, to_bound(select(raised, c.dy(), zeros), c.x(0)));
  }
  if (c.needs(1))
    c.add(1, select(and_(compare(x, low, Direction::GE), compare(x, high, Direction::LE)), c.dy(), zeros));
  if (c.needs(2)) c.add(2, to_bound(select(compare(x, high, Direction::GT), c.dy(), zeros), c.x(2)));
}

void convert_gradient(const GradientCall& c) {
  if (is_float(c.x().dtype())) c.add(0, convert(c.dy(), c.x().dtype()));
}

void erf_gradient(const GradientCall& c) {
  c.add(0, c.dy() * (exponential(-(c.x() * c.x())) * (2 * std::numbers::inv_sqrtpi)));
}

void extremum_gradient(const GradientCall& c) {
  const Value zeros = zeros_like(c.dy());
  const Value tie = compare(c.x(0), c.x(1), Direction::EQ), half = c.dy() * 0.5;
  for (const int i : {0, 1})
    if (c.needs(i)) c.add(i, select(tie, half, select(compare(c.y(), c.x(i), Direction::EQ), c.dy(), zeros)));
}

void power_gradient(const GradientCall& c) {
  const Value a = c.x(0), b = c.x(1);
  if (c.needs(0)) {  // a^0 is constant, even where 0 * a^-1 would be NaN
    const Value slope = b * power(a, b - constant_like(b, 1));
    c.add(0, c.dy() * select(compare(b, zeros_like(b), Direction::EQ), zeros_like(b), slope));
  }
  if (c.needs(1)) {  // 0^b is constant for b >= 0, even where log(0) * 0 would be NaN
    const Value zeros = zeros_like(a);
    const Value is_constant = and_(compare(a, zeros, Direction::EQ), compare(b, zeros, Direction::GE));
    c.add(1, c.dy() * (log(select(is_constant, constant_like(a, 1), a)) * c.y()));
  }
}

void reduce_precision_gradient(const GradientCall& c) {
  const auto& to = c.node.attributes<ReducePrecisionAttributes>();
  c.add(0, reduce_precision(c.dy(), to.exponent_bits, to.mantissa_bits));
}

void remainder_gradient(const GradientCall& c) {
  c.add(0, c.dy());
  if (!c.needs(1)) return;
  const Value quotient = c.x(0) / c.x(1);
  c.add(1, -(c.dy() * (sign(quotient) * floor(abs(quotient)))));
}

void select_gradient(const GradientCall& c) {
  const Value zeros = zeros_like(c.dy());
  if (c.needs(1)) c.add(1, select(c.x(0), c.dy(), zeros));
  if (c.needs(2)) c.add(2, select(c.x(0), zeros, c.dy()));
}

}  // namespace weft::ir
