// Emits loops, branches, and the ends of functions.
#pragma once

#include <string>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>

#include <weft/base/error.h>

namespace weft::compiler {

// Emits for (i = begin; i < end; i += step) body(i) at the builder's position and leaves the builder behind the loop. `body` may create
// basic blocks.
template <class Body>
void emit_for_each(llvm::IRBuilder<>& b, llvm::Value* begin, llvm::Value* end, llvm::Value* step, Body&& body) {
  auto* before = b.GetInsertBlock();
  llvm::Function* function = before->getParent();
  auto* head = llvm::BasicBlock::Create(b.getContext(), "loop", function);
  auto* inside = llvm::BasicBlock::Create(b.getContext(), "body", function);
  auto* after = llvm::BasicBlock::Create(b.getContext(), "done", function);
  b.CreateBr(head);
  b.SetInsertPoint(head);
  auto* i = b.CreatePHI(b.getInt64Ty(), 2);
  i->addIncoming(begin, before);
  b.CreateCondBr(b.CreateICmpSLT(i, end), inside, after);
  b.SetInsertPoint(inside);
  body(i);
  i->addIncoming(b.CreateNSWAdd(i, step), b.GetInsertBlock());
  b.CreateBr(head);
  b.SetInsertPoint(after);
}

// Emits if (condition) body() in the same way.
template <class Body>
void emit_if(llvm::IRBuilder<>& b, llvm::Value* condition, Body&& body) {
  llvm::Function* function = b.GetInsertBlock()->getParent();
  auto* inside = llvm::BasicBlock::Create(b.getContext(), "then", function);
  auto* after = llvm::BasicBlock::Create(b.getContext(), "endif", function);
  b.CreateCondBr(condition, inside, after);
  b.SetInsertPoint(inside);
  body();
  b.CreateBr(after);
  b.SetInsertPoint(after);
}

template <class Then, class Else>
void emit_if_else(llvm::IRBuilder<>& b, llvm::Value* condition, Then&& then, Else&& otherwise) {
  llvm::Function* function = b.GetInsertBlock()->getParent();
  auto* first = llvm::BasicBlock::Create(b.getContext(), "then", function);
  auto* second = llvm::BasicBlock::Create(b.getContext(), "else", function);
  auto* after = llvm::BasicBlock::Create(b.getContext(), "endif", function);
  b.CreateCondBr(condition, first, second);
  b.SetInsertPoint(first);
  then();
  b.CreateBr(after);
  b.SetInsertPoint(second);
  otherwise();
  b.CreateBr(after);
  b.SetInsertPoint(after);
}

// Throws InternalError if LLVM finds a mistake in the function.
inline void verify(const llvm::Function& function) {
  std::string message;
  llvm::raw_string_ostream out(message);
  WEFT_ASSERT(!llvm::verifyFunction(function, &out), message);
}

// Returns from the function at the builder's position, and verifies it.
inline void end_function(llvm::IRBuilder<>& b) {
  b.CreateRetVoid();
  verify(*b.GetInsertBlock()->getParent());
}

}  // namespace weft::compiler
