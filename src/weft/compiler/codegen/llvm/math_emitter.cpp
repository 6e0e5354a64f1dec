#include <weft/compiler/codegen/llvm/math_emitter.h>

#include <limits>

#include <llvm/IR/IntrinsicsX86.h>

namespace weft::compiler {

using llvm::Value;

// Fused multiply-adds are written out in the functions, so that the bits do not depend on the builder's flags.
MathEmitter::MathEmitter(Builder& builder, llvm::Type* type, const Target& target, Accuracy accuracy)
    : b_(builder),
      type_(type),
      target_(target),
      accuracy_(accuracy),
      wide_(type->getScalarType()->isDoubleTy()),
      saved_(builder.getFastMathFlags()) {
  b_.setFastMathFlags(llvm::FastMathFlags());
}

MathEmitter::~MathEmitter() { b_.setFastMathFlags(saved_); }

Real MathEmitter::not_a_number() { return number(std::numeric_limits<double>::quiet_NaN()); }
Real MathEmitter::infinity() { return number(std::numeric_limits<double>::infinity()); }

Real MathEmitter::polynomial(Real x, std::initializer_list<double> coefficients) {
  Real sum = number(*coefficients.begin());
  for (const double* c = coefficients.begin() + 1; c != coefficients.end(); ++c) sum = fma(sum, x, number(*c));
  return sum;
}

// Adds and subtracts a number whose last bit has the value 1. Its bits then hold the integer too, and NaN needs no care.
MathEmitter::Rounded MathEmitter::nearest_integer(Real x, double factor) {
  const double shift = pick(0x1.8p23, 0x1.8p52);
  const Real shifted = fma(x, factor, number(shift));
  return {shifted - shift, bits_of(shifted) - bits_of(number(shift))};
}

Real MathEmitter::power_of_two(Whole n) { return with_bits((n + (wide_ ? 1023 : 127)) << (wide_ ? 52 : 23)); }

Real MathEmitter::times_power_of_two(Real x, Whole n) {
  const Whole half = arithmetic_shift(n, 1);
  return x * power_of_two(half) * power_of_two(n - half);
}

// Whether one instruction computes x 2^n with a single rounding, as the two factors do; NaN stays NaN.
bool MathEmitter::scales_in_one_instruction() const {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type_);
  return vector && vector->getNumElements() == (wide_ ? 8 : 16) && target_.has_vector_scale;
}

Real MathEmitter::scale(Real x, Real n) {
  constexpr int current_rounding = 4;
  Value* const every_lane = wide_ ? b_.getInt8(0xff) : b_.getInt16(0xffff);
  return value(b_.CreateIntrinsic(
      wide_ ? llvm::Intrinsic::x86_avx512_mask_scalef_pd_512 : llvm::Intrinsic::x86_avx512_mask_scalef_ps_512, {},
      {x.v, n.v, x.v, every_lane, b_.getInt32(current_rounding)}));
}

Real MathEmitter::with_sign_flipped(Real x, Whole sign_bit) {
  const Whole bits = bits_of(x);
  return with_bits(bits ^ (sign_bit & (std::int64_t{1} << (wide_ ? 63 : 31))));
}

Value* MathEmitter::any(Truth condition) {
  return condition.v->getType()->isVectorTy() ? b_.CreateOrReduce(condition.v) : condition.v;
}

std::vector<Value*> MathEmitter::rarely(Truth condition, std::vector<Value*> fast,
                                        const std::function<std::vector<Value*>()>& slow) {
  llvm::BasicBlock* const before = b_.GetInsertBlock();
  llvm::Function* const function = before->getParent();
  auto* const needed = llvm::BasicBlock::Create(b_.getContext(), "slow", function);
  auto* const after = llvm::BasicBlock::Create(b_.getContext(), "after", function);
  b_.CreateCondBr(any(condition), needed, after);
  b_.SetInsertPoint(needed);
  std::vector<Value*> chosen = slow();
  for (std::size_t i = 0; i < fast.size(); ++i) chosen[i] = b_.CreateSelect(condition.v, chosen[i], fast[i]);
  llvm::BasicBlock* const end = b_.GetInsertBlock();
  b_.CreateBr(after);
  b_.SetInsertPoint(after);
  for (std::size_t i = 0; i < fast.size(); ++i) {
    auto* const phi = b_.CreatePHI(fast[i]->getType(), 2);
    phi->addIncoming(fast[i], before);
    phi->addIncoming(chosen[i], end);
    fast[i] = phi;
  }
  return fast;
}

std::vector<Value*> MathEmitter::repeat(std::vector<Value*> values,
                                        const std::function<Truth(const std::vector<Value*>&)>& condition,
                                        const std::function<std::vector<Value*>(const std::vector<Value*>&)>& step) {
  llvm::BasicBlock* const before = b_.GetInsertBlock();
  llvm::Function* const function = before->getParent();
  auto* const head = llvm::BasicBlock::Create(b_.getContext(), "head", function);
  auto* const inside = llvm::BasicBlock::Create(b_.getContext(), "inside", function);
  auto* const after = llvm::BasicBlock::Create(b_.getContext(), "after", function);
  b_.CreateBr(head);
  b_.SetInsertPoint(head);
  for (Value*& v : values) {
    auto* const phi = b_.CreatePHI(v->getType(), 2);
    phi->addIncoming(v, before);
    v = phi;
  }
  b_.CreateCondBr(any(condition(values)), inside, after);
  b_.SetInsertPoint(inside);
  const std::vector<Value*> next = step(values);
  for (std::size_t i = 0; i < values.size(); ++i)
    llvm::cast<llvm::PHINode>(values[i])->addIncoming(next[i], b_.GetInsertBlock());
  b_.CreateBr(head);
  b_.SetInsertPoint(after);
  return values;
}

}  // namespace weft::compiler
