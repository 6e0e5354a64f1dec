// The operations that only the threads of a GPU's kernel have: finding out which thread runs, exchanging values, waiting for each other. They
// are instructions of the GPU or, on the twin, calls that the host answers to test the same code.
#pragma once

#include <memory>
#include <string>

#include <llvm/IR/IRBuilder.h>

#include <weft/compiler/options/target.h>

namespace weft::compiler {

class GpuMachine {
 public:
  enum class Index : std::uint8_t { thread_x, thread_y, threads_x, threads_y, block_x, block_y, blocks_x, blocks_y };

  virtual ~GpuMachine() = default;
  // Returns a number of the running thread, as i32.
  virtual llvm::Value* index(llvm::IRBuilder<>& b, Index index) = 0;
  // Returns the i32 that the thread whose number in the warp differs by the bits of `distance` passes. All threads of a warp call it.
  virtual llvm::Value* exchange(llvm::IRBuilder<>& b, llvm::Value* value, int distance) = 0;
  virtual void barrier(llvm::IRBuilder<>& b) = 0;
  // Returns the address of the block's shared memory.
  virtual llvm::Value* shared(llvm::IRBuilder<>& b) = 0;
  // Marks a function as a kernel of blocks with at most so many threads, of which at least so many must fit onto a multiprocessor.
  virtual void make_kernel(llvm::Function& function, int threads, int blocks = 0) = 0;
};

// Returns the name of the function through which the twin calls a kernel's function: void f(ptr addresses of the arguments).
std::string twin_function(const std::string& function);

std::unique_ptr<GpuMachine> gpu_machine(const Target& target);

}  // namespace weft::compiler
