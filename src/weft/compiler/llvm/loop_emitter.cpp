#include <weft/compiler/llvm/loop_emitter.h>

#include <functional>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>

#include <weft/compiler/fusion/lower.h>
#include <weft/compiler/llvm/jit.h>
#include <weft/compiler/llvm/scalar_emitter.h>
#include <weft/ir/ops.h>

namespace weft::compiler {

using llvm::Value;

namespace {

class LoopEmitter {
 public:
  LoopEmitter(llvm::Module& module, const Loop& loop, const std::string& name)
      : loop_(loop),
        b_(module.getContext()),
        one_(b_, 1, loop.contract),
        many_(b_, vector_lanes(), loop.contract),
        width_(vector_lanes()) {
    llvm::Type* pointer = b_.getPtrTy();
    llvm::Type* integer = b_.getInt64Ty();
    auto* type = llvm::FunctionType::get(b_.getVoidTy(), {pointer, pointer, integer, integer, pointer}, false);
    function_ = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, module);
    function_->addFnAttr(llvm::Attribute::NoUnwind);
    function_->addFnAttr("prefer-vector-width", std::to_string(width_ * 32));
    function_->addFnAttr("min-legal-vector-width", std::to_string(width_ * 32));
    entry_ = llvm::BasicBlock::Create(b_.getContext(), "entry", function_);
    b_.SetInsertPoint(entry_);
  }

  void emit() {
    for (std::size_t i = 0; i < loop_.buffers.size(); ++i)
      buffers_.push_back(
          b_.CreateLoad(b_.getPtrTy(), b_.CreateConstInBoundsGEP1_64(b_.getPtrTy(), function_->getArg(0), i)));
    for (std::size_t i = 0; i < loop_.parameters.size(); ++i)
      parameters_.push_back(
          b_.CreateLoad(b_.getInt64Ty(), b_.CreateConstInBoundsGEP1_64(b_.getInt64Ty(), function_->getArg(1), i)));
    axes_.resize(loop_.sizes.size());
    std::vector<std::int32_t> steps;
    for (int i = 0; i < width_; ++i) steps.push_back(i);
    llvm::SmallVector<llvm::Constant*, 16> lanes;
    for (int i = 0; i < width_; ++i) lanes.push_back(b_.getInt64(static_cast<std::uint64_t>(i)));
    lane_numbers_ = llvm::ConstantVector::get(lanes);
    row_values_.resize(loop_.exprs.size());
    accumulators_.resize(loop_.exprs.size());
    cached_.resize(loop_.exprs.size());
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
      case Walk::columns: for_each(begin, end, i64(1), [&](Value* task) { emit_columns(task); }); break;
    }
    b_.CreateRetVoid();
    std::string message;
    llvm::raw_string_ostream out(message);
    WEFT_ASSERT(!llvm::verifyFunction(*function_, &out), message);
  }

 private:
  // ---- small things

  Value* i64(std::int64_t value) { return b_.getInt64(static_cast<std::uint64_t>(value)); }
  Value* number(const Number& n) {
    return n.parameter < 0 ? i64(n.known) : parameters_[static_cast<std::size_t>(n.parameter)];
  }
  std::size_t lane_axis() const { return loop_.sizes.size() - 1; }

  // for (i = begin; i < end; i += step)
  void for_each(Value* begin, Value* end, Value* step, const std::function<void(Value*)>& body) {
    auto* before = b_.GetInsertBlock();
    auto* head = llvm::BasicBlock::Create(b_.getContext(), "loop", function_);
    auto* inside = llvm::BasicBlock::Create(b_.getContext(), "body", function_);
    auto* after = llvm::BasicBlock::Create(b_.getContext(), "done", function_);
    b_.CreateBr(head);
    b_.SetInsertPoint(head);
    auto* i = b_.CreatePHI(b_.getInt64Ty(), 2);
    i->addIncoming(begin, before);
    b_.CreateCondBr(b_.CreateICmpSLT(i, end), inside, after);
    b_.SetInsertPoint(inside);
    body(i);
    i->addIncoming(b_.CreateAdd(i, step, "", false, true), b_.GetInsertBlock());
    b_.CreateBr(head);
    b_.SetInsertPoint(after);
  }

