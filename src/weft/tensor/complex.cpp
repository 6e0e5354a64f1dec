#include <weft/tensor/complex.h>

#include <vector>

#include <weft/ir/complex_gradients.h>
#include <weft/ir/composites.h>
#include <weft/ir/legalize/complex.h>
#include <weft/tensor/broadcasting.h>
#include <weft/tensor/elementwise.h>
#include <weft/tensor/linalg.h>

namespace weft {

using detail::Frame;
using ir::legalize::WrittenValue;
using ComplexValue = ir::ComplexParts;

namespace {

// The parts of a complex number, of one type.
ComplexValue whole(Frame& frame, const Operand& real, const Operand& imag) {
  const auto [re, im] = detail::matched(frame, real, imag, DType::f32);
  return {re, im};
}
ComplexValue whole(Frame& frame, const ComplexOperand& z) { return whole(frame, z.real(), z.imag()); }
ComplexValue whole(Frame& frame, const Operand& x) { return whole(frame, x, Operand(0, x.where())); }

Complex wrapped(Frame& frame, ComplexValue z) { return {frame.tensor(z.re), frame.tensor(z.im)}; }

const Operand& real_part(const ComplexOperand& z) { return z.real(); }
const Operand& real_part(const Operand& x) { return x; }

// Appends the composite of this name, whose decomposition is the expansion of StableHLO's operation on complex numbers.
std::vector<ir::Value> expansion(std::string_view name, std::string_view operation,
                                 std::initializer_list<ComplexValue> operands, bool is_complex = true) {
  std::vector<ir::Value> parts;
  for (const ComplexValue z : operands) parts.insert(parts.end(), {z.re, z.im});
  return ir::call_composite(name, parts, [&](std::span<const ir::Value> x) {
    std::vector<WrittenValue> written;
    for (std::size_t i = 0; i < x.size(); i += 2) written.push_back({x[i], x[i + 1]});
    const WrittenValue result = ir::legalize::find_complex(operation)->expand(written, {written[0].part(), is_complex});
    return is_complex ? std::vector{result.re, result.im} : std::vector{result.re};
  });
}

ComplexValue complex_of(const std::vector<ir::Value>& parts) { return {parts[0], parts[1]}; }

ComplexValue divided(ComplexValue a, ComplexValue b) {
  return complex_of(expansion("weft.complex_divide", "stablehlo.divide", {a, b}));
}
ComplexValue exponential(ComplexValue z) {
  return complex_of(expansion("weft.complex_exponential", "stablehlo.exponential", {z}));
}
ComplexValue logarithm(ComplexValue z) { return complex_of(expansion("weft.complex_log", "stablehlo.log", {z})); }
ComplexValue square_root(ComplexValue z) { return complex_of(expansion("weft.complex_sqrt", "stablehlo.sqrt", {z})); }

using Unary = ComplexValue (*)(ComplexValue);
using Binary = ComplexValue (*)(ComplexValue, ComplexValue);

Complex unary(const char* function, const ComplexOperand& z, Unary build) {
  Frame frame(function, z.real());
  return wrapped(frame, build(whole(frame, z)));
}

template <class A, class B>
Complex binary(const char* function, const A& a, const B& b, Binary build) {
  Frame frame(function, real_part(a));
  const ComplexValue x = whole(frame, a), y = whole(frame, b);
  const auto [a_re, b_re] = detail::matched(frame, frame.tensor(x.re), frame.tensor(y.re));
  const auto [a_im, b_im] = detail::matched(frame, frame.tensor(x.im), frame.tensor(y.im));
  return wrapped(frame, build({a_re, a_im}, {b_re, b_im}));
}

ComplexValue sum_of(ComplexValue a, ComplexValue b) { return {a.re + b.re, a.im + b.im}; }
ComplexValue difference_of(ComplexValue a, ComplexValue b) { return {a.re - b.re, a.im - b.im}; }

}  // namespace

Complex complex(const Operand& real, const Operand& imag) {
  Frame frame("complex", real);
  return wrapped(frame, whole(frame, real, imag));
}

Complex polar(const Operand& absolute, const Operand& angle) {
  Frame frame("polar", absolute);
  return wrapped(frame, whole(frame, absolute * cos(angle), absolute * sin(angle)));
}

#define WEFT_COMPLEX_OPERATOR(symbol, name, build)                                                         \
  Complex operator symbol(const ComplexOperand& a, const ComplexOperand& b) {                              \
    return binary(name, a, b, build);                                                                      \
  } /* NOLINT */                                                                                           \
  Complex operator symbol(const ComplexOperand& a, const Operand& b) { return binary(name, a, b, build); } \
  Complex operator symbol(const Operand& a, const ComplexOperand& b) { return binary(name, a, b, build); }
WEFT_COMPLEX_OPERATOR(+, "add", sum_of)
WEFT_COMPLEX_OPERATOR(-, "subtract", difference_of)
WEFT_COMPLEX_OPERATOR(*, "multiply", ir::complex_multiply)
WEFT_COMPLEX_OPERATOR(/, "divide", divided)
#undef WEFT_COMPLEX_OPERATOR

Complex operator-(const ComplexOperand& z) {
  return unary("negate", z, [](ComplexValue x) -> ComplexValue { return {-x.re, -x.im}; });
}
Complex conj(const ComplexOperand& z) {
  return unary("conj", z, [](ComplexValue x) -> ComplexValue { return {x.re, -x.im}; });
}
Complex exp(const ComplexOperand& z) { return unary("exp", z, exponential); }
Complex log(const ComplexOperand& z) { return unary("log", z, logarithm); }
Complex sqrt(const ComplexOperand& z) { return unary("sqrt", z, square_root); }

Tensor abs(const ComplexOperand& z) {
  Frame frame("abs", z.real());
  return frame.tensor(expansion("weft.complex_abs", "stablehlo.abs", {whole(frame, z)}, false)[0]);
}

Tensor angle(const ComplexOperand& z) {
  Frame frame("angle", z.real());
  const ComplexValue x = whole(frame, z);
  return frame.tensor(ir::atan2(x.im, x.re));
}

Complex matmul(const ComplexOperand& a, const ComplexOperand& b) {
  Frame frame("matmul", a.real());
  const Tensor re = matmul(a.real(), b.real()) - matmul(a.imag(), b.imag()),
               im = matmul(a.real(), b.imag()) + matmul(a.imag(), b.real());
  return wrapped(frame, whole(frame, re, im));
}

}  // namespace weft
