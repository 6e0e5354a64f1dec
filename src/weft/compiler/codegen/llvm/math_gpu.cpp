// Forms that use a GPU's instructions for f32, which are faster and less accurate than the shared ones.
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

#include <weft/compiler/codegen/llvm/math_emitter.h>

namespace weft::compiler {

using llvm::Value;

namespace {

constexpr double log2_of_e = 1.44269504088896341, ln2 = 0.69314718055994531;

}  // namespace

Real MathEmitter::gpu_instruction(Real x, const std::function<Value*(Value*)>& emit) {
  auto* const vector = llvm::dyn_cast<llvm::FixedVectorType>(type_);
  if (!vector) return value(emit(x.v));
  Value* result = llvm::PoisonValue::get(type_);
  for (unsigned lane = 0; lane < vector->getNumElements(); ++lane)
    result = b_.CreateInsertElement(result, emit(b_.CreateExtractElement(x.v, lane)), lane);
  return value(result);
}

Real MathEmitter::gpu_instruction(llvm::Intrinsic::ID id, Real x) {
  return gpu_instruction(x, [&](Value* lane) -> Value* { return b_.CreateIntrinsic(id, {}, {lane}); });
}

// exp(factor x) = 2^t with t = factor x / ln2, where the rounding of t makes an error that grows with |t|, up to 64 ULP. Results below 2^-126
// become 0.
Real MathEmitter::gpu_quick_exp(Real x, double factor) {
  return gpu_instruction(llvm::Intrinsic::nvvm_ex2_approx_ftz_f, x * (factor * log2_of_e));
}

// 2^t times exp of what the rounding of t lost: 2^t (1 + x - t ln2). The limits keep infinities out of x - t ln2; the upper one is the
// first number whose result is infinite.
Real MathEmitter::gpu_exp(Real x) {
  if (accuracy_ != Accuracy::f32) return gpu_quick_exp(x);
  const auto limit = [&](llvm::Intrinsic::ID id, Real v, double bound) {
    return value(b_.CreateBinaryIntrinsic(id, v.v, v.like(bound).v));  // NaN stays NaN
  };
  const Real limited = limit(llvm::Intrinsic::minimum, limit(llvm::Intrinsic::maximum, x, -105), 0x1.62e430p+6);
  const Real t = limited * log2_of_e;
  constexpr double ln2_high = 0x1.62e43p-1;
  const Real lost = fma(t, -(ln2 - ln2_high), fma(t, -ln2_high, limited));
  const Real power = gpu_instruction(llvm::Intrinsic::nvvm_ex2_approx_ftz_f, t);
  return fma(power, lost, power);
}

// The instruction's error near 1 is 2^-22, and the smallest logarithm of a bf16 other than 0 is 2^-9.
Real MathEmitter::gpu_log(Real x) { return gpu_instruction(llvm::Intrinsic::nvvm_lg2_approx_f, x) * ln2; }

// Has 11 correct bits.
Real MathEmitter::gpu_tanh(Real x) {
  return gpu_instruction(x, [&](Value* lane) -> Value* {
    auto* const type = llvm::FunctionType::get(b_.getFloatTy(), {b_.getFloatTy()}, false);
    return b_.CreateCall(llvm::InlineAsm::get(type, "tanh.approx.f32 $0, $1;", "=f,f", false), {lane});
  });
}

// Gives 0 instead of subnormal numbers, for x beyond 2^126.
Real MathEmitter::gpu_reciprocal(Real x) { return gpu_instruction(llvm::Intrinsic::nvvm_rcp_approx_ftz_f, x); }

// At most 3 ULP.
Real MathEmitter::rsqrt(Real x) {
  if (accuracy_ == Accuracy::same_bits) return 1.0 / unary(llvm::Intrinsic::sqrt, x);
  return gpu_instruction(llvm::Intrinsic::nvvm_rsqrt_approx_f, x);
}

}  // namespace weft::compiler
