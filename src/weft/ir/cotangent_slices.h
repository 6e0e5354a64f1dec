// Cotangents of slices of a value. If three or more slices have no element in common, as the parts of a weight or the steps of a sequence,
// its cotangent is their concatenation, with zeros between them. Otherwise each of them is padded with zeros, and what was padded is added: two
// slices, such as the first and the last rows, may meet only for one size, for which the program would then differ.
#pragma once

#include <vector>

#include <weft/ir/op.h>

namespace weft::ir {

// Returns the sum of these slices of a value of this type, which are all along the same dimension.
Value sum_of_slices(Type type, const std::vector<CotangentSlice>& slices);

}  // namespace weft::ir
