#include <weft/compiler/codegen/llvm/scalar_emitter.h>

#include <cmath>
#include <cstdint>
#include <cstring>

#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsX86.h>

#include <weft/compiler/loop/kernel_source.h>

namespace weft::compiler {

using ir::Prim;
using ir::Scalar;
using llvm::Value;
using llvm::Intrinsic::ID;

llvm::Type* ScalarEmitter::widen(llvm::Type* element) const {
  return lanes_ == 1 ? element : llvm::FixedVectorType::get(element, lanes_);
}

llvm::Type* ScalarEmitter::compute_type(DType dtype) const {
  switch (dtype) {
    case DType::boolean: return widen(b_.getInt1Ty());
    case DType::f16:
    case DType::bf16:
    case DType::f32: return widen(b_.getFloatTy());
    case DType::f64: return widen(b_.getDoubleTy());
    default: return widen(b_.getIntNTy(8 * byte_size(dtype)));
  }
}

llvm::Type* ScalarEmitter::memory_type(DType dtype) const {
  switch (dtype) {
    case DType::boolean: return widen(b_.getInt8Ty());
    case DType::f16: return widen(b_.getHalfTy());
    case DType::bf16: return widen(b_.getInt16Ty());
    default: return compute_type(dtype);
  }
}

Value* ScalarEmitter::from_memory(Value* stored, DType dtype) {
  switch (dtype) {
    case DType::boolean: return b_.CreateICmpNE(stored, llvm::Constant::getNullValue(stored->getType()));
    case DType::f16: return b_.CreateFPExt(stored, compute_type(dtype));
    case DType::bf16:
      if (target_.is_nvidia())
        return lanes_ % 2 == 0 ? widened_pairs(stored)
                               : b_.CreateFPExt(b_.CreateBitCast(stored, widen(b_.getBFloatTy())), compute_type(dtype));
      return b_.CreateBitCast(b_.CreateShl(b_.CreateZExt(stored, widen(b_.getInt32Ty())), 16), compute_type(dtype));
    default: return stored;
  }
}

// Widens two bf16 at once: a GPU's registers have 32 bits, so one instruction makes a float of either half.
Value* ScalarEmitter::widened_pairs(Value* stored) {
  const unsigned pairs = static_cast<unsigned>(lanes_) / 2;
  auto* const words = llvm::FixedVectorType::get(b_.getInt32Ty(), pairs);
  auto* const floats = llvm::FixedVectorType::get(b_.getFloatTy(), pairs);
  Value* both = b_.CreateBitCast(stored, words);
  Value* low = b_.CreateBitCast(b_.CreateShl(both, 16), floats);
  Value* high = b_.CreateBitCast(b_.CreateAnd(both, llvm::ConstantInt::get(words, 0xffff0000u)), floats);
  llvm::SmallVector<int, 16> in_turns;
  for (unsigned i = 0; i < pairs; ++i) in_turns.append({static_cast<int>(i), static_cast<int>(pairs + i)});
  return b_.CreateShuffleVector(low, high, in_turns);
}

Value* ScalarEmitter::to_memory(Value* computed, DType dtype) {
  switch (dtype) {
    case DType::boolean: return b_.CreateZExt(computed, memory_type(dtype));
    case DType::f16: return b_.CreateFPTrunc(computed, memory_type(dtype));
    case DType::bf16:
      if (target_.is_nvidia())
        return b_.CreateBitCast(b_.CreateFPTrunc(computed, widen(b_.getBFloatTy())), memory_type(dtype));
      if (rounds_at_stores()) computed = round(computed, dtype);
      return b_.CreateTrunc(b_.CreateLShr(b_.CreateBitCast(computed, widen(b_.getInt32Ty())), 16), memory_type(dtype));
    default: return computed;
  }
}

// Rounds f32 to the nearest value of f16 or bf16, ties to even. Does not use the instruction for bf16, which treats numbers below 2^-126 as
// zero. `nan_is_rounded` says that a NaN, if the value is one, can be represented as it is.
Value* ScalarEmitter::round(Value* value, DType dtype, bool nan_is_rounded) {
  if (dtype == DType::f16) return b_.CreateFPExt(b_.CreateFPTrunc(value, widen(b_.getHalfTy())), compute_type(dtype));
  if (dtype != DType::bf16) return value;
  if (target_.is_nvidia()) return b_.CreateFPExt(b_.CreateFPTrunc(value, widen(b_.getBFloatTy())), compute_type(dtype));
  llvm::Type* integer = widen(b_.getInt32Ty());
  Value* bits = b_.CreateBitCast(value, integer);
  const auto constant = [&](std::uint32_t all) { return llvm::ConstantInt::get(integer, all); };
  // Adds 0x7fff, or 0x8000 to odd numbers, by subtracting the negative, whose bits two logical operations make: with AVX-512, they are one.
  Value* even = b_.CreateAnd(b_.CreateNot(b_.CreateLShr(bits, 16)), constant(1));
  Value* rounded = b_.CreateSub(bits, b_.CreateOr(even, constant(0xffff8000u)));
  Value* quiet = b_.CreateOr(bits, constant(0x400000));
  Value* kept = nan_is_rounded ? rounded : b_.CreateSelect(b_.CreateFCmpUNO(value, value), quiet, rounded);
  return b_.CreateBitCast(b_.CreateAnd(kept, constant(0xffff0000u)), compute_type(dtype));
}

// On a GPU, extends each lane on its own: LLVM 19 joins the extension of a vector with its load to an instruction that does not exist.
Value* ScalarEmitter::widened(Value* value) {
  llvm::Type* type = compute_type(DType::f64);
  if (!target_.is_gpu || lanes_ == 1) return b_.CreateFPExt(value, type);
  Value* result = llvm::PoisonValue::get(type);
  for (int lane = 0; lane < lanes_; ++lane)
    result =
        b_.CreateInsertElement(result, b_.CreateFPExt(b_.CreateExtractElement(value, lane), b_.getDoubleTy()), lane);
  return result;
}

Value* ScalarEmitter::narrow_to_odd(Value* value) {
  llvm::Type* integer = widen(b_.getInt32Ty());
  Value* narrow = b_.CreateFPTrunc(value, widen(b_.getFloatTy()));
  Value* back = widened(narrow);
  Value* bits = b_.CreateBitCast(narrow, integer);
  Value* one = llvm::ConstantInt::get(integer, 1);
  Value* away = b_.CreateFCmpOGT(b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, back),
                                 b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, value));
  Value* odd = b_.CreateOr(b_.CreateSelect(away, b_.CreateSub(bits, one), bits), one);
  return b_.CreateBitCast(b_.CreateSelect(b_.CreateFCmpONE(back, value), odd, bits), widen(b_.getFloatTy()));
}

