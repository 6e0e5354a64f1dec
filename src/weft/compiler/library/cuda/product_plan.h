// The plan of a product, from which cuBLASLt runs it: descriptions of the matrices, and the algorithm. They are made once, since that takes longer than
// to submit the product, and kept for all programs.
#pragma once

#include <atomic>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <weft/compiler/library/cuda/algorithm_choices.h>
#include <weft/compiler/library/cuda/cublaslt.h>
#include <weft/compiler/library/cuda/product_calls.h>
#include <weft/runtime/cuda/work_queue.h>

namespace weft::compiler {

// Addresses on the GPU; null where the product has no such operand. The residual lies as the result does.
struct GpuAddresses {
  const std::byte *a = nullptr, *b = nullptr, *residual = nullptr, *bias = nullptr;
  std::byte* result = nullptr;
};

// The alignments of the addresses, in bytes. The library reads well aligned matrices in wider pieces.
struct GpuAlignments {
  std::uint32_t a = 0, b = 0, residual = 0, bias = 0, result = 0;

  friend auto operator<=>(const GpuAlignments&, const GpuAlignments&) = default;
};

class GpuProductPlan {
 public:
  // The memory that an algorithm may need while it runs, and the alignment of that memory.
  static constexpr std::size_t workspace_bytes = std::size_t{32} << 20, workspace_alignment = 256;

  // The GPU of the queue must be current. Throws Error if the library has no algorithm for the product. For a measured product, takes the
  // algorithm that `choices`, which must not be null, has for it, or measures on the queue's stream and waits for it.
  GpuProductPlan(const GpuProduct& product, const GpuAlignments& alignments, const runtime::cuda::WorkQueue& queue,
                 AlgorithmChoices* choices = nullptr);
  ~GpuProductPlan();
  GpuProductPlan(const GpuProductPlan&) = delete;
  GpuProductPlan& operator=(const GpuProductPlan&) = delete;

  int ordinal() const { return ordinal_; }
  const GpuAlignments& alignments() const { return alignments_; }

  // Submits the product to a stream of the GPU. Thread-safe; allocates nothing unless two threads run one plan at the same time.
  void run(const GpuAddresses& addresses, std::byte* workspace, CUstream_st* stream) const;

 private:
  template <class Object>
  struct Destroy {
    void operator()(Object* object) const;
  };
  template <class Handle>
  using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, Destroy<std::remove_pointer_t<Handle>>>;

  void check(cublaslt::Code code, const char* verb) const;
  Owned<cublaslt::Layout> layout(const GpuMatrix& matrix, DType dtype) const;
  Owned<cublaslt::Description> description() const;
  void set_bias(cublaslt::Description description, const void* address) const;
  std::vector<GpuAlgorithm> proposals(int most) const;
  bool accepts(const GpuAlgorithm& algorithm) const;
  GpuAlgorithm measured_algorithm(const runtime::cuda::WorkQueue& queue, AlgorithmChoices& choices) const;
  AlgorithmChoices::Choice measure(const runtime::cuda::WorkQueue& queue) const;
  cublaslt::Code submit(cublaslt::Description description, const GpuAlgorithm& algorithm, const GpuAddresses& addresses,
                        std::byte* workspace, CUstream_st* stream) const;
  void multiply(cublaslt::Description description, const GpuAddresses& addresses, std::byte* workspace,
                CUstream_st* stream) const;

  GpuProduct product_;
  GpuAlignments alignments_;
  int ordinal_;
  const cublaslt::Library& library_;
  cublaslt::Handle handle_;
  Owned<cublaslt::Layout> a_, b_, d_;
  Owned<cublaslt::Description> description_;
  mutable std::atomic_flag
      busy_;  // set while a thread uses description_, into which the address of the bias is written
  GpuAlgorithm algorithm_;
};

// Returns the plan that is kept, or makes one; the least recently used plan is dropped first. Thread-safe.
std::shared_ptr<const GpuProductPlan> gpu_plan_of(const GpuProduct& product, const GpuAlignments& alignments,
                                                  const runtime::cuda::WorkQueue& queue, AlgorithmChoices* choices);

}  // namespace weft::compiler
