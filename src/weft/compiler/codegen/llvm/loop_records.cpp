#include <llvm/IR/Intrinsics.h>

#include <weft/compiler/codegen/llvm/loop_emitter_class.h>
#include <weft/compiler/codegen/llvm/vector_shuffles.h>
#include <weft/compiler/loop/cost.h>

namespace weft::compiler {

using llvm::Value;

void LoopEmitter::emit_records(Value* task) {
  Value *lanes = number(loop_.sizes[lane_axis()]), *block = i64(loop_.tiling.block);
  Value* blocks = b_.CreateUDiv(b_.CreateAdd(lanes, i64(loop_.tiling.block - 1)), block);
  decode_rows(b_.CreateUDiv(task, blocks));
  Value* begin = b_.CreateMul(b_.CreateURem(task, blocks), block);
  Value* end = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, b_.CreateAdd(begin, block), lanes);
  forget_row();
  emit_row_values(0);
  Value* rest = emit_vectors(begin, end, 0, 1);
  // Lanes that do not fill a vector, of which the last block has some, are computed one by one.
  for_each(rest, end, i64(1), [&](Value* lane) {
    axes_[lane_axis()] = lane;
    std::vector<Value*> values(loop_.exprs.size());
    emit_stores({.vector = false, .mask = nullptr, .values = &values, .stage = 0, .copy = 0, .linear_lane = nullptr});
  });
  axes_[lane_axis()] = nullptr;
}

Value* LoopEmitter::address_of_record(int buffer, DType dtype, const Position& position, int row, int field) {
  Value* size = number(position.coefficients[lane_axis()]);
  Value* first = b_.CreateAdd(scalar_position(position), b_.CreateMul(size, i64(row)));
  return b_.CreateGEP(one_.memory_type(dtype), buffers_[buffer], b_.CreateAdd(first, i64(field)));
}

// The fields of short records are chosen from all vectors in which they lie. Of longer ones, as many fields as a vector has lanes are
// transposed at once; the last ones may have been read before.
Value* LoopEmitter::load_field(const Expr& e) {
  const int size = e.record.size, block = size > width_ ? e.record.field / width_ * width_ : 0;
  const int first = std::min(block, std::max(size - width_, 0));
  const auto is_known = [&](const FieldsRead& read) {
    return read.buffer == e.buffer && read.size == size && read.first == first && read.position == e.position;
  };
  auto read = std::ranges::find_if(fields_read_, is_known);
  if (read == fields_read_.end()) {
    fields_read_.push_back({e.buffer, size, first, e.position, read_fields(e, first)});
    read = std::prev(fields_read_.end());
  }
  return many_.from_memory(read->fields[e.record.field - first], e.dtype);
}

std::vector<Value*> LoopEmitter::read_fields(const Expr& e, int first) {
  const llvm::Align align(byte_size(e.dtype));
  std::vector<Value*> vectors;
  if (e.record.size >= width_) {
    for (int row = 0; row < width_; ++row)
      vectors.push_back(b_.CreateAlignedLoad(many_.memory_type(e.dtype),
                                             address_of_record(e.buffer, e.dtype, e.position, row, first), align));
    return transposed(b_, std::move(vectors), byte_size(e.dtype));
  }
  auto* type = llvm::FixedVectorType::get(one_.memory_type(e.dtype), width_ * e.record.size);
  Value* all = b_.CreateAlignedLoad(type, address_of_record(e.buffer, e.dtype, e.position, 0, 0), align);
  for (int field = 0; field < e.record.size; ++field) vectors.push_back(every(b_, all, field, e.record.size));
  return vectors;
}

void LoopEmitter::store_records(const Store& st, const std::vector<Value*>& fields) {
  const DType dtype = loop_.buffers[st.buffer];
  const llvm::Align align(byte_size(dtype));
  const int size = st.record.size;
  if (size < width_) {
    b_.CreateAlignedStore(interleaved(b_, fields), address_of_record(st.buffer, dtype, st.position, 0, 0), align);
    return;
  }
  for (int block = 0; block < size; block += width_) {
    const int first = std::min(block, size - width_);
    const auto rows = transposed(b_, {fields.begin() + first, fields.begin() + first + width_}, byte_size(dtype));
    for (int row = 0; row < width_; ++row)
      b_.CreateAlignedStore(rows[row], address_of_record(st.buffer, dtype, st.position, row, first), align);
  }
}

bool LoopEmitter::is_called(const Expr& e, const Place& place) const {
  constexpr int expensive = 12, few = 2;
  if (loop_.walk != Walk::records || place.vector || e.op->attributes) return false;
  if (cost_of(*e.op, nullptr, loop_.exprs[e.operands[0]].dtype, e.dtype) < expensive) return false;
  return std::ranges::count(loop_.exprs, e.op, &Expr::op) > few;
}

Value* LoopEmitter::call(const Expr& e, std::span<const ir::Scalar> operands) {
  std::vector<llvm::Type*> types;
  std::vector<Value*> values;
  std::string name = concat(e.op->name, ".", e.dtype);
  for (const ir::Scalar& operand : operands) {
    values.push_back(llvm_value(operand));
    types.push_back(values.back()->getType());
    name += concat(".", operand.dtype);
  }
  llvm::Module& module = *function_->getParent();
  llvm::Function* callee = module.getFunction(name);
  if (!callee) {
    auto* type = llvm::FunctionType::get(one_.compute_type(e.dtype), types, false);
    callee = llvm::Function::Create(type, llvm::Function::InternalLinkage, name, module);
    callee->copyAttributesFrom(function_);
    callee->setLinkage(llvm::Function::InternalLinkage);
    callee->addFnAttr(llvm::Attribute::NoInline);
    llvm::IRBuilder<> b(llvm::BasicBlock::Create(b_.getContext(), "entry", callee));
    ScalarEmitter s(b, target_, 1, loop_.contract);
    std::vector<ir::Scalar> arguments;
    for (std::size_t i = 0; i < operands.size(); ++i)
      arguments.push_back(to_scalar(callee->getArg(i), operands[i].dtype));
    b.CreateRet(llvm_value(e.op->scalar(s, {arguments, e.dtype, nullptr})));
    verify(*callee);
  }
  return b_.CreateCall(callee, values);
}

}  // namespace weft::compiler
