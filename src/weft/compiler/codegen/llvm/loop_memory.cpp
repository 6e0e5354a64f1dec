#include <llvm/IR/Intrinsics.h>

#include <weft/base/error.h>
#include <weft/compiler/codegen/llvm/loop_emitter_class.h>

namespace weft::compiler {

using llvm::Value;

Value* LoopEmitter::load(ExprId id, const Expr& e, const Place& place) {
  if (is_transposed(e)) return load_of_tile(id, place);
  if (e.record && place.vector) return load_field(e);
  if (e.packed) {
    Value* address = packed_address(id, axes_[loop_.rows], b_.CreateSub(axes_[lane_axis()], first_packed_lane_));
    return many_.from_memory(b_.CreateAlignedLoad(many_.memory_type(e.dtype), address, llvm::Align(byte_size(e.dtype))),
                             e.dtype);
  }
  std::vector<PositionBound> uniform, by_lane;
  for (const PositionBound& bound : e.bounds)
    (place.vector && lane_stride(bound.index).is(0) ? uniform : by_lane).push_back(bound);
  if (uniform.empty()) return load_by_lane(e, e.bounds, place);
  const Place scalar{
      .vector = false, .mask = nullptr, .values = nullptr, .stage = 0, .copy = 0, .linear_lane = nullptr};
  Value* inside = within(uniform, scalar);
  for (const Gathered& g : e.gathered)  // before the branch, since code outside of it may use them
    if (loop_.exprs[g.index].per_lane) value(g.index, place);
  auto* before = b_.GetInsertBlock();
  Value* loaded = nullptr;
  llvm::BasicBlock* end = nullptr;
  if_then(inside, [&] {
    loaded = load_by_lane(e, by_lane, place);
    end = b_.GetInsertBlock();
  });
  auto* result = b_.CreatePHI(loaded->getType(), 2);
  result->addIncoming(llvm::Constant::getNullValue(loaded->getType()), before);
  result->addIncoming(loaded, end);
  return result;
}

// Most vectors lie inside of all bounds, and need no mask.
Value* LoopEmitter::load_by_lane(const Expr& e, const std::vector<PositionBound>& bounds, const Place& place) {
  const auto runs_along_lanes = [&](const PositionBound& bound) { return lane_stride(bound.index).is(1); };
  const bool has_whole_vectors = place.vector && width_ > 1 && !place.mask && e.gathered.empty() && !bounds.empty() &&
                                 !lane_stride(e.position).is(0) && std::ranges::all_of(bounds, runs_along_lanes);
  if (!has_whole_vectors) return load_within(e, bounds, place);
  Value* is_whole = nullptr;
  for (const PositionBound& bound : bounds) {
    Value* first = scalar_position(bound.index);
    Value* fits = b_.CreateAnd(b_.CreateICmpSGE(first, i64(0)),
                               b_.CreateICmpSLE(b_.CreateAdd(first, i64(width_)), number(bound.size)));
    is_whole = is_whole ? b_.CreateAnd(is_whole, fits) : fits;
  }
  Value *whole = nullptr, *partial = nullptr;
  llvm::BasicBlock *after_whole = nullptr, *after_partial = nullptr;
  emit_if_else(
      b_, is_whole,
      [&] {
        whole = load_within(e, {}, place);
        after_whole = b_.GetInsertBlock();
      },
      [&] {
        partial = load_within(e, bounds, place);
        after_partial = b_.GetInsertBlock();
      });
  auto* result = b_.CreatePHI(whole->getType(), 2);
  result->addIncoming(whole, after_whole);
  result->addIncoming(partial, after_partial);
  return result;
}

Value* LoopEmitter::gathered_term(const Gathered& g, const Place& place) {
  const Expr& index = loop_.exprs[g.index];
  const bool per_lane = place.vector && index.per_lane && width_ > 1, is_unsigned = is_unsigned_integer(index.dtype);
  ScalarEmitter& s = per_lane ? many_ : one_;
  // Vectors of 32-bit integers hold twice as many lanes, and most processors lack some operations on those of 64 bits.
  const bool is_narrow = per_lane && g.is_narrow, starts_narrow = is_narrow && byte_size(index.dtype) <= 4;
  llvm::Type *wide = s.widen(b_.getInt64Ty()), *narrow = s.widen(b_.getInt32Ty());
  const auto everywhere = [&](Value* v, bool as_narrow) {
    if (as_narrow) v = b_.CreateTrunc(v, b_.getInt32Ty());
    return per_lane ? splat(v) : v;
  };
  Value* start = index.per_lane ? value(g.index, place) : row_value(g.index);
  start = b_.CreateIntCast(start, starts_narrow ? narrow : wide, !is_unsigned);
  Value* limit = everywhere(number(g.limit), starts_narrow);
  if (!is_unsigned)
    start = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, start, llvm::Constant::getNullValue(start->getType()));
  start = b_.CreateBinaryIntrinsic(is_unsigned ? llvm::Intrinsic::umin : llvm::Intrinsic::smin, start, limit);
  if (is_narrow) start = b_.CreateTrunc(start, narrow);
  return b_.CreateMul(start, everywhere(number(g.stride), is_narrow));
}

