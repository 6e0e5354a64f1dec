#include <weft/ir/complex_gradients.h>

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include <weft/ir/attributes.h>
#include <weft/ir/ops/gradients.h>

namespace weft::ir {

namespace {

ComplexParts conjugate(ComplexParts z) { return {z.re, -z.im}; }
ComplexParts operand(const GradientCall& c, int i) { return {c.x(2 * i), c.x(2 * i + 1)}; }
ComplexParts result(const GradientCall& c) { return {c.y(0), c.y(1)}; }
ComplexParts cotangent(const GradientCall& c) {
  return {c.dy(0) ? c.dy(0) : zeros_like(c.y(0)), c.dy(1) ? c.dy(1) : zeros_like(c.y(1))};
}
void add(const GradientCall& c, int operand, ComplexParts dz) {
  c.add(2 * operand, dz.re);
  c.add(2 * operand + 1, dz.im);
}

}  // namespace

ComplexParts complex_multiply(ComplexParts a, ComplexParts b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

// The direction of z; zero where z is, as for norm.
void complex_abs_gradient(const GradientCall& c) {
  const Value y = c.y(), zero = zeros_like(y), is_zero = compare(y, zero, Direction::EQ);
  const Value scale = select(is_zero, zero, c.dy()), length = select(is_zero, constant_like(y, 1), y);
  add(c, 0, {scale * (c.x(0) / length), scale * (c.x(1) / length)});
}

// The cotangent of the operand of a differentiable function is that of its result times the conjugate of the derivative. For a / b,
// these are 1 / b and -(a / b) / b.
void complex_divide_gradient(const GradientCall& c) {
  const ComplexParts dy = cotangent(c), b = conjugate(operand(c, 1));
  const std::array operands{dy.re, dy.im, b.re, b.im};
  const std::vector<Value> quotient =
      composite(c.node.attributes<CompositeAttributes>().name, operands, c.x().graph().shared_regions(c.node)[0]);
  const ComplexParts da{quotient[0], quotient[1]};
  add(c, 0, da);
  const ComplexParts db = complex_multiply(da, conjugate(result(c)));
  add(c, 1, {-db.re, -db.im});
}

void complex_exponential_gradient(const GradientCall& c) {
  add(c, 0, complex_multiply(cotangent(c), conjugate(result(c))));
}

// 1 / z is exp(-log z).
void complex_log_gradient(const GradientCall& c) {
  const Value length = exponential(-c.y(0));
  add(c, 0, complex_multiply(cotangent(c), {length * cosine(c.y(1)), length * sine(c.y(1))}));
}

// 1 / (2 y), where the square of y does not overflow.
void complex_sqrt_gradient(const GradientCall& c) {
  const ComplexParts y = result(c);
  const Value scale = (y.re * y.re + y.im * y.im) * 2;
  add(c, 0, complex_multiply(cotangent(c), {y.re / scale, y.im / scale}));
}

// The matrix F of a transform is symmetric, so the cotangent of its operand is conj(F) dy. Swapping the parts of a number multiplies its
// conjugate by i, so conj(F) dy is F applied to swapped parts, with swapped parts. A real operand needs only the real part of it, which
// consists of transforms of real numbers.
void fourier_gradient(const GradientCall& c) {
  const ComplexParts dy = cotangent(c);
  const auto transform = [&](std::span<const Value> operands) {
    const std::string_view name = c.node.attributes<CompositeAttributes>().name;
    const std::vector<Value> y = composite(name, operands, c.x().graph().shared_regions(c.node)[0]);
    return ComplexParts{y[0], y[1]};
  };
  if (c.node.operands.size() == 2) {
    const ComplexParts swapped = transform(std::array{dy.im, dy.re});
    add(c, 0, {swapped.im, swapped.re});
  } else {
    c.add(0, transform(std::array{dy.re}).re + transform(std::array{dy.im}).im);
  }
}

}  // namespace weft::ir
