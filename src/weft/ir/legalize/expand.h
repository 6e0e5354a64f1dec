// What StableHLO and JAX have in one operation and our table in several: written with the functions of builder.h.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <weft/ir/graph.h>

namespace weft::ir::legalize {

// The elements [start, limit) of one dimension, every stride-th, and all of the others: JAX's slice_in_dim.
Value slice_in_dim(Value x, std::int64_t start, std::int64_t limit, std::int64_t stride, int dimension);

// The first k along a dimension in the order that `before` says, of several operands in step: JAX's ApproxTopK, exactly.
std::vector<Value> first_k(std::span<const Value> x, std::int64_t dimension, std::int64_t k,
                           std::shared_ptr<const Graph> before);

}  // namespace weft::ir::legalize
