// Measures ways of computing a product on a GPU, in memory of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <weft/compiler/library/cuda/product_calls.h>
#include <weft/runtime/cuda/driver.h>
#include <weft/runtime/cuda/work_queue.h>

namespace weft::compiler {

struct GpuAddresses;
struct GpuAlignments;

class ProductTrial {
 public:
  // Fills the operands with random numbers between -1 and 1: GPUs are faster with zeros. Throws DriverError if the GPU has no memory for them.
  // The GPU must be current, and stay so.
  ProductTrial(const GpuProduct& product, const GpuAlignments& alignments, std::size_t workspace_bytes,
               const runtime::cuda::WorkQueue& queue);

  // The operands, with just the alignments that the product promises.
  GpuAddresses addresses() const;
  std::byte* workspace() const { return workspace_; }

  // Returns the least time of each way in ms. Each must have run once; `run(i)` submits it to the stream. Measures in turns, so that a change
  // of the GPU's clock affects all ways equally.
  std::vector<double> measure(std::size_t ways, const std::function<void(std::size_t)>& run) const;

 private:
  // Memory of a GPU, which is given back when the stream has done its work.
  class Blocks {
   public:
    explicit Blocks(const runtime::cuda::WorkQueue& queue) : queue_(queue) {}
    ~Blocks();
    Blocks(const Blocks&) = delete;
    Blocks& operator=(const Blocks&) = delete;

    // Returns memory at an address that is a multiple of `alignment`, a power of two, and of no greater one up to 256.
    std::byte* allocate(std::uint64_t bytes, std::uint32_t alignment);
    std::byte* filled(std::int64_t elements, DType dtype, std::uint32_t alignment);

   private:
    const runtime::cuda::WorkQueue queue_;
    std::vector<runtime::cuda::CUdeviceptr> blocks_;
  };

  const runtime::cuda::WorkQueue queue_;
  Blocks blocks_;
  std::byte *a_ = nullptr, *b_ = nullptr, *residual_ = nullptr, *bias_ = nullptr, *result_ = nullptr,
            *workspace_ = nullptr;
};

}  // namespace weft::compiler
