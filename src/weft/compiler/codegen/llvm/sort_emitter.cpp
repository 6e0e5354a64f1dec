#include <weft/compiler/codegen/llvm/sort_emitter.h>

#include <cstddef>
#include <functional>
#include <vector>

#include <weft/compiler/codegen/cuda/gpu_kernel.h>
#include <weft/compiler/codegen/llvm/body_emitter.h>
#include <weft/compiler/codegen/llvm/control_flow.h>
#include <weft/compiler/codegen/llvm/gpu_function_emitter.h>
#include <weft/compiler/codegen/llvm/scalar_emitter.h>

namespace weft::compiler {

using llvm::Value;

namespace {

// A bitonic network whose comparisons all put the lesser element at the lesser place: halves of a piece are sorted, each element of the first
// half is compared with its mirror image in the second, and after that the halves are merged by comparisons over ever shorter distances.
// Places behind the end of the row would hold elements greater than all others, which no comparison moves, so they are left out.
class SortEmitter final : GpuFunctionEmitter {
 public:
  SortEmitter(llvm::Module& module, const SortKernel& sort, const std::string& name, const Target& target)
      : GpuFunctionEmitter(module, gpu_function(name, GpuForm::elements), 2 * static_cast<int>(sort.dtypes.size()) + 1,
                           2, sort_threads, target),
        sort_(sort),
        one_(b_, target, 1, false) {}

  void emit() {
    const int count = static_cast<int>(sort_.dtypes.size());
    length_ = argument(2 * count + 1);
    inner_ = argument(2 * count + 2);
    thread_ = wide(index(Index::thread_x));
    threads_ = wide(index(Index::threads_x));
    Value* row = wide(index(Index::block_x));
    Value* before = b_.CreateMul(b_.CreateMul(b_.CreateUDiv(row, inner_), length_), inner_);
    start_ = b_.CreateAdd(before, b_.CreateURem(row, inner_));
    Value* in_memory = word(argument(2 * count), b_.CreateMul(row, length_));
    Value* is_short = b_.CreateICmpSLE(length_, i64(short_sort));
    positions_ = b_.CreateSelect(is_short, b_.CreateAddrSpaceCast(machine_->shared(b_), b_.getPtrTy()), in_memory);
    each_of(length_, [&](Value* place) { set_position(place, b_.CreateTrunc(place, b_.getInt32Ty())); });
    machine_->barrier(b_);
    sort_positions();
    each_of(length_, [&](Value* place) { move_element(place); });
    finish();
  }

 private:
  // Divides [0, count) among the threads of the block.
  void each_of(Value* count, const std::function<void(Value*)>& body) {
    emit_for_each(b_, thread_, count, threads_, body);
  }

  // Sorts pieces of 2, 4, 8... places, until a piece holds the whole row.
  void sort_positions() {
    Value* last = b_.CreateSub(length_, i64(1));
    Value* levels = b_.CreateSub(i64(64), b_.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, last, b_.getFalse()));
    emit_for_each(b_, i64(0), levels, i64(1), [&](Value* level) {
      compare_all(level, true);
      emit_for_each(b_, i64(0), level, i64(1),
                    [&](Value* done) { compare_all(b_.CreateSub(b_.CreateSub(level, i64(1)), done), false); });
    });
  }

  // Compares the halves, of 2^level places, of each piece: at the same places of both, or at mirrored ones.
  void compare_all(Value* level, bool is_mirrored) {
    Value* half = b_.CreateShl(i64(1), level);
    Value* size = b_.CreateShl(half, 1);
    Value* pieces = b_.CreateLShr(b_.CreateAdd(length_, b_.CreateSub(size, i64(1))), b_.CreateAdd(level, i64(1)));
    each_of(b_.CreateShl(pieces, level), [&](Value* pair) {
      Value* at = b_.CreateAnd(pair, b_.CreateSub(half, i64(1)));
      Value* piece = b_.CreateMul(b_.CreateLShr(pair, level), size);
      Value* low = b_.CreateAdd(piece, at);
      Value* mirrored = b_.CreateSub(b_.CreateAdd(piece, b_.CreateSub(size, i64(1))), at);
      Value* high = is_mirrored ? mirrored : b_.CreateAdd(low, half);
      if_then_else(b_.CreateICmpSLT(high, length_), [&] { compare(low, high); });
    });
    machine_->barrier(b_);
  }

  // Exchanges the elements at two places if they are in the wrong order.
  void compare(Value* low, Value* high) {
    Value *first = position(low), *second = position(high);
    const std::vector<Value*> of_first = elements(first), of_second = elements(second);
    Value* is_second_less = is_less(of_second, of_first);
    Value* is_equal = b_.CreateNot(b_.CreateOr(is_second_less, is_less(of_first, of_second)));
    Value* must_swap = b_.CreateOr(is_second_less, b_.CreateAnd(is_equal, b_.CreateICmpSLT(second, first)));
    if_then_else(must_swap, [&] {
      set_position(low, second);
      set_position(high, first);
    });
  }

  Value* position(Value* place) { return load_word(positions_, place); }
  void set_position(Value* place, Value* position) { b_.CreateStore(position, word(positions_, place)); }

  Value* element_address(int pointer, std::size_t operand, Value* place) {
    Value* at = b_.CreateAdd(start_, b_.CreateMul(place, inner_));
    return b_.CreateGEP(one_.memory_type(sort_.dtypes[operand]), argument(pointer), at);
  }

  Value* stored_element(std::size_t operand, Value* position) {
    return b_.CreateLoad(one_.memory_type(sort_.dtypes[operand]),
                         element_address(static_cast<int>(operand), operand, wide(position)));
  }

  std::vector<Value*> elements(Value* position) {
    std::vector<Value*> all;
    for (std::size_t i = 0; i < sort_.dtypes.size(); ++i)
      all.push_back(one_.from_memory(stored_element(i, position), sort_.dtypes[i]));
    return all;
  }

  Value* is_less(const std::vector<Value*>& a, const std::vector<Value*>& b) {
    std::vector<ir::Scalar> inputs;
    for (std::size_t i = 0; i < a.size(); ++i) {
      inputs.push_back(to_scalar(a[i], sort_.dtypes[i]));
      inputs.push_back(to_scalar(b[i], sort_.dtypes[i]));
    }
    return llvm_value(emit_scalars(*sort_.comparator, inputs, one_)[0]);
  }

  void move_element(Value* place) {
    Value* from = position(place);
    const int count = static_cast<int>(sort_.dtypes.size());
    for (std::size_t i = 0; i < sort_.dtypes.size(); ++i)
      b_.CreateStore(stored_element(i, from), element_address(count + static_cast<int>(i), i, place));
  }

  const SortKernel& sort_;
  ScalarEmitter one_;
  Value *length_ = nullptr, *inner_ = nullptr, *thread_ = nullptr, *threads_ = nullptr;
  Value* start_ = nullptr;  // the first element of the row
  Value* positions_ = nullptr;
};

}  // namespace

void emit_sort(llvm::Module& module, const SortKernel& sort, const std::string& name, const Target& target) {
  SortEmitter(module, sort, name, target).emit();
}

}  // namespace weft::compiler
