#include <weft/compiler/codegen/llvm/body_emitter.h>

#include <algorithm>
#include <cstring>

#include <llvm/IR/IRBuilder.h>

#include <weft/compiler/codegen/llvm/control_flow.h>
#include <weft/compiler/codegen/llvm/cpu_function.h>
#include <weft/compiler/codegen/llvm/scalar_emitter.h>
#include <weft/compiler/loop/kernel_source.h>
#include <weft/compiler/loop/lower.h>
#include <weft/ir/ops.h>
#include <weft/ir/uses.h>

namespace weft::compiler {

using llvm::Value;

namespace {

// Emits for each outer row: if the outputs are dense, vectors of inner rows, with the last vector masked if the processor has masks; all
// other rows one by one.
class BodyEmitter {
 public:
  BodyEmitter(llvm::Module& module, const ir::Graph& body, const std::string& name, const Target& target)
      : body_(body),
        b_(module.getContext()),
        width_(target.lanes),
        one_(b_, target, 1, false),
        many_(b_, target, width_, false) {
    llvm::Type *integer = b_.getInt64Ty(), *pointer = b_.getPtrTy();
    function_ = make_cpu_function(module, name, {integer, integer, pointer, pointer, pointer}, target);
    for (const ir::Value v : body.inputs()) dtypes_.push_back(v.dtype());
    for (const ir::Value v : body.outputs()) dtypes_.push_back(v.dtype());
  }

  void emit() {
    b_.SetInsertPoint(block("entry"));
    load_arguments();
    Value *inner = function_->getArg(1), *dense = outputs_are_dense();
    Value* vectors = b_.CreateSelect(dense, b_.CreateAnd(inner, i64(-width_)), i64(0));
    const bool has_masks = width_ == 16;  // AVX-512
    emit_for_each(b_, i64(0), function_->getArg(0), i64(1), [&](Value* row) {
      place_rows(row);
      emit_for_each(b_, i64(0), vectors, i64(width_), [&](Value* at) { emit_rows(at, many_); });
      Value* single = vectors;
      if (has_masks) {
        single = b_.CreateSelect(dense, inner, vectors);
        emit_for_each(b_, vectors, single, i64(width_), [&](Value* at) {  // at most once
          mask_ = b_.CreateICmpULT(lanes(), splat(b_.CreateSub(inner, at)));
          emit_rows(at, many_);
          mask_ = nullptr;
        });
      }
      emit_for_each(b_, single, inner, i64(1), [&](Value* at) { emit_rows(at, one_); });
    });
    end_function(b_);
  }

 private:
  llvm::BasicBlock* block(const char* name) { return llvm::BasicBlock::Create(b_.getContext(), name, function_); }
  Value* i64(std::int64_t value) { return b_.getInt64(value); }
  Value* width_of(std::size_t buffer) { return i64(byte_size(dtypes_[buffer])); }

  Value* splat(Value* x) { return b_.CreateVectorSplat(width_, x); }
  Value* lanes() {
    llvm::SmallVector<llvm::Constant*, 16> numbers;
    for (int lane = 0; lane < width_; ++lane) numbers.push_back(b_.getInt64(lane));
    return llvm::ConstantVector::get(numbers);
  }

  void load_arguments() {
    const auto element = [&](llvm::Type* type, unsigned argument, std::size_t i) {
      return b_.CreateLoad(type, b_.CreateConstInBoundsGEP1_64(type, function_->getArg(argument), i));
    };
    for (std::size_t i = 0; i < dtypes_.size(); ++i) {
      buffers_.push_back(element(b_.getPtrTy(), 2, i));
      outer_.push_back(element(b_.getInt64Ty(), 3, i));
      inner_.push_back(element(b_.getInt64Ty(), 4, i));
    }
  }

  // Finds the addresses of an outer row in the buffers.
  void place_rows(Value* row) {
    rows_.clear();
    for (std::size_t i = 0; i < dtypes_.size(); ++i)
      rows_.push_back(b_.CreateGEP(b_.getInt8Ty(), buffers_[i], b_.CreateNSWMul(row, outer_[i])));
  }

  Value* outputs_are_dense() {
    Value* dense = b_.getTrue();
    for (std::size_t i = body_.inputs().size(); i < dtypes_.size(); ++i)
      dense = b_.CreateAnd(dense, b_.CreateICmpEQ(inner_[i], width_of(i)));
    return dense;
  }

  Value* address(std::size_t buffer, Value* at) {
    return b_.CreateGEP(b_.getInt8Ty(), rows_[buffer], b_.CreateNSWMul(at, inner_[buffer]));
  }
  llvm::Align alignment(std::size_t buffer) const { return llvm::Align(byte_size(dtypes_[buffer])); }

  // Reads everything before it writes anything: outputs may share memory with inputs.
  void emit_rows(Value* at, ScalarEmitter& emitter) {
    const auto inputs = body_.inputs(), outputs = body_.outputs();
    std::vector<ir::Scalar> loaded;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      Value* stored = &emitter == &one_
                          ? b_.CreateAlignedLoad(emitter.memory_type(dtypes_[i]), address(i, at), alignment(i))
                          : load_vector(i, at);
      loaded.push_back(to_scalar(emitter.from_memory(stored, dtypes_[i]), dtypes_[i]));
    }
    const std::vector<ir::Scalar> results = emit_scalars(body_, loaded, emitter);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const std::size_t buffer = inputs.size() + i;
      Value* stored = emitter.to_memory(llvm_value(results[i]), dtypes_[buffer]);
      if (&emitter == &many_ && mask_)
        b_.CreateMaskedStore(stored, address(buffer, at), alignment(buffer), mask_);
      else
        b_.CreateAlignedStore(stored, address(buffer, at), alignment(buffer));
    }
  }

