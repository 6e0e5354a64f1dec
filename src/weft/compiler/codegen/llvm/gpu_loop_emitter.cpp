#include <weft/compiler/codegen/llvm/gpu_loop_emitter.h>

#include <memory>
#include <utility>

#include <llvm/IR/Intrinsics.h>

#include <weft/base/error.h>
#include <weft/compiler/codegen/cuda/gpu_kernel.h>
#include <weft/compiler/codegen/llvm/gpu_machine.h>
#include <weft/compiler/codegen/llvm/loop_emitter_class.h>
#include <weft/compiler/loop/lower.h>

namespace weft::compiler {

using llvm::Value;

namespace {

using Index = GpuMachine::Index;

// A thread is to a GPU what a vector is to a CPU: neighbouring threads compute neighbouring vectors.
class GpuLoopEmitter final : public LoopEmitter {
 public:
  GpuLoopEmitter(llvm::Function& function, const Loop& loop, const Target& target, GpuForm form)
      : LoopEmitter(function, loop, target, has_vectors(form) ? gpu_vector_width(loop) : 1),
        machine_(gpu_machine(target)),
        form_(form) {
    is_aligned_ = has_vectors(form);
    has_scratch_ = false;
    find_numbers_of_16_bits();
  }

  void emit_kernel() {
    for (std::size_t i = 0; i < loop_.buffers.size(); ++i) buffers_.push_back(function_->getArg(i));
    for (std::size_t i = 0; i < loop_.parameters.size(); ++i)
      parameters_.push_back(function_->getArg(loop_.buffers.size() + i));
    machine_->make_kernel(*function_, most_threads());
    switch (loop_.walk) {
      case Walk::lanes: emit_elements(); break;
      case Walk::rows: form_ == GpuForm::tiles ? emit_tiles() : emit_rows(); break;
      case Walk::columns: emit_column_blocks(); break;
      case Walk::tiles:
      case Walk::records: WEFT_ASSERT(false, "the loop of a GPU walks as a CPU does");
    }
    end_function(b_);
  }

 private:
  // Finds what a lane computes from floating-point numbers that lie in memory with 16 bits, and from values of its row.
  void find_numbers_of_16_bits() {
    for (std::size_t i = 0; i < loop_.exprs.size(); ++i) {
      const Expr& e = loop_.exprs[i];
      const auto is_16_bits = [&](ExprId o) { return !loop_.exprs[o].per_lane || is_of_16_bits_[o]; };
      if (e.kind == Expr::Kind::load)
        is_of_16_bits_[i] = e.per_lane && is_float(e.dtype) && byte_size(e.dtype) == 2;
      else if (e.kind == Expr::Kind::apply)
        is_of_16_bits_[i] = e.per_lane && std::ranges::all_of(e.operands, is_16_bits);
    }
  }

  static bool has_vectors(GpuForm form) { return form != GpuForm::elements && form != GpuForm::tiles; }
  int most_threads() const {
    if (loop_.walk == Walk::lanes) return gpu_lane_threads;
    return loop_.walk == Walk::rows ? (has_reductions() ? gpu_row_threads : gpu_lane_threads) : gpu_column_threads;
  }
  bool has_reductions() const { return reductions_at_once(loop_) > 0; }
  Value* index(Index i) { return b_.CreateZExt(machine_->index(b_, i), b_.getInt64Ty(), "", true); }
  Value* is_first(Index i) { return b_.CreateICmpEQ(machine_->index(b_, i), b_.getInt32(0)); }
  Value* times(Value* a, Value* b) { return b_.CreateMul(a, b, "", false, true); }
  Value* plus(Value* a, Value* b) { return b_.CreateAdd(a, b, "", false, true); }
  Value* vectors(Value* count) { return times(count, i64(width_)); }
  Value* product(int from, int axes) {
    Value* all = i64(1);
    for (int a = from; a < from + axes; ++a) all = times(all, number(loop_.sizes[a]));
    return all;
  }

  void emit_elements() {
    emit_row_values(0);
    Value* thread = plus(times(index(Index::block_x), index(Index::threads_x)), index(Index::thread_x));
    Value* threads = times(index(Index::blocks_x), index(Index::threads_x));
    for_each(vectors(thread), number(loop_.sizes[lane_axis()]), vectors(threads),
             [&](Value* at) { emit_vector(at, nullptr, 0, 0); });
    axes_[lane_axis()] = nullptr;
    if_then(b_.CreateICmpEQ(thread, i64(0)), [&] { emit_row_stores(0); });
  }

