#include <weft/compiler/codegen/llvm/loop_emitter.h>

#include <algorithm>

#include <llvm/IR/Intrinsics.h>

#include <weft/compiler/codegen/llvm/loop_emitter_class.h>
#include <weft/compiler/loop/kernel_source.h>

namespace weft::compiler {

using llvm::Value;

namespace {

bool has_calls(const llvm::Function& function) {
  for (const llvm::BasicBlock& block : function)
    for (const llvm::Instruction& instruction : block) {
      const auto* const call = llvm::dyn_cast<llvm::CallInst>(&instruction);
      if (call && !(call->getCalledFunction() && call->getCalledFunction()->isIntrinsic())) return true;
    }
  return false;
}

}  // namespace

LoopEmitter::LoopEmitter(llvm::Function& function, const Loop& loop, const Target& target, int width)
    : loop_(loop),
      target_(target),
      b_(function.getContext()),
      one_(b_, target, 1, loop.contract),
      many_(b_, target, width, loop.contract),
      width_(width),
      function_(&function),
      entry_(llvm::BasicBlock::Create(b_.getContext(), "entry", &function)) {
  function.addFnAttr(llvm::Attribute::NoUnwind);
  b_.SetInsertPoint(entry_);
  axes_.resize(loop_.sizes.size());
  llvm::SmallVector<llvm::Constant*, 16> lanes;
  for (int i = 0; i < width_; ++i) lanes.push_back(b_.getInt64(i));
  lane_numbers_ = width_ == 1 ? lanes[0] : llvm::ConstantVector::get(lanes);
  row_values_.resize(loop_.exprs.size());
  accumulators_.resize(loop_.exprs.size());
  cached_.resize(loop_.exprs.size());
  is_of_16_bits_.resize(loop_.exprs.size());
}

void LoopEmitter::emit() {
  function_->addFnAttr("prefer-vector-width", std::to_string(width_ * 32));
  function_->addFnAttr("min-legal-vector-width", std::to_string(width_ * 32));
  for (std::size_t i = 0; i < loop_.buffers.size(); ++i)
    buffers_.push_back(
        b_.CreateLoad(b_.getPtrTy(), b_.CreateConstInBoundsGEP1_64(b_.getPtrTy(), function_->getArg(0), i)));
  for (std::size_t i = 0; i < loop_.parameters.size(); ++i)
    parameters_.push_back(
        b_.CreateLoad(b_.getInt64Ty(), b_.CreateConstInBoundsGEP1_64(b_.getInt64Ty(), function_->getArg(1), i)));
  Value* begin = function_->getArg(2);
  Value* end = function_->getArg(3);
  switch (loop_.walk) {
    case Walk::lanes:
      emit_row_values(0);
      emit_lanes(begin, end, 0);
      emit_row_stores(0);
      break;
    case Walk::rows:
      start_rows(begin);
      for_each(begin, end, i64(1), [&](Value*) {
        emit_row();
        next_row();
      });
      break;
    case Walk::columns:
      if (std::ranges::any_of(loop_.exprs, &Expr::packed)) {
        packed_part_ = local(b_.getInt64Ty());
        b_.CreateStore(i64(-1), packed_part_);
      }
      for_each(begin, end, i64(1), [&](Value* task) { emit_columns(task); });
      break;
    case Walk::tiles: for_each(begin, end, i64(1), [&](Value* task) { emit_tile_task(task); }); break;
    case Walk::records: for_each(begin, end, i64(1), [&](Value* task) { emit_records(task); }); break;
  }
  end_function(b_);
  // Vectors are kept on the stack during a call. Without this, it would depend on the caller whether they lie across two cache lines, which
  // takes twice the time.
  if (has_calls(*function_))
    function_->addFnAttr(
        llvm::Attribute::getWithStackAlignment(b_.getContext(), llvm::Align(std::max(16, 4 * target_.lanes))));
}

Value* LoopEmitter::local(llvm::Type* type) {
  llvm::IRBuilder<> entry(entry_, entry_->begin());
  return entry.CreateAlloca(type);
}

Value* LoopEmitter::scalar_position(const Position& p) {
  Value* sum = p.offset.is(0) ? nullptr : number(p.offset);
  for (std::size_t a = 0; a < p.coefficients.size(); ++a) {
    if (p.coefficients[a].is(0) || !axes_[a]) continue;
    Value* term =
        p.coefficients[a].is(1) ? axes_[a] : b_.CreateMul(axes_[a], number(p.coefficients[a]), "", false, true);
    sum = sum ? b_.CreateAdd(sum, term, "", false, true) : term;
  }
  return sum ? sum : i64(0);
}

Value* LoopEmitter::position_value(const Position& p, const Place& place) {
  Value* base = scalar_position(p);
  if (!place.vector) return base;
  Value* everywhere = splat(base);
  if (lane_stride(p).is(0) || width_ == 1) return everywhere;
  Value* steps = lane_numbers_;
  if (!lane_stride(p).is(1)) steps = b_.CreateMul(steps, splat(number(lane_stride(p))));
  return b_.CreateAdd(everywhere, steps);
}

Value* LoopEmitter::lanes_between(Value* low, Value* high) {
  const auto limit = [&](Value* v) {
    v = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, v, i64(0));
    v = b_.CreateTrunc(b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, v, i64(width_)), b_.getInt32Ty());
    return splat(v);
  };
  Value* lanes = b_.CreateTrunc(lane_numbers_, many_.widen(b_.getInt32Ty()));
  Value* below = b_.CreateICmpSLT(lanes, limit(high));
  return low ? b_.CreateAnd(b_.CreateICmpSGE(lanes, limit(low)), below) : below;
}

Value* LoopEmitter::within(const std::vector<PositionBound>& bounds, const Place& place) {
  Value* all = nullptr;
  for (const PositionBound& bound : bounds) {
    Value* size = number(bound.size);
    Value* ok = nullptr;
    if (place.vector && width_ > 1 && lane_stride(bound.index).is(1)) {
      Value* first = scalar_position(bound.index);
      ok = lanes_between(b_.CreateNeg(first), b_.CreateSub(size, first));
    } else {
      const bool uniform = !place.vector || lane_stride(bound.index).is(0);
      Value* at = uniform ? scalar_position(bound.index) : position_value(bound.index, place);
      // As unsigned numbers, negative values are greater than any size.
      ok = b_.CreateICmpULT(at, uniform ? size : splat(size));
      if (uniform && place.vector) ok = splat(ok);
    }
    all = all ? b_.CreateAnd(all, ok) : ok;
  }
  return all;
}

void emit_loop(llvm::Module& module, const Loop& loop, const std::string& name, const Target& target) {
  llvm::LLVMContext& context = module.getContext();
  llvm::Type *pointer = llvm::PointerType::getUnqual(context), *integer = llvm::Type::getInt64Ty(context);
  auto* type =
      llvm::FunctionType::get(llvm::Type::getVoidTy(context), {pointer, pointer, integer, integer, pointer}, false);
  auto* function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, module);
  LoopEmitter(*function, loop, target, target.lanes).emit();
}

}  // namespace weft::compiler
