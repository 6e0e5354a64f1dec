// Complex tensors as two real ones, of one shape and dtype (docs/design/complex.md). A Complex may be an argument and a result of compiled
// functions. Gradients are those of its two parts: for a real loss of z, the gradient of z.real and that of z.imag.
#pragma once

#include <source_location>

#include <weft/tensor/operand.h>
#include <weft/tensor/tensor.h>

namespace weft {

struct Complex {
  Tensor real, imag;
  void fields(auto&& field) {
    field("real", real);
    field("imag", imag);
  }
};

// A complex operand of a function, with the place of the call.
class ComplexOperand {
 public:
  using Where = std::source_location;
  ComplexOperand(const Complex& z, Where where = Where::current())
      : real_(z.real, where), imag_(z.imag, where) {}  // NOLINT
  ComplexOperand(const Tensor& real, const Tensor& imag, Where where = Where::current())
      : real_(real, where), imag_(imag, where) {}

  const Operand& real() const { return real_; }
  const Operand& imag() const { return imag_; }

 private:
  Operand real_, imag_;
};

// Makes a complex tensor of its parts, which broadcast; integers and 16-bit floats become f32.
Complex complex(const Operand& real, const Operand& imag);
// From absolute value and angle.
Complex polar(const Operand& absolute, const Operand& angle);

// The operands broadcast, and a real operand is a complex number without an imaginary part.
Complex operator+(const ComplexOperand& a, const ComplexOperand& b);
Complex operator-(const ComplexOperand& a, const ComplexOperand& b);
Complex operator*(const ComplexOperand& a, const ComplexOperand& b);
Complex operator/(const ComplexOperand& a, const ComplexOperand& b);
Complex operator+(const ComplexOperand& a, const Operand& b);
Complex operator-(const ComplexOperand& a, const Operand& b);
Complex operator*(const ComplexOperand& a, const Operand& b);
Complex operator/(const ComplexOperand& a, const Operand& b);
Complex operator+(const Operand& a, const ComplexOperand& b);
Complex operator-(const Operand& a, const ComplexOperand& b);
Complex operator*(const Operand& a, const ComplexOperand& b);
Complex operator/(const Operand& a, const ComplexOperand& b);
Complex operator-(const ComplexOperand& z);

Complex conj(const ComplexOperand& z);
Tensor abs(const ComplexOperand& z);    // without overflow
Tensor angle(const ComplexOperand& z);  // in [-pi, pi]
Complex exp(const ComplexOperand& z);
Complex log(const ComplexOperand& z);
Complex sqrt(const ComplexOperand& z);

// Matrix products, as matmul of real tensors.
Complex matmul(const ComplexOperand& a, const ComplexOperand& b);

}  // namespace weft
