#include <weft/compiler/codegen/llvm/row_emitter.h>

#include <algorithm>
#include <array>
#include <functional>
#include <limits>

#include <weft/compiler/codegen/cuda/gpu_kernel.h>
#include <weft/compiler/codegen/llvm/control_flow.h>
#include <weft/compiler/codegen/llvm/gpu_function_emitter.h>
#include <weft/compiler/codegen/llvm/scalar_emitter.h>
#include <weft/compiler/loop/lower.h>

namespace weft::compiler {

using llvm::Value;

namespace {

class RowSortEmitter final : GpuFunctionEmitter {
 public:
  RowSortEmitter(llvm::Module& module, const RowSort& sort, const std::string& name, const Target& target)
      : GpuFunctionEmitter(module, gpu_function(name, GpuForm::elements), 2, 3, row_sort_threads, target),
        dtype_(sort.index) {}

  void emit() {
    thread_ = index(Index::thread_x);
    count_ = b_.CreateTrunc(argument(2), b_.getInt32Ty());
    Value* first = b_.CreateMul(index(Index::block_x), i32(row_sort_threads));
    mine_ = b_.CreateAdd(first, thread_);
    row_ = row_or(mine_, -1);
    Value* after = local(i32(0));  // the number of updates in front of this one
    Value* shared = machine_->shared(b_);
    emit_for_each(b_, i64(0), argument(2), i64(row_sort_tile), [&](Value* at) {
      Value* tile = b_.CreateTrunc(at, b_.getInt32Ty());
      machine_->barrier(b_);  // before others' numbers are overwritten
      for (int part = 0; part < row_sort_tile; part += row_sort_threads) {
        Value* place = b_.CreateAdd(thread_, i32(part));
        b_.CreateStore(row_or(b_.CreateAdd(tile, place), no_row), word(shared, place));
      }
      machine_->barrier(b_);
      Value* next = b_.CreateAdd(row_, i32(1));
      Value* is_before = b_.CreateICmpSLE(b_.CreateAdd(tile, i32(row_sort_tile)), first);
      Value* is_behind = b_.CreateICmpSGE(tile, b_.CreateAdd(first, i32(row_sort_threads)));
      if_then_else(
          b_.CreateOr(is_before, is_behind),
          [&] {
            Value* limit = b_.CreateSelect(is_before, next, row_);
            count_tile(after, shared, [&](Value*) { return splat(limit); });
          },
          [&] {  // equal rows count where their update comes first
            count_tile(after, shared, [&](Value* place) {
              Value* numbers = b_.CreateAdd(splat(b_.CreateAdd(tile, place)), four_numbers());
              return b_.CreateSelect(b_.CreateICmpSLT(numbers, splat(mine_)), splat(next), splat(row_));
            });
          });
    });
    if_then_else(b_.CreateICmpSLT(mine_, count_), [&] {
      Value* place = load_local(b_.getInt32Ty(), after);
      b_.CreateStore(mine_, word(argument(1), place));
      b_.CreateStore(row_, word(argument(1), b_.CreateAdd(place, count_)));
    });
    finish();
  }

 private:
  static constexpr int together = 4, unrolled = 4;
  static constexpr std::int32_t no_row = std::numeric_limits<std::int32_t>::max();  // behind all others

  llvm::Type* four() { return llvm::FixedVectorType::get(b_.getInt32Ty(), together); }
  Value* splat(Value* x) { return b_.CreateVectorSplat(together, x); }
  Value* four_numbers() {
    llvm::SmallVector<llvm::Constant*, together> numbers;
    for (int i = 0; i < together; ++i) numbers.push_back(b_.getInt32(i));
    return llvm::ConstantVector::get(numbers);
  }

