// Cotangents of slices of a value. Where slices of one value meet, its cotangent is their concatenation: that is less work than to pad
// each of them with zeros and to add what was padded.
#pragma once

#include <vector>

#include <weft/ir/op.h>

namespace weft::ir {

// Returns the sum of these slices of a value of this type, which are all along the same dimension.
Value sum_of_slices(Type type, std::vector<CotangentSlice> slices);

}  // namespace weft::ir
