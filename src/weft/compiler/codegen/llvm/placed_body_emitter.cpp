#include <weft/compiler/codegen/llvm/placed_body_emitter.h>

#include <cstddef>
#include <vector>

#include <llvm/IR/IRBuilder.h>

#include <weft/compiler/codegen/llvm/body_emitter.h>
#include <weft/compiler/codegen/llvm/control_flow.h>
#include <weft/compiler/codegen/llvm/cpu_function.h>
#include <weft/compiler/codegen/llvm/scalar_emitter.h>

namespace weft::compiler {

using llvm::Value;

namespace {

class PlacedBodyEmitter {
 public:
  PlacedBodyEmitter(llvm::Module& module, const PlacedBody& body, const std::string& name, const Target& target)
      : body_(*body.graph), index_(body.index), columns_(body.columns), b_(module.getContext()), target_(target) {
    llvm::Type *integer = b_.getInt64Ty(), *pointer = b_.getPtrTy();
    function_ = make_cpu_function(module, name, {pointer, integer, pointer, pointer}, target);
  }

  void emit() {
    b_.SetInsertPoint(llvm::BasicBlock::Create(b_.getContext(), "entry", function_));
    for (std::size_t i = 0; i < count(); ++i) {
      accumulators_.push_back(load_pointer(2, i));
      updates_.push_back(load_pointer(3, i));
    }
    const auto field = [&](std::size_t bytes, llvm::Type* type) {
      return b_.CreateLoad(type, b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), function_->getArg(0), bytes));
    };
    const auto number = [&](std::size_t bytes) { return field(bytes, b_.getInt64Ty()); };
    indices_ = field(offsetof(IndexedRows, indices), b_.getPtrTy());
    index_stride_ = number(offsetof(IndexedRows, index_stride));
    limit_ = number(offsetof(IndexedRows, limit));
    place_stride_ = number(offsetof(IndexedRows, place_stride));
    update_stride_ = number(offsetof(IndexedRows, update_stride));
    Value *rows = number(offsetof(IndexedRows, count)), *done = i64(0);
    if (columns_ > 0 && columns_ <= target_.lanes) {  // so little work that the loop around it would take as long
      constexpr std::int64_t at_once = 4;
      done = b_.CreateAnd(rows, i64(-at_once));
      emit_for_each(b_, i64(0), done, i64(at_once), [&](Value* row) {
        for (std::int64_t i = 0; i < at_once; ++i) emit_row(b_.CreateNSWAdd(row, i64(i)));
      });
    }
    emit_for_each(b_, done, rows, i64(1), [&](Value* row) { emit_row(row); });
    end_function(b_);
  }

 private:
  struct Rows {
    std::vector<Value*> accumulators, updates;
  };

  std::size_t count() const { return body_.outputs().size(); }
  Value* i64(std::int64_t value) { return b_.getInt64(value); }
  Value* load_pointer(unsigned argument, std::size_t i) {
    return b_.CreateLoad(b_.getPtrTy(), b_.CreateConstInBoundsGEP1_64(b_.getPtrTy(), function_->getArg(argument), i));
  }
  DType accumulator(std::size_t i) const { return body_.inputs()[i].dtype(); }
  DType update(std::size_t i) const { return body_.inputs()[count() + i].dtype(); }

  void emit_row(Value* row) {
    llvm::Type* type = b_.getIntNTy(8 * byte_size(index_));
    Value* at = b_.CreateGEP(type, indices_, b_.CreateNSWMul(row, index_stride_));
    Value* index = b_.CreateAlignedLoad(type, at, llvm::Align(byte_size(index_)));
    index = is_unsigned_integer(index_) ? b_.CreateZExt(index, b_.getInt64Ty()) : b_.CreateSExt(index, b_.getInt64Ty());
    emit_if(b_, b_.CreateICmpULT(index, limit_), [&] {  // as unsigned numbers, negative ones are greater than any limit
      ScalarEmitter one(b_, target_, 1, false);
      Value *place = b_.CreateNSWMul(index, place_stride_), *begin = b_.CreateNSWMul(row, update_stride_);
      Rows rows;
      for (std::size_t i = 0; i < count(); ++i) {
        rows.accumulators.push_back(b_.CreateGEP(one.memory_type(accumulator(i)), accumulators_[i], place));
        rows.updates.push_back(b_.CreateGEP(one.memory_type(update(i)), updates_[i], begin));
      }
      columns_ > 0 ? emit_known_columns(rows) : emit_columns(rows, function_->getArg(1));
    });
  }

  void emit_known_columns(const Rows& rows) {
    std::int64_t column = 0;
    for (int width = target_.lanes; width > 0; width /= 2)
      for (; column + width <= columns_; column += width) emit_vector(rows, i64(column), width);
  }

  // Emits several vectors at a time, then one, then what is left with ever shorter ones.
  void emit_columns(const Rows& rows, Value* columns) {
    constexpr int vectors_at_once = 4;
    Value* from = i64(0);
    const auto emit_steps = [&](std::int64_t step, int width) {
      Value* end = b_.CreateAnd(columns, i64(-step));
      emit_for_each(b_, from, end, i64(step), [&](Value* column) {
        for (std::int64_t at = 0; at < step; at += width) emit_vector(rows, b_.CreateAdd(column, i64(at)), width);
      });
      from = end;
    };
    if (target_.lanes > 1) emit_steps(std::int64_t{vectors_at_once} * target_.lanes, target_.lanes);
    for (int width = target_.lanes; width > 0; width /= 2) emit_steps(width, width);
  }

  // Reads everything before it writes anything: several accumulators may depend on each other.
  void emit_vector(const Rows& rows, Value* column, int width) {
    ScalarEmitter emitter(b_, target_, width, false), one(b_, target_, 1, false);
    const auto place = [&](Value* row, DType dtype) { return b_.CreateGEP(one.memory_type(dtype), row, column); };
    std::vector<ir::Scalar> inputs;
    const auto read = [&](Value* row, DType dtype) {
      Value* stored =
          b_.CreateAlignedLoad(emitter.memory_type(dtype), place(row, dtype), llvm::Align(byte_size(dtype)));
      inputs.push_back(to_scalar(emitter.from_memory(stored, dtype), dtype));
    };
    for (std::size_t i = 0; i < count(); ++i) read(rows.accumulators[i], accumulator(i));
    for (std::size_t i = 0; i < count(); ++i) read(rows.updates[i], update(i));
    const std::vector<ir::Scalar> results = emit_scalars(body_, inputs, emitter);
    for (std::size_t i = 0; i < count(); ++i) {
      const DType dtype = accumulator(i);
      b_.CreateAlignedStore(emitter.to_memory(llvm_value(results[i]), dtype), place(rows.accumulators[i], dtype),
                            llvm::Align(byte_size(dtype)));
    }
  }

  const ir::Graph& body_;
  const DType index_;
  const std::int64_t columns_;
  llvm::IRBuilder<> b_;
  const Target& target_;
  llvm::Function* function_ = nullptr;
  std::vector<Value*> accumulators_, updates_;
  Value *indices_ = nullptr, *index_stride_ = nullptr, *limit_ = nullptr, *place_stride_ = nullptr,
        *update_stride_ = nullptr;
};

}  // namespace

void emit_placed_body(llvm::Module& module, const PlacedBody& body, const std::string& name, const Target& target) {
  PlacedBodyEmitter(module, body, name, target).emit();
}

}  // namespace weft::compiler