  // Threads with the same y share a row. A block whose rows have more than one warp has one row, so all its threads reach each barrier.
  void emit_rows() {
    Value* first = plus(times(index(Index::block_x), index(Index::threads_y)), index(Index::thread_y));
    Value* step = times(index(Index::blocks_x), index(Index::threads_y));
    for_each(first, product(0, loop_.rows), step, [&](Value* row) {
      forget_row();
      decode_rows(row);
      if (vectors_of_whole_row(form_) > 0)
        emit_whole_row();
      else
        emit_row_in_passes();
    });
  }

  void emit_row_in_passes() {
    for (int stage = 0; stage < loop_.stages; ++stage) {
      emit_row_values(stage);
      if (stage_has_lanes(stage)) {
        start_reductions(stage, 1);
        emit_outer_lanes(loop_.rows, static_cast<int>(lane_axis()), stage);
        combine_threads(stage);
      }
      store_row_values(stage);
    }
  }

  void emit_lanes(Value* begin, Value* end, int stage) override {
    Value *first = index(Index::thread_x), *step = index(Index::threads_x);
    if (!has_reductions()) {
      first = plus(times(index(Index::block_y), step), first);
      step = times(index(Index::blocks_y), step);
    }
    for_each_together(values_of_lanes(loop_) <= 3 ? 2 : 1, plus(begin, vectors(first)), end, vectors(step),
                      [&](const std::vector<Value*>& at) { emit_vectors_together(at, stage); });
    axes_[lane_axis()] = nullptr;
  }

  // Calls body with `count` positions at once, so that as many loads are under way, and at the end with one at a time.
  void for_each_together(int count, Value* begin, Value* end, Value* step,
                         const std::function<void(const std::vector<Value*>&)>& body) {
    if (count == 1) return for_each(begin, end, step, [&](Value* at) { body({at}); });
    Value* next = local(b_.getInt64Ty());
    b_.CreateStore(begin, next);
    Value* before_end = b_.CreateSub(end, times(step, i64(count - 1)));
    for_each(begin, before_end, times(step, i64(count)), [&](Value* first) {
      std::vector<Value*> positions{first};
      while (std::ssize(positions) < count) positions.push_back(plus(positions.back(), step));
      body(positions);
      b_.CreateStore(plus(positions.back(), step), next);
    });
    for_each(b_.CreateLoad(b_.getInt64Ty(), next), end, step, [&](Value* at) { body({at}); });
  }

  // Everything is loaded before anything is stored, since a store may overwrite the bytes of an input.
  void compute_stored(const Place& place) {
    for (const Store& s : loop_.stores)
      if (per_lane(s) && stage_of(s) == place.stage) value(s.value, place);
  }
  void store_lanes(const Place& place) {
    for (const Store& s : loop_.stores)
      if (per_lane(s) && stage_of(s) == place.stage) store(s, value(s.value, place), place);
  }

  void emit_vectors_together(const std::vector<Value*>& at, int stage) {
    std::vector<std::vector<Value*>> values(at.size(), std::vector<Value*>(loop_.exprs.size()));
    const auto for_each_vector = [&](const std::function<void(const Place&)>& body) {
      for (std::size_t v = 0; v < at.size(); ++v) {
        axes_[lane_axis()] = at[v];
        body({.vector = true, .mask = nullptr, .values = &values[v], .stage = stage, .copy = 0, .linear_lane = at[v]});
      }
    };
    for_each_vector([&](const Place& place) {
      for (ExprId id = 0; id < std::ssize(loop_.exprs); ++id)
        if (is_kept(id) && first_stage_of(loop_, id) == stage) value(id, place);
    });
    for (const Kept& k : std::exchange(kept_, {})) b_.CreateAlignedStore(k.value, k.address, k.alignment);
    for_each_vector([&](const Place& place) { accumulate(stage, place); });
    for_each_vector([&](const Place& place) { compute_stored(place); });
    for_each_vector([&](const Place& place) { store_lanes(place); });
  }

  void store_row_values(int stage) {
    if (std::ranges::none_of(loop_.stores, [&](const Store& s) { return !per_lane(s) && stage_of(s) == stage; }))
      return;
    Value* first = is_first(Index::thread_x);
    if (!has_reductions()) first = b_.CreateAnd(first, is_first(Index::block_y));
    if_then(first, [&] { emit_row_stores(stage); });
  }

