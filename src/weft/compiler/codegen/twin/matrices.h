// The twin of a GPU's instructions for matrices (codegen/llvm/gpu_matrices.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace weft::compiler::twin {

// The matrices that one thread holds: values of two 16-bit floats each, and a sum.
struct ProductPart {
  std::uint32_t operands[6];  // the left operand and the right one
  float sum[4];
  bool is_bf16;
};
struct LoadPart {
  const std::byte* address;
  std::uint32_t result[4];
  bool transposed;
};

// A product of a warpgroup (wgmma) that has begun; its right operand lies in shared memory.
struct WarpgroupProduct {
  bool is_bf16, transposed;
  std::vector<std::uint32_t> left;   // for each 16 columns four values
  std::vector<std::uint64_t> right;  // for each 16 rows a descriptor
  std::vector<float> sum;            // for each 8 columns four elements
  const std::byte* shared;           // the block's shared memory
  bool is_done = false;
};

// These functions do the work of a whole warp, given the parts of all 32 threads.
void multiply_add(ProductPart* const* parts);
void load(LoadPart* const* parts);
void multiply_add(WarpgroupProduct* const* parts);

std::uint32_t rounded(bool is_bf16, float first, float second);

}  // namespace weft::compiler::twin