Scalar ScalarEmitter::constant_bits(DType dtype, std::uint64_t bits) {
  return visit(dtype, [&](auto tag) {
    decltype(tag) value;
    std::memcpy(static_cast<void*>(&value), &bits, sizeof(value));
    if constexpr (std::is_integral_v<decltype(tag)>) {
      return to_scalar(llvm::ConstantInt::get(compute_type(dtype), value), dtype);
    } else {
      return constant(dtype, value);
    }
  });
}

Scalar ScalarEmitter::constant(DType dtype, double value) {
  llvm::Type* type = compute_type(dtype);
  if (dtype == DType::f16) value = float16(value);
  if (dtype == DType::bf16) value = bfloat16(value);
  if (is_float(dtype)) return to_scalar(llvm::ConstantFP::get(type, value), dtype);
  if (dtype == DType::boolean) return to_scalar(llvm::ConstantInt::get(type, value != 0), dtype);
  return to_scalar(llvm::ConstantInt::get(type, value < 0 ? static_cast<std::uint64_t>(static_cast<std::int64_t>(value))
                                                          : static_cast<std::uint64_t>(value)),
                   dtype);
}

namespace {

// Returns whether a small difference of an operand can make a large one of the result.
bool has_steps(Prim prim) {
  return prim == Prim::floor || prim == Prim::ceil || prim == Prim::round_half_even || prim == Prim::round_half_away ||
         prim == Prim::remainder;
}

// Returns whether the result is exact in the operands' format: one of them, except for its sign, an integer next to one, or a remainder.
bool needs_no_rounding(Prim prim) {
  return has_steps(prim) || prim == Prim::negate || prim == Prim::absolute || prim == Prim::maximum ||
         prim == Prim::minimum;
}

// Returns whether a CPU computes by one instruction, which gives one of the operands' NaNs or the default NaN, whose last 16 bits are 0.
bool is_arithmetic(Prim prim) {
  return prim == Prim::add || prim == Prim::subtract || prim == Prim::multiply || prim == Prim::divide;
}

}  // namespace

