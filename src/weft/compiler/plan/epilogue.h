// What a matrix product can do to its elements before it stores them: the chain of nodes behind a dot_general that nobody else
// needs. oneDNN does it while the elements are in registers, as post-ops of the product.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include <weft/compiler/loop/access.h>
#include <weft/ir/graph.h>

namespace weft::compiler {

// Those that oneDNN computes as they are defined. Its relu makes 0 of NaN, and its logistic function 0 of a subnormal result, whose
// logarithm would be finite. In silu that 0 stands for less than 2^-119.
enum class Activation : std::uint8_t { tanh, silu, gelu, gelu_tanh };

struct EpilogueStep {
  enum class Kind : std::uint8_t {
    bias,      // adds an element of a row as long as the product's
    residual,  // adds the element of a tensor of the product's shape
    activation,
  };
  Kind kind = Kind::bias;
  View operand = {};  // bias, residual: dense
  Activation activation = {};
};

struct Epilogue {
  std::vector<EpilogueStep> steps;
  ir::Value result;  // what the product stores
};

// What must be known of the surroundings of a product.
struct Surroundings {
  std::function<const std::vector<ir::Node*>&(const ir::Node&)> users;
  std::function<bool(ir::Value)> is_output;
  std::function<bool(const ir::Node&)> is_stored;        // its value is in memory whatever becomes of its users
  std::function<bool(const ir::Node&)> from_nothing;     // made of constants and positions
  std::function<bool(const Epilogue&)> can_be_computed;  // a library product with this epilogue exists
};

// The longest epilogue of a dot_general whose rows have `columns` elements; without steps if there is none.
Epilogue find_epilogue(ir::Node& dot, Size columns, const Surroundings& surroundings);

}  // namespace weft::compiler
