// Rearranges the elements of several vectors in registers.
#pragma once

#include <vector>

#include <llvm/IR/IRBuilder.h>

namespace weft::compiler {

// Transposes a square matrix, given by its rows.
std::vector<llvm::Value*> transposed(llvm::IRBuilder<>& b, std::vector<llvm::Value*> rows, int element_bytes);

// Returns one vector with the elements of all, which have equal length: the first of each, then the second of each.
llvm::Value* interleaved(llvm::IRBuilder<>& b, std::vector<llvm::Value*> vectors);

// Returns every count-th element of a vector, from number `first` on.
llvm::Value* every(llvm::IRBuilder<>& b, llvm::Value* vector, int first, int count);

}  // namespace weft::compiler
