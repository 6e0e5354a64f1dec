// What a matrix product can do to its elements before it stores them: the chain of nodes behind a dot_general whose intermediate values
// nobody else needs. oneDNN computes it as post-ops, while the elements are in registers.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include <weft/compiler/loop/access.h>
#include <weft/ir/graph.h>

namespace weft::compiler {

// The activations that oneDNN computes as they are defined. Its relu turns NaN into 0, and its logistic function turns subnormal results,
// whose logarithm would be finite, into 0. In silu, that 0 replaces a value below 2^-119.
enum class Activation : std::uint8_t { tanh, silu, gelu, gelu_tanh };

struct EpilogueStep {
  enum class Kind : std::uint8_t {
    bias,      // adds a vector with one element per column of the product
    residual,  // adds the element of a tensor of the product's shape
    activation,
  };
  Kind kind = Kind::bias;
  View operand = {};  // bias, residual: the dense operand
  Activation activation = {};
};

struct Epilogue {
  std::vector<EpilogueStep> steps;
  ir::Value result;  // what the product stores
};

// What find_epilogue must know about the surroundings of a product.
struct Surroundings {
  std::function<const std::vector<ir::Node*>&(const ir::Node&)> users;
  std::function<bool(ir::Value)> is_output;
  // whether the node's value is in memory whatever happens to its users
  std::function<bool(const ir::Node&)> is_stored;
  std::function<bool(const ir::Node&)> from_nothing;     // whether the node is made only of constants and positions
  std::function<bool(const Epilogue&)> can_be_computed;  // whether a library product with this epilogue exists
};

// Returns the longest epilogue of a dot_general whose rows have `columns` elements; it has no steps if there is none.
Epilogue find_epilogue(ir::Node& dot, Size columns, const Surroundings& surroundings);

}  // namespace weft::compiler
