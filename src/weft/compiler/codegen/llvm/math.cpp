// Elementary functions. The hot ones (exp, log, tanh, logistic of f32) are emitted inline as polynomials. The others call the C library:
// its vector form (libmvec, at most 4 ULP) if there is one; otherwise, and in strict mode, the scalar form lane by lane, so that every
// vector width gives the same bits.
#include <limits>
#include <string>

#include <dlfcn.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/Module.h>

#include <weft/compiler/codegen/llvm/scalar_emitter.h>
#include <weft/compiler/codegen/llvm/vector_math.h>
#include <weft/compiler/loop/kernel_source.h>

namespace weft::compiler {

using ir::Prim;
using llvm::Value;

namespace {

class Math {
 public:
  Math(llvm::IRBuilder<>& builder, llvm::Type* type, const Target& target) : b(builder), type_(type), target_(target) {
    llvm::FastMathFlags flags = b.getFastMathFlags();
    saved_ = flags;
    flags.setAllowContract(false);  // fused multiply-adds are written out below, so the bits do not depend on the flag
    b.setFastMathFlags(flags);
  }
  ~Math() { b.setFastMathFlags(saved_); }

  Value* number(double value) { return llvm::ConstantFP::get(type_, value); }
  Value* fma(Value* x, Value* y, Value* z) { return b.CreateIntrinsic(llvm::Intrinsic::fma, {type_}, {x, y, z}); }
  llvm::Type* integers() {
    llvm::Type* element = b.getInt32Ty();
    if (auto* vector = llvm::dyn_cast<llvm::VectorType>(type_))
      return llvm::VectorType::get(element, vector->getElementCount());
    return element;
  }
  Value* integer(std::int32_t value) { return llvm::ConstantInt::getSigned(integers(), value); }

  // Horner's scheme, highest coefficient first.
  Value* polynomial(Value* x, std::initializer_list<double> coefficients) {
    Value* sum = nullptr;
    for (const double c : coefficients) sum = sum ? fma(sum, x, number(c)) : number(c);
    return sum;
  }

  // exp of f32: x = n ln2 + r with |r| <= ln2 / 2. Evaluates the polynomial of Cephes' expf at r and multiplies by 2^n in two factors, so
  // that subnormal results are correct.
  Value* exp(Value* x) {
    Value* clamped = b.CreateSelect(b.CreateFCmpOGT(x, number(89.0)), number(89.0), x);
    clamped = b.CreateSelect(b.CreateFCmpOLT(clamped, number(-104.0)), number(-104.0), clamped);
    Value* n = b.CreateUnaryIntrinsic(llvm::Intrinsic::rint, b.CreateFMul(clamped, number(1.44269504088896341)));
    Value* r = fma(n, number(-0.693359375), clamped);
    r = fma(n, number(2.12194440e-4), r);
    Value* p = polynomial(
        r, {1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1});
    Value* y = b.CreateFAdd(fma(p, b.CreateFMul(r, r), r), number(1.0));
    if (scales_in_one_instruction()) return scale(y, n);
    Value* whole = b.CreateFPToSI(b.CreateSelect(b.CreateFCmpUNO(x, x), number(0.0), n), integers());
    Value* half = b.CreateAShr(whole, 1);
    Value* result = b.CreateFMul(b.CreateFMul(y, power_of_two(half)), power_of_two(b.CreateSub(whole, half)));
    return b.CreateSelect(b.CreateFCmpUNO(x, x), x, result);
  }

  // Whether one instruction computes y 2^n with a single rounding, as the two factors do; NaN stays NaN.
  bool scales_in_one_instruction() {
    const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type_);
    return vector && vector->getNumElements() == 16 && target_.has_vector_scale;
  }
  Value* scale(Value* y, Value* n) {
    constexpr std::uint16_t every_lane = 0xffff;
    constexpr int current_rounding = 4;
    return b.CreateIntrinsic(llvm::Intrinsic::x86_avx512_mask_scalef_ps_512, {},
                             {y, n, y, b.getInt16(every_lane), b.getInt32(current_rounding)});
  }

  Value* power_of_two(Value* n) { return b.CreateBitCast(b.CreateShl(b.CreateAdd(n, integer(127)), 23), type_); }