  // Only the last vector of a thread can lie behind the end of the row: the thread then computes the first vector of the row again, and neither
  // adds nor stores it.
  void emit_whole_row() {
    const int count = vectors_of_whole_row(form_);
    std::vector<Value*> lanes;
    for (int v = 0; v < count; ++v)
      lanes.push_back(vectors(plus(index(Index::thread_x), times(index(Index::threads_x), i64(v)))));
    Value* active = b_.CreateICmpSLT(lanes.back(), number(loop_.sizes[lane_axis()]));
    lanes.back() = b_.CreateSelect(active, lanes.back(), i64(0));
    std::vector<std::vector<Value*>> values(count, std::vector<Value*>(loop_.exprs.size()));
    for (int stage = 0; stage < loop_.stages; ++stage) {
      const auto for_each_vector = [&](const std::function<void(const Place&, bool is_last)>& body) {
        for (int v = 0; v < count; ++v) {
          axes_[lane_axis()] = lanes[v];
          body({.vector = true,
                .mask = nullptr,
                .values = &values[v],
                .stage = stage,
                .copy = 0,
                .linear_lane = nullptr},
               v + 1 == count);
        }
        axes_[lane_axis()] = nullptr;
      };
      emit_row_values(stage);
      start_reductions(stage, 1);
      for_each_vector([&](const Place& place, bool is_last) {
        for (std::size_t i = 0; i < loop_.exprs.size(); ++i)
          if (reduces_in(loop_.exprs[i], stage)) add(i, place, is_last ? active : nullptr);
      });
      for_each_vector([&](const Place& place, bool) { compute_stored(place); });
      for_each_vector([&](const Place& place, bool is_last) {
        if (is_last)
          if_then(active, [&] { store_lanes(place); });
        else
          store_lanes(place);
      });
      combine_threads(stage);
      store_row_values(stage);
    }
  }

  // For each tile: reads it line by line, a line along the axis on which its elements are neighbours, and computes and stores it line by line
  // along the lanes.
  void emit_tiles() {
    const int axis = tile_axis(loop_);
    Value *lanes = number(loop_.sizes[lane_axis()]), *size = number(loop_.sizes[axis]);
    const auto tiles_along = [&](Value* count) { return b_.CreateUDiv(plus(count, i64(gpu_tile - 1)), i64(gpu_tile)); };
    Value *lane_tiles = tiles_along(lanes), *per_row = times(tiles_along(size), lane_tiles);
    Value* rows = i64(1);
    for (int a = 0; a < loop_.rows; ++a)
      if (a != axis) rows = times(rows, number(loop_.sizes[a]));
    Value *x = index(Index::thread_x), *y = index(Index::thread_y);
    for_each(index(Index::block_x), times(rows, per_row), index(Index::blocks_x), [&](Value* tile) {
      decode_rows_beside(axis, b_.CreateUDiv(tile, per_row));
      Value* in_row = b_.CreateURem(tile, per_row);
      Value* first = times(b_.CreateUDiv(in_row, lane_tiles), i64(gpu_tile));
      Value* first_lane = times(b_.CreateURem(in_row, lane_tiles), i64(gpu_tile));
      const auto for_each_line = [&](const std::function<void(Value*)>& body) {
        for_each(y, i64(gpu_tile), i64(gpu_tile_lines), body);
      };
      const auto at = [&](Value* position, Value* lane, const std::function<void()>& body) {
        axes_[axis] = plus(first, position);
        Value* end = plus(first_lane, lane);
        if_then(b_.CreateAnd(b_.CreateICmpSLT(axes_[axis], size), b_.CreateICmpSLT(end, lanes)), [&] {
          axes_[lane_axis()] = end;
          body();
        });
        axes_[axis] = axes_[lane_axis()] = nullptr;
      };
      machine_->barrier(b_);  // before others' elements of the last tile are overwritten
      for_each_line([&](Value* line) { at(x, line, [&] { read_tiles(line, x); }); });
      machine_->barrier(b_);
      for_each_line([&](Value* line) {
        at(line, x, [&] {
          forget_row();
          emit_row_values(0);
          in_tile_ = plus(times(x, i64(gpu_tile_pitch)), line);
          emit_vector(axes_[lane_axis()], nullptr, 0, 0);
        });
      });
    });
  }

  void decode_rows_beside(int axis, Value* row) {
    for (int a = loop_.rows; a-- > 0;) {
      if (a == axis) continue;
      Value* size = number(loop_.sizes[a]);
      axes_[a] = b_.CreateURem(row, size);
      row = b_.CreateUDiv(row, size);
    }
  }

