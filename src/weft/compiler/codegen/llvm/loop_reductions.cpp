#include <algorithm>

#include <weft/compiler/codegen/llvm/loop_emitter_class.h>
#include <weft/compiler/loop/lower.h>
#include <weft/ir/ops.h>

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
    Value* accumulator = accumulators_[i][place.copy];
    Value* before = b_.CreateLoad(many_.compute_type(accumulator_type(e.dtype)), accumulator);
    Value* after = e.contracts ? many_.add_product(before, x) : combine(e, before, x, many_);
    // The lanes of a row are combined in the end. Those of columns are not, and other columns than the active ones are not stored.
    if (place.mask && loop_.walk != Walk::columns) after = b_.CreateSelect(place.mask, after, before);
    b_.CreateStore(after, accumulator);
  }
}

bool LoopEmitter::has_total(const Expr& e) const {
  return !target_.is_gpu && loop_.walk == Walk::columns && loop_.contract && reduces_in(e, 0) &&
         e.op == &ir::ops::add && accumulator_type(e.dtype) == DType::f32;
}

bool LoopEmitter::has_totals() const {
  return std::ranges::any_of(loop_.exprs, [&](const Expr& e) { return has_total(e); });
}

void LoopEmitter::start_totals() {
  if (!has_totals()) return;
  if (!terms_) terms_ = local(b_.getInt64Ty());
  b_.CreateStore(i64(0), terms_);
  totals_.resize(loop_.exprs.size());
  for (std::size_t i = 0; i < loop_.exprs.size(); ++i) {
    if (!has_total(loop_.exprs[i])) continue;
    while (totals_[i].size() < accumulators_[i].size()) totals_[i].push_back(local(many_.compute_type(DType::f32)));
    for (Value* total : totals_[i]) b_.CreateStore(neutral(loop_.exprs[i], many_), total);
  }
}

void LoopEmitter::add_to_totals() {
  llvm::Type* type = many_.compute_type(DType::f32);
  for (std::size_t i = 0; i < totals_.size(); ++i)
    for (std::size_t k = 0; k < totals_[i].size(); ++k) {
      const Expr& e = loop_.exprs[i];
      Value* sum = b_.CreateLoad(type, accumulators_[i][k]);
      b_.CreateStore(combine(e, b_.CreateLoad(type, totals_[i][k]), sum, many_), totals_[i][k]);
      b_.CreateStore(neutral(e, many_), accumulators_[i][k]);
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
  Value* accumulator = has_total(e) ? totals_[id][place.copy] : accumulators_[id][place.copy];
  Value* total = b_.CreateLoad(many_.compute_type(accumulator_type(e.dtype)), accumulator);
  return with_init(e, total, value(e.operands[1], place), many_);
}

}  // namespace weft::compiler
