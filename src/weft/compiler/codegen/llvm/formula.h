// Lets C++ expressions emit arithmetic, so that formulas of generated code read as formulas. Each value is a scalar or a vector of the
// builder's current position, and a number in an expression stands for a constant of the other operand's type.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>

namespace weft::compiler {

using Builder = llvm::IRBuilder<>;

struct Truth {
  Builder* b;
  llvm::Value* v;
};
inline Truth operator&&(Truth x, Truth y) { return {x.b, x.b->CreateAnd(x.v, y.v)}; }
inline Truth operator||(Truth x, Truth y) { return {x.b, x.b->CreateOr(x.v, y.v)}; }
inline Truth operator!(Truth x) { return {x.b, x.b->CreateNot(x.v)}; }

// Integers wrap.
struct Whole {
  Builder* b;
  llvm::Value* v;

  Whole like(std::int64_t value) const {
    return {b, llvm::ConstantInt::get(v->getType(), static_cast<std::uint64_t>(value))};
  }
};
inline Whole operator+(Whole x, Whole y) { return {x.b, x.b->CreateAdd(x.v, y.v)}; }
inline Whole operator-(Whole x, Whole y) { return {x.b, x.b->CreateSub(x.v, y.v)}; }
inline Whole operator*(Whole x, Whole y) { return {x.b, x.b->CreateMul(x.v, y.v)}; }
inline Whole operator&(Whole x, Whole y) { return {x.b, x.b->CreateAnd(x.v, y.v)}; }
inline Whole operator|(Whole x, Whole y) { return {x.b, x.b->CreateOr(x.v, y.v)}; }
inline Whole operator^(Whole x, Whole y) { return {x.b, x.b->CreateXor(x.v, y.v)}; }
inline Whole operator+(Whole x, std::int64_t y) { return x + x.like(y); }
inline Whole operator-(Whole x, std::int64_t y) { return x - x.like(y); }
inline Whole operator*(Whole x, std::int64_t y) { return x * x.like(y); }
inline Whole operator&(Whole x, std::int64_t y) { return x & x.like(y); }
inline Whole operator<<(Whole x, int bits) { return {x.b, x.b->CreateShl(x.v, bits)}; }
inline Whole operator>>(Whole x, int bits) { return {x.b, x.b->CreateLShr(x.v, bits)}; }  // fills with zeros
inline Whole arithmetic_shift(Whole x, int bits) { return {x.b, x.b->CreateAShr(x.v, bits)}; }
inline Truth operator==(Whole x, std::int64_t y) { return {x.b, x.b->CreateICmpEQ(x.v, x.like(y).v)}; }
inline Truth operator>(Whole x, std::int64_t y) { return {x.b, x.b->CreateICmpSGT(x.v, x.like(y).v)}; }

// Comparisons with NaN are false, except that NaN differs from everything.
struct Real {
  Builder* b;
  llvm::Value* v;

  Real like(double value) const { return {b, llvm::ConstantFP::get(v->getType(), value)}; }
};
inline Real operator+(Real x, Real y) { return {x.b, x.b->CreateFAdd(x.v, y.v)}; }
inline Real operator-(Real x, Real y) { return {x.b, x.b->CreateFSub(x.v, y.v)}; }
inline Real operator*(Real x, Real y) { return {x.b, x.b->CreateFMul(x.v, y.v)}; }
inline Real operator/(Real x, Real y) { return {x.b, x.b->CreateFDiv(x.v, y.v)}; }
inline Real operator-(Real x) { return {x.b, x.b->CreateFNeg(x.v)}; }
inline Real operator+(Real x, double y) { return x + x.like(y); }
inline Real operator-(Real x, double y) { return x - x.like(y); }
inline Real operator*(Real x, double y) { return x * x.like(y); }
inline Real operator+(double x, Real y) { return y.like(x) + y; }
inline Real operator-(double x, Real y) { return y.like(x) - y; }
inline Real operator/(double x, Real y) { return y.like(x) / y; }
inline Truth operator<(Real x, Real y) { return {x.b, x.b->CreateFCmpOLT(x.v, y.v)}; }
inline Truth operator>(Real x, Real y) { return {x.b, x.b->CreateFCmpOGT(x.v, y.v)}; }
inline Truth operator>=(Real x, Real y) { return {x.b, x.b->CreateFCmpOGE(x.v, y.v)}; }
inline Truth operator==(Real x, Real y) { return {x.b, x.b->CreateFCmpOEQ(x.v, y.v)}; }
inline Truth operator!=(Real x, Real y) { return {x.b, x.b->CreateFCmpUNE(x.v, y.v)}; }
inline Truth operator<(Real x, double y) { return x < x.like(y); }
inline Truth operator>(Real x, double y) { return x > x.like(y); }
inline Truth operator==(Real x, double y) { return x == x.like(y); }

inline Real unary(llvm::Intrinsic::ID id, Real x) { return {x.b, x.b->CreateUnaryIntrinsic(id, x.v)}; }
inline Real abs(Real x) { return unary(llvm::Intrinsic::fabs, x); }
inline Real trunc(Real x) { return unary(llvm::Intrinsic::trunc, x); }
inline Real fma(Real x, Real y, Real z) {
  return {x.b, x.b->CreateIntrinsic(llvm::Intrinsic::fma, {x.v->getType()}, {x.v, y.v, z.v})};
}
inline Real fma(Real x, double y, Real z) { return fma(x, x.like(y), z); }
inline Real select(Truth choice, Real x, Real y) { return {x.b, x.b->CreateSelect(choice.v, x.v, y.v)}; }
inline Real select(Truth choice, Real x, double y) { return select(choice, x, x.like(y)); }
inline Real select(Truth choice, double x, Real y) { return select(choice, y.like(x), y); }

inline llvm::Type* with_element(llvm::Type* shape, llvm::Type* element) {
  auto* const vector = llvm::dyn_cast<llvm::VectorType>(shape);
  return vector ? llvm::VectorType::get(element, vector->getElementCount()) : element;
}
// Returns the bits of a number as an integer of its size, and the reverse.
inline Whole bits_of(Real x) {
  llvm::Type* const type = x.v->getType();
  return {x.b, x.b->CreateBitCast(x.v, with_element(type, x.b->getIntNTy(type->getScalarSizeInBits())))};
}
inline Real with_bits(Whole x) {
  llvm::Type* const type = x.v->getType();
  const bool wide = type->getScalarSizeInBits() == 64;
  return {x.b, x.b->CreateBitCast(x.v, with_element(type, wide ? x.b->getDoubleTy() : x.b->getFloatTy()))};
}
// This works on the bits, because LLVM's instruction for it becomes five on a GPU.
inline Real copysign(Real x, Real sign) {
  const std::int64_t highest = std::int64_t{1} << (x.v->getType()->getScalarSizeInBits() - 1);
  return with_bits((bits_of(x) & ~highest) | (bits_of(sign) & highest));
}
inline Real to_real(Whole x) { return {x.b, x.b->CreateSIToFP(x.v, with_bits(x).v->getType())}; }

}  // namespace weft::compiler