  Value* tile_address(ExprId id, Value* element) {
    Value* tile = b_.CreateConstGEP1_64(b_.getInt8Ty(), machine_->shared(b_), tile_offset(loop_, id));
    return b_.CreateGEP(one_.memory_type(loop_.exprs[id].dtype), tile, element);
  }

  // Puts one element of each tiled load into its tile.
  void read_tiles(Value* line, Value* column) {
    for (ExprId id = 0; id < std::ssize(loop_.exprs); ++id) {
      if (!is_tiled(loop_, id)) continue;
      const Expr& e = loop_.exprs[id];
      llvm::Type* type = one_.memory_type(e.dtype);
      const llvm::Align alignment(byte_size(e.dtype));
      Value* address = b_.CreateGEP(type, buffers_[e.buffer], scalar_position(e.position));
      b_.CreateAlignedStore(b_.CreateAlignedLoad(type, address, alignment),
                            tile_address(id, plus(times(line, i64(gpu_tile_pitch)), column)), alignment);
    }
  }

  bool is_kept(ExprId id) const { return form_ == GpuForm::kept_rows && kept_bytes(loop_, id) > 0; }

  // The first stage that needs a kept load puts the vector into shared memory, where the same thread finds it in later stages.
  Value* load(ExprId id, const Expr& e, const Place& place) override {
    if (form_ == GpuForm::tiles && is_tiled(loop_, id)) {
      Value* address = tile_address(id, in_tile_);
      return one_.from_memory(b_.CreateAlignedLoad(one_.memory_type(e.dtype), address, llvm::Align(byte_size(e.dtype))),
                              e.dtype);
    }
    if (!place.vector || !is_kept(id)) return LoopEmitter::load(id, e, place);
    std::int64_t before = 0;
    for (ExprId other = 0; other < id; ++other) before += kept_bytes(loop_, other);
    Value* bytes =
        plus(times(number(loop_.sizes[lane_axis()]), i64(before)), i64(reductions_at_once(loop_) * gpu_warp * 8));
    Value* address = b_.CreateGEP(one_.memory_type(e.dtype), b_.CreateGEP(b_.getInt8Ty(), machine_->shared(b_), bytes),
                                  place.linear_lane);
    llvm::Type* type = many_.memory_type(e.dtype);
    const llvm::Align alignment = std::min(vector_alignment(e.dtype), llvm::Align(16));
    const bool is_there = place.stage > first_stage_of(loop_, id);
    Value* in_buffer = b_.CreateGEP(one_.memory_type(e.dtype), buffers_[e.buffer], scalar_position(e.position));
    Value* stored = b_.CreateAlignedLoad(type, is_there ? address : in_buffer, alignment);
    if (!is_there) kept_.push_back({stored, address, alignment});
    return many_.from_memory(stored, e.dtype);
  }

  llvm::Type* accumulator(const Expr& e) { return many_.compute_type(accumulator_type(e.dtype)); }

  // Adds nothing where `active` is false; null: it is true.
  void add(std::size_t id, const Place& place, Value* active) {
    const Expr& e = loop_.exprs[id];
    Value* x = value(e.operands[0], place);
    Value* before = b_.CreateLoad(accumulator(e), accumulators_[id][0]);
    Value* after = e.contracts ? many_.add_product(before, x) : combine(e, before, x, many_);
    b_.CreateStore(active ? b_.CreateSelect(active, after, before) : after, accumulators_[id][0]);
  }

  Value* combine_lanes(const Expr& e, Value* vector) {
    if (width_ == 1) return vector;
    for (int half = width_ / 2; half >= 1; half /= 2) {
      std::vector<int> shuffle;
      for (int lane = 0; lane < width_; ++lane) shuffle.push_back(lane < half ? lane + half : lane);
      vector = combine(e, vector, b_.CreateShuffleVector(vector, shuffle), many_);
    }
    return b_.CreateExtractElement(vector, std::uint64_t{0});
  }