  // tanh of f32: the polynomial of Cephes' tanhf for |x| < 0.625, otherwise 1 - 2 / (exp(2|x|) + 1).
  Value* tanh(Value* x) {
    Value* magnitude = b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x);
    Value* square = b.CreateFMul(x, x);
    Value* p = polynomial(
        square, {-5.70498872745e-3, 2.06390887954e-2, -5.37397155531e-2, 1.33314422036e-1, -3.33332819422e-1});
    Value* small = fma(b.CreateFMul(p, square), x, x);
    Value* e = exp(b.CreateFAdd(magnitude, magnitude));
    Value* large = b.CreateFSub(number(1.0), b.CreateFDiv(number(2.0), b.CreateFAdd(e, number(1.0))));
    Value* result = b.CreateSelect(b.CreateFCmpOLT(magnitude, number(0.625)), small, large);
    return b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, result, x);  // also for -0
  }

  // Computed from exp(-|x|), which neither overflows nor loses tiny results.
  Value* logistic(Value* x, Value* e) {
    Value* above = b.CreateSelect(b.CreateFCmpOLT(x, number(0.0)), e, number(1.0));
    return b.CreateFDiv(above, b.CreateFAdd(number(1.0), e));
  }

  // log of f32: x = m 2^e with sqrt(1/2) <= m < sqrt(2). Evaluates the polynomial of Cephes' logf at m - 1.
  Value* log(Value* x) {
    Value* tiny = b.CreateFCmpOLT(x, number(1.17549435e-38));
    Value* normal = b.CreateSelect(tiny, b.CreateFMul(x, number(8388608.0)), x);
    Value* bits = b.CreateBitCast(normal, integers());
    Value* shifted = b.CreateSub(bits, integer(0x3f3504f3));
    Value* exponent = b.CreateAShr(shifted, 23);
    Value* m = b.CreateBitCast(b.CreateSub(bits, b.CreateShl(exponent, 23)), type_);
    Value* e = b.CreateFSub(b.CreateSIToFP(exponent, type_), b.CreateSelect(tiny, number(23.0), number(0.0)));
    Value* f = b.CreateFSub(m, number(1.0));
    Value* z = b.CreateFMul(f, f);
    Value* p = polynomial(f, {7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1,
                              -1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1});
    Value* y = b.CreateFMul(b.CreateFMul(p, f), z);
    y = fma(e, number(-2.12194440e-4), y);
    y = fma(z, number(-0.5), y);
    Value* result = fma(e, number(0.693359375), b.CreateFAdd(f, y));
    const double infinity = std::numeric_limits<double>::infinity();
    result = b.CreateSelect(b.CreateFCmpOEQ(x, number(infinity)), x, result);
    result = b.CreateSelect(b.CreateFCmpOEQ(x, number(0.0)), number(-infinity), result);
    Value* invalid = b.CreateFCmpULT(x, number(0.0));  // negative or NaN
    return b.CreateSelect(invalid, number(std::numeric_limits<double>::quiet_NaN()), result);
  }

  llvm::IRBuilder<>& b;

 private:
  llvm::Type* type_;
  const Target& target_;
  llvm::FastMathFlags saved_;
};

const char* library_name(Prim prim) {
  switch (prim) {
    case Prim::exp: return "exp";
    case Prim::expm1: return "expm1";
    case Prim::log: return "log";
    case Prim::log1p: return "log1p";
    case Prim::sin: return "sin";
    case Prim::cos: return "cos";
    case Prim::tan: return "tan";
    case Prim::tanh: return "tanh";
    case Prim::erf: return "erf";
    case Prim::cbrt: return "cbrt";
    case Prim::pow: return "pow";
    case Prim::atan2: return "atan2";
    case Prim::remainder: return "fmod";
    default: return nullptr;
  }
}

bool in_vector_library(const std::string& symbol) {
  void* const library = vector_math_library();
  return library && dlsym(library, symbol.c_str());
}

Value* call(llvm::IRBuilder<>& b, const std::string& symbol, llvm::Type* type, llvm::ArrayRef<Value*> x) {
  llvm::Module* module = b.GetInsertBlock()->getModule();
  const std::vector<llvm::Type*> types(x.size(), type);
  auto callee = module->getOrInsertFunction(symbol, llvm::FunctionType::get(type, types, false));
  auto* function = llvm::cast<llvm::Function>(callee.getCallee());
  function->setDoesNotAccessMemory();
  function->setDoesNotThrow();
  function->setWillReturn();
  llvm::CallInst* const made = b.CreateCall(callee, x);
  made->addFnAttr(llvm::Attribute::NoBuiltin);  // otherwise LLVM folds calls on constants, with other roundings
  return made;
}

Value* call_library(llvm::IRBuilder<>& b, Prim prim, std::span<Value* const> x, bool strict, const Target& target) {
  llvm::Type* type = x[0]->getType();
  llvm::Type* element = type->getScalarType();
  const bool wide = element->isDoubleTy();
  const std::string name = std::string(library_name(prim)) + (wide ? "" : "f");
  auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  if (!vector) return call(b, name, type, llvm::ArrayRef<Value*>(x.data(), x.size()));
  const unsigned lanes = vector->getNumElements();
  const unsigned width = wide ? target.lanes / 2 : target.lanes;
  const std::string arguments(x.size(), 'v');
  const std::string symbol =
      std::string("_ZGV") + target.vector_letter + "N" + std::to_string(width) + arguments + "_" + name;
  Value* result = llvm::PoisonValue::get(type);
  if (!strict && lanes % width == 0 && in_vector_library(symbol)) {
    auto* part = llvm::FixedVectorType::get(element, width);
    for (unsigned at = 0; at < lanes; at += width) {
      std::vector<Value*> parts;
      for (Value* v : x) parts.push_back(lanes == width ? v : b.CreateExtractVector(part, v, b.getInt64(at)));
      Value* y = call(b, symbol, part, parts);
      if (lanes == width) return y;
      result = b.CreateInsertVector(type, result, y, b.getInt64(at));
    }
    return result;
  }
  for (unsigned lane = 0; lane < lanes; ++lane) {
    std::vector<Value*> parts;
    for (Value* v : x) parts.push_back(b.CreateExtractElement(v, lane));
    result = b.CreateInsertElement(result, call(b, name, element, parts), lane);
  }
  return result;
}

}  // namespace

Value* emit_math(llvm::IRBuilder<>& builder, Prim prim, std::span<Value* const> x, bool strict, const Target& target) {
  llvm::Type* type = x[0]->getType();
  Math math(builder, type, target);
  const bool single = type->getScalarType()->isFloatTy();
  if (prim == Prim::logistic) {
    Value* below[] = {builder.CreateFNeg(builder.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x[0]))};
    return math.logistic(x[0], emit_math(builder, Prim::exp, below, strict, target));
  }
  if (single && prim == Prim::exp) return math.exp(x[0]);
  if (single && prim == Prim::log) return math.log(x[0]);
  if (single && prim == Prim::tanh) return math.tanh(x[0]);
  return call_library(builder, prim, x, strict, target);
}

}  // namespace weft::compiler