  // Returns elements 0, 2, 4... from `from` on, using two loads that read nothing behind the last element.
  Value* load_every_other(std::size_t i, Value* from, Value* mask_end) {
    llvm::Type *type = many_.memory_type(dtypes_[i]), *element = one_.memory_type(dtypes_[i]);
    const auto load = [&](std::int64_t first) -> Value* {
      Value* at = b_.CreateConstGEP1_64(element, from, first);
      if (!mask_end) return b_.CreateAlignedLoad(type, at, alignment(i));
      // The last of n elements is at index 2 (n - 1).
      Value* end = b_.CreateSub(b_.CreateShl(mask_end, 1), i64(1 + first));
      Value* inside = b_.CreateICmpSLT(lanes(), splat(end));
      return b_.CreateMaskedLoad(type, at, alignment(i), inside, llvm::Constant::getNullValue(type));
    };
    llvm::SmallVector<int, 16> picked;
    for (int lane = 0; lane < width_; ++lane)
      picked.push_back(lane < width_ / 2 ? 2 * lane : width_ + 2 * lane - (width_ - 1));
    return b_.CreateShuffleVector(load(0), load(width_ - 1), picked);
  }

  // Loads rows of an input that are dense, all the same row, every other element, or at any other stride.
  Value* load_vector(std::size_t i, Value* at) {
    llvm::Type *type = many_.memory_type(dtypes_[i]), *element = one_.memory_type(dtypes_[i]);
    auto *dense = block("dense"), *other = block("other"), *same = block("same"), *spread = block("spread"),
         *pairs = block("pairs"), *apart = block("apart"), *joined = block("joined");
    Value* from = address(i, at);
    b_.CreateCondBr(b_.CreateICmpEQ(inner_[i], width_of(i)), dense, other);
    b_.SetInsertPoint(dense);
    Value* nothing = llvm::Constant::getNullValue(type);
    Value* loaded = mask_ ? b_.CreateMaskedLoad(type, from, alignment(i), mask_, nothing)
                          : static_cast<Value*>(b_.CreateAlignedLoad(type, from, alignment(i)));
    b_.CreateBr(joined);
    b_.SetInsertPoint(other);
    b_.CreateCondBr(b_.CreateICmpEQ(inner_[i], i64(0)), same, spread);
    b_.SetInsertPoint(same);
    Value* repeated = splat(b_.CreateAlignedLoad(element, from, alignment(i)));
    b_.CreateBr(joined);
    b_.SetInsertPoint(spread);
    b_.CreateCondBr(b_.CreateICmpEQ(inner_[i], b_.CreateShl(width_of(i), 1)), pairs, apart);
    b_.SetInsertPoint(pairs);
    Value* picked = load_every_other(i, from, mask_ ? b_.CreateSub(function_->getArg(1), at) : nullptr);
    b_.CreateBr(joined);
    b_.SetInsertPoint(apart);
    Value* places = b_.CreateGEP(b_.getInt8Ty(), from, b_.CreateMul(lanes(), splat(inner_[i])));
    Value* gathered = b_.CreateMaskedGather(type, places, alignment(i), mask_, mask_ ? nothing : nullptr);
    b_.CreateBr(joined);
    b_.SetInsertPoint(joined);
    auto* result = b_.CreatePHI(type, 4);
    result->addIncoming(loaded, dense);
    result->addIncoming(repeated, same);
    result->addIncoming(picked, pairs);
    result->addIncoming(gathered, apart);
    return result;
  }

  const ir::Graph& body_;
  llvm::IRBuilder<> b_;
  int width_;
  ScalarEmitter one_, many_;
  llvm::Function* function_ = nullptr;
  std::vector<DType> dtypes_;  // of inputs, then outputs
  std::vector<Value*> buffers_, outer_, inner_;
  std::vector<Value*> rows_;  // addresses of the current outer row in the buffers
  Value* mask_ = nullptr;     // mask of the vector being emitted; null: all lanes
};

ir::Scalar value_of(const ir::Node& n, const std::vector<ir::Scalar>& values, ScalarEmitter& emitter) {
  const DType dtype = n.type().dtype();
  if (const auto* constant = n.attributes_if<ir::ConstantAttributes>())
    return emitter.constant_bits(dtype, splat_bits(constant->value));
  std::vector<ir::Scalar> operands;
  for (const ir::Value v : n.operands) operands.push_back(values[v.node->id]);
  return n.op->scalar(emitter, {operands, dtype, n.attribute_data});
}

}  // namespace

std::vector<ir::Scalar> emit_scalars(const ir::Graph& body, std::span<const ir::Scalar> inputs,
                                     ScalarEmitter& emitter) {
  std::vector<ir::Scalar> values(body.nodes().size()), results;
  for (std::size_t i = 0; i < inputs.size(); ++i) values[body.inputs()[i].node->id] = inputs[i];
  const std::vector<int> uses = ir::count_uses(body);
  for (const ir::Node* n : body.nodes()) {
    if (ir::is_parameter(*n)) continue;
    values[n->id] = value_of(*n, values, emitter);
    if (uses[n->id] > 1) ScalarEmitter::keep_rounding(llvm_value(values[n->id]));
  }
  for (const ir::Value output : body.outputs()) results.push_back(values[output.node->id]);
  return results;
}

void emit_body(llvm::Module& module, const ir::Graph& body, const std::string& name, const Target& target) {
  BodyEmitter(module, body, name, target).emit();
}

}  // namespace weft::compiler