  void if_then(Value* condition, const std::function<void()>& body) {
    auto* inside = llvm::BasicBlock::Create(b_.getContext(), "then", function_);
    auto* after = llvm::BasicBlock::Create(b_.getContext(), "endif", function_);
    b_.CreateCondBr(condition, inside, after);
    b_.SetInsertPoint(inside);
    body();
    b_.CreateBr(after);
    b_.SetInsertPoint(after);
  }

  Value* local(llvm::Type* type) {
    llvm::IRBuilder<> entry(entry_, entry_->begin());
    return entry.CreateAlloca(type);
  }

  // position without the vector's part: the address of lane 0.
  Value* scalar_position(const Position& p) {
    Value* sum = p.offset.is(0) ? nullptr : number(p.offset);
    for (std::size_t a = 0; a < p.coefficients.size(); ++a) {
      if (p.coefficients[a].is(0) || !axes_[a]) continue;
      Value* term =
          p.coefficients[a].is(1) ? axes_[a] : b_.CreateMul(axes_[a], number(p.coefficients[a]), "", false, true);
      sum = sum ? b_.CreateAdd(sum, term, "", false, true) : term;
    }
    return sum ? sum : i64(0);
  }

  const Number& lane_stride(const Position& p) const { return p.coefficients[lane_axis()]; }

  // What a lane loop or the code around it is emitting: `lanes` elements at once, those in `mask` only if there is one.
  struct Place {
    bool vector = false;
    Value* mask = nullptr;                  // <lanes x i1>
    std::vector<Value*>* values = nullptr;  // expressions already emitted here
    int stage = 0;
    int copy = 0;                  // number of the unrolled copy
    Value* linear_lane = nullptr;  // position in the lanes of a row, for scratch
  };

  ScalarEmitter& emitter(const Place& place) { return place.vector ? many_ : one_; }

  Value* position_value(const Position& p, const Place& place) {
    Value* base = scalar_position(p);
    if (!place.vector) return base;
    Value* splat = b_.CreateVectorSplat(static_cast<unsigned>(width_), base);
    if (lane_stride(p).is(0)) return splat;
    Value* steps = lane_numbers_;
    if (!lane_stride(p).is(1))
      steps = b_.CreateMul(steps, b_.CreateVectorSplat(static_cast<unsigned>(width_), number(lane_stride(p))));
    return b_.CreateAdd(splat, steps);
  }

