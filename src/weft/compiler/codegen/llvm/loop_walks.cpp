#include <algorithm>

#include <weft/compiler/codegen/llvm/loop_emitter_class.h>

namespace weft::compiler {

using llvm::Value;

void LoopEmitter::emit_row_values(int stage) {
  const Place place{
      .vector = false, .mask = nullptr, .values = &row_values_, .stage = stage, .copy = 0, .linear_lane = nullptr};
  for (std::size_t i = 0; i < loop_.exprs.size(); ++i) {
    const Expr& e = loop_.exprs[i];
    if (e.per_lane || e.stage != stage || row_values_[i]) continue;
    row_values_[i] = compute_row(static_cast<ExprId>(i), e, place);
  }
}

Value* LoopEmitter::compute_row(ExprId id, const Expr& e, const Place& place) {
  if (e.kind == Expr::Kind::select)
    return b_.CreateSelect(row_value(e.operands[0]), row_value(e.operands[1]), row_value(e.operands[2]));
  return compute(id, e, place);
}

bool LoopEmitter::per_lane(const Store& s) const {
  if (loop_.exprs[s.value].per_lane) return true;
  for (std::size_t a = loop_.rows; a < s.position.coefficients.size(); ++a)
    if (!s.position.coefficients[a].is(0)) return true;
  return false;
}

void LoopEmitter::emit_row_stores(int stage) {
  const Place place{
      .vector = false, .mask = nullptr, .values = &row_values_, .stage = stage, .copy = 0, .linear_lane = nullptr};
  for (const Store& s : loop_.stores)
    if (!per_lane(s) && stage_of(s) == stage) row_value(s.value);
  for (const Store& s : loop_.stores)
    if (!per_lane(s) && stage_of(s) == stage) store(s, row_value(s.value), place);
}

void LoopEmitter::decode_rows(Value* row) {
  for (int a = loop_.rows; a-- > 0;) {
    const std::size_t au = a;
    if (a == 0) {
      axes_[au] = row;
    } else {
      Value* size = number(loop_.sizes[au]);
      axes_[au] = b_.CreateURem(row, size);
      row = b_.CreateUDiv(row, size);
    }
  }
}

void LoopEmitter::start_rows(Value* first) {
  decode_rows(first);
  for (int a = 0; a < loop_.rows; ++a) {
    counters_.push_back(local(b_.getInt64Ty()));
    b_.CreateStore(axes_[a], counters_.back());
  }
}

void LoopEmitter::load_rows() {
  for (std::size_t a = 0; a < counters_.size(); ++a) axes_[a] = b_.CreateLoad(b_.getInt64Ty(), counters_[a]);
}

void LoopEmitter::next_row() {
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

void LoopEmitter::forget_row() {
  std::ranges::fill(row_values_, nullptr);
  for (Cached& c : cached_) c.ready = c.written = false;
}

void LoopEmitter::emit_row() {
  forget_row();
  load_rows();
  const int first = loop_.rows;
  const int last = lane_axis();
  Value* lanes = i64(1);
  for (int a = first; a <= last; ++a) lanes = b_.CreateMul(lanes, number(loop_.sizes[a]));
  scratch_row_ = b_.CreateMul(b_.CreateAnd(b_.CreateAdd(lanes, i64(scratch_lanes - 1)), i64(-scratch_lanes)), i64(8));
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

bool LoopEmitter::stage_has_lanes(int stage) const {
  return std::ranges::any_of(loop_.exprs, [&](const Expr& e) { return reduces_in(e, stage); }) ||
         std::ranges::any_of(loop_.stores, [&](const Store& s) { return per_lane(s) && stage_of(s) == stage; });
}

int LoopEmitter::copies(int stage) const {
  for (const Expr& e : loop_.exprs)
    if (reduces_in(e, stage)) return loop_.tiling.sums_together;
  return 1;
}

void LoopEmitter::emit_outer_lanes(int axis, int last, int stage, Value* linear) {
  if (axis == last) {
    outer_linear_ = linear;
    emit_lanes(i64(0), number(loop_.sizes[last]), stage);
    return;
  }
  const std::size_t au = axis;
  for_each(i64(0), number(loop_.sizes[au]), i64(1), [&](Value* i) {
    axes_[au] = i;
    Value* next = linear ? b_.CreateAdd(b_.CreateMul(linear, number(loop_.sizes[au])), i) : i;
    emit_outer_lanes(axis + 1, last, stage, next);
  });
  axes_[au] = nullptr;
}

// Adds each vector to the same partial sum as the loops of emit_lanes.
void LoopEmitter::emit_known_lanes(int stage) {
  const int n = copies(stage), whole = loop_.known_lanes / width_, together = whole / n * n;
  for (int i = 0; i < whole; ++i) emit_vector(i64(std::int64_t{i} * width_), nullptr, stage, i < together ? i % n : 0);
  if (const int rest = loop_.known_lanes % width_; rest > 0)
    emit_vector(i64(std::int64_t{whole} * width_), lanes_between(nullptr, i64(rest)), stage, 0);
  axes_[lane_axis()] = nullptr;
}

void LoopEmitter::emit_lanes(Value* begin, Value* end, int stage) {
  if (loop_.known_lanes) return emit_known_lanes(stage);
  const int n = copies(stage);
  Value* at = begin;
  if (n > 1) at = emit_vectors(at, end, stage, n);
  at = emit_vectors(at, end, stage, 1);
  if_then(b_.CreateICmpSLT(at, end), [&] { emit_vector(at, lanes_between(nullptr, b_.CreateSub(end, at)), stage, 0); });
  axes_[lane_axis()] = nullptr;
}

Value* LoopEmitter::emit_vectors(Value* begin, Value* end, int stage, int n) {
  Value* step = i64(static_cast<std::int64_t>(n) * width_);
  Value* count = b_.CreateAnd(b_.CreateSub(end, begin), b_.CreateNeg(step));  // the step is a power of two
  count = b_.CreateSelect(b_.CreateICmpSGT(end, begin), count, i64(0));
  Value* stop = b_.CreateAdd(begin, count);
  for_each(begin, stop, step, [&](Value* i) {
    for (int copy = 0; copy < n; ++copy)
      emit_vector(copy == 0 ? i : b_.CreateAdd(i, i64(static_cast<std::int64_t>(copy) * width_)), nullptr, stage, copy);
  });
  return stop;
}

void LoopEmitter::emit_vector(Value* at, Value* mask, int stage, int copy) {
  axes_[lane_axis()] = at;
  fields_read_.clear();
  std::vector<Value*> values(loop_.exprs.size());
  Value* linear = at;
  if (outer_linear_) linear = b_.CreateAdd(b_.CreateMul(outer_linear_, number(loop_.sizes[lane_axis()])), at);
  const Place place{
      .vector = true, .mask = mask, .values = &values, .stage = stage, .copy = copy, .linear_lane = linear};
  accumulate(stage, place);
  emit_stores(place);
}

// Loads everything before it stores anything: a store may overwrite the bytes of an input.
void LoopEmitter::emit_stores(const Place& place) {
  const auto wanted = [&](const Store& s) { return per_lane(s) && stage_of(s) == place.stage; };
  for (const Store& s : loop_.stores)
    if (wanted(s)) value(s.value, place);
  std::vector<std::vector<Value*>> fields(loop_.buffers.size());
  for (const Store& s : loop_.stores) {
    if (!wanted(s)) continue;
    Value* stored = value(s.value, place);
    if (!place.vector || !s.record) {
      store(s, stored, place);
      continue;
    }
    auto& of_record = fields[s.buffer];
    of_record.resize(s.record.size);
    of_record[s.record.field] = many_.to_memory(stored, loop_.buffers[s.buffer]);
    if (std::ranges::find(of_record, nullptr) == of_record.end()) store_records(s, of_record);
  }
}

void LoopEmitter::emit_columns(Value* task) {
  Value* lanes = number(loop_.sizes[lane_axis()]);
  if (loop_.tiling.rows_together == 1 && !packed_part_) {
    Value* blocks = b_.CreateUDiv(b_.CreateAdd(lanes, i64(loop_.tiling.block - 1)), i64(loop_.tiling.block));
    decode_rows(b_.CreateUDiv(task, blocks));
    return emit_block(b_.CreateURem(task, blocks), {loop_.rows ? axes_[loop_.rows - 1] : nullptr});
  }
  // Handles one block after the other, so that what all rows read of a block stays in the cache.
  const int last = loop_.rows - 1;
  Value* together = i64(loop_.tiling.rows_together);
  Value* count = number(loop_.sizes[last]);
  Value* groups = b_.CreateUDiv(b_.CreateAdd(count, i64(loop_.tiling.rows_together - 1)), together);
  Value* outer = i64(1);
  for (int a = 0; a < last; ++a) outer = b_.CreateMul(outer, number(loop_.sizes[a]));
  Value* all = b_.CreateMul(outer, groups);
  Value* block = b_.CreateUDiv(task, all);
  Value* group = b_.CreateURem(task, all);
  Value* first = b_.CreateMul(b_.CreateURem(group, groups), together);
  axes_[last] = first;
  decode_rows(b_.CreateAdd(b_.CreateMul(b_.CreateUDiv(group, groups), count), first));
  if (packed_part_) pack_loads(b_.CreateUDiv(task, groups), b_.CreateMul(block, i64(loop_.tiling.block)));
  Value* whole = b_.CreateICmpSLE(b_.CreateAdd(first, together), count);
  if_then(whole, [&] {
    std::vector<Value*> rows;
    for (int r = 0; r < loop_.tiling.rows_together; ++r) rows.push_back(b_.CreateAdd(first, i64(r)));
    emit_block(block, rows);
  });
  if_then(b_.CreateNot(whole), [&] { for_each(first, count, i64(1), [&](Value* row) { emit_block(block, {row}); }); });
}

void LoopEmitter::emit_block(Value* block, const std::vector<Value*>& rows) {
  Value* lanes = number(loop_.sizes[lane_axis()]);
  std::vector<std::vector<Value*>> row_values;
  for (Value* row : rows) {
    forget_row();
    if (row) axes_[loop_.rows - 1] = row;
    emit_row_values(0);
    row_values.push_back(row_values_);
  }
  Value* first = b_.CreateMul(block, i64(loop_.tiling.block));
  Value* left = b_.CreateSub(lanes, first);
  if (loop_.known_lanes) {
    const int vectors = (loop_.known_lanes + width_ - 1) / width_;
    return emit_vectors_of_block(i64(0), i64(loop_.known_lanes), vectors, rows, row_values);
  }
  const std::int64_t vectors = loop_.tiling.block / width_;
  Value* whole = b_.CreateICmpSGE(left, i64(loop_.tiling.block));
  if_then(whole, [&] { emit_vectors_of_block(first, nullptr, vectors, rows, row_values); });
  // The last block uses the fewest vectors that hold it, rounded up to a power of two.
  for (std::int64_t n = 1; n <= vectors; n *= 2) {
    Value* fits = b_.CreateICmpSLE(left, i64(n < vectors ? n * width_ : loop_.tiling.block - 1));
    if (n > 1) fits = b_.CreateAnd(fits, b_.CreateICmpSGT(left, i64(n / 2 * width_)));
    if_then(fits, [&] { emit_vectors_of_block(first, left, n, rows, row_values); });
  }
}

void LoopEmitter::emit_vectors_of_block(Value* first, Value* lanes, std::int64_t count, const std::vector<Value*>& rows,
                                        const std::vector<std::vector<Value*>>& row_values) {
  const std::size_t copies = count;
  std::vector<Value*> starts, masks;
  for (std::size_t copy = 0; copy < copies; ++copy) {
    Value* before = i64(static_cast<std::int64_t>(copy) * width_);
    starts.push_back(b_.CreateAdd(first, before));
    const bool is_whole = !lanes || static_cast<int>(copy + 1) * width_ <= loop_.known_lanes;
    masks.push_back(is_whole ? nullptr : lanes_between(nullptr, b_.CreateSub(lanes, before)));
  }
  const auto everywhere = [&](int stage, const std::function<void(const Place&)>& body) {
    for (std::size_t copy = 0; copy < copies; ++copy) {
      for (std::size_t r = 0; r < rows.size(); ++r) {
        axes_[lane_axis()] = starts[copy];
        if (rows[r]) axes_[loop_.rows - 1] = rows[r];
        row_values_ = row_values[r];
        std::vector<Value*> values(loop_.exprs.size());
        body({.vector = true,
              .mask = masks[copy],
              .values = &values,
              .stage = stage,
              .copy = static_cast<int>(r * copies + copy),
              .linear_lane = nullptr});
      }
    }
    axes_[lane_axis()] = nullptr;
  };
  start_reductions(0, copies * rows.size());
  start_totals();
  emit_serial(loop_.rows, [&] { everywhere(0, [&](const Place& place) { accumulate(0, place); }); });
  add_to_totals();
  everywhere(1, [&](const Place& place) {
    for (const Store& s : loop_.stores) store(s, value(s.value, place), place);
  });
}

void LoopEmitter::emit_serial(int axis, const std::function<void()>& body) {
  if (axis == loop_.rows + loop_.serial) return body();
  const std::size_t au = axis;
  const auto visit = [&](Value* i) {
    axes_[au] = i;
    emit_serial(axis + 1, body);
  };
  Value* size = number(loop_.sizes[au]);
  if (axis + 1 < loop_.rows + loop_.serial || !has_totals())
    for_each(i64(0), size, i64(1), visit);
  else
    emit_runs(size, visit);
  axes_[au] = nullptr;
}

// Visits the points of the last serial axis. Adds sums to the totals after at least as many terms as a run has.
void LoopEmitter::emit_runs(Value* size, const std::function<void(Value*)>& visit) {
  for_each(i64(0), size, i64(terms_of_a_run), [&](Value* first) {
    Value* end = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, b_.CreateAdd(first, i64(terms_of_a_run)), size);
    for_each(first, end, i64(1), visit);
    Value* terms = b_.CreateAdd(b_.CreateLoad(b_.getInt64Ty(), terms_), b_.CreateSub(end, first));
    b_.CreateStore(terms, terms_);
    if_then(b_.CreateICmpSGE(terms, i64(terms_of_a_run)), [&] {
      add_to_totals();
      b_.CreateStore(i64(0), terms_);
    });
  });
}

}  // namespace weft::compiler