Value* ScalarEmitter::rounded(Scalar x) {
  return rounds_at_stores() && is_float(x.dtype) ? round(llvm_value(x), x.dtype) : llvm_value(x);
}

Scalar ScalarEmitter::apply(Prim prim, std::initializer_list<Scalar> operands) {
  const DType dtype = operands.begin()->dtype;
  Value* x[3] = {};
  std::size_t n = 0;
  for (const Scalar s : operands) x[n++] = has_steps(prim) ? rounded(s) : llvm_value(s);
  const std::span<Value* const> values(x, n);
  if (!is_float(dtype)) return to_scalar(integer_prim(prim, values, dtype), dtype);
  Value* const result = float_prim(prim, values, dtype);
  const bool is_rounded = rounds_at_stores() || (!target_.is_gpu && needs_no_rounding(prim));
  return to_scalar(is_rounded ? result : round(result, dtype, !target_.is_gpu && is_arithmetic(prim)), dtype);
}

// Does not use LLVM's maximum and minimum: LLVM 19 narrows them to f16 for widened operands and then returns 0 for NaN and 0.
Value* ScalarEmitter::extremum(Value* x, Value* y, bool maximum) {
  llvm::Type *type = x->getType(), *integer = b_.getIntNTy(type->getScalarSizeInBits());
  if (target_.is_nvidia() && type->getScalarType()->isFloatTy())
    return b_.CreateBinaryIntrinsic(maximum ? llvm::Intrinsic::maximum : llvm::Intrinsic::minimum, x, y);
  if (lanes_ == 16 && type->getScalarType()->isFloatTy() && target_.has_vector_range) {
    constexpr std::uint32_t greatest = 0b0101, least = 0b0100, current_rounding = 4;
    constexpr std::uint16_t every_lane = 0xffff;
    Value* chosen = b_.CreateIntrinsic(
        llvm::Intrinsic::x86_avx512_mask_range_ps_512, {},
        {x, y, b_.getInt32(maximum ? greatest : least), y, b_.getInt16(every_lane), b_.getInt32(current_rounding)});
    return b_.CreateSelect(b_.CreateFCmpUNO(x, y), b_.CreateFAdd(x, y), chosen);
  }
  if (type->isVectorTy()) integer = widen(integer);
  Value *a = b_.CreateBitCast(x, integer), *b = b_.CreateBitCast(y, integer);
  // For equal zeros of different sign: +0 or -0.
  Value* equal = b_.CreateBitCast(maximum ? b_.CreateAnd(a, b) : b_.CreateOr(a, b), type);
  Value* chosen = b_.CreateSelect(maximum ? b_.CreateFCmpOGT(x, y) : b_.CreateFCmpOLT(x, y), x, y);  // y if it is NaN
  chosen = b_.CreateSelect(b_.CreateFCmpOEQ(x, y), equal, chosen);
  return b_.CreateSelect(b_.CreateFCmpUNO(x, x), x, chosen);
}

namespace {

// Returns x if it is a product of product(), otherwise null.
llvm::Instruction* as_product(Value* x) {
  auto* const made = llvm::dyn_cast<llvm::Instruction>(x);
  return made && made->getOpcode() == llvm::Instruction::FMul && made->hasAllowContract() ? made : nullptr;
}

}  // namespace

Value* ScalarEmitter::product(Value* x, Value* y) {
  Value* const result = b_.CreateFMul(x, y);
  if (auto* const made = llvm::dyn_cast<llvm::Instruction>(result)) made->setHasAllowContract(contract_);
  return result;
}

