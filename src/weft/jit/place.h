// Where a call of a compiled function finds the inputs of its program, and where it puts the results.
#pragma once

#include <cstdint>
#include <span>

#include <weft/jit/leaves.h>
#include <weft/tensor/parameter.h>
#include <weft/tensor/tensor.h>

namespace weft::jit {

// The place where a call finds a tensor.
struct Place {
  enum class Kind : std::uint8_t {
    argument,   // leaf `index` of the arguments
    parameter,  // the value of a captured parameter
    constant,   // a tensor that the function captured
    number,     // the next number in the list of immediates
    result,     // result `index` of the program
    update,     // the new value of a parameter, by update `index`
    again,      // the tensor of result `index` of the function, returned again
  };
  Kind kind = Kind::number;
  std::uint32_t index = 0;
  bool is_copy = false;  // another tensor with the same value, as for a copied Parameter
  const Parameter* parameter = nullptr;
  Tensor constant = {};

  // Returns the tensor of an argument, a parameter or a constant.
  const Tensor& tensor(std::span<const Leaf> leaves) const {
    switch (kind) {
      case Kind::argument: return leaves[index].tensor();
      case Kind::parameter: return parameter->unobserved();
      default: return constant;
    }
  }
};

}  // namespace weft::jit
