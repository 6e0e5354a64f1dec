// Changes the sharding of a value, with as little communication as its steps allow. The algorithm is Shardy's, in its simplest form.
#pragma once

#include <weft/compiler/spmd/collectives.h>

namespace weft::compiler {

// Appends what turns shards under one sharding into shards under another, and returns them. Sums are added along partial axes first: by
// reduce-scatter where a dimension is split along the axis next, otherwise by all-reduce. Then axes are removed from dimensions from the
// last one back: by all-to-all if the axis is the next one of another dimension, otherwise by all-gather. The other axes are added by
// taking parts, and partial axes by keeping the elements on one device; both move nothing.
ir::Value reshard(Collectives& collectives, ir::Value x, const ir::Sharding& from, const ir::Sharding& to);

}  // namespace weft::compiler
