// Emits loops and branches.
#pragma once

#include <llvm/IR/IRBuilder.h>

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

}  // namespace weft::compiler
