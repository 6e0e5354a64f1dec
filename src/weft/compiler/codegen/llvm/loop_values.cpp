#include <weft/compiler/codegen/llvm/loop_emitter_class.h>
#include <weft/ir/ops.h>

namespace weft::compiler {

using llvm::Value;

Value* LoopEmitter::value(ExprId id, const Place& place) {
  const Expr& e = loop_.exprs[id];
  if (!e.per_lane) {
    Value* scalar = row_value(id);
    return place.vector ? splat(scalar) : scalar;
  }
  Value*& known = (*place.values)[id];
  if (known) return known;
  if (e.cached && has_scratch_ && cached_[id].ready) return known = load_cached(id, place);
  Value* result = compute(id, e, place);
  if (e.cached && has_scratch_ && loop_.walk == Walk::rows) store_cached(id, result, place);
  return (*place.values)[id] = result;
}

Value* LoopEmitter::by_reciprocal(const Expr& e, const Place& place) {
  if (e.op != &ir::ops::divide || !place.vector || !loop_.contract || (e.dtype != DType::f32 && e.dtype != DType::f64))
    return nullptr;
  if (loop_.exprs[e.operands[1]].per_lane || loop_.walk != Walk::rows) return nullptr;
  Value* divisor = row_value(e.operands[1]);
  Value* reciprocal = b_.CreateFDiv(llvm::ConstantFP::get(divisor->getType(), 1.0), divisor);
  return b_.CreateFMul(value(e.operands[0], place), splat(reciprocal));
}

Value* LoopEmitter::row_value(ExprId id) {
  Value*& known = row_values_[id];
  WEFT_ASSERT(known, "an expression of a row is used before it is computed");
  return known;
}

Value* LoopEmitter::applied(ExprId id, const Expr& e, const Place& place) {
  if (Value* quotient = by_reciprocal(e, place)) return quotient;
  std::vector<ir::Scalar> operands;
  for (const ExprId o : e.operands) operands.push_back(to_scalar(value(o, place), loop_.exprs[o].dtype));
  if (is_called(e, place)) return call(e, operands);
  ScalarEmitter& s = emitter(place);
  s.set_of_16_bits(is_of_16_bits_[id]);
  return llvm_value(e.op->scalar(s, {operands, e.dtype, e.attributes}));
}

Value* LoopEmitter::compute(ExprId id, const Expr& e, const Place& place) {
  ScalarEmitter& s = emitter(place);
  switch (e.kind) {
    case Expr::Kind::constant: return llvm_value(s.constant_bits(e.dtype, e.bits));
    case Expr::Kind::load: return load(id, e, place);
    case Expr::Kind::within: return within(e.bounds, place);
    case Expr::Kind::index:
      return llvm_value(s.convert(to_scalar(position_value(e.position, place), DType::i64), e.dtype));
    case Expr::Kind::select:
      return b_.CreateSelect(value(e.operands[0], place), value(e.operands[1], place), value(e.operands[2], place));
    case Expr::Kind::apply: {
      if (e.contracts) return s.add_product(value(e.operands[0], place), value(e.operands[1], place));
      Value* result = applied(id, e, place);
      ScalarEmitter::keep_rounding(result);  // what else is in the kernel must not change the bits
      return result;
    }
    case Expr::Kind::reduce: return finished_reduction(id, e, place);
  }
  return nullptr;
}

}  // namespace weft::compiler
