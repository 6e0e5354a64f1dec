// Elementwise primitives: result[i] depends only on operands[i]. The predicate of select and the bounds of clamp may also have
// rank 0; they then apply to all i. Included through <weft/ir/ops.h>.
//
// Gradients at kinks follow docs/gradients.md: 0 for abs at 0, half for each side of a tie of maximum or minimum, 1 for clamp at a
// bound by x. The gradient of reduce_precision passes straight through.
#pragma once

#include <limits>

#include <weft/ir/builder.h>
#include <weft/ir/ops/declare.h>

namespace weft::ir {

// Type rules
// Requires that all operands have one type, in the op's domain; the result has it too.
void same_type(const Call& call, std::vector<Type>& results);
void compare_type(const Call& call, std::vector<Type>& results);
void is_finite_type(const Call& call, std::vector<Type>& results);
void convert_type(const Call& call, std::vector<Type>& results);
void bitcast_convert_type(const Call& call, std::vector<Type>& results);
void reduce_precision_type(const Call& call, std::vector<Type>& results);
void select_type(const Call& call, std::vector<Type>& results);
void clamp_type(const Call& call, std::vector<Type>& results);

// Scalar rules
template <Prim prim>
Scalar unary(ScalarBuilder& b, const ScalarCall& x) {
  return b.apply(prim, {x[0]});
}
template <Prim prim>
Scalar binary(ScalarBuilder& b, const ScalarCall& x) {
  return b.apply(prim, {x[0], x[1]});
}
// Uses another primitive for booleans.
template <Prim prim, Prim of_booleans>
Scalar binary(ScalarBuilder& b, const ScalarCall& x) {
  return b.apply(x.result == DType::boolean ? of_booleans : prim, {x[0], x[1]});
}
Scalar clamp_scalar(ScalarBuilder& b, const ScalarCall& x);
Scalar compare_scalar(ScalarBuilder& b, const ScalarCall& x);
Scalar power_scalar(ScalarBuilder& b, const ScalarCall& x);
Scalar reduce_precision_scalar(ScalarBuilder& b, const ScalarCall& x);
Scalar same_scalar(ScalarBuilder& b, const ScalarCall& x);  // the operand
Scalar sign_scalar(ScalarBuilder& b, const ScalarCall& x);

// Linearity
Linearity convert_linearity(const Node& node, int operand);  // linear if a float becomes one that is at least as wide
Linearity divide_linearity(const Node& node, int operand);   // of floats, linear in the dividend
Linearity add_linearity(const Node& node, int operand);      // not of booleans
Linearity multiply_linearity(const Node& node, int operand);
Linearity select_linearity(const Node& node, int operand);  // linear in the two values

// Gradients that are longer than a line or belong to several ops
void same_gradient(const GradientCall& c);  // passes the result's cotangent on
void atan2_gradient(const GradientCall& c);
void clamp_gradient(const GradientCall& c);
void convert_gradient(const GradientCall& c);
void erf_gradient(const GradientCall& c);
void extremum_gradient(const GradientCall& c);  // maximum, minimum
void power_gradient(const GradientCall& c);
void reduce_precision_gradient(const GradientCall& c);
void remainder_gradient(const GradientCall& c);
void select_gradient(const GradientCall& c);

namespace ops {

// clang-format off: a table
WEFT_FAMILY(elementwise)

WEFT_OP(abs) {
    .name = "abs", .kind = Kind::elementwise, .arity = 1, .types = same_type,
    .gradient = [](const GradientCall& c) { c.add(0, c.dy() * ir::sign(c.x())); },
    .scalar = unary<Prim::absolute>, .domain = signed_integers | floats,
};
WEFT_OP(add) {
    .name = "add", .kind = Kind::elementwise, .arity = 2, .types = same_type,
    .gradient = [](const GradientCall& c) { c.add(0, c.dy()); c.add(1, c.dy()); },
    .scalar = binary<Prim::add, Prim::bit_or>, .linear = add_linearity, .commutative = true, .identity = Identity::zero,
};
WEFT_OP(and_) {
    .name = "and", .kind = Kind::elementwise, .arity = 2, .types = same_type, .gradient = zero_gradient,
    .scalar = binary<Prim::bit_and>, .domain = integers | booleans, .commutative = true, .identity = Identity::all_bits,
};
WEFT_OP(atan2) {
    .name = "atan2", .kind = Kind::elementwise, .arity = 2, .types = same_type, .gradient = atan2_gradient,
    .scalar = binary<Prim::atan2>, .domain = floats,
};
WEFT_OP(bitcast_convert) {  // between dtypes of equal width
    .name = "bitcast_convert", .kind = Kind::elementwise, .arity = 1, .types = bitcast_convert_type, .gradient = zero_gradient,
    .scalar = [](ScalarBuilder& b, const ScalarCall& x) { return b.bitcast(x[0], x.result); }, .domain = integers | floats,
};
WEFT_OP(cbrt) {
    .name = "cbrt", .kind = Kind::elementwise, .arity = 1, .types = same_type,
    .gradient = [](const GradientCall& c) { c.add(0, c.dy() / (c.y() * c.y() * 3)); },
    .scalar = unary<Prim::cbrt>, .domain = floats,
};
WEFT_OP(ceil) {
    .name = "ceil", .kind = Kind::elementwise, .arity = 1, .types = same_type, .gradient = zero_gradient,
    .scalar = unary<Prim::ceil>, .domain = floats,
};
WEFT_OP(clamp) {  // low, x, high
    .name = "clamp", .kind = Kind::elementwise, .arity = 3, .types = clamp_type, .gradient = clamp_gradient, .scalar = clamp_scalar,
};
WEFT_OP(compare) {
    .name = "compare", .kind = Kind::elementwise, .arity = 2, .types = compare_type, .gradient = zero_gradient,
    .scalar = compare_scalar, .attributes = schema<CompareAttributes>,
};
WEFT_OP(convert) {
    .name = "convert", .kind = Kind::elementwise, .arity = 1, .types = convert_type, .gradient = convert_gradient,
    .scalar = [](ScalarBuilder& b, const ScalarCall& x) { return b.convert(x[0], x.result); }, .linear = convert_linearity,
};
WEFT_OP(cosine) {
    .name = "cosine", .kind = Kind::elementwise, .arity = 1, .types = same_type,
    .gradient = [](const GradientCall& c) { c.add(0, -(c.dy() * ir::sine(c.x()))); },
    .scalar = unary<Prim::cos>, .domain = floats,
};
WEFT_OP(count_leading_zeros) {
    .name = "count_leading_zeros", .kind = Kind::elementwise, .arity = 1, .types = same_type, .gradient = zero_gradient,
    .scalar = unary<Prim::count_leading_zeros>, .domain = integers,
};
WEFT_OP(divide) {
    .name = "divide", .kind = Kind::elementwise, .arity = 2, .types = same_type,
    .gradient = [](const GradientCall& c) {
      const Value da = c.dy() / c.x(1);
      c.add(0, da);
      if (c.needs(1)) c.add(1, -(da * c.y()));
    },
    .scalar = binary<Prim::divide>, .domain = integers | floats, .linear = divide_linearity, .identity = Identity::one,
};
WEFT_OP(erf) {
    .name = "erf", .kind = Kind::elementwise, .arity = 1, .types = same_type, .gradient = erf_gradient,
    .scalar = unary<Prim::erf>, .domain = floats, .dialect = "chlo",
};
WEFT_OP(exponential) {
    .name = "exponential", .kind = Kind::elementwise, .arity = 1, .types = same_type,
    .gradient = [](const GradientCall& c) { c.add(0, c.dy() * c.y()); },
    .scalar = unary<Prim::exp>, .domain = floats,
};
WEFT_OP(exponential_minus_one) {
    .name = "exponential_minus_one", .kind = Kind::elementwise, .arity = 1, .types = same_type,
    .gradient = [](const GradientCall& c) { c.add(0, c.dy() * (c.y() + 1)); },
    .scalar = unary<Prim::expm1>, .domain = floats,
};
WEFT_OP(floor) {
    .name = "floor", .kind = Kind::elementwise, .arity = 1, .types = same_type, .gradient = zero_gradient,
    .scalar = unary<Prim::floor>, .domain = floats,
};
WEFT_OP(is_finite) {
    .name = "is_finite", .kind = Kind::elementwise, .arity = 1, .types = is_finite_type, .gradient = zero_gradient,
    .scalar = [](ScalarBuilder& b, const ScalarCall& x) {
      const Scalar number = is_narrow(x[0].dtype) ? b.convert(x[0], DType::f64) : x[0];  // which may have no infinity
      return b.compare(Direction::LT, b.apply(Prim::absolute, {number}), b.like(number, std::numeric_limits<double>::infinity()));
    },
    .domain = floats,
};
WEFT_OP(log) {
    .name = "log", .kind = Kind::elementwise, .arity = 1, .types = same_type,
    .gradient = [](const GradientCall& c) { c.add(0, c.dy() / c.x()); },
    .scalar = unary<Prim::log>, .domain = floats, .low = 0.25,
};
WEFT_OP(log_plus_one) {
    .name = "log_plus_one", .kind = Kind::elementwise, .arity = 1, .types = same_type,
    .gradient = [](const GradientCall& c) { c.add(0, c.dy() / (c.x() + 1)); },
    .scalar = unary<Prim::log1p>, .domain = floats, .low = -0.75,
};
WEFT_OP(logistic) {
    .name = "logistic", .kind = Kind::elementwise, .arity = 1, .types = same_type,
    .gradient = [](const GradientCall& c) { c.add(0, c.dy() * c.y() * (constant_like(c.y(), 1) - c.y())); },
    .scalar = unary<Prim::logistic>, .domain = floats,
};
WEFT_OP(maximum) {
    .name = "maximum", .kind = Kind::elementwise, .arity = 2, .types = same_type, .gradient = extremum_gradient,
    .scalar = binary<Prim::maximum, Prim::bit_or>, .commutative = true, .identity = Identity::lowest,
};
WEFT_OP(minimum) {
    .name = "minimum", .kind = Kind::elementwise, .arity = 2, .types = same_type, .gradient = extremum_gradient,
    .scalar = binary<Prim::minimum, Prim::bit_and>, .commutative = true, .identity = Identity::highest,
};
WEFT_OP(multiply) {
    .name = "multiply", .kind = Kind::elementwise, .arity = 2, .types = same_type,
    .gradient = [](const GradientCall& c) {
      if (c.needs(0)) c.add(0, c.dy() * c.x(1));
      if (c.needs(1)) c.add(1, c.dy() * c.x(0));
    },
    .scalar = binary<Prim::multiply, Prim::bit_and>, .linear = multiply_linearity, .commutative = true, .identity = Identity::one,
};
WEFT_OP(negate) {
    .name = "negate", .kind = Kind::elementwise, .arity = 1, .types = same_type,
    .gradient = [](const GradientCall& c) { c.add(0, -c.dy()); },
    .scalar = unary<Prim::negate>, .domain = integers | floats, .linear = linear_together, .involution = true,
};
WEFT_OP(not_) {
    .name = "not", .kind = Kind::elementwise, .arity = 1, .types = same_type, .gradient = zero_gradient,
    .scalar = unary<Prim::bit_not>, .domain = integers | booleans, .involution = true,
};
WEFT_OP(or_) {
    .name = "or", .kind = Kind::elementwise, .arity = 2, .types = same_type, .gradient = zero_gradient,
    .scalar = binary<Prim::bit_or>, .domain = integers | booleans, .commutative = true, .identity = Identity::zero,
};
WEFT_OP(popcnt) {
    .name = "popcnt", .kind = Kind::elementwise, .arity = 1, .types = same_type, .gradient = zero_gradient,
    .scalar = unary<Prim::popcount>, .domain = integers,
};
WEFT_OP(power) {  // integers: wraps; a negative exponent gives 0 except for the bases 1 and -1
    .name = "power", .kind = Kind::elementwise, .arity = 2, .types = same_type, .gradient = power_gradient,
    .scalar = power_scalar, .domain = integers | floats, .low = 0.25, .identity = Identity::one,
};
WEFT_OP(reduce_precision) {
    .name = "reduce_precision", .kind = Kind::elementwise, .arity = 1, .types = reduce_precision_type,
    .gradient = reduce_precision_gradient, .scalar = reduce_precision_scalar, .domain = floats,
    .attributes = schema<ReducePrecisionAttributes>,
};
WEFT_OP(remainder) {  // of the division that rounds towards zero; has the sign of the dividend
    .name = "remainder", .kind = Kind::elementwise, .arity = 2, .types = same_type, .gradient = remainder_gradient,
    .scalar = binary<Prim::remainder>, .domain = integers | floats,
};
WEFT_OP(round_nearest_afz) {
    .name = "round_nearest_afz", .kind = Kind::elementwise, .arity = 1, .types = same_type, .gradient = zero_gradient,
    .scalar = unary<Prim::round_half_away>, .domain = floats,
};
WEFT_OP(round_nearest_even) {
    .name = "round_nearest_even", .kind = Kind::elementwise, .arity = 1, .types = same_type, .gradient = zero_gradient,
    .scalar = unary<Prim::round_half_even>, .domain = floats,
};
WEFT_OP(rsqrt) {
    .name = "rsqrt", .kind = Kind::elementwise, .arity = 1, .types = same_type,
    .gradient = [](const GradientCall& c) { c.add(0, c.dy() * (c.y() * c.y() * c.y() * -0.5)); },
    .scalar = unary<Prim::rsqrt>, .domain = floats, .low = 0.25,
};
WEFT_OP(select) {  // predicate, on_true, on_false
    .name = "select", .kind = Kind::elementwise, .arity = 3, .types = select_type, .gradient = select_gradient,
    .scalar = [](ScalarBuilder& b, const ScalarCall& x) { return b.select(x[0], x[1], x[2]); },
    .linear = select_linearity,
};
WEFT_OP(shift_left) {
    .name = "shift_left", .kind = Kind::elementwise, .arity = 2, .types = same_type, .gradient = zero_gradient,
    .scalar = binary<Prim::shift_left>, .domain = integers, .identity = Identity::zero,
};
WEFT_OP(shift_right_arithmetic) {
    .name = "shift_right_arithmetic", .kind = Kind::elementwise, .arity = 2, .types = same_type, .gradient = zero_gradient,
    .scalar = binary<Prim::shift_right_arithmetic>, .domain = integers, .identity = Identity::zero,
};
WEFT_OP(shift_right_logical) {
    .name = "shift_right_logical", .kind = Kind::elementwise, .arity = 2, .types = same_type, .gradient = zero_gradient,
    .scalar = binary<Prim::shift_right_logical>, .domain = integers, .identity = Identity::zero,
};
WEFT_OP(sign) {
    .name = "sign", .kind = Kind::elementwise, .arity = 1, .types = same_type, .gradient = zero_gradient,
    .scalar = sign_scalar, .domain = signed_integers | floats,
};
WEFT_OP(sine) {
    .name = "sine", .kind = Kind::elementwise, .arity = 1, .types = same_type,
    .gradient = [](const GradientCall& c) { c.add(0, c.dy() * ir::cosine(c.x())); },
    .scalar = unary<Prim::sin>, .domain = floats,
};
WEFT_OP(sqrt) {
    .name = "sqrt", .kind = Kind::elementwise, .arity = 1, .types = same_type,
    .gradient = [](const GradientCall& c) { c.add(0, c.dy() * 0.5 / c.y()); },
    .scalar = unary<Prim::sqrt>, .domain = floats, .low = 0.25,
};
// Returns its operand, but no gradient passes through it. It is weft's own op and is dropped once gradients are built.
WEFT_OP(stop_gradient) {
    .name = "stop_gradient", .kind = Kind::elementwise, .arity = 1, .types = same_type, .gradient = zero_gradient,
    .scalar = same_scalar, .linear = linear_together, .call_target = "weft.stop_gradient",
};
WEFT_OP(subtract) {
    .name = "subtract", .kind = Kind::elementwise, .arity = 2, .types = same_type,
    .gradient = [](const GradientCall& c) {
      c.add(0, c.dy());
      if (c.needs(1)) c.add(1, -c.dy());
    },
    .scalar = binary<Prim::subtract>, .domain = integers | floats, .linear = linear_together, .identity = Identity::zero,
};
WEFT_OP(tan) {
    .name = "tan", .kind = Kind::elementwise, .arity = 1, .types = same_type,
    .gradient = [](const GradientCall& c) { c.add(0, c.dy() * (c.y() * c.y() + 1)); },
    .scalar = unary<Prim::tan>, .domain = floats, .low = -1.25, .high = 1.25,
};
WEFT_OP(tanh) {
    .name = "tanh", .kind = Kind::elementwise, .arity = 1, .types = same_type,
    .gradient = [](const GradientCall& c) { c.add(0, c.dy() * (constant_like(c.y(), 1) - c.y() * c.y())); },
    .scalar = unary<Prim::tanh>, .domain = floats,
};
WEFT_OP(xor_) {
    .name = "xor", .kind = Kind::elementwise, .arity = 2, .types = same_type, .gradient = zero_gradient,
    .scalar = binary<Prim::bit_xor>, .domain = integers | booleans, .commutative = true, .identity = Identity::zero,
};

WEFT_FAMILY_END
// clang-format on

}  // namespace ops
}  // namespace weft::ir
