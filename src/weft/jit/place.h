// Where a call of a compiled function finds the inputs of its program, and where it puts the results.
#pragma once

#include <cstdint>
#include <span>

#include <weft/jit/leaves.h>
#include <weft/tensor/parameter.h>
#include <weft/tensor/tensor.h>

namespace weft::jit {

// Where a tensor is found when the function is called.
struct Place {
  enum class Kind : std::uint8_t {
    argument,   // leaf `index` of the arguments
    parameter,  // what a captured parameter holds
    constant,   // a tensor that the function captured
    number,     // the next of the numbers
    result,     // result `index` of the program
    update,     // the new value of a parameter, by update `index`
    again,      // the same tensor as result `index` of the function
  };
  Kind kind = Kind::number;
  std::uint32_t index = 0;
  bool is_copy = false;  // as a copied Parameter has it: another tensor of the same value
  Parameter* parameter = nullptr;
  Tensor constant = {};

  // The tensor of an argument, a parameter or a constant.
  const Tensor& tensor(std::span<const Leaf> leaves) const {
    switch (kind) {
      case Kind::argument: return leaves[index].tensor();
      case Kind::parameter: return parameter->unobserved();
      default: return constant;
    }
  }
};

}  // namespace weft::jit
