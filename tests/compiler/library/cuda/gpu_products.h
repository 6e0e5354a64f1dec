// Products that run through cuBLASLt, or the false one, and are compared with the interpreter. The tests run them in host memory, the
// program gpu_products on a GPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <weft/base/size.h>
#include <weft/compiler/library/cuda/gpu_product.h>
#include <weft/compiler/plan/matmul.h>
#include <weft/compiler/plan/unit.h>
#include <weft/ir/array.h>
#include <weft/runtime/cuda/work_queue.h>

namespace weft::test {

// How an operand of a product is made of an input of the graph.
struct OperandView {
  std::vector<Dim> dims;                       // of the input
  std::vector<std::int64_t> permutation = {};  // empty: none
  // The part that is taken of each dimension of the transposed input; empty: the whole input.
  std::vector<std::int64_t> start = {}, limit = {};
  // The operand is repeated along new first dimensions of these sizes.
  std::vector<Dim> repeats = {};
};

struct ProductCase {
  OperandView lhs, rhs;
  std::vector<std::int64_t> lhs_batching, rhs_batching, lhs_contracting, rhs_contracting;
  DType operands = DType::f32, result = DType::f32;
  // What follows the product: b adds a bias, r a residual, g applies GELU in its tanh form, e in the form with erf, c converts to bf16.
  std::string steps = {};
  std::size_t misaligned = 0;  // elements by which the inputs begin behind an aligned address

  std::string text() const;
};

// The memory of a device, or of the host in its place.
class ProductMemory {
 public:
  virtual ~ProductMemory() = default;
  virtual std::byte* allocate(std::size_t bytes) = 0;  // aligned to 256 bytes; lives as long as this object
  virtual void fill(std::byte* to, std::uint8_t value, std::size_t bytes) = 0;
  virtual void write(std::byte* to, std::span<const std::byte> from) = 0;
  virtual void read(std::span<std::byte> to, const std::byte* from) = 0;
  virtual runtime::cuda::WorkQueue queue() const = 0;
};

// The product of a case as the planner would describe it, with the longest epilogue that GPUs compute. `sizes` are example values of symbols.
struct PlannedProduct {
  std::shared_ptr<const ir::Graph> graph;  // keeps the product's nodes
  compiler::Matmul matmul;
};
PlannedProduct planned(const ProductCase& product, const SizeValues& sizes = {});
// Returns whether the epilogue contains all that follows the product.
bool is_whole(const PlannedProduct& product);

// Random inputs of a case, whose sizes must be constants.
std::vector<ir::Array> random_inputs(const ProductCase& product, std::uint64_t seed);

// Makes the thunk of a unit and what it reads and writes, and runs it. `sizes` are those of symbols, if there are any. In place: the result
// overwrites what it may overwrite.
class ProductRun {
 public:
  ProductRun(const PlannedProduct& product, std::span<const ir::Array> inputs, std::size_t misaligned,
             ProductMemory& memory, const compiler::GpuProductOptions& options = {}, const SizeValues& sizes = {},
             bool in_place = false);
  void run() const;
  ir::Array result() const;
  std::int64_t flops() const { return flops_; }  // of a run

 private:
  ProductMemory& memory_;
  runtime::cuda::WorkQueue queue_;
  Type type_;
  std::vector<std::byte*> bases_;
  runtime::Slice result_;
  std::int64_t flops_ = 0;
  std::unique_ptr<runtime::Thunk> thunk_;
};

// Which results are rounded to the type of the result.
enum class Rounding {
  once,  // the last one
  each_step,  // also the product and its sum with the residual, if something is added to them, as in a program that is not fused
};

// The largest difference to what the interpreter computes in f64, in multiples of the bound that rounding allows: at most 1 is right.
double worst_difference(const ProductCase& product, std::span<const ir::Array> inputs, const ir::Array& result,
                        Rounding rounding = Rounding::once);

// Cases for everything that the library is told: layouts, batches, types, epilogues, alignments.
std::vector<ProductCase> product_cases();
ProductCase random_product(std::uint64_t seed);

}  // namespace weft::test
