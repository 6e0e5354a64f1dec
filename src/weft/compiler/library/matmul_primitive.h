// Describes matrix products to oneDNN. Making a primitive takes oneDNN far longer than running a small product, since it generates code.
// Primitives of products whose sizes change are therefore made before they first run, and kept for all programs.
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

// The maximum number of epilogue steps, and of arguments (DescribedProduct::arguments): one per step and four others.
constexpr std::size_t most_steps = 8, most_operands = most_steps + 4;

// A matrix product with all sizes known.
struct Product {
  struct Step {
    EpilogueStep::Kind kind;
    Activation activation;  // if the kind is activation
    DType dtype;            // of the step's operand, for the other kinds
  };
  MatmulShape shape;  // with constant sizes
  DType lhs, rhs, result;
  std::vector<Step> steps;
  bool one_thread = false;
  // Gives the same bits wherever the operands lie: operands with gaps and a transposed lhs are copied first.
  bool packed = false;
};

struct DescribedProduct {
  dnnl::matmul::primitive_desc primitive;
  std::vector<onednn::Call::Argument> arguments;  // lhs, rhs, the steps' operands, result, scratchpad
  std::size_t scratch_bytes() const { return primitive.scratchpad_desc().get_size(); }
};
// Returns nullopt if oneDNN cannot compute the product.
std::optional<DescribedProduct> describe(const Product& product);

// A product, ready to run, computed in one of the library's ways.
class ProductPrimitive {
 public:
  virtual ~ProductPrimitive() = default;
  virtual std::size_t scratch_bytes() const = 0;
  // Takes the addresses in the order of DescribedProduct::arguments, including the scratchpad.
  virtual void run(std::span<std::byte* const> addresses) const = 0;
};
// Returns the primitive that is kept for the product, or makes one; the least recently used primitive is dropped first. Throws Error if
// oneDNN has none. Thread-safe.
std::shared_ptr<const ProductPrimitive> primitive_of(const Product& product);

}  // namespace weft::compiler
