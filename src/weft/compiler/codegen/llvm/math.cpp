// Chooses who computes an elementary function: inline code or, outside strict mode, the C library's vector functions where they are faster
// (libmvec, at most 4 ULP).
#include <string>

#include <dlfcn.h>
#include <llvm/IR/Module.h>

#include <weft/compiler/codegen/llvm/math_emitter.h>
#include <weft/compiler/codegen/llvm/scalar_emitter.h>
#include <weft/compiler/codegen/llvm/vector_math.h>
#include <weft/compiler/loop/kernel_source.h>

namespace weft::compiler {

using ir::Prim;
using llvm::Value;

namespace {

// Returns the name of a function whose vector form in the library is faster than the inline code, which is always at least as accurate.
const char* library_name(Prim prim, bool wide) {
  switch (prim) {
    case Prim::sin: return "sin";
    case Prim::cos: return "cos";
    case Prim::cbrt: return "cbrt";
    case Prim::log: return wide ? "log" : nullptr;
    case Prim::log1p: return wide ? "log1p" : nullptr;
    case Prim::tan: return wide ? "tan" : nullptr;
    case Prim::erf: return wide ? "erf" : nullptr;
    default: return nullptr;
  }
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

// Returns null if the library has no such function for these vectors.
Value* call_library(llvm::IRBuilder<>& b, Prim prim, std::span<Value* const> x, const Target& target) {
  llvm::Type* type = x[0]->getType();
  llvm::Type* element = type->getScalarType();
  const bool wide = element->isDoubleTy();
  auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  void* const library = vector_math_library();
  const char* const name = library_name(prim, wide);
  if (!vector || !library || !name) return nullptr;
  const unsigned lanes = vector->getNumElements(), width = wide ? target.lanes / 2 : target.lanes;
  const std::string arguments(x.size(), 'v');
  const std::string symbol = std::string("_ZGV") + target.vector_letter + "N" + std::to_string(width) + arguments +
                             "_" + name + (wide ? "" : "f");
  if (lanes % width != 0 || !dlsym(library, symbol.c_str())) return nullptr;
  auto* part = llvm::FixedVectorType::get(element, width);
  Value* result = llvm::PoisonValue::get(type);
  for (unsigned at = 0; at < lanes; at += width) {
    std::vector<Value*> parts;
    for (Value* v : x) parts.push_back(lanes == width ? v : b.CreateExtractVector(part, v, b.getInt64(at)));
    Value* y = call(b, symbol, part, parts);
    if (lanes == width) return y;
    result = b.CreateInsertVector(type, result, y, b.getInt64(at));
  }
  return result;
}

Value* emit_inline(llvm::IRBuilder<>& builder, Prim prim, std::span<Value* const> x, const Target& target,
                   Accuracy accuracy) {
  MathEmitter math(builder, x[0]->getType(), target, accuracy);
  const Real first = math.value(x[0]);
  switch (prim) {
    case Prim::exp: return math.exp(first).v;
    case Prim::expm1: return math.expm1(first).v;
    case Prim::log: return math.log(first).v;
    case Prim::log1p: return math.log1p(first).v;
    case Prim::sin: return math.sin(first).v;
    case Prim::cos: return math.cos(first).v;
    case Prim::tan: return math.tan(first).v;
    case Prim::tanh: return math.tanh(first).v;
    case Prim::logistic: return math.logistic(first).v;
    case Prim::erf: return math.erf(first).v;
    case Prim::cbrt: return math.cbrt(first).v;
    case Prim::rsqrt: return math.rsqrt(first).v;
    case Prim::pow: return math.pow(first, math.value(x[1])).v;
    case Prim::atan2: return math.atan2(first, math.value(x[1])).v;
    case Prim::remainder: return math.remainder(first, math.value(x[1])).v;
    default: WEFT_ASSERT(false, "a function without code"); return nullptr;
  }
}

}  // namespace

Value* emit_math(llvm::IRBuilder<>& builder, Prim prim, std::span<Value* const> x, DType dtype, bool strict,
                 const Target& target, bool is_of_16_bits) {
  if (!strict && !target.is_gpu)
    if (Value* const result = call_library(builder, prim, x, target)) return result;
  Accuracy accuracy = Accuracy::same_bits;
  if (!strict && target.is_nvidia() && dtype != DType::f64)
    accuracy = dtype == DType::bf16 ? Accuracy::bf16 : is_of_16_bits ? Accuracy::of_16_bits : Accuracy::f32;
  return emit_inline(builder, prim, x, target, accuracy);
}

}  // namespace weft::compiler