  // Returns the value that another thread of the warp passes.
  Value* exchanged(Value* value, int distance) {
    llvm::Type* type = value->getType();
    const unsigned bits = type->getScalarSizeInBits();
    llvm::Type *integer = b_.getIntNTy(bits), *word = b_.getInt32Ty();
    Value* whole = type->isIntegerTy() ? value : b_.CreateBitCast(value, integer);
    Value* result = nullptr;
    if (bits <= 32) {
      result = b_.CreateTrunc(machine_->exchange(b_, b_.CreateZExt(whole, word), distance), integer);
    } else {
      Value* low = b_.CreateZExt(machine_->exchange(b_, b_.CreateTrunc(whole, word), distance), integer);
      Value* high =
          b_.CreateZExt(machine_->exchange(b_, b_.CreateTrunc(b_.CreateLShr(whole, 32), word), distance), integer);
      result = b_.CreateOr(low, b_.CreateShl(high, 32));
    }
    return type->isIntegerTy() ? result : b_.CreateBitCast(result, type);
  }

  // Every thread gets the same bits, since the operands of a combination may be exchanged.
  Value* combine_warp(const Expr& e, Value* value) {
    for (int distance = gpu_warp / 2; distance >= 1; distance /= 2)
      value = combine(e, value, exchanged(value, distance), one_);
    return value;
  }

  // Combines the accumulators of all threads of a row in a fixed tree: the lanes of a thread, the threads of a warp, the warps.
  void combine_threads(int stage) {
    std::vector<std::size_t> reductions;
    for (std::size_t i = 0; i < loop_.exprs.size(); ++i)
      if (reduces_in(loop_.exprs[i], stage)) reductions.push_back(i);
    if (reductions.empty()) return;
    std::vector<Value*> totals;
    for (const std::size_t i : reductions) {
      const Expr& e = loop_.exprs[i];
      Value* total = combine_warp(e, combine_lanes(e, b_.CreateLoad(accumulator(e), accumulators_[i][0])));
      totals.push_back(local(total->getType()));
      b_.CreateStore(total, totals.back());
    }
    if_then(b_.CreateICmpUGT(machine_->index(b_, Index::threads_x), b_.getInt32(gpu_warp)),
            [&] { combine_warps(reductions, totals); });
    for (std::size_t k = 0; k < reductions.size(); ++k) {
      const Expr& e = loop_.exprs[reductions[k]];
      Value* total = b_.CreateLoad(one_.compute_type(accumulator_type(e.dtype)), totals[k]);
      row_values_[reductions[k]] = with_init(e, total, row_value(e.operands[1]), one_);
    }
  }

  // Returns where a number of 8 bytes lies in shared memory.
  Value* shared(Value* number) { return b_.CreateGEP(b_.getInt64Ty(), machine_->shared(b_), number); }

  void combine_warps(const std::vector<std::size_t>& reductions, const std::vector<Value*>& totals) {
    Value* thread = machine_->index(b_, Index::thread_x);
    Value *warp = b_.CreateLShr(thread, 5), *in_warp = b_.CreateAnd(thread, 31);
    Value* warps = b_.CreateLShr(machine_->index(b_, Index::threads_x), 5);
    const auto type_of = [&](std::size_t k) {
      return one_.compute_type(accumulator_type(loop_.exprs[reductions[k]].dtype));
    };
    const auto place = [&](std::size_t k, Value* of) {
      return shared(b_.CreateAdd(of, b_.getInt32(static_cast<int>(k) * gpu_warp)));
    };
    if_then(b_.CreateICmpEQ(in_warp, b_.getInt32(0)), [&] {
      for (std::size_t k = 0; k < reductions.size(); ++k)
        b_.CreateStore(b_.CreateLoad(type_of(k), totals[k]), place(k, warp));
    });
    machine_->barrier(b_);
    Value* exists = b_.CreateICmpULT(in_warp, warps);
    Value* of = b_.CreateSelect(exists, in_warp, b_.getInt32(0));
    for (std::size_t k = 0; k < reductions.size(); ++k) {
      const Expr& e = loop_.exprs[reductions[k]];
      Value* part = b_.CreateSelect(exists, b_.CreateLoad(type_of(k), place(k, of)), neutral(e, one_));
      b_.CreateStore(combine_warp(e, part), totals[k]);
    }
    machine_->barrier(b_);  // before anyone stores the next numbers there
  }