void ScalarEmitter::keep_rounding(Value* x) {
  if (auto* const made = as_product(x)) made->setHasAllowContract(false);
}

Value* ScalarEmitter::add_product(Value* x, Value* product) {
  const auto* const made = llvm::dyn_cast<llvm::Instruction>(product);
  if (!contract_ || !made || made->getOpcode() != llvm::Instruction::FMul) return b_.CreateFAdd(x, product);
  return multiply_add(made->getOperand(0), made->getOperand(1), x);
}

Value* ScalarEmitter::multiply_add(Value* x, Value* y, Value* z) {
  return b_.CreateIntrinsic(llvm::Intrinsic::fmuladd, {x->getType()}, {x, y, z});
}

Value* ScalarEmitter::sum(Value* x, Value* y) {
  if (as_product(x) && as_product(y)) return b_.CreateFAdd(x, y);
  if (auto* const p = as_product(x)) return multiply_add(p->getOperand(0), p->getOperand(1), y);
  if (auto* const p = as_product(y)) return multiply_add(p->getOperand(0), p->getOperand(1), x);
  return b_.CreateFAdd(x, y);
}

Value* ScalarEmitter::difference(Value* x, Value* y) {
  if (as_product(x) && as_product(y)) return b_.CreateFSub(x, y);
  if (auto* const p = as_product(x)) return multiply_add(p->getOperand(0), p->getOperand(1), b_.CreateFNeg(y));
  if (auto* const p = as_product(y)) return multiply_add(b_.CreateFNeg(p->getOperand(0)), p->getOperand(1), x);
  return b_.CreateFSub(x, y);
}

Value* ScalarEmitter::float_prim(Prim prim, std::span<Value* const> x, DType dtype) {
  switch (prim) {
    case Prim::add: return sum(x[0], x[1]);
    case Prim::subtract: return difference(x[0], x[1]);
    case Prim::multiply: return product(x[0], x[1]);
    case Prim::divide: return b_.CreateFDiv(x[0], x[1]);
    case Prim::negate:
      if (auto* const p = as_product(x[0])) return product(b_.CreateFNeg(p->getOperand(0)), p->getOperand(1));
      return b_.CreateFNeg(x[0]);
    case Prim::absolute: return b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x[0]);
    case Prim::minimum:
    case Prim::maximum: return extremum(x[0], x[1], prim == Prim::maximum);
    case Prim::sqrt: return b_.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, x[0]);
    case Prim::floor: return b_.CreateUnaryIntrinsic(llvm::Intrinsic::floor, x[0]);
    case Prim::ceil: return b_.CreateUnaryIntrinsic(llvm::Intrinsic::ceil, x[0]);
    case Prim::round_half_even: return b_.CreateUnaryIntrinsic(llvm::Intrinsic::rint, x[0]);
    case Prim::round_half_away: {
      // Computes trunc(x) plus the sign if the fraction is at least a half: exact, unlike trunc(x + 0.5).
      Value* whole = b_.CreateUnaryIntrinsic(llvm::Intrinsic::trunc, x[0]);
      Value* fraction = b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, b_.CreateFSub(x[0], whole));
      Value* sign =
          b_.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, llvm::ConstantFP::get(x[0]->getType(), 1.0), x[0]);
      Value* up = b_.CreateFCmpOGE(fraction, llvm::ConstantFP::get(x[0]->getType(), 0.5));
      return b_.CreateSelect(up, b_.CreateFAdd(whole, sign), whole);
    }
    default: return emit_math(b_, prim, x, dtype, !contract_, target_, is_of_16_bits_);
  }
}

