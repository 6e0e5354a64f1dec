// Elementary functions of f32 and f64 as inline code, for scalars and vectors of any width on every machine. All of them give the same bits
// for a number wherever it lies in a vector and whatever machine runs the code, because every rounding is written out.
#pragma once

#include <functional>
#include <initializer_list>
#include <vector>

#include <weft/compiler/codegen/llvm/formula.h>
#include <weft/compiler/options/target.h>

namespace weft::compiler {

// Says which code a function needs.
enum class Accuracy : std::uint8_t {
  same_bits,  // the same bits on every machine
  f32,        // a GPU's own instructions, within 6 units in the last place of f32
  of_16_bits,  // the same, and exp and tanh may add errors far below those that rounding their operands to 16 bits has made
  bf16,        // the same, for results that are rounded to bf16
};

// The errors named in the sources are the largest seen in samples of all magnitudes, in units in the last place of f32 and f64.
class MathEmitter {
 public:
  // Emits at the builder's position, for values of this type. Accuracies other than same_bits are for f32 on GPUs.
  MathEmitter(Builder& builder, llvm::Type* type, const Target& target, Accuracy accuracy = Accuracy::same_bits);
  ~MathEmitter();
  MathEmitter(const MathEmitter&) = delete;
  MathEmitter& operator=(const MathEmitter&) = delete;

  Real value(llvm::Value* v) { return {&b_, v}; }

  // math_exponential.cpp
  Real exp(Real x);
  Real exp_without_extremes(
      Real x);  // for x < 88, for f64 x < 709; a result near the smallest normal number or below is 0
  Real expm1(Real x);
  Real tanh(Real x);
  Real logistic(Real x);
  Real erf(Real x);

  // math_logarithm.cpp
  Real log(Real x);
  Real log1p(Real x);
  Real pow(Real x, Real y);

  // math_gpu.cpp
  Real rsqrt(Real x);

  // math_trigonometric.cpp
  Real sin(Real x);
  Real cos(Real x);
  Real tan(Real x);
  Real atan2(Real y, Real x);

  // math_root.cpp
  Real cbrt(Real x);
  Real remainder(Real x, Real y);  // exact; has the sign of x, as fmod

 private:
  // A sum whose second part is below the rounding error of the first.
  struct Pair {
    Real high, low;
  };
  // x = m 2^exponent with m in [sqrt(1/2), sqrt(2)), for positive finite x.
  struct Split {
    Real m, exponent;
  };
  // x = quarters pi/2 + rest with |rest| <= pi/4; the integer is known up to multiples of 4.
  struct Angle {
    Real rest;
    Whole quarters;
  };
  struct Rounded {
    Real number;
    Whole integer;
  };

  double pick(double single, double wide) const { return wide_ ? wide : single; }
  Real number(double value) { return {&b_, llvm::ConstantFP::get(type_, value)}; }
  Real not_a_number();
  Real infinity();
  // Horner's scheme, highest coefficient first.
  Real polynomial(Real x, std::initializer_list<double> coefficients);
  Real polynomial(Real x, std::initializer_list<double> single, std::initializer_list<double> wide) {
    return polynomial(x, wide_ ? wide : single);
  }
  // Rounds x * factor to the nearest integer; |x * factor| < 2^22.
  Rounded nearest_integer(Real x, double factor);
  Real power_of_two(Whole n);                // for normal results
  Real times_power_of_two(Real x, Whole n);  // rounds once, although n may be too large or too small for one factor
  bool scales_in_one_instruction() const;
  Real scale(Real x, Real n);
  Real with_sign_flipped(Real x, Whole sign_bit);  // by the highest bit

  // Replaces `fast`, for lanes with this condition, by what `slow` emits; other lanes skip that code if no lane needs it.
  std::vector<llvm::Value*> rarely(Truth condition, std::vector<llvm::Value*> fast,
                                   const std::function<std::vector<llvm::Value*>()>& slow);
  llvm::Value* any(Truth condition);
  // Emits: while (any lane has condition(values)) values = step(values).
  std::vector<llvm::Value*> repeat(
      std::vector<llvm::Value*> values, const std::function<Truth(const std::vector<llvm::Value*>&)>& condition,
      const std::function<std::vector<llvm::Value*>(const std::vector<llvm::Value*>&)>& step);

  // math_gpu.cpp
  Real gpu_instruction(Real x, const std::function<llvm::Value*(llvm::Value*)>& emit);  // of each lane
  Real gpu_instruction(llvm::Intrinsic::ID id, Real x);
  Real gpu_exp(Real x);
  Real gpu_quick_exp(Real x, double factor = 1);
  Real gpu_log(Real x);
  Real gpu_tanh(Real x);
  Real gpu_reciprocal(Real x);

  Real below_1_exp(Real r);  // exp(r) - 1 for |r| <= ln2 / 2
  Real exp_of(Pair x);
  Split split(Real x);
  Real log_of(Real f, Real exponent);  // log((1 + f) 2^exponent)
  Pair precise_log(Real x);
  Angle reduce(Real x);        // x >= 0
  Angle reduce_large(Real x);  // for any finite f64 from 2^16 on
  Whole words_of_two_over_pi(Whole first);
  Real sine(Real r);
  Real cosine(Real r);
  Real sine_of_quarters(Real x, Whole flip, int more);

  Builder& b_;
  llvm::Type* type_;
  const Target& target_;
  const Accuracy accuracy_;
  const bool wide_;
  llvm::FastMathFlags saved_;
};

}  // namespace weft::compiler
