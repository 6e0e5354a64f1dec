// Cotangents of slices of a value. Where slices of one value meet, its cotangent is their concatenation: that is less work than to pad
// each of them with zeros and to add what was padded.
#pragma once

#include <cstdint>
#include <vector>

#include <weft/ir/value.h>

namespace weft::ir {

// The cotangent of the elements from `start` on along one dimension of an operand, of which it has all elements along the others.
struct CotangentSlice {
  int operand;
  Value cotangent;
  int dim;
  std::int64_t start;
};

// Returns the sum of these slices of a value of this type, which are all along the same dimension.
Value sum_of_slices(Type type, std::vector<CotangentSlice> slices);

}  // namespace weft::ir
