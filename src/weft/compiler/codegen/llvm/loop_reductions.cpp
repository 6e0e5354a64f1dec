#include <weft/compiler/codegen/llvm/loop_emitter_class.h>
#include <weft/compiler/loop/lower.h>

namespace weft::compiler {

using llvm::Value;

Value* LoopEmitter::combine(const Expr& e, Value* a, Value* c, ScalarEmitter& s) {
  const DType type = accumulator_type(e.dtype);
  const ir::Scalar operands[] = {to_scalar(a, type), to_scalar(c, type)};
  return llvm_value(e.op->scalar(s, {operands, type, nullptr}));
}

Value* LoopEmitter::neutral(const Expr& e, ScalarEmitter& s) {
  const DType type = accumulator_type(e.dtype);
  return llvm_value(s.constant_bits(type, *identity_of(*e.op, type)));
}

void LoopEmitter::start_reductions(int stage, int copies) {
  for (std::size_t i = 0; i < loop_.exprs.size(); ++i) {
    const Expr& e = loop_.exprs[i];
    if (!reduces_in(e, stage)) continue;
    while (std::ssize(accumulators_[i]) < copies)
      accumulators_[i].push_back(local(many_.compute_type(accumulator_type(e.dtype))));
    for (Value* accumulator : accumulators_[i]) b_.CreateStore(neutral(e, many_), accumulator);
  }
}

void LoopEmitter::accumulate(int stage, const Place& place) {
  for (std::size_t i = 0; i < loop_.exprs.size(); ++i) {
    const Expr& e = loop_.exprs[i];
    if (!reduces_in(e, stage)) continue;
    Value* x = value(e.operands[0], place);
    if (place.mask) x = b_.CreateSelect(place.mask, x, neutral(e, many_));
    Value* accumulator = accumulators_[i][place.copy];
    llvm::Type* type = many_.compute_type(accumulator_type(e.dtype));
    b_.CreateStore(combine(e, b_.CreateLoad(type, accumulator), x, many_), accumulator);
  }
}

void LoopEmitter::finish_reductions(int stage) {
  for (std::size_t i = 0; i < loop_.exprs.size(); ++i) {
    const Expr& e = loop_.exprs[i];
    if (!reduces_in(e, stage)) continue;
    llvm::Type* type = many_.compute_type(accumulator_type(e.dtype));
    std::vector<Value*> parts;
    for (Value* accumulator : accumulators_[i]) parts.push_back(b_.CreateLoad(type, accumulator));
    while (parts.size() > 1) {
      for (std::size_t k = 0; k < parts.size() / 2; ++k) parts[k] = combine(e, parts[2 * k], parts[2 * k + 1], many_);
      parts.resize(parts.size() / 2);
    }
    Value* vector = parts[0];
    for (int half = width_ / 2; half >= 1; half /= 2) {
      std::vector<int> shuffle;
      for (int lane = 0; lane < width_; ++lane) shuffle.push_back(lane < half ? lane + half : lane);
      vector = combine(e, vector, b_.CreateShuffleVector(vector, shuffle), many_);
    }
    row_values_[i] = with_init(e, b_.CreateExtractElement(vector, std::uint64_t{0}), row_value(e.operands[1]), one_);
  }
}

Value* LoopEmitter::with_init(const Expr& e, Value* total, Value* init, ScalarEmitter& s) {
  const DType type = accumulator_type(e.dtype);
  Value* result = combine(e, init, total, s);
  return type == e.dtype ? result : llvm_value(s.convert(to_scalar(result, type), e.dtype));
}

Value* LoopEmitter::finished_reduction(ExprId id, const Expr& e, const Place& place) {
  WEFT_ASSERT(loop_.walk == Walk::columns && place.vector, "a reduction is used before it has ended");
  Value* accumulator = accumulators_[id][place.copy];
  Value* total = b_.CreateLoad(many_.compute_type(accumulator_type(e.dtype)), accumulator);
  return with_init(e, total, value(e.operands[1], place), many_);
}

}  // namespace weft::compiler
