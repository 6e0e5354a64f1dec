#include <weft/compiler/codegen/llvm/fft_emitter.h>

#include <algorithm>
#include <array>
#include <functional>
#include <vector>

#include <llvm/IR/IRBuilder.h>

#include <weft/compiler/codegen/llvm/body_emitter.h>
#include <weft/compiler/codegen/llvm/control_flow.h>
#include <weft/compiler/codegen/llvm/cpu_function.h>
#include <weft/compiler/codegen/llvm/scalar_emitter.h>

namespace weft::compiler {

using llvm::Value;

namespace {

class FftEmitter {
 public:
  FftEmitter(llvm::Module& module, const FftPass& pass, const std::string& name, const Target& target)
      : pass_(pass),
        b_(module.getContext()),
        bytes_(byte_size(pass.dtype)),
        width_(std::max(1, target.lanes * 4 / static_cast<int>(bytes_))),
        has_masks_(target.lanes == 16),  // AVX-512
        one_(b_, target, 1, pass.contract),
        many_(b_, target, width_, pass.contract) {
    llvm::Type *integer = b_.getInt64Ty(), *pointer = b_.getPtrTy();
    function_ = make_cpu_function(module, name, {integer, integer, pointer, pointer}, target);
  }

  void emit() {
    b_.SetInsertPoint(llvm::BasicBlock::Create(b_.getContext(), "entry", function_));
    for (int i = 0; i < 6; ++i) {
      parts_.push_back(argument(b_.getPtrTy(), 2, i));
      strides_.push_back(argument(b_.getInt64Ty(), 3, i));
    }
    Value* inner = function_->getArg(1);
    Value* whole = b_.CreateAnd(inner, i64(-width_));
    if (has_masks_) {
      emit_for_rows([&] {
        emit_vectors(whole);
        emit_if(b_, b_.CreateICmpSLT(whole, inner), [&] { emit_masked(whole, b_.CreateSub(inner, whole)); });
      });
    } else {
      // Loops of their own for rows without a rest, which are most, need fewer registers.
      emit_if_else(
          b_, b_.CreateICmpEQ(whole, inner), [&] { emit_for_rows([&] { emit_vectors(whole); }); },
          [&] {
            emit_if_else(
                b_, b_.CreateICmpSGT(whole, i64(0)), [&] { emit_for_rows([&] { emit_overlapping(inner); }); },
                [&] {
                  emit_for_rows(
                      [&] { emit_for_each(b_, i64(0), inner, i64(1), [&](Value* at) { emit_elements(at, one_); }); });
                });
          });
    }
    end_function(b_);
  }

 private:
  enum Array { from = 0, to = 2, factors = 4 };  // the first of the two parts of each array

  Value* i64(std::int64_t value) { return b_.getInt64(value); }
  Value* argument(llvm::Type* type, unsigned number, unsigned i) {
    return b_.CreateLoad(type, b_.CreateConstInBoundsGEP1_64(type, function_->getArg(number), i));
  }
  Value* behind(Value* base, Value* bytes) { return b_.CreateGEP(b_.getInt8Ty(), base, bytes); }

  void emit_for_rows(const std::function<void()>& emit_row) {
    emit_for_each(b_, i64(0), function_->getArg(0), i64(1), [&](Value* row) {
      for (int i = 0; i < 6; ++i) {
        Value* distance = b_.CreateNSWMul(row, strides_[i / 2 * 2 + 1]);
        rows_[i] = behind(parts_[i], distance);
        rows_back_[i] = behind(parts_[i], b_.CreateNeg(distance));
      }
      emit_row();
    });
  }
  void emit_vectors(Value* end) {
    emit_for_each(b_, i64(0), end, i64(width_), [&](Value* at) { emit_elements(at, many_); });
  }
  void emit_masked(Value* at, Value* count) {
    llvm::SmallVector<llvm::Constant*, 16> numbers;
    for (int lane = 0; lane < width_; ++lane) numbers.push_back(b_.getInt64(lane));
    mask_ = b_.CreateICmpULT(llvm::ConstantVector::get(numbers), b_.CreateVectorSplat(width_, count));
    emit_elements(at, many_);
    mask_ = nullptr;
  }
  // The last vector ends with the last element, and computes elements of the vector before it again.
  void emit_overlapping(Value* inner) {
    Value* last = b_.CreateSub(inner, i64(width_));
    emit_for_each(b_, i64(0), inner, i64(width_),
                  [&](Value* at) { emit_elements(b_.CreateSelect(b_.CreateICmpSLT(at, last), at, last), many_); });
  }