  // The lanes from `low` on and before `high`, of numbers that may lie far outside.
  Value* lanes_between(Value* low, Value* high) {
    const auto limit = [&](Value* v) {
      v = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, v, i64(0));
      v = b_.CreateTrunc(b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, v, i64(width_)), b_.getInt32Ty());
      return b_.CreateVectorSplat(static_cast<unsigned>(width_), v);
    };
    Value* lanes = b_.CreateTrunc(lane_numbers_, many_.widen(b_.getInt32Ty()));
    Value* below = b_.CreateICmpSLT(lanes, limit(high));
    return low ? b_.CreateAnd(b_.CreateICmpSGE(lanes, limit(low)), below) : below;
  }

  Value* within(const std::vector<PositionBound>& bounds, const Place& place) {
    Value* all = nullptr;
    for (const PositionBound& bound : bounds) {
      Value* low = number(bound.low);
      Value* high = number(bound.high);
      Value* ok = nullptr;
      if (place.vector && lane_stride(bound.index).is(1)) {
        Value* first = scalar_position(bound.index);
        ok = lanes_between(b_.CreateSub(low, first), b_.CreateSub(high, first));
      } else {
        const bool uniform = !place.vector || lane_stride(bound.index).is(0);
        Value* at = uniform ? scalar_position(bound.index) : position_value(bound.index, place);
        const auto spread = [&](Value* v) {
          return uniform ? v : b_.CreateVectorSplat(static_cast<unsigned>(width_), v);
        };
        ok = b_.CreateAnd(b_.CreateICmpSGE(at, spread(low)), b_.CreateICmpSLT(at, spread(high)));
        if (uniform && place.vector) ok = b_.CreateVectorSplat(static_cast<unsigned>(width_), ok);
      }
      all = all ? b_.CreateAnd(all, ok) : ok;
    }
    return all;
  }

  // ---- expressions

  // The value of an expression at a place, as a vector if the place is one.
  Value* value(ExprId id, const Place& place) {
    const Expr& e = loop_.exprs[static_cast<std::size_t>(id)];
    if (!e.per_lane) {
      Value* scalar = row_value(id);
      return place.vector ? b_.CreateVectorSplat(static_cast<unsigned>(width_), scalar) : scalar;
    }
    Value*& known = (*place.values)[static_cast<std::size_t>(id)];
    if (known) return known;
    if (e.cached && cached_[static_cast<std::size_t>(id)].ready) return known = load_cached(id, place);
    Value* result = compute(id, e, place);
    if (e.cached && loop_.walk == Walk::rows) store_cached(id, result, place);
    return (*place.values)[static_cast<std::size_t>(id)] = result;
  }

  // Where rounding need not be exact, a division of a whole row by one number is one division and many multiplications.
  Value* by_reciprocal(const Expr& e, const Place& place) {
    if (e.op != &ir::ops::divide || !place.vector || !loop_.contract ||
        (e.dtype != DType::f32 && e.dtype != DType::f64))
      return nullptr;
    if (loop_.exprs[static_cast<std::size_t>(e.operands[1])].per_lane || loop_.walk != Walk::rows) return nullptr;
    Value* divisor = row_value(e.operands[1]);
    Value* reciprocal = b_.CreateFDiv(llvm::ConstantFP::get(divisor->getType(), 1.0), divisor);
    return b_.CreateFMul(value(e.operands[0], place), b_.CreateVectorSplat(static_cast<unsigned>(width_), reciprocal));
  }

  Value* row_value(ExprId id) {
    Value*& known = row_values_[static_cast<std::size_t>(id)];
    WEFT_ASSERT(known, "an expression of a row is used before it is computed");
    return known;
  }

  Value* compute(ExprId id, const Expr& e, const Place& place) {
    ScalarEmitter& s = emitter(place);
    switch (e.kind) {
      case Expr::Kind::constant: return llvm_value(s.constant_bits(e.dtype, e.bits));
      case Expr::Kind::load: return load(e, place);
      case Expr::Kind::within: return within(e.bounds, place);
      case Expr::Kind::index:
        return llvm_value(s.convert(to_scalar(position_value(e.position, place), DType::i64), e.dtype));
      case Expr::Kind::select:
        return b_.CreateSelect(value(e.operands[0], place), value(e.operands[1], place), value(e.operands[2], place));
      case Expr::Kind::apply: {
        if (Value* quotient = by_reciprocal(e, place)) return quotient;
        std::vector<ir::Scalar> operands;
        for (const ExprId o : e.operands)
          operands.push_back(to_scalar(value(o, place), loop_.exprs[static_cast<std::size_t>(o)].dtype));
        return llvm_value(e.op->scalar(s, {operands, e.dtype, e.attributes}));
      }
      case Expr::Kind::reduce: return finished_reduction(id, e, place);
    }
    return nullptr;
  }

  // In 32 bits where the dtype has no more: half the vector, and wrapping is what conversion would do.
  Value* index_value(const Expr& e, const Place& place) {
    const bool narrow = place.vector && is_integer(e.dtype) && byte_size(e.dtype) <= 4;
    ScalarEmitter& s = emitter(place);
    if (!narrow) return llvm_value(s.convert(to_scalar(position_value(e.position, place), DType::i64), e.dtype));
    const auto truncated = [&](Value* v) {
      return b_.CreateVectorSplat(static_cast<unsigned>(width_), b_.CreateTrunc(v, b_.getInt32Ty()));
    };
    Value* steps = b_.CreateTrunc(lane_numbers_, many_.widen(b_.getInt32Ty()));
    Value* at = b_.CreateAdd(truncated(scalar_position(e.position)),
                             b_.CreateMul(steps, truncated(number(lane_stride(e.position)))));
    return llvm_value(s.convert(to_scalar(at, DType::i32), e.dtype));
  }

  // Bounds that hold for all lanes or for none are a branch: reading behind a false mask is slow where the address is odd.
  Value* load(const Expr& e, const Place& place) {
    std::vector<PositionBound> uniform, by_lane;
    for (const PositionBound& bound : e.bounds)
      (place.vector && lane_stride(bound.index).is(0) ? uniform : by_lane).push_back(bound);
    if (uniform.empty()) return load_within(e, e.bounds, place);
    const Place scalar{
        .vector = false, .mask = nullptr, .values = nullptr, .stage = 0, .copy = 0, .linear_lane = nullptr};
    Value* inside = within(uniform, scalar);
    for (const Expr::Gathered& g : e.gathered)  // before the branch, since others may use them
      if (loop_.exprs[static_cast<std::size_t>(g.index)].per_lane) value(g.index, place);
    auto* before = b_.GetInsertBlock();
    Value* loaded = nullptr;
    llvm::BasicBlock* end = nullptr;
    if_then(inside, [&] {
      loaded = load_within(e, by_lane, place);
      end = b_.GetInsertBlock();
    });
    auto* result = b_.CreatePHI(loaded->getType(), 2);
    result->addIncoming(llvm::Constant::getNullValue(loaded->getType()), before);
    result->addIncoming(loaded, end);
    return result;
  }

  Value* load_within(const Expr& e, const std::vector<PositionBound>& bounds, const Place& place) {
    ScalarEmitter& s = emitter(place);
    llvm::Type* element = one_.memory_type(e.dtype);
    Value* buffer = buffers_[static_cast<std::size_t>(e.buffer)];
    Value* scalar_part = scalar_position(e.position);
    Value* vector_part = nullptr;
    for (const Expr::Gathered& g : e.gathered) {
      const Expr& index = loop_.exprs[static_cast<std::size_t>(g.index)];
      const bool per_lane = place.vector && index.per_lane;
      ScalarEmitter& at = per_lane ? many_ : one_;
      Value* start = per_lane ? value(g.index, place) : index.per_lane ? value(g.index, place) : row_value(g.index);
      start = llvm_value(at.convert(to_scalar(start, index.dtype), DType::i64));
      const auto splat = [&](Value* v) {
        return per_lane ? b_.CreateVectorSplat(static_cast<unsigned>(width_), v) : v;
      };
      Value* limit = splat(number(g.limit));
      if (is_unsigned_integer(index.dtype)) {
        start = b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, start, limit);
      } else {
        start = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin,
                                         b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, start, splat(i64(0))), limit);
      }
      Value* term = b_.CreateMul(start, splat(number(g.stride)));
      if (per_lane) {
        vector_part = vector_part ? b_.CreateAdd(vector_part, term) : term;
      } else {
        scalar_part = b_.CreateAdd(scalar_part, term);
      }
    }
    Value* mask = within(bounds, place);
    const llvm::Align align(static_cast<std::uint64_t>(byte_size(e.dtype)));
    Value* address = b_.CreateGEP(element, buffer, scalar_part);
    if (!place.vector) {
      if (!mask) return s.from_memory(b_.CreateAlignedLoad(element, address, align), e.dtype);
      auto* single = llvm::FixedVectorType::get(element, 1);
      Value* bit = b_.CreateInsertElement(llvm::PoisonValue::get(llvm::FixedVectorType::get(b_.getInt1Ty(), 1)), mask,
                                          std::uint64_t{0});
      Value* loaded = b_.CreateMaskedLoad(single, address, align, bit, llvm::Constant::getNullValue(single));
      return s.from_memory(b_.CreateExtractElement(loaded, std::uint64_t{0}), e.dtype);
    }
    if (place.mask) mask = mask ? b_.CreateAnd(mask, place.mask) : place.mask;
    llvm::Type* type = many_.memory_type(e.dtype);
    if (!vector_part && lane_stride(e.position).is(0)) {
      if (!mask || bounds.empty()) {  // one element for all lanes; a tail always has one
        return s.from_memory(
            b_.CreateVectorSplat(static_cast<unsigned>(width_), b_.CreateAlignedLoad(element, address, align)),
            e.dtype);
      }
    } else if (!vector_part && lane_stride(e.position).is(1)) {
      Value* loaded = mask ? b_.CreateMaskedLoad(type, address, align, mask, llvm::Constant::getNullValue(type))
                           : static_cast<Value*>(b_.CreateAlignedLoad(type, address, align));
      return s.from_memory(loaded, e.dtype);
    }
    Value* steps = vector_part ? vector_part : llvm::ConstantInt::get(lane_numbers_->getType(), 0);
    if (!lane_stride(e.position).is(0))
      steps = b_.CreateAdd(steps, b_.CreateMul(lane_numbers_, b_.CreateVectorSplat(static_cast<unsigned>(width_),
                                                                                   number(lane_stride(e.position)))));
    if (!mask) mask = llvm::ConstantInt::getTrue(many_.widen(b_.getInt1Ty()));
    Value* addresses = b_.CreateGEP(element, address, steps);
    return s.from_memory(b_.CreateMaskedGather(type, addresses, align, mask, llvm::Constant::getNullValue(type)),
                         e.dtype);
  }

  void store(const Store& st, Value* computed, const Place& place) {
    const DType dtype = loop_.buffers[static_cast<std::size_t>(st.buffer)];
    llvm::Type* element = one_.memory_type(dtype);
    Value* stored = emitter(place).to_memory(computed, dtype);
    const llvm::Align align(static_cast<std::uint64_t>(byte_size(dtype)));
    Value* address = b_.CreateGEP(element, buffers_[static_cast<std::size_t>(st.buffer)], scalar_position(st.position));
    if (!place.vector) {
      b_.CreateAlignedStore(stored, address, align);
    } else if (lane_stride(st.position).is(1)) {
      if (place.mask) {
        b_.CreateMaskedStore(stored, address, align, place.mask);
      } else {
        b_.CreateAlignedStore(stored, address, align);
      }
    } else {
      Value* steps = b_.CreateMul(
          lane_numbers_, b_.CreateVectorSplat(static_cast<unsigned>(width_), number(lane_stride(st.position))));
      Value* mask = place.mask ? place.mask : llvm::ConstantInt::getTrue(many_.widen(b_.getInt1Ty()));
      b_.CreateMaskedScatter(stored, b_.CreateGEP(element, address, steps), align, mask);
    }
  }

  // ---- scratch

  Value* scratch_address(ExprId id, const Place& place) {
    Cached& slot = cached_[static_cast<std::size_t>(id)];
    if (slot.number < 0) slot.number = next_slot_++;
    const DType dtype = loop_.exprs[static_cast<std::size_t>(id)].dtype;
    Value* bytes = b_.CreateMul(b_.CreateMul(row_lanes_, i64(slot.number)), i64(8));
    return b_.CreateGEP(one_.memory_type(dtype), b_.CreateGEP(b_.getInt8Ty(), function_->getArg(4), bytes),
                        place.linear_lane);
  }
  void store_cached(ExprId id, Value* computed, const Place& place) {
    const DType dtype = loop_.exprs[static_cast<std::size_t>(id)].dtype;
    Value* stored = many_.to_memory(computed, dtype);
    const llvm::Align align(static_cast<std::uint64_t>(byte_size(dtype)));
    if (place.mask) {
      b_.CreateMaskedStore(stored, scratch_address(id, place), align, place.mask);
    } else {
      b_.CreateAlignedStore(stored, scratch_address(id, place), align);
    }
    cached_[static_cast<std::size_t>(id)].written = true;
  }
  Value* load_cached(ExprId id, const Place& place) {
    const DType dtype = loop_.exprs[static_cast<std::size_t>(id)].dtype;
    llvm::Type* type = many_.memory_type(dtype);
    const llvm::Align align(static_cast<std::uint64_t>(byte_size(dtype)));
    Value* address = scratch_address(id, place);
    return many_.from_memory(
        place.mask ? b_.CreateMaskedLoad(type, address, align, place.mask, llvm::Constant::getNullValue(type))
                   : static_cast<Value*>(b_.CreateAlignedLoad(type, address, align)),
        dtype);
  }

  // ---- reductions

  // Sums of 16-bit floats are kept in f32 until the end.
  static DType accumulator_type(DType t) { return t == DType::f16 || t == DType::bf16 ? DType::f32 : t; }

  Value* combine(const Expr& e, Value* a, Value* c, ScalarEmitter& s) {
    const DType type = accumulator_type(e.dtype);
    const ir::Scalar operands[] = {to_scalar(a, type), to_scalar(c, type)};
    return llvm_value(e.op->scalar(s, {operands, type, nullptr}));
  }

  Value* neutral(const Expr& e, ScalarEmitter& s) {
    const DType type = accumulator_type(e.dtype);
    return llvm_value(s.constant_bits(type, *identity_of(*e.op, type)));
  }

  bool reduces_in(const Expr& e, int stage) const { return e.kind == Expr::Kind::reduce && e.stage == stage + 1; }

  void start_reductions(int stage, int copies) {
    for (std::size_t i = 0; i < loop_.exprs.size(); ++i) {
      const Expr& e = loop_.exprs[i];
      if (!reduces_in(e, stage)) continue;
      while (accumulators_[i].size() < static_cast<std::size_t>(copies))
        accumulators_[i].push_back(local(many_.compute_type(accumulator_type(e.dtype))));
      for (Value* accumulator : accumulators_[i]) b_.CreateStore(neutral(e, many_), accumulator);
    }
  }

  void accumulate(int stage, const Place& place) {
    for (std::size_t i = 0; i < loop_.exprs.size(); ++i) {
      const Expr& e = loop_.exprs[i];
      if (!reduces_in(e, stage)) continue;
      Value* x = value(e.operands[0], place);
      if (place.mask) x = b_.CreateSelect(place.mask, x, neutral(e, many_));
      Value* accumulator = accumulators_[i][static_cast<std::size_t>(place.copy)];
      llvm::Type* type = many_.compute_type(accumulator_type(e.dtype));
      b_.CreateStore(combine(e, b_.CreateLoad(type, accumulator), x, many_), accumulator);
    }
  }

  // Row kernels: the accumulators' lanes together, then the initial value.
  void finish_reductions(int stage) {
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

  Value* with_init(const Expr& e, Value* total, Value* init, ScalarEmitter& s) {
    const DType type = accumulator_type(e.dtype);
    Value* result = combine(e, init, total, s);
    return type == e.dtype ? result : llvm_value(s.convert(to_scalar(result, type), e.dtype));
  }

  // Column kernels: a reduction's value is the accumulator of its lanes.
  Value* finished_reduction(ExprId id, const Expr& e, const Place& place) {
    WEFT_ASSERT(loop_.walk == Walk::columns && place.vector, "a reduction is used before it has ended");
    Value* accumulator = accumulators_[static_cast<std::size_t>(id)][static_cast<std::size_t>(place.copy)];
    Value* total = b_.CreateLoad(many_.compute_type(accumulator_type(e.dtype)), accumulator);
    return with_init(e, total, value(e.operands[1], place), many_);
  }

  // ---- rows

  // Values of the stage that do not depend on lanes.
  void emit_row_values(int stage) {
    const Place place{
        .vector = false, .mask = nullptr, .values = &row_values_, .stage = stage, .copy = 0, .linear_lane = nullptr};
    for (std::size_t i = 0; i < loop_.exprs.size(); ++i) {
      const Expr& e = loop_.exprs[i];
      if (e.per_lane || e.stage != stage || row_values_[i]) continue;
      row_values_[i] = compute_row(e, place);
    }
  }

  Value* compute_row(const Expr& e, const Place& place) {
    if (e.kind == Expr::Kind::select)
      return b_.CreateSelect(row_value(e.operands[0]), row_value(e.operands[1]), row_value(e.operands[2]));
    return compute(-1, e, place);
  }

  bool per_lane(const Store& s) const {
    if (loop_.exprs[static_cast<std::size_t>(s.value)].per_lane) return true;
    for (std::size_t a = static_cast<std::size_t>(loop_.rows); a < s.position.coefficients.size(); ++a)
      if (!s.position.coefficients[a].is(0)) return true;
    return false;
  }

  int stage_of(const Store& s) const { return loop_.exprs[static_cast<std::size_t>(s.value)].stage; }

  void emit_row_stores(int stage) {
    const Place place{
        .vector = false, .mask = nullptr, .values = &row_values_, .stage = stage, .copy = 0, .linear_lane = nullptr};
    for (const Store& s : loop_.stores)
      if (!per_lane(s) && stage_of(s) == stage) row_value(s.value);
    for (const Store& s : loop_.stores)
      if (!per_lane(s) && stage_of(s) == stage) store(s, row_value(s.value), place);
  }

  void decode_rows(Value* row) {
    for (int a = loop_.rows; a-- > 0;) {
      const auto au = static_cast<std::size_t>(a);
      if (a == 0) {
        axes_[au] = row;
      } else {
        Value* size = number(loop_.sizes[au]);
        axes_[au] = b_.CreateURem(row, size);
        row = b_.CreateUDiv(row, size);
      }
    }
  }

  // Divisions only at the first row; from there the axes count like an odometer.
  void start_rows(Value* first) {
    decode_rows(first);
    for (int a = 0; a < loop_.rows; ++a) {
      counters_.push_back(local(b_.getInt64Ty()));
      b_.CreateStore(axes_[static_cast<std::size_t>(a)], counters_.back());
    }
  }
  void load_rows() {
    for (std::size_t a = 0; a < counters_.size(); ++a) axes_[a] = b_.CreateLoad(b_.getInt64Ty(), counters_[a]);
  }
  void next_row() {
    Value* carry = i64(1);
    for (std::size_t a = counters_.size(); a-- > 0;) {
      Value* next = b_.CreateAdd(axes_[a], carry);
      if (a > 0) {
        Value* full = b_.CreateICmpEQ(next, number(loop_.sizes[a]));
        next = b_.CreateSelect(full, i64(0), next);
        carry = b_.CreateZExt(full, b_.getInt64Ty());
      }
      b_.CreateStore(next, counters_[a]);
    }
  }

  void forget_row() {
    std::ranges::fill(row_values_, nullptr);
    for (Cached& c : cached_) c.ready = c.written = false;
  }

  void emit_row() {
    forget_row();
    load_rows();
    const int first = loop_.rows;
    const int last = static_cast<int>(lane_axis());
    row_lanes_ = i64(1);
    for (int a = first; a <= last; ++a)
      row_lanes_ = b_.CreateMul(row_lanes_, number(loop_.sizes[static_cast<std::size_t>(a)]));
    for (int stage = 0; stage < loop_.stages; ++stage) {
      emit_row_values(stage);
      if (stage_has_lanes(stage)) {
        start_reductions(stage, copies(stage));
        emit_outer_lanes(first, last, stage);
        for (Cached& c : cached_) c.ready = c.written;
        finish_reductions(stage);
      }
      emit_row_stores(stage);
    }
  }

  bool stage_has_lanes(int stage) const {
    for (const Expr& e : loop_.exprs)
      if (reduces_in(e, stage)) return true;
    for (const Store& s : loop_.stores)
      if (per_lane(s) && stage_of(s) == stage) return true;
    return false;
  }

  int copies(int stage) const {
    for (const Expr& e : loop_.exprs)
      if (reduces_in(e, stage)) return 4;  // independent accumulators hide the latency of an addition
    return 1;
  }

  void emit_outer_lanes(int axis, int last, int stage, Value* linear = nullptr) {
    if (axis == last) {
      outer_linear_ = linear;
      emit_lanes(i64(0), number(loop_.sizes[static_cast<std::size_t>(last)]), stage);
      return;
    }
    const auto au = static_cast<std::size_t>(axis);
    for_each(i64(0), number(loop_.sizes[au]), i64(1), [&](Value* i) {
      axes_[au] = i;
      Value* next = linear ? b_.CreateAdd(b_.CreateMul(linear, number(loop_.sizes[au])), i) : i;
      emit_outer_lanes(axis + 1, last, stage, next);
    });
    axes_[au] = nullptr;
  }

  // Lanes [begin, end) of the innermost axis: whole vectors, several at once where there are several accumulators, and a tail.
  void emit_lanes(Value* begin, Value* end, int stage) {
    const int n = copies(stage);
    Value* at = begin;
    if (n > 1) at = emit_vectors(at, end, stage, n);
    at = emit_vectors(at, end, stage, 1);
    if_then(b_.CreateICmpSLT(at, end),
            [&] { emit_vector(at, lanes_between(nullptr, b_.CreateSub(end, at)), stage, 0); });
    axes_[lane_axis()] = nullptr;
  }

  Value* emit_vectors(Value* begin, Value* end, int stage, int n) {
    Value* step = i64(static_cast<std::int64_t>(n) * width_);
    Value* count = b_.CreateAnd(b_.CreateSub(end, begin), b_.CreateNeg(step));  // the step is a power of two
    count = b_.CreateSelect(b_.CreateICmpSGT(end, begin), count, i64(0));
    Value* stop = b_.CreateAdd(begin, count);
    for_each(begin, stop, step, [&](Value* i) {
      for (int copy = 0; copy < n; ++copy)
        emit_vector(copy == 0 ? i : b_.CreateAdd(i, i64(static_cast<std::int64_t>(copy) * width_)), nullptr, stage,
                    copy);
    });
    return stop;
  }

  void emit_vector(Value* at, Value* mask, int stage, int copy) {
    axes_[lane_axis()] = at;
    std::vector<Value*> values(loop_.exprs.size());
    Value* linear = at;
    if (outer_linear_) linear = b_.CreateAdd(b_.CreateMul(outer_linear_, number(loop_.sizes[lane_axis()])), at);
    const Place place{
        .vector = true, .mask = mask, .values = &values, .stage = stage, .copy = copy, .linear_lane = linear};
    accumulate(stage, place);
    // All is loaded before anything is stored: a store may go to the bytes of an input.
    for (const Store& s : loop_.stores)
      if (per_lane(s) && stage_of(s) == stage) value(s.value, place);
    for (const Store& s : loop_.stores)
      if (per_lane(s) && stage_of(s) == stage) store(s, value(s.value, place), place);
  }

  // ---- columns

  void emit_columns(Value* task) {
    forget_row();
    const std::size_t lane = lane_axis();
    Value* lanes = number(loop_.sizes[lane]);
    Value* blocks = b_.CreateUDiv(b_.CreateAdd(lanes, i64(column_block - 1)), i64(column_block));
    Value* first = b_.CreateMul(b_.CreateURem(task, blocks), i64(column_block));
    decode_rows(b_.CreateUDiv(task, blocks));
    emit_row_values(0);
    Value* whole = b_.CreateICmpSLE(b_.CreateAdd(first, i64(column_block)), lanes);
    if_then(whole, [&] { emit_block(first, nullptr); });
    if_then(b_.CreateNot(whole), [&] { emit_block(first, lanes); });
  }

  void emit_block(Value* first, Value* lanes) {
    const int n = column_block / width_;
    std::vector<Value*> starts, masks;
    for (int copy = 0; copy < n; ++copy) {
      starts.push_back(b_.CreateAdd(first, i64(static_cast<std::int64_t>(copy) * width_)));
      masks.push_back(lanes ? lanes_between(nullptr, b_.CreateSub(lanes, starts.back())) : nullptr);
    }
    const auto block = [&](int stage, const std::function<void(const Place&)>& body) {
      for (int copy = 0; copy < n; ++copy) {
        const auto cu = static_cast<std::size_t>(copy);
        axes_[lane_axis()] = starts[cu];
        std::vector<Value*> values(loop_.exprs.size());
        body({.vector = true,
              .mask = masks[cu],
              .values = &values,
              .stage = stage,
              .copy = copy,
              .linear_lane = nullptr});
      }
      axes_[lane_axis()] = nullptr;
    };
    start_reductions(0, n);
    emit_serial(loop_.rows, [&] { block(0, [&](const Place& place) { accumulate(0, place); }); });
    block(1, [&](const Place& place) {
      for (const Store& s : loop_.stores) store(s, value(s.value, place), place);
    });
  }

  void emit_serial(int axis, const std::function<void()>& body) {
    if (axis == loop_.rows + loop_.serial) return body();
    const auto au = static_cast<std::size_t>(axis);
    for_each(i64(0), number(loop_.sizes[au]), i64(1), [&](Value* i) {
      axes_[au] = i;
      emit_serial(axis + 1, body);
    });
    axes_[au] = nullptr;
  }

  struct Cached {
    int number = -1;
    bool written = false, ready = false;
  };

  const Loop& loop_;
  llvm::IRBuilder<> b_;
  ScalarEmitter one_, many_;
  int width_;
  llvm::Function* function_ = nullptr;
  llvm::BasicBlock* entry_ = nullptr;
  std::vector<Value*> buffers_, parameters_, counters_;
  std::vector<Value*> axes_;        // where each axis stands; none: not inside its loop
  std::vector<Value*> row_values_;  // by expression
  std::vector<std::vector<Value*>> accumulators_;
  std::vector<Cached> cached_;
  int next_slot_ = 0;
  Value* lane_numbers_ = nullptr;
  Value* row_lanes_ = nullptr;
  Value* outer_linear_ = nullptr;
};

}  // namespace

void emit_loop(llvm::Module& module, const Loop& loop, const std::string& name) {
  LoopEmitter(module, loop, name).emit();
}

}  // namespace weft::compiler
