#include <weft/compiler/codegen/llvm/gpu_attention_emitter.h>

#include <cmath>

#include <llvm/IR/Intrinsics.h>

#include <weft/base/error.h>

namespace weft::compiler {

using llvm::Value;

namespace {

constexpr int buffers_of[] = {5, 8, 8}, strided_of[] = {4, 6, 6};  // by AttentionKernel::Part
constexpr int first_stride = 4;                                    // its place among the parameters

}  // namespace

AttentionEmitter::AttentionEmitter(llvm::Function& function, const AttentionKernel& kernel, const Target& target)
    : function_(function),
      kernel_(kernel),
      tiles_(attention_tiles(kernel)),
      b_(llvm::BasicBlock::Create(function.getContext(), "entry", &function)),
      machine_(gpu_machine(target)),
      matrices_(gpu_matrices(target)) {}

double AttentionEmitter::score_scale() const { return 1 / std::sqrt(static_cast<double>(kernel_.width)); }

void AttentionEmitter::emit() {
  machine_->make_kernel(function_, tiles_.threads, kernel_.blocks);
  thread_ = machine_->index(b_, GpuMachine::Index::thread_x);
  lane_ = b_.CreateAnd(thread_, i32(31));
  group_ = b_.CreateLShr(lane_, i32(2));
  in_group_ = b_.CreateAnd(lane_, i32(3));
  warp_row_ = times(b_.CreateLShr(thread_, i32(5)), tiles_.row_tiles * 16);
  Value *in_matrix = b_.CreateAnd(lane_, i32(7)), *second = b_.CreateAnd(b_.CreateLShr(lane_, i32(3)), i32(1)),
        *fourth = b_.CreateLShr(lane_, i32(4));
  const auto lane_bytes = [&](Value* lower, Value* right) {
    return plus(times(plus(times(lower, 8), in_matrix), tiles_.row_bytes), times(right, 16));
  };
  left_lane_ = lane_bytes(second, fourth);
  right_lane_ = lane_bytes(fourth, second);
  queries_ = parameter(1);
  keys_ = parameter(2);
  row_blocks_ = parameter(3);
  Value* block = machine_->index(b_, GpuMachine::Index::block_x);
  head_of_all_ = b_.CreateUDiv(block, row_blocks_);
  block_row_ = b_.CreateURem(block, row_blocks_);
  head_ = b_.CreateURem(head_of_all_, parameter(0));
  batch_ = b_.CreateUDiv(head_of_all_, parameter(0));
  // The later queries of causal attention see more keys; their blocks run first, so that the last blocks are short.
  if (kernel_.is_causal && kernel_.part != AttentionKernel::Part::key_gradient)
    block_row_ = minus(plus(row_blocks_, -1), block_row_);
  first_row_ = times(block_row_, tiles_.rows);
  emit_block();
  end_function(b_);
}

// ---- variables

AttentionEmitter::Variable AttentionEmitter::variable(llvm::Type* type) {
  llvm::BasicBlock& entry = function_.getEntryBlock();
  llvm::IRBuilder<> at(&entry, entry.begin());
  return at.CreateAlloca(type);
}

AttentionEmitter::Variable AttentionEmitter::float_variable(Value* initial) {
  Variable made = variable(b_.getFloatTy());
  set(made, initial);
  return made;
}

std::vector<AttentionEmitter::Sum> AttentionEmitter::sums(int count) {
  std::vector<Sum> made(static_cast<std::size_t>(count));
  for (Sum& sum : made)
    for (Variable& part : sum) part = float_variable(number(0));
  return made;
}

AttentionEmitter::Sums AttentionEmitter::row_sums(int columns) {
  Sums made;
  for (int r = 0; r < tiles_.row_tiles; ++r) made.push_back(sums(columns / 8));
  return made;
}

// ---- rows of buffers

Value* AttentionEmitter::wide_parameter(int place) {
  return function_.getArg(static_cast<unsigned>(buffers_of[static_cast<int>(kernel_.part)] + place));
}
Value* AttentionEmitter::parameter(int place) { return b_.CreateTrunc(wide_parameter(place), b_.getInt32Ty()); }

AttentionEmitter::Rows AttentionEmitter::rows_of(int buffer, int strided, Value* count) {
  constexpr int element_bytes = 2;
  const auto bytes = [&](int dimension) {
    return b_.CreateMul(wide_parameter(first_stride + 3 * strided + dimension), b_.getInt64(element_bytes), "", false,
                        true);
  };
  const auto wide = [&](Value* x) { return b_.CreateZExt(x, b_.getInt64Ty()); };
  Value* offset = plus(times(wide(batch_), bytes(0)), times(wide(head_), bytes(1)));
  return {b_.CreateGEP(b_.getInt8Ty(), function_.getArg(static_cast<unsigned>(buffer)), offset),
          b_.CreateTrunc(bytes(2), b_.getInt32Ty()), count};
}

Value* AttentionEmitter::head_sums(int buffer) {
  const auto wide = [&](Value* x) { return b_.CreateZExt(x, b_.getInt64Ty()); };
  return b_.CreateGEP(b_.getFloatTy(), function_.getArg(static_cast<unsigned>(buffer)),
                      times(wide(head_of_all_), wide(queries_)));
}

// ---- shared memory

// Neighbouring threads have the 16-byte pieces of a row; threads that are too few for another row do nothing.
void AttentionEmitter::for_each_piece(int rows,
                                      const std::function<void(Value* row, Value* column, int further)>& visit) {
  const int per_row = kernel_.width / 8, together = tiles_.threads / per_row;
  Value *row = b_.CreateUDiv(thread_, i32(per_row)), *column = times(b_.CreateURem(thread_, i32(per_row)), 16);
  const auto visit_all = [&] {
    for (int further = 0; further < rows; further += together) {
      if (further + together <= rows)
        visit(row, column, further);
      else
        if_then(b_.CreateICmpSLT(row, i32(rows - further)), [&] { visit(row, column, further); });
    }
  };
  if (together * per_row == tiles_.threads)
    visit_all();
  else
    if_then(b_.CreateICmpSLT(row, i32(together)), visit_all);
}

Value* AttentionEmitter::piece(Value* tile, int rows, Value* row, Value* column) {
  const int line = tiles_.panel_bytes;
  if (!line) return plus(plus(tile, times(row, tiles_.row_bytes)), column);
  Value* panel = times(b_.CreateUDiv(column, i32(line)), rows * line);
  Value* place = plus(times(row, line), b_.CreateURem(column, i32(line)));
  place = b_.CreateXor(place, b_.CreateAnd(b_.CreateLShr(place, i32(3)), i32(line - 16)));
  return plus(tile, plus(panel, place));
}

// Rows do not exist either if `first` is negative. The places of pieces repeat after eight rows.
void AttentionEmitter::copy_rows(const Rows& rows, Value* first, int count, Value* tile) {
  const int row_bytes = has_warpgroups() ? tiles_.panel_bytes : tiles_.row_bytes;
  Value *from = nullptr, *to = nullptr, *exist = nullptr, *step = nullptr;
  int before = 0, placed = 0;
  for_each_piece(count, [&](Value* row, Value* column, int further) {
    if (!from) {
      Value* begin = plus(first, row);
      from = b_.CreateGEP(b_.getInt8Ty(), address(rows, begin), b_.CreateZExt(column, b_.getInt64Ty()));
      to = piece(tile, count, row, column);
      exist = b_.CreateSelect(b_.CreateICmpSLT(first, i32(0)), i32(0), minus(rows.count, begin));
    } else {
      if (!step)
        step = times(b_.CreateSExt(rows.stride, b_.getInt64Ty()),
                     b_.getInt64(static_cast<std::uint64_t>(further - before)));
      from = b_.CreateGEP(b_.getInt8Ty(), from, step);
      if (has_warpgroups() && further % 8 != 0) {
        to = piece(tile, count, plus(row, further), column);
        placed = further;
      }
    }
    before = further;
    Value* bytes = b_.CreateSelect(b_.CreateICmpSGT(exist, i32(further)), i32(16), i32(0));
    Value* place =
        b_.CreateConstGEP1_32(b_.getInt8Ty(), shared(to), static_cast<unsigned>((further - placed) * row_bytes));
    matrices_->copy(b_, place, from, 16, bytes);
  });
}

void AttentionEmitter::copy_sums(Value* from, Value* first, Value* count, Value* to, Value* thread) {
  Value* place = plus(first, thread);
  Value* exists = b_.CreateICmpSLT(place, count);
  Value* source =
      b_.CreateGEP(b_.getFloatTy(), from, b_.CreateZExt(b_.CreateSelect(exists, place, i32(0)), b_.getInt64Ty()));
  matrices_->copy(b_, shared(plus(to, times(thread, 4))), source, 4, b_.CreateSelect(exists, i32(4), i32(0)));
}

void AttentionEmitter::wait_for_tiles() {
  matrices_->wait_for_copies(b_);
  if (has_warpgroups()) matrices_->publish(b_);
  machine_->barrier(b_);
}

// ---- matrices

Value* AttentionEmitter::within(Value* place, int row, int column) {
  return b_.CreateConstGEP1_32(b_.getInt8Ty(), shared(place),
                               static_cast<unsigned>(row * tiles_.row_bytes + 2 * column));
}

AttentionEmitter::Lefts AttentionEmitter::left_rows(Value* tile) {
  Lefts all(static_cast<std::size_t>(tiles_.row_tiles));
  Value* mine = plus(tile, plus(times(warp_row_, tiles_.row_bytes), left_lane_));
  Value *row = plus(warp_row_, b_.CreateAnd(lane_, i32(15))), *second = times(b_.CreateLShr(lane_, i32(4)), 16);
  for (int r = 0; r < tiles_.row_tiles; ++r)
    for (int column = 0; column < kernel_.width; column += 16) {
      Value* place = has_warpgroups() ? shared(piece(tile, tiles_.rows, row, plus(second, 2 * column)))
                                      : within(mine, 16 * r, column);
      all[r].push_back(matrices_->load(b_, place, false));
    }
  return all;
}

Value* AttentionEmitter::exchanged(Value* x, int distance) {
  Value* other = machine_->exchange(b_, b_.CreateBitCast(x, b_.getInt32Ty()), distance);
  return b_.CreateBitCast(other, b_.getFloatTy());
}
Value* AttentionEmitter::row_sum(Value* x) {
  for (const int distance : {1, 2}) x = b_.CreateFAdd(x, exchanged(x, distance));
  return x;
}
Value* AttentionEmitter::row_maximum(Value* x) {
  for (const int distance : {1, 2}) x = b_.CreateMaxNum(x, exchanged(x, distance));
  return x;
}

void AttentionEmitter::store_rows(const Rows& rows, const Sums& sums, Scale scale, Value* tile) {
  machine_->barrier(b_);  // the tile's last readers are done
  for (int r = 0; r < tiles_.row_tiles; ++r) {
    for (int half = 0; half < 2; ++half) {
      Value* factor = scale(r, half);
      Value* in_tile = plus(plus(warp_row_, group_), 16 * r + 8 * half);
      Value* at = plus(plus(tile, times(in_tile, tiles_.row_bytes)), times(in_group_, 4));
      for (int column = 0; column < kernel_.width; column += 8) {
        const Sum& sum = sums[r][column / 8];
        Value* pair = matrices_->rounded(b_, kernel_.dtype, b_.CreateFMul(get(sum[2 * half]), factor),
                                         b_.CreateFMul(get(sum[2 * half + 1]), factor));
        b_.CreateAlignedStore(pair, shared(plus(at, 2 * column)), llvm::Align(4));
      }
    }
  }
  machine_->barrier(b_);
  auto* piece = llvm::FixedVectorType::get(b_.getInt32Ty(), 4);
  for_each_piece(tiles_.rows, [&](Value* row, Value* column, int further) {
    Value* to = plus(plus(first_row_, row), further);
    if_then(b_.CreateICmpSLT(to, rows.count), [&] {
      Value* from = within(plus(tile, plus(times(row, tiles_.row_bytes), column)), further, 0);
      Value* loaded = b_.CreateAlignedLoad(piece, from, llvm::Align(16));
      Value* place = b_.CreateGEP(b_.getInt8Ty(), address(rows, to), b_.CreateZExt(column, b_.getInt64Ty()));
      b_.CreateAlignedStore(loaded, place, llvm::Align(16));
    });
  });
}

// ---- the loop

// Begins to copy what the turn of a tile reads, if there is such a turn.
void AttentionEmitter::copy_stage(const Loop& loop, Value* tile, Value* stage) {
  if_then(b_.CreateICmpSLT(tile, loop.bounds.end), [&] {
    Value* row = times(tile, tiles_.columns);
    copy_rows(loop.first, row, tiles_.columns, stage);
    if (!loop.is_second_behind) copy_rows(loop.second, row, tiles_.columns, plus(stage, tiles_.tile_bytes));
    if (loop.copy_more) loop.copy_more(row, stage);
  });
  if (loop.is_second_behind)
    copy_rows(loop.second, times(plus(tile, -1), tiles_.columns), tiles_.columns, plus(stage, tiles_.tile_bytes));
}

void AttentionEmitter::begin_loop(Loop& loop) {
  loop.stage = variable(b_.getInt32Ty());
  set(loop.stage, i32(0));
  copy_stage(loop, loop.bounds.begin, i32(0));
}

void AttentionEmitter::run_loop(const Loop& loop, const Body& body) {
  const auto turns = [&](Value* begin, Value* end, bool is_masked) {
    if (begin == end) return;
    Variable tile = variable(b_.getInt32Ty());
    set(tile, begin);
    auto* head = llvm::BasicBlock::Create(b_.getContext(), "loop", &function_);
    auto* inside = llvm::BasicBlock::Create(b_.getContext(), "tile", &function_);
    auto* after = llvm::BasicBlock::Create(b_.getContext(), "done", &function_);
    b_.CreateBr(head);
    b_.SetInsertPoint(head);
    b_.CreateCondBr(b_.CreateICmpSLT(get(tile), end), inside, after);
    b_.SetInsertPoint(inside);
    wait_for_tiles();
    Value *now = get(loop.stage), *next = plus(get(tile), 1), *other = minus(i32(tiles_.stage_bytes), now);
    copy_stage(loop, next, other);
    body({get(tile), now, is_masked});
    set(loop.stage, other);
    set(tile, next);
    b_.CreateBr(head);
    b_.SetInsertPoint(after);
  };
  const Bounds& bounds = loop.bounds;
  turns(bounds.begin, bounds.change, bounds.is_masked_first);
  turns(bounds.change, bounds.end, !bounds.is_masked_first);
}

// Causal: the last query sees all keys.
Value* AttentionEmitter::seen_by(Value* query) {
  if (!kernel_.is_causal) return keys_;
  return least(keys_, plus(plus(query, 1), minus(keys_, queries_)));
}

AttentionEmitter::Bounds AttentionEmitter::key_bounds() {
  Value* last = minus(least(plus(first_row_, tiles_.rows), queries_), i32(1));
  Value *seen = most(i32(0), seen_by(last)), *seen_by_all = most(i32(0), seen_by(first_row_));
  return {i32(0), b_.CreateUDiv(seen_by_all, i32(tiles_.columns)), groups(seen, tiles_.columns), false};
}

std::array<Value*, 2> AttentionEmitter::widened(Value* pair) {
  llvm::Type* type = kernel_.dtype == DType::bf16 ? b_.getBFloatTy() : b_.getHalfTy();
  Value* both = b_.CreateBitCast(pair, llvm::FixedVectorType::get(type, 2));
  const auto part = [&](std::uint64_t i) { return b_.CreateFPExt(b_.CreateExtractElement(both, i), b_.getFloatTy()); };
  return {part(0), part(1)};
}

void emit_attention(llvm::Module& module, const AttentionKernel& kernel, const std::string& name,
                    const Target& target) {
  llvm::LLVMContext& context = module.getContext();
  const auto part = static_cast<std::size_t>(kernel.part);
  std::vector<llvm::Type*> arguments(static_cast<std::size_t>(buffers_of[part]), llvm::PointerType::getUnqual(context));
  arguments.resize(arguments.size() + first_stride + 3 * static_cast<std::size_t>(strided_of[part]),
                   llvm::Type::getInt64Ty(context));
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), arguments, false);
  auto* function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, module);
  switch (kernel.part) {
    case AttentionKernel::Part::forward: return attention_forward(*function, kernel, target)->emit();
    case AttentionKernel::Part::query_gradient: return attention_query_gradient(*function, kernel, target)->emit();
    case AttentionKernel::Part::key_gradient: return attention_key_gradient(*function, kernel, target)->emit();
  }
}

}  // namespace weft::compiler