Value* LoopEmitter::load_within(const Expr& e, const std::vector<PositionBound>& bounds, const Place& place) {
  ScalarEmitter& s = emitter(place);
  llvm::Type* element = one_.memory_type(e.dtype);
  Value* buffer = buffers_[e.buffer];
  Value* scalar_part = b_.CreateAdd(scalar_position(e.position), i64(e.record.field));
  Value* vector_part = nullptr;
  for (const Gathered& g : e.gathered) {
    Value* term = gathered_term(g, place);
    if (term->getType()->isVectorTy()) {
      vector_part = vector_part ? b_.CreateAdd(vector_part, term) : term;
    } else {
      scalar_part = b_.CreateAdd(scalar_part, term);
    }
  }
  Value* mask = within(bounds, place);
  const llvm::Align align(byte_size(e.dtype));
  Value* address = b_.CreateGEP(element, buffer, scalar_part);
  if (!place.vector || width_ == 1) {
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
    if (!mask || bounds.empty()) {  // the same element for all lanes; it exists, since a tail has at least one lane
      return s.from_memory(splat(b_.CreateAlignedLoad(element, address, align)), e.dtype);
    }
  } else if (!vector_part && lane_stride(e.position).is(1)) {
    Value* loaded = mask ? b_.CreateMaskedLoad(type, address, align, mask, llvm::Constant::getNullValue(type))
                         : static_cast<Value*>(b_.CreateAlignedLoad(type, address, vector_alignment(e.dtype)));
    return s.from_memory(loaded, e.dtype);
  } else if (!vector_part && lane_stride(e.position).is(-1)) {  // neighbours in the opposite order
    address = b_.CreateGEP(element, address, i64(1 - width_));
    Value* loaded = mask ? b_.CreateMaskedLoad(type, address, align, b_.CreateVectorReverse(mask),
                                               llvm::Constant::getNullValue(type))
                         : static_cast<Value*>(b_.CreateAlignedLoad(type, address, align));
    return s.from_memory(b_.CreateVectorReverse(loaded), e.dtype);
  }
  llvm::Type* step_type = vector_part ? vector_part->getType() : lane_numbers_->getType();
  Value* steps = vector_part ? vector_part : llvm::ConstantInt::get(step_type, 0);
  if (!lane_stride(e.position).is(0)) {
    Value* along = b_.CreateMul(lane_numbers_, splat(number(lane_stride(e.position))));
    steps = b_.CreateAdd(steps, b_.CreateTrunc(along, step_type));
  }
  if (!mask) mask = llvm::ConstantInt::getTrue(many_.widen(b_.getInt1Ty()));
  Value* addresses = b_.CreateGEP(element, address, steps);
  return s.from_memory(b_.CreateMaskedGather(type, addresses, align, mask, llvm::Constant::getNullValue(type)),
                       e.dtype);
}

void LoopEmitter::store(const Store& st, Value* computed, const Place& place) {
  const DType dtype = loop_.buffers[st.buffer];
  llvm::Type* element = one_.memory_type(dtype);
  Value* stored = emitter(place).to_memory(computed, dtype);
  const llvm::Align align(byte_size(dtype));
  Value* position = b_.CreateAdd(scalar_position(st.position), i64(st.record.field));
  for (const Gathered& g : st.gathered) {
    WEFT_ASSERT(!loop_.exprs[g.index].per_lane, "lanes are stored at positions that come from data");
    position = b_.CreateAdd(position, gathered_term(g, place));
  }
  Value* address = b_.CreateGEP(element, buffers_[st.buffer], position);
  if (!place.vector || width_ == 1) {
    b_.CreateAlignedStore(stored, address, align);
  } else if (lane_stride(st.position).is(1)) {
    if (place.mask) {
      b_.CreateMaskedStore(stored, address, align, place.mask);
    } else {
      b_.CreateAlignedStore(stored, address, vector_alignment(dtype));
    }
  } else {
    Value* steps = b_.CreateMul(lane_numbers_, splat(number(lane_stride(st.position))));
    Value* mask = place.mask ? place.mask : llvm::ConstantInt::getTrue(many_.widen(b_.getInt1Ty()));
    b_.CreateMaskedScatter(stored, b_.CreateGEP(element, address, steps), align, mask);
  }
}

