// The operations of a warp on small matrices of 16-bit floats, and the copies of tiles into shared memory.
//
// The 32 threads of a warp hold a matrix in parts. With g = thread / 4 and t = thread % 4, a thread has
//   of a sum [16, 8] of f32:       (g, 2t), (g, 2t + 1), (g + 8, 2t), (g + 8, 2t + 1), one element in each value
//   of a left operand [16, 16]:    (g, 2t..2t+1), (g + 8, 2t..2t+1), (g, 2t + 8..2t+9), (g + 8, 2t + 8..2t+9), two elements in each i32
//   of a right operand [16, 8]:    (2t..2t+1, g), (2t + 8..2t+9, g).
#pragma once

#include <array>
#include <memory>
#include <vector>

#include <llvm/IR/IRBuilder.h>

#include <weft/base/dtype.h>
#include <weft/compiler/options/target.h>

namespace weft::compiler {

// The right operand [16 k, 8 n] of a warpgroup, in shared memory. Either its columns, or its rows if it is `transposed`, lie in lines of
// `swizzle` bytes: 128, 64 or 32. Eight lines follow each other at once; the 16-byte pieces of a line change places:
// the three (two, one) bits of the address that number the piece are exclusive-ored with those that number the 128 bytes in which it lies.
struct SharedMatrix {
  llvm::Value* place = nullptr;  // its first line, in bytes of shared memory
  bool transposed = false;
  int swizzle = 128;
  int to_next_lines = 0;   // bytes from eight lines to the next eight
  int to_next_panel = 0;   // transposed: bytes to the lines with the next columns, for more columns than a line has
  std::vector<int> steps;  // bytes from `place` to the part with each 16 of the rows
};

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

  // ---- what the four warps of a warpgroup do together, each with the 16 rows of its sums, on GPUs that have wgmma

  // Lets products read what this thread has copied or stored, once the block has met at a barrier.
  virtual void publish(Builder& b) = 0;
  // Begins a product, and returns the sums [16, 8 n] that it is going to have: sum + left * right, or left * right if there are no sums.
  // Neither they nor the left operand may be used until it has been waited for.
  virtual std::vector<Value*> begin_product(Builder& b, DType dtype, const std::vector<Value*>& sum, int columns,
                                            const std::vector<std::array<Value*, 4>>& left,
                                            const SharedMatrix& right) = 0;
  // Waits until only the last `pending` products that have begun go on; returns the sums of those that end here, in their order. These
  // products read `operands`, which stay in their registers until then. What is `ready` is computed before.
  virtual std::vector<Value*> wait_for_products(Builder& b, int pending, const std::vector<Value*>& sums,
                                                const std::vector<std::array<Value*, 4>>& operands,
                                                const std::vector<Value*>& ready) = 0;
};

std::unique_ptr<GpuMatrices> gpu_matrices(const Target& target);

}  // namespace weft::compiler