Value* ScalarEmitter::integer_prim(Prim prim, std::span<Value* const> x, DType dtype) {
  llvm::Type* type = x[0]->getType();
  const bool is_signed = is_signed_integer(dtype);
  const unsigned width = type->getScalarSizeInBits();
  Value* zero = llvm::ConstantInt::get(type, 0);
  const auto in_range = [&] { return b_.CreateICmpULT(x[1], llvm::ConstantInt::get(type, width)); };
  const auto safe_shift = [&] { return b_.CreateSelect(in_range(), x[1], zero); };
  switch (prim) {
    case Prim::add: return b_.CreateAdd(x[0], x[1]);
    case Prim::subtract: return b_.CreateSub(x[0], x[1]);
    case Prim::multiply: return b_.CreateMul(x[0], x[1]);
    case Prim::divide:
    case Prim::remainder: {
      Value* one = llvm::ConstantInt::get(type, 1);
      Value* minus_one = llvm::ConstantInt::getSigned(type, -1);
      Value* by_zero = b_.CreateICmpEQ(x[1], zero);
      Value* by_minus_one = b_.CreateICmpEQ(x[1], minus_one);
      Value* special = is_signed ? b_.CreateOr(by_zero, by_minus_one) : by_zero;
      Value* divisor = b_.CreateSelect(special, one, x[1]);
      if (prim == Prim::divide) {
        Value* quotient = is_signed ? b_.CreateSDiv(x[0], divisor) : b_.CreateUDiv(x[0], divisor);
        if (is_signed) quotient = b_.CreateSelect(by_minus_one, b_.CreateNeg(x[0]), quotient);
        return b_.CreateSelect(by_zero, minus_one, quotient);
      }
      Value* rest = is_signed ? b_.CreateSRem(x[0], divisor) : b_.CreateURem(x[0], divisor);
      return b_.CreateSelect(by_zero, x[0], rest);  // a division by -1 computes the remainder by 1, which is also 0
    }
    case Prim::negate: return b_.CreateNeg(x[0]);
    case Prim::absolute: return is_signed ? b_.CreateBinaryIntrinsic(llvm::Intrinsic::abs, x[0], b_.getFalse()) : x[0];
    case Prim::minimum:
      return b_.CreateBinaryIntrinsic(is_signed ? llvm::Intrinsic::smin : llvm::Intrinsic::umin, x[0], x[1]);
    case Prim::maximum:
      return b_.CreateBinaryIntrinsic(is_signed ? llvm::Intrinsic::smax : llvm::Intrinsic::umax, x[0], x[1]);
    case Prim::bit_and: return b_.CreateAnd(x[0], x[1]);
    case Prim::bit_or: return b_.CreateOr(x[0], x[1]);
    case Prim::bit_xor: return b_.CreateXor(x[0], x[1]);
    case Prim::bit_not: return b_.CreateNot(x[0]);
    case Prim::shift_left: return b_.CreateSelect(in_range(), b_.CreateShl(x[0], safe_shift()), zero);
    case Prim::shift_right_logical: return b_.CreateSelect(in_range(), b_.CreateLShr(x[0], safe_shift()), zero);
    case Prim::shift_right_arithmetic:
      return b_.CreateAShr(x[0], b_.CreateSelect(in_range(), x[1], llvm::ConstantInt::get(type, width - 1)));
    case Prim::popcount: return b_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, x[0]);
    case Prim::count_leading_zeros: return b_.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, x[0], b_.getFalse());
    default: WEFT_ASSERT(false, "a floating-point function of integers"); return nullptr;
  }
}

Scalar ScalarEmitter::compare(ir::Direction direction, Scalar a, Scalar b) {
  using enum ir::Direction;
  using P = llvm::CmpInst::Predicate;
  const auto pick = [&](P f, P s, P u) { return is_float(a.dtype) ? f : is_signed_integer(a.dtype) ? s : u; };
  P predicate{};
  switch (direction) {
    case EQ: predicate = pick(P::FCMP_OEQ, P::ICMP_EQ, P::ICMP_EQ); break;
    case NE: predicate = pick(P::FCMP_UNE, P::ICMP_NE, P::ICMP_NE); break;
    case LT: predicate = pick(P::FCMP_OLT, P::ICMP_SLT, P::ICMP_ULT); break;
    case LE: predicate = pick(P::FCMP_OLE, P::ICMP_SLE, P::ICMP_ULE); break;
    case GT: predicate = pick(P::FCMP_OGT, P::ICMP_SGT, P::ICMP_UGT); break;
    case GE: predicate = pick(P::FCMP_OGE, P::ICMP_SGE, P::ICMP_UGE); break;
  }
  return to_scalar(b_.CreateCmp(predicate, rounded(a), rounded(b)), DType::boolean);
}