// Packed elements lie in scratch memory, expression after expression.
Value* LoopEmitter::packed_address(ExprId id, Value* point, Value* lane) {
  Value* points = number(loop_.sizes[loop_.rows]);
  points = b_.CreateAnd(b_.CreateAdd(points, i64(packed_points - 1)), i64(-packed_points));
  std::int64_t bytes_of_a_point = 0;  // of the expressions before this one
  for (ExprId before = 0; before < id; ++before)
    if (const Expr& e = loop_.exprs[before]; e.packed) bytes_of_a_point += packed_lanes(loop_) * byte_size(e.dtype);
  Value* first = b_.CreateGEP(b_.getInt8Ty(), function_->getArg(4), b_.CreateMul(points, i64(bytes_of_a_point)));
  Value* element = b_.CreateAdd(b_.CreateMul(point, i64(packed_lanes(loop_))), lane);
  return b_.CreateGEP(one_.memory_type(loop_.exprs[id].dtype), first, element);
}

void LoopEmitter::pack_loads(Value* part, Value* first_lane) {
  first_packed_lane_ = first_lane;
  Value* is_new = b_.CreateICmpNE(part, b_.CreateLoad(b_.getInt64Ty(), packed_part_));
  if_then(is_new, [&] {
    const int axis = loop_.rows;  // the serial one
    Value *points = number(loop_.sizes[axis]), *lanes = number(loop_.sizes[lane_axis()]);
    Value* end =
        b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, lanes, b_.CreateAdd(first_lane, i64(packed_lanes(loop_))));
    const auto fits = [&](Value* first, Value* all) { return b_.CreateICmpSLE(b_.CreateAdd(first, i64(width_)), all); };
    for (ExprId id = 0; id < std::ssize(loop_.exprs); ++id) {
      const Expr& e = loop_.exprs[id];
      if (!e.packed) continue;
      for_each(first_lane, end, i64(width_), [&](Value* lane) {
        for_each(i64(0), points, i64(width_), [&](Value* point) {
          const auto pack = [&](bool is_edge) {
            const std::vector<Value*> vectors = read_transposed(e, axis, point, lane, is_edge);
            for (int i = 0; i < width_; ++i)
              b_.CreateAlignedStore(vectors[i],
                                    packed_address(id, b_.CreateAdd(point, i64(i)), b_.CreateSub(lane, first_lane)),
                                    llvm::Align(byte_size(e.dtype)));
          };
          emit_if_else(
              b_, b_.CreateAnd(fits(lane, lanes), fits(point, points)), [&] { pack(false); }, [&] { pack(true); });
        });
      });
      axes_[axis] = axes_[lane_axis()] = nullptr;
    }
    b_.CreateStore(part, packed_part_);
  });
}

Value* LoopEmitter::scratch_address(ExprId id, const Place& place) {
  Cached& slot = cached_[id];
  if (slot.number < 0) slot.number = next_slot_++;
  const DType dtype = loop_.exprs[id].dtype;
  Value* bytes = b_.CreateMul(scratch_row_, i64(slot.number));
  return b_.CreateGEP(one_.memory_type(dtype), b_.CreateGEP(b_.getInt8Ty(), function_->getArg(4), bytes),
                      place.linear_lane);
}

void LoopEmitter::store_cached(ExprId id, Value* computed, const Place& place) {
  const DType dtype = loop_.exprs[id].dtype;
  Value* stored = many_.to_memory(computed, dtype);
  const llvm::Align align(byte_size(dtype));
  if (place.mask) {
    b_.CreateMaskedStore(stored, scratch_address(id, place), align, place.mask);
  } else {
    b_.CreateAlignedStore(stored, scratch_address(id, place), align);
  }
  cached_[id].written = true;
}

Value* LoopEmitter::load_cached(ExprId id, const Place& place) {
  const DType dtype = loop_.exprs[id].dtype;
  llvm::Type* type = many_.memory_type(dtype);
  const llvm::Align align(byte_size(dtype));
  Value* address = scratch_address(id, place);
  return many_.from_memory(
      place.mask ? b_.CreateMaskedLoad(type, address, align, place.mask, llvm::Constant::getNullValue(type))
                 : static_cast<Value*>(b_.CreateAlignedLoad(type, address, align)),
      dtype);
}

}  // namespace weft::compiler
