// Helpers of the batching rules: dimensions of a value whose first dimension is the batch.
#pragma once

#include <vector>

#include <weft/ir/batch.h>

namespace weft::ir {

using Int64s = std::vector<std::int64_t>;

// Returns where dimensions are, once the batch stands before them.
Int64s shifted(Ints dims);
// Returns the list with another element before it.
Int64s prepended(std::int64_t first, Ints list);
// Returns the dimension `from` moved to the position `to`.
Value move_dim(Value x, int from, int to);

// Return x without its first dimension, the batch, which becomes part of dimension `dim` of an example: as the major part, or, if the
// dimension is in groups, within each group.
Value fold_batch(Value x, std::int64_t dim, std::int64_t groups = 1);
// The inverse of fold_batch.
Value unfold_batch(Value x, std::int64_t dim, std::int64_t batch, std::int64_t groups = 1);

}  // namespace weft::ir