  // Adds the number of rows in the tile that are less than `limit(place)`.
  void count_tile(Value* sum, Value* shared, const std::function<Value*(Value*)>& limit) {
    Value* counts = local(llvm::Constant::getNullValue(four()));
    emit_for_each(b_, i64(0), i64(row_sort_tile), i64(unrolled * together), [&](Value* at) {
      for (int u = 0; u < unrolled; ++u) {
        Value* place = b_.CreateAdd(b_.CreateTrunc(at, b_.getInt32Ty()), i32(u * together));
        Value* rows = b_.CreateAlignedLoad(four(), word(shared, place), llvm::Align(4 * together));
        Value* less = b_.CreateZExt(b_.CreateICmpSLT(rows, limit(place)), four());
        b_.CreateStore(b_.CreateAdd(load_local(four(), counts), less), counts);
      }
    });
    Value *all = load_local(four(), counts), *total = load_local(b_.getInt32Ty(), sum);
    for (int i = 0; i < together; ++i)
      total = b_.CreateAdd(total, b_.CreateExtractElement(all, static_cast<std::uint64_t>(i)));
    b_.CreateStore(total, sum);
  }

  // Returns the row of an update, -1 if it is outside; `none` if there is no such update.
  Value* row_or(Value* update, std::int32_t none) {
    Value* exists = b_.CreateICmpSLT(update, count_);
    Value* at = b_.CreateMul(wide(b_.CreateSelect(exists, update, i32(0))), argument(4));
    llvm::Type* type = b_.getIntNTy(8 * byte_size(dtype_));
    Value* number = b_.CreateLoad(type, b_.CreateGEP(type, argument(0), at));
    number =
        is_signed_integer(dtype_) ? b_.CreateSExt(number, b_.getInt64Ty()) : b_.CreateZExt(number, b_.getInt64Ty());
    Value* inside = b_.CreateICmpULT(number, argument(3));
    Value* row = b_.CreateSelect(inside, b_.CreateTrunc(number, b_.getInt32Ty()), i32(-1));
    return b_.CreateSelect(exists, row, i32(none));
  }

  const DType dtype_;
  Value *thread_ = nullptr, *count_ = nullptr, *mine_ = nullptr, *row_ = nullptr;
};

class RowSumEmitter final : GpuFunctionEmitter {
 public:
  RowSumEmitter(llvm::Module& module, const RowSum& sum, const std::string& name, GpuForm form, const Target& target)
      : GpuFunctionEmitter(module, gpu_function(name, form), 4, 2, row_sum_threads, target),
        sum_(sum),
        width_(form == GpuForm::elements ? 1 : row_vector_width(sum.dtype)),
        one_(b_, target, 1, true),
        emitter_(b_, target, width_, true),
        accumulator_(accumulator_type(sum.dtype)) {}

  void emit() {
    count_ = b_.CreateTrunc(argument(4), b_.getInt32Ty());
    block_ = index(Index::block_x);
    first_ = b_.CreateMul(block_, i32(row_sum_updates));
    sum_.joins ? emit_join() : emit_block();
    finish();
  }

 private:
  static constexpr int together = 4;  // independent loads
  static constexpr std::int32_t no_row = -2;

  llvm::Type* type() { return emitter_.compute_type(accumulator_); }
  Value* neutral() { return llvm_value(emitter_.constant_bits(accumulator_, *identity_of(*sum_.op, accumulator_))); }
  Value* combine(Value* a, Value* c) {
    const ir::Scalar operands[] = {to_scalar(a, accumulator_), to_scalar(c, accumulator_)};
    return llvm_value(sum_.op->scalar(emitter_, {operands, accumulator_, nullptr}));
  }

  // Returns the address of an element of a row of `base`.
  Value* address(Value* base, DType dtype, Value* row, Value* column) {
    Value* at = b_.CreateAdd(b_.CreateMul(wide(row), argument(5)), column);
    return b_.CreateGEP(one_.memory_type(dtype), base, at);
  }
  llvm::Align align(DType dtype) const { return llvm::Align(std::min(width_ * byte_size(dtype), 16)); }
  Value* load(Value* base, DType dtype, Value* row, Value* column) {
    Value* stored = b_.CreateAlignedLoad(emitter_.memory_type(dtype), address(base, dtype, row, column), align(dtype));
    Value* value = emitter_.from_memory(stored, dtype);
    return llvm_value(emitter_.convert(to_scalar(value, dtype), accumulator_));
  }
  void store(Value* value, Value* base, DType dtype, Value* row, Value* column) {
    value = llvm_value(emitter_.convert(to_scalar(value, accumulator_), dtype));
    b_.CreateAlignedStore(emitter_.to_memory(value, dtype), address(base, dtype, row, column), align(dtype));
  }
  void add_to_output(Value* sum, Value* row, Value* column) {
    store(combine(load(argument(0), sum_.dtype, row, column), sum), argument(0), sum_.dtype, row, column);
  }
  void for_each_column(const std::function<void(Value*)>& body) {
    Value* step = wide(b_.CreateMul(index(Index::threads_x), i32(width_)));
    emit_for_each(b_, wide(b_.CreateMul(index(Index::thread_x), i32(width_))), argument(5), step, body);
  }
  // Returns the row of an update in the sorted order.
  Value* row_at(Value* place) { return load_word(argument(2), b_.CreateAdd(count_, place)); }

