#include <weft/compiler/llvm/body_emitter.h>

#include <algorithm>
#include <cstring>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>

#include <weft/compiler/llvm/jit.h>
#include <weft/compiler/llvm/scalar_emitter.h>
#include <weft/ir/ops.h>

namespace weft::compiler {

using llvm::Value;

namespace {

class BodyEmitter {
 public:
  BodyEmitter(llvm::Module& module, const ir::Graph& body, const std::string& name)
      : body_(body), b_(module.getContext()), scalar_(b_, 1, false) {
    llvm::Type* integer = b_.getInt64Ty();
    auto* type = llvm::FunctionType::get(b_.getVoidTy(), {integer, b_.getPtrTy(), b_.getPtrTy()}, false);
    function_ = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, module);
    function_->addFnAttr(llvm::Attribute::NoUnwind);
  }

  void emit() {
    auto* entry = llvm::BasicBlock::Create(b_.getContext(), "entry", function_);
    auto* loop = llvm::BasicBlock::Create(b_.getContext(), "loop", function_);
    auto* done = llvm::BasicBlock::Create(b_.getContext(), "done", function_);
    b_.SetInsertPoint(entry);
    load_arguments(body_.inputs().size() + body_.outputs().size());
    b_.CreateCondBr(b_.CreateICmpSGT(function_->getArg(0), b_.getInt64(0)), loop, done);
    b_.SetInsertPoint(loop);
    auto* row = b_.CreatePHI(b_.getInt64Ty(), 2);
    row->addIncoming(b_.getInt64(0), entry);
    emit_row(row);
    Value* next = b_.CreateNSWAdd(row, b_.getInt64(1));
    row->addIncoming(next, loop);
    b_.CreateCondBr(b_.CreateICmpSLT(next, function_->getArg(0)), loop, done);
    b_.SetInsertPoint(done);
    b_.CreateRetVoid();
    std::string message;
    llvm::raw_string_ostream out(message);
    WEFT_ASSERT(!llvm::verifyFunction(*function_, &out), message);
  }

 private:
  void load_arguments(std::size_t count) {
    const auto element = [&](llvm::Type* type, unsigned argument, std::size_t i) {
      return b_.CreateLoad(type, b_.CreateConstInBoundsGEP1_64(type, function_->getArg(argument), i));
    };
    for (std::size_t i = 0; i < count; ++i) {
      buffers_.push_back(element(b_.getPtrTy(), 1, i));
      strides_.push_back(element(b_.getInt64Ty(), 2, i));
    }
  }

  Value* address(std::size_t buffer, Value* row) {
    return b_.CreateGEP(b_.getInt8Ty(), buffers_[buffer], b_.CreateNSWMul(row, strides_[buffer]));
  }

  // All is read before anything is written: outputs may lie where inputs do.
  void emit_row(Value* row) {
    const auto inputs = body_.inputs();
    std::vector<ir::Scalar> values(body_.nodes().size());
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const DType dtype = inputs[i].dtype();
      Value* stored = b_.CreateLoad(scalar_.memory_type(dtype), address(i, row));
      values[inputs[i].node->id] = to_scalar(scalar_.from_memory(stored, dtype), dtype);
    }
    for (const ir::Node* n : body_.nodes())
      if (n->op != &ir::ops::parameter) values[n->id] = value_of(*n, values);
    const auto outputs = body_.outputs();
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const DType dtype = outputs[i].dtype();
      Value* stored = scalar_.to_memory(llvm_value(values[outputs[i].node->id]), dtype);
      b_.CreateStore(stored, address(inputs.size() + i, row));
    }
  }

  ir::Scalar value_of(const ir::Node& n, const std::vector<ir::Scalar>& values) {
    const DType dtype = n.type().dtype();
    if (n.op == &ir::ops::constant) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, n.attributes<ir::ConstantAttributes>().value.bytes.data(),
                  static_cast<std::size_t>(byte_size(dtype)));
      return scalar_.constant_bits(dtype, bits);
    }
    std::vector<ir::Scalar> operands;
    for (const ir::Value v : n.operands) operands.push_back(values[v.node->id]);
    return n.op->scalar(scalar_, {operands, dtype, n.attribute_data});
  }

  const ir::Graph& body_;
  llvm::IRBuilder<> b_;
  ScalarEmitter scalar_;
  llvm::Function* function_ = nullptr;
  std::vector<Value*> buffers_, strides_;
};

}  // namespace

bool is_scalar_body(const ir::Graph& body) {
  return std::ranges::all_of(body.nodes(), [](const ir::Node* n) {
    const bool known =
        n->op->kind == ir::Kind::elementwise || n->op == &ir::ops::parameter || n->op == &ir::ops::constant;
    return known && n->type().rank() == 0;
  });
}

void emit_body(llvm::Module& module, const ir::Graph& body, const std::string& name) {
  BodyEmitter(module, body, name).emit();
}

}  // namespace weft::compiler
