// Operations of StableHLO and JAX that need several ops of weft's table, written with the functions of builder.h.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <weft/ir/graph.h>

namespace weft::ir::legalize {

// Returns every stride-th element in [start, limit) of one dimension, and all elements of the others, like JAX's slice_in_dim.
Value slice_in_dim(Value x, std::int64_t start, std::int64_t limit, std::int64_t stride, int dimension);

// Returns the first k elements along a dimension in the order that `before` defines, of several operands sorted together. It
// implements JAX's ApproxTopK exactly.
std::vector<Value> first_k(std::span<const Value> x, std::int64_t dimension, std::int64_t k,
                           std::shared_ptr<const Graph> before);

}  // namespace weft::ir::legalize