  // Shared memory holds the rows of the block's updates and of both neighbours, then the updates.
  void emit_block() {
    Value *thread = index(Index::thread_x), *shared = machine_->shared(b_);
    constexpr int updates = row_sum_updates + 2;
    if_then_else(b_.CreateICmpSLT(thread, i32(updates)), [&] {
      Value* place = b_.CreateSub(b_.CreateAdd(first_, thread), i32(1));
      Value* exists = b_.CreateICmpULT(place, count_);
      Value* row = row_at(b_.CreateSelect(exists, place, i32(0)));
      b_.CreateStore(b_.CreateSelect(exists, row, i32(no_row)), word(shared, thread));
    });
    if_then_else(b_.CreateICmpSLT(thread, i32(row_sum_updates)), [&] {
      Value* place = b_.CreateAdd(first_, thread);
      Value* exists = b_.CreateICmpSLT(place, count_);
      Value* update = load_word(argument(2), b_.CreateSelect(exists, place, i32(0)));
      b_.CreateStore(update, word(shared, b_.CreateAdd(thread, i32(updates))));
    });
    machine_->barrier(b_);
    for_each_column([&](Value* column) {
      Value* sum = local(neutral());
      Value* began_before = local(b_.CreateICmpEQ(load_word(shared, i32(0)), load_word(shared, i32(1))));
      emit_for_each(b_, i64(0), i64(row_sum_updates), i64(together), [&](Value* at) {
        Value* place = b_.CreateTrunc(at, b_.getInt32Ty());
        std::array<Value*, together> loaded{};
        for (int u = 0; u < together; ++u)
          loaded[u] = load(argument(1), sum_.dtype, load_word(shared, b_.CreateAdd(place, i32(u + updates))), column);
        for (int u = 0; u < together; ++u)
          add_update(sum, began_before, loaded[u], b_.CreateAdd(place, i32(u)), shared, column);
      });
    });
  }

  void add_update(Value* sum, Value* began_before, Value* update, Value* place, Value* shared, Value* column) {
    Value* total = combine(load_local(type(), sum), update);
    b_.CreateStore(total, sum);
    Value *row = load_word(shared, b_.CreateAdd(place, i32(1))), *next = load_word(shared, b_.CreateAdd(place, i32(2)));
    Value* ends = b_.CreateICmpNE(row, next);
    Value* is_last = b_.CreateICmpEQ(place, i32(row_sum_updates - 1));
    if_then_else(b_.CreateOr(ends, is_last), [&] {
      Value* before = load_local(b_.getInt1Ty(), began_before);
      if_then_else(b_.CreateICmpSGE(row, i32(0)), [&] {
        if_then_else(
            b_.CreateAnd(ends, b_.CreateNot(before)), [&] { add_to_output(total, row, column); },
            [&] {
              Value* part = b_.CreateAdd(b_.CreateMul(block_, i32(2)), b_.CreateSelect(before, i32(0), i32(1)));
              store(total, argument(3), accumulator_, part, column);
            });
      });
      b_.CreateStore(neutral(), sum);
      b_.CreateStore(b_.getFalse(), began_before);
    });
  }

