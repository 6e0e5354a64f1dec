// The base of the emitters of a GPU's kernels that are not loops: a function and what its code is made of.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <weft/base/error.h>
#include <weft/compiler/codegen/llvm/control_flow.h>
#include <weft/compiler/codegen/llvm/gpu_machine.h>

namespace weft::compiler {

class GpuFunctionEmitter {
 protected:
  using Value = llvm::Value;
  using Index = GpuMachine::Index;

  // The function takes `pointers` addresses, then `numbers` of 64 bits.
  GpuFunctionEmitter(llvm::Module& module, const std::string& name, int pointers, int numbers, int threads,
                     const Target& target)
      : b_(module.getContext()), machine_(gpu_machine(target)) {
    std::vector<llvm::Type*> types(pointers, b_.getPtrTy());
    types.resize(pointers + numbers, b_.getInt64Ty());
    auto* type = llvm::FunctionType::get(b_.getVoidTy(), types, false);
    function_ = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, module);
    function_->addFnAttr(llvm::Attribute::NoUnwind);
    machine_->make_kernel(*function_, threads);
    entry_ = llvm::BasicBlock::Create(b_.getContext(), "entry", function_);
    b_.SetInsertPoint(entry_);
  }

  Value* argument(int i) { return function_->getArg(i); }
  Value* i32(std::int32_t value) { return llvm::ConstantInt::getSigned(b_.getInt32Ty(), value); }
  Value* i64(std::int64_t value) { return b_.getInt64(value); }
  Value* wide(Value* value) { return b_.CreateZExt(value, b_.getInt64Ty()); }
  Value* index(Index index) { return machine_->index(b_, index); }
  Value* word(Value* base, Value* at) { return b_.CreateGEP(b_.getInt32Ty(), base, at); }
  Value* load_word(Value* base, Value* at) { return b_.CreateLoad(b_.getInt32Ty(), word(base, at)); }
  // Returns the place of a variable that begins with this value.
  Value* local(Value* start) {
    llvm::IRBuilder<> entry(entry_, entry_->begin());
    Value* place = entry.CreateAlloca(start->getType());
    b_.CreateStore(start, place);
    return place;
  }
  Value* load_local(llvm::Type* type, Value* place) { return b_.CreateLoad(type, place); }

  void if_then_else(Value* condition, const std::function<void()>& then, const std::function<void()>& otherwise = {}) {
    auto* inside = llvm::BasicBlock::Create(b_.getContext(), "then", function_);
    auto* other = llvm::BasicBlock::Create(b_.getContext(), "else", function_);
    auto* after = llvm::BasicBlock::Create(b_.getContext(), "endif", function_);
    b_.CreateCondBr(condition, inside, other);
    b_.SetInsertPoint(inside);
    then();
    b_.CreateBr(after);
    b_.SetInsertPoint(other);
    if (otherwise) otherwise();
    b_.CreateBr(after);
    b_.SetInsertPoint(after);
  }

  void finish() { end_function(b_); }

  llvm::IRBuilder<> b_;
  const std::unique_ptr<GpuMachine> machine_;
  llvm::Function* function_ = nullptr;
  llvm::BasicBlock* entry_ = nullptr;
};

}  // namespace weft::compiler