  // Threads with the same x have the same lanes; those with different y divide the reduced axes among themselves.
  void emit_column_blocks() {
    Value* lanes = number(loop_.sizes[lane_axis()]);
    Value* per_block = vectors(index(Index::threads_x));
    Value* blocks = b_.CreateUDiv(b_.CreateSub(plus(lanes, per_block), i64(1)), per_block);
    for_each(index(Index::block_x), times(product(0, loop_.rows), blocks), index(Index::blocks_x), [&](Value* task) {
      forget_row();
      decode_rows(b_.CreateUDiv(task, blocks));
      emit_row_values(0);
      Value* at = plus(times(b_.CreateURem(task, blocks), per_block), vectors(index(Index::thread_x)));
      Value* active = b_.CreateICmpSLT(at, lanes);
      Value* lane = b_.CreateSelect(active, at, i64(0));
      start_reductions(0, 1);
      std::vector<Value*> values;
      const auto place = [&](int stage) {
        axes_[lane_axis()] = lane;
        values.assign(loop_.exprs.size(), nullptr);
        return Place{
            .vector = true, .mask = nullptr, .values = &values, .stage = stage, .copy = 0, .linear_lane = nullptr};
      };
      for_each_together(vectors_in_registers(loop_), index(Index::thread_y), product(loop_.rows, loop_.serial),
                        index(Index::threads_y), [&](const std::vector<Value*>& serials) {
                          for (Value* serial : serials) {
                            decode_serial(serial);
                            accumulate(0, place(0));
                          }
                        });
      for (int a = loop_.rows; a < loop_.rows + loop_.serial; ++a) axes_[a] = nullptr;
      for (std::size_t i = 0; i < loop_.exprs.size(); ++i)
        if (reduces_in(loop_.exprs[i], 0)) combine_columns(i);
      if_then(b_.CreateAnd(active, is_first(Index::thread_y)), [&] {
        const Place last = place(1);
        for (const Store& s : loop_.stores) store(s, value(s.value, last), last);
      });
      axes_[lane_axis()] = nullptr;
    });
  }

  void decode_serial(Value* serial) {
    for (int a = loop_.rows + loop_.serial; a-- > loop_.rows;) {
      if (a == loop_.rows) {
        axes_[a] = serial;
      } else {
        Value* size = number(loop_.sizes[a]);
        axes_[a] = b_.CreateURem(serial, size);
        serial = b_.CreateUDiv(serial, size);
      }
    }
  }

  // Combines the accumulators of the threads of one x, of which there is a power of two, in a tree.
  void combine_columns(std::size_t id) {
    const Expr& e = loop_.exprs[id];
    llvm::Type* type = accumulator(e);
    Value *x = machine_->index(b_, Index::thread_x), *y = machine_->index(b_, Index::thread_y);
    Value *threads_x = machine_->index(b_, Index::threads_x), *threads_y = machine_->index(b_, Index::threads_y);
    const auto place = [&](Value* of) {
      return shared(b_.CreateMul(b_.CreateAdd(b_.CreateMul(of, threads_x), x), b_.getInt32(width_)));
    };
    Value* mine = accumulators_[id][0];
    for (int half = most_column_parts / 2; half >= 1; half /= 2) {
      if_then(b_.CreateICmpUGT(threads_y, b_.getInt32(half)), [&] {
        Value* upper = b_.CreateICmpUGE(y, b_.getInt32(half));
        if_then(b_.CreateAnd(upper, b_.CreateICmpULT(y, b_.getInt32(2 * half))),
                [&] { b_.CreateStore(b_.CreateLoad(type, mine), place(y)); });
        machine_->barrier(b_);
        if_then(b_.CreateNot(upper), [&] {
          Value* other = b_.CreateLoad(type, place(b_.CreateAdd(y, b_.getInt32(half))));
          b_.CreateStore(combine(e, b_.CreateLoad(type, mine), other, many_), mine);
        });
        machine_->barrier(b_);
      });
    }
  }

  struct Kept {
    Value *value, *address;
    llvm::Align alignment;
  };

  const std::unique_ptr<GpuMachine> machine_;
  const GpuForm form_;
  std::vector<Kept> kept_;    // what is to be stored in shared memory after all loads
  Value* in_tile_ = nullptr;  // of tiles: the element that is computed
};

}  // namespace

void emit_gpu_loop(llvm::Module& module, const Loop& loop, const std::string& name, const Target& target) {
  llvm::LLVMContext& context = module.getContext();
  std::vector<llvm::Type*> arguments(loop.buffers.size(), llvm::PointerType::getUnqual(context));
  arguments.resize(arguments.size() + loop.parameters.size(), llvm::Type::getInt64Ty(context));
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), arguments, false);
  for (const GpuForm form : gpu_forms(loop)) {
    auto* function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, gpu_function(name, form), module);
    GpuLoopEmitter(*function, loop, target, form).emit_kernel();
  }
}

}  // namespace weft::compiler