  // The block in which a row that lasts for several blocks begins adds what the others found.
  void emit_join() {
    Value* last = b_.CreateAdd(first_, i32(row_sum_updates - 1));
    if_then_else(b_.CreateICmpSLT(b_.CreateAdd(last, i32(1)), count_), [&] {
      Value* row = row_at(last);
      Value* before = row_at(b_.CreateSelect(b_.CreateICmpEQ(block_, i32(0)), i32(0), b_.CreateSub(first_, i32(1))));
      Value* begins = b_.CreateOr(b_.CreateICmpEQ(block_, i32(0)), b_.CreateICmpNE(row, before));
      Value* lasts = b_.CreateICmpEQ(row, row_at(b_.CreateAdd(last, i32(1))));
      Value* is_inside = b_.CreateICmpSGE(row, i32(0));
      if_then_else(b_.CreateAnd(is_inside, b_.CreateAnd(begins, lasts)), [&] { join(row); });
    });
  }

  void join(Value* row) {
    Value* all = wide(index(Index::blocks_x));
    for_each_column([&](Value* column) {
      const auto part = [&](Value* block, int which) {
        return load(argument(3), accumulator_, b_.CreateAdd(b_.CreateMul(block, i32(2)), i32(which)), column);
      };
      Value* sum = local(part(block_, 1));
      Value* goes_on = local(b_.getTrue());
      emit_while(wide(b_.CreateAdd(block_, i32(1))), all, goes_on, [&](Value* at) {
        std::array<Value*, together> loaded{}, belongs{};
        for (int u = 0; u < together; ++u) {
          Value* block = b_.CreateAdd(b_.CreateTrunc(at, b_.getInt32Ty()), i32(u));
          Value* place = b_.CreateMul(block, i32(row_sum_updates));
          Value* exists = b_.CreateICmpSLT(place, count_);
          belongs[u] = b_.CreateAnd(exists, b_.CreateICmpEQ(row_at(b_.CreateSelect(exists, place, i32(0))), row));
          Value* which = b_.CreateSelect(belongs[u], b_.CreateMul(block, i32(2)),
                                         b_.CreateAdd(b_.CreateMul(block_, i32(2)), i32(1)));
          loaded[u] = load(argument(3), accumulator_, which, column);
        }
        for (int u = 0; u < together; ++u) {
          Value* before = load_local(type(), sum);
          b_.CreateStore(b_.CreateSelect(belongs[u], combine(before, loaded[u]), before), sum);
        }
        b_.CreateStore(belongs[together - 1], goes_on);
      });
      add_to_output(load_local(type(), sum), row, column);
    });
  }

  // Emits for (i = begin; i < end && goes_on; i += together) body(i).
  void emit_while(Value* begin, Value* end, Value* goes_on, const std::function<void(Value*)>& body) {
    auto* before = b_.GetInsertBlock();
    auto* head = llvm::BasicBlock::Create(b_.getContext(), "loop", function_);
    auto* inside = llvm::BasicBlock::Create(b_.getContext(), "body", function_);
    auto* after = llvm::BasicBlock::Create(b_.getContext(), "done", function_);
    b_.CreateBr(head);
    b_.SetInsertPoint(head);
    auto* i = b_.CreatePHI(b_.getInt64Ty(), 2);
    i->addIncoming(begin, before);
    b_.CreateCondBr(b_.CreateAnd(b_.CreateICmpSLT(i, end), load_local(b_.getInt1Ty(), goes_on)), inside, after);
    b_.SetInsertPoint(inside);
    body(i);
    i->addIncoming(b_.CreateAdd(i, i64(together)), b_.GetInsertBlock());
    b_.CreateBr(head);
    b_.SetInsertPoint(after);
  }

  const RowSum& sum_;
  const int width_;
  ScalarEmitter one_, emitter_;
  const DType accumulator_;
  Value *count_ = nullptr, *block_ = nullptr, *first_ = nullptr;
};

}  // namespace

void emit_row_sort(llvm::Module& module, const RowSort& sort, const std::string& name, const Target& target) {
  RowSortEmitter(module, sort, name, target).emit();
}

void emit_row_sum(llvm::Module& module, const RowSum& sum, const std::string& name, const Target& target) {
  RowSumEmitter(module, sum, name, GpuForm::elements, target).emit();
  if (row_vector_width(sum.dtype) > 1) RowSumEmitter(module, sum, name, GpuForm::vectors, target).emit();
}

}  // namespace weft::compiler