Scalar ScalarEmitter::select(Scalar predicate, Scalar on_true, Scalar on_false) {
  return to_scalar(b_.CreateSelect(llvm_value(predicate), llvm_value(on_true), llvm_value(on_false)), on_true.dtype);
}

Scalar ScalarEmitter::convert(Scalar x, DType dtype) {
  if (x.dtype == dtype) return x;
  const bool from_float = is_float(x.dtype), to_float = is_float(dtype);
  Value* value = to_float ? llvm_value(x) : rounded(x);
  llvm::Type* type = compute_type(dtype);
  if (dtype == DType::boolean) {
    Value* zero = llvm::Constant::getNullValue(value->getType());
    return to_scalar(from_float ? b_.CreateFCmpUNE(value, zero) : b_.CreateICmpNE(value, zero), dtype);
  }
  const bool half = dtype == DType::f16 || dtype == DType::bf16;
  if (from_float && to_float) {
    if (x.dtype == DType::f64)
      return to_scalar(half ? round(narrow_to_odd(value), dtype) : b_.CreateFPTrunc(value, type), dtype);
    return to_scalar(dtype == DType::f64 ? widened(value) : round(value, dtype), dtype);
  }
  const bool is_signed = is_signed_integer(x.dtype);
  if (to_float) {
    llvm::Type* wide = half ? widen(b_.getDoubleTy()) : type;  // integers up to 2^53 are exact in double
    Value* converted = is_signed ? b_.CreateSIToFP(value, wide) : b_.CreateUIToFP(value, wide);
    return to_scalar(half ? round(narrow_to_odd(converted), dtype) : converted, dtype);
  }
  if (from_float) return to_scalar(to_integer(value, dtype), dtype);
  return to_scalar(b_.CreateIntCast(value, type, is_signed), dtype);
}

// Numbers out of range become the nearest integer, NaN becomes 0.
Value* ScalarEmitter::to_integer(Value* value, DType dtype) {
  llvm::Type *type = compute_type(dtype), *from = value->getType();
  const bool is_signed = is_signed_integer(dtype);
  const unsigned bits = type->getScalarSizeInBits();
  if (target_.is_gpu || lanes_ == 1 || bits > 32)
    return b_.CreateIntrinsic(is_signed ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat, {type, from},
                              {value});
  // LLVM would convert the lanes of a vector one by one.
  const double least = is_signed ? -std::ldexp(1.0, static_cast<int>(bits) - 1) : 0.0,
               behind = std::ldexp(1.0, static_cast<int>(is_signed ? bits - 1 : bits));
  const bool is_rounded = bits == 32 && from->getScalarType()->isFloatTy();  // behind - 1 is not an f32
  Value* greatest = llvm::ConstantFP::get(from, is_rounded ? behind - behind * 0x1p-24 : behind - 1);
  Value* is_above = b_.CreateFCmpOGT(value, greatest);
  Value* number = b_.CreateSelect(is_above, greatest, value);
  Value* lowest = llvm::ConstantFP::get(from, least);
  number = b_.CreateSelect(b_.CreateFCmpOLT(number, lowest), lowest, number);
  number = b_.CreateSelect(b_.CreateFCmpORD(value, value), number, llvm::Constant::getNullValue(from));
  llvm::Type* wide = widen(b_.getInt32Ty());
  const bool fits_signed = is_signed || bits < 32;
  Value* result = fits_signed ? b_.CreateFPToSI(number, wide) : b_.CreateFPToUI(number, wide);
  if (is_rounded)
    result = b_.CreateSelect(is_above, llvm::ConstantInt::get(wide, static_cast<std::uint64_t>(behind) - 1), result);
  return b_.CreateTrunc(result, type);
}

Scalar ScalarEmitter::bitcast(Scalar x, DType dtype) {
  if (x.dtype == dtype) return x;
  Value* stored = to_memory(llvm_value(x), x.dtype);
  return to_scalar(from_memory(b_.CreateBitCast(stored, memory_type(dtype)), dtype), dtype);
}

}  // namespace weft::compiler
