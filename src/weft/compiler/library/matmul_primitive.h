// Matrix products as oneDNN is told of them. To make a primitive takes it far longer than to run a small product, for it generates
// code; so those of products whose sizes change are made before they first run, and kept for all programs.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <weft/compiler/library/matmul_thunk.h>
#include <weft/compiler/library/onednn.h>

namespace weft::compiler {

// Of a product, besides the four others in the order of DescribedProduct::arguments.
constexpr std::size_t most_steps = 8, most_operands = most_steps + 4;

// A product in numbers.
struct Product {
  struct Step {
    EpilogueStep::Kind kind;
    Activation activation;  // of its kind
    DType dtype;            // of the operand of the others
  };
  MatmulShape shape;  // of constants
  DType lhs, rhs, result;
  std::vector<Step> steps;
  bool one_thread = false;
  // The same bits wherever the operands lie: those with gaps, and a transposed lhs, are copied first.
  bool packed = false;
};

struct DescribedProduct {
  dnnl::matmul::primitive_desc primitive;
  std::vector<onednn::Call::Argument> arguments;  // lhs, rhs, operands of the steps that have one, result, scratchpad
  std::size_t scratch_bytes() const { return primitive.scratchpad_desc().get_size(); }
};
// Empty if oneDNN has no such product.
std::optional<DescribedProduct> describe(const Product& product);

// One of the library's ways of computing a product, ready to run.
class ProductPrimitive {
 public:
  virtual ~ProductPrimitive() = default;
  virtual std::size_t scratch_bytes() const = 0;
  // Addresses in the order of DescribedProduct::arguments, the scratchpad's included.
  virtual void run(std::span<std::byte* const> addresses) const = 0;
};
// Made if none is kept; the least recently asked for leaves first. Throws Error if oneDNN has none. Thread-safe.
std::shared_ptr<const ProductPrimitive> primitive_of(const Product& product);

}  // namespace weft::compiler