  bool goes_back(Array array, int j) const { return pass_.is_mirrored && array != factors && j == 1; }
  // Returns the address of element `at` of operand, result or factor `j`.
  Value* address(Array array, int part, int j, Value* at) {
    const bool back = goes_back(array, j);
    Value* row = (back && !pass_.turns_lanes ? rows_back_ : rows_)[array + part];
    Value* base = behind(row, b_.CreateNSWMul(strides_[array], i64(j)));
    if (!at) return base;
    Value* bytes = b_.CreateNSWMul(at, i64(bytes_));
    return behind(base, back && pass_.turns_lanes ? b_.CreateNeg(bytes) : bytes);
  }

  // The first lane of a reversed vector is at the address, and the others are before it.
  bool is_reversed(Array array, int j, ScalarEmitter& emitter) const {
    return &emitter == &many_ && pass_.turns_lanes && goes_back(array, j);
  }
  Value* start_of_reversed(Value* end) { return behind(end, i64((1 - width_) * bytes_)); }
  Value* reversed(Value* vector) { return b_.CreateVectorReverse(vector); }

  Value* load(Array array, int part, int j, Value* at, ScalarEmitter& emitter) {
    llvm::Type* type = emitter.memory_type(pass_.dtype);
    const llvm::Align alignment(bytes_);
    Value* place = address(array, part, j, at);
    const bool is_back = is_reversed(array, j, emitter);
    if (is_back) place = start_of_reversed(place);
    Value* loaded = mask_ ? b_.CreateMaskedLoad(type, place, alignment, is_back ? reversed(mask_) : mask_,
                                                llvm::Constant::getNullValue(type))
                          : static_cast<Value*>(b_.CreateAlignedLoad(type, place, alignment));
    return is_back ? reversed(loaded) : loaded;
  }
  void store(Value* stored, int part, int j, Value* at, ScalarEmitter& emitter) {
    Value* place = address(to, part, j, at);
    const bool is_back = is_reversed(to, j, emitter);
    if (is_back) {
      place = start_of_reversed(place);
      stored = reversed(stored);
    }
    if (mask_)
      b_.CreateMaskedStore(stored, place, llvm::Align(bytes_), is_back ? reversed(mask_) : mask_);
    else
      b_.CreateAlignedStore(stored, place, llvm::Align(bytes_));
  }
  Value* load_factor(int part, int k, Value* at, ScalarEmitter& emitter) {
    if (pass_.turns_lanes) return load(factors, part, k, at, emitter);
    Value* factor =
        b_.CreateAlignedLoad(one_.memory_type(pass_.dtype), address(factors, part, k, nullptr), llvm::Align(bytes_));
    return &emitter == &many_ ? b_.CreateVectorSplat(width_, factor) : factor;
  }

  void emit_elements(Value* at, ScalarEmitter& emitter) {
    std::vector<ir::Scalar> inputs;
    const auto add = [&](Value* stored) {
      inputs.push_back(to_scalar(emitter.from_memory(stored, pass_.dtype), pass_.dtype));
    };
    for (const int part : {0, 1})
      for (int j = 0; j < pass_.radix; ++j) add(load(from, part, j, at, emitter));
    for (const int part : {0, 1})
      for (int k = 0; k < pass_.turned; ++k) add(load_factor(part, k, at, emitter));
    const std::vector<ir::Scalar> results = emit_scalars(*pass_.butterfly, inputs, emitter);
    for (int i = 0; i < 2 * pass_.radix; ++i)
      store(emitter.to_memory(llvm_value(results[i]), pass_.dtype), i / pass_.radix, i % pass_.radix, at, emitter);
  }

  const FftPass& pass_;
  llvm::IRBuilder<> b_;
  const std::int64_t bytes_;
  const int width_;
  const bool has_masks_;
  ScalarEmitter one_, many_;
  llvm::Function* function_ = nullptr;
  std::vector<Value*> parts_, strides_;
  std::array<Value*, 6> rows_ = {}, rows_back_ = {};  // addresses of the current row, going forwards and backwards
  Value* mask_ = nullptr;                             // mask of the vector being emitted; null: all lanes
};

}  // namespace

void emit_fft_pass(llvm::Module& module, const FftPass& pass, const std::string& name, const Target& target) {
  FftEmitter(module, pass, name, target).emit();
}

}  // namespace weft::compiler
