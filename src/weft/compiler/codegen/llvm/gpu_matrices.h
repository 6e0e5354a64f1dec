// The operations of a warp on small matrices of 16-bit floats, and the copies of tiles into shared memory.
//
// The 32 threads of a warp hold a matrix in parts. With g = thread / 4 and t = thread % 4, a thread has
//   of a sum [16, 8] of f32:       (g, 2t), (g, 2t + 1), (g + 8, 2t), (g + 8, 2t + 1), one element in each value
//   of a left operand [16, 16]:    (g, 2t..2t+1), (g + 8, 2t..2t+1), (g, 2t + 8..2t+9), (g + 8, 2t + 8..2t+9), two elements in each i32
//   of a right operand [16, 8]:    (2t..2t+1, g), (2t + 8..2t+9, g).
#pragma once

#include <array>
#include <memory>

#include <llvm/IR/IRBuilder.h>

#include <weft/base/dtype.h>
#include <weft/compiler/options/target.h>

namespace weft::compiler {

class GpuMatrices {
 public:
  using Value = llvm::Value;
  using Builder = llvm::IRBuilder<>;

  virtual ~GpuMatrices() = default;
  // Loads four matrices [8, 8] from shared memory: thread 8 i + r passes the address of row r of matrix i, which is a multiple of 16 bytes.
  // Result i is the matrix i: (g, 2t..2t+1), or (2t..2t+1, g) if it is transposed.
  virtual std::array<Value*, 4> load(Builder& b, Value* address, bool transposed) = 0;
  // Returns sum + left * right.
  virtual std::array<Value*, 4> multiply_add(Builder& b, DType dtype, const std::array<Value*, 4>& left,
                                             const std::array<Value*, 2>& right, const std::array<Value*, 4>& sum) = 0;
  // Rounds two f32 to two elements in an i32, the first in its low half.
  virtual Value* rounded(Builder& b, DType dtype, Value* first, Value* second) = 0;
  // Return 2^x and log2(x) of an f32, with an error of two units in the last place.
  virtual Value* exp2(Builder& b, Value* x) = 0;
  virtual Value* log2(Builder& b, Value* x) = 0;
  // Begins to copy `size` bytes, 16 or 4, to shared memory, of which the first `count` come from the other address and the rest are 0.
  virtual void copy(Builder& b, Value* to, Value* from, int size, Value* count) = 0;
  // Waits for this thread's copies.
  virtual void wait_for_copies(Builder& b) = 0;
};

std::unique_ptr<GpuMatrices> gpu_matrices(const Target& target);

}  // namespace weft::compiler
