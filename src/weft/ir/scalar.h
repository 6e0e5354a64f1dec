// The meaning of elementwise ops, written once against ScalarBuilder. There are two builders: the interpreter's computes, the
// code generator's emits instructions.
//
// Integers wrap. Floating-point operations follow IEEE; f16 and bf16 are computed in a wider type and rounded after every
// operation. maximum and minimum propagate NaN. Shifts by the width or more give 0 (or the sign). Integer division by zero gives
// -1 and the remainder gives the dividend; the most negative number divided by -1 gives itself (StableHLO leaves these cases
// open; these are XLA's choices).
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>

#include <weft/base/dtype.h>
#include <weft/ir/attributes.h>

namespace weft::ir {

// A value of a builder; only the builder interprets `id`.
struct Scalar {
  std::uintptr_t id = 0;
  DType dtype = DType::f32;
};

enum class Prim : std::uint8_t {
  // floats and integers
  add,
  subtract,
  multiply,
  divide,
  remainder,
  negate,
  absolute,
  minimum,
  maximum,
  // integers and booleans
  bit_and,
  bit_or,
  bit_xor,
  bit_not,
  shift_left,
  shift_right_logical,
  shift_right_arithmetic,
  popcount,
  count_leading_zeros,
  // floats
  sqrt,
  rsqrt,
  cbrt,
  floor,
  ceil,
  round_half_even,
  round_half_away,
  exp,
  expm1,
  log,
  log1p,
  sin,
  cos,
  tan,
  tanh,
  logistic,
  erf,
  pow,
  atan2,
};

// Returns whether every implementation gives the same result. This holds for the operations that IEEE 754 requires to be
// correctly rounded, and for all operations on integers and booleans.
constexpr bool is_exactly_rounded(Prim prim) {
  switch (prim) {
    case Prim::rsqrt:
    case Prim::cbrt:
    case Prim::exp:
    case Prim::expm1:
    case Prim::log:
    case Prim::log1p:
    case Prim::sin:
    case Prim::cos:
    case Prim::tan:
    case Prim::tanh:
    case Prim::logistic:
    case Prim::erf:
    case Prim::pow:
    case Prim::atan2: return false;
    default: return true;
  }
}

class ScalarBuilder {
 public:
  virtual ~ScalarBuilder() = default;
  virtual Scalar constant(DType dtype, double value) = 0;  // integers up to 2^53
  // all operands have one dtype, which the result has too
  virtual Scalar apply(Prim prim, std::initializer_list<Scalar> operands) = 0;
  virtual Scalar compare(Direction direction, Scalar a, Scalar b) = 0;  // floats: IEEE; NE is true for NaN
  virtual Scalar select(Scalar predicate, Scalar on_true, Scalar on_false) = 0;
  virtual Scalar convert(Scalar value,
                         // float to integer: rounds towards zero, saturates, NaN gives 0; to boolean: != 0
                         DType dtype) = 0;
  virtual Scalar bitcast(Scalar value, DType dtype) = 0;  // to a dtype of the same width

  Scalar add(Scalar a, Scalar b) { return apply(Prim::add, {a, b}); }
  Scalar subtract(Scalar a, Scalar b) { return apply(Prim::subtract, {a, b}); }
  Scalar multiply(Scalar a, Scalar b) { return apply(Prim::multiply, {a, b}); }
  Scalar divide(Scalar a, Scalar b) { return apply(Prim::divide, {a, b}); }
  Scalar like(Scalar model, double value) { return constant(model.dtype, value); }
};

}  // namespace weft::ir
