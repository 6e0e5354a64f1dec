// Reductions: a body, which is a graph of rank-0 values, combines many elements into one. Included through <weft/ir/ops.h>.
#pragma once

#include <memory>
#include <optional>

#include <weft/ir/ops/declare.h>
#include <weft/ir/sharding.h>

namespace weft::ir {

void reduce_type(const Call& call, std::vector<Type>& results);
void reduce_window_type(const Call& call, std::vector<Type>& results);

void reduce_gradient(const GradientCall& c);
void reduce_window_gradient(const GradientCall& c);

void reduce_factors(const Node& node, Factors& f);
void reduce_window_factors(const Node& node, Factors& f);
std::vector<Value> reduce_window_local(const LocalCall& call);

std::vector<Batched> batch_reduce(const BatchCall& c);
std::vector<Batched> batch_reduce_window(const BatchCall& c);

// Returns the reduction of a body that is one op, for elements of this dtype; nullopt for other bodies. add is a sum, but of booleans it is
// a maximum.
std::optional<Reduction> reduction_of(const Graph& body, DType dtype);
// Returns a body for a reduction.
std::shared_ptr<const Graph> reduction_body(Reduction reduction, DType dtype);

Linearity reduction_linearity(const Node& node, int operand);  // linear if the body adds

namespace interpreter {
InterpretRule reduce, reduce_window;
}

namespace ops {

// clang-format off: a table
WEFT_FAMILY(reduction)

// x..., init...; the body takes accumulators..., elements...
WEFT_OP(reduce) {
    .name = "reduce", .kind = Kind::reduction, .arity = variadic, .types = reduce_type, .gradient = reduce_gradient,
    .interpret = interpreter::reduce, .attributes = schema<DimensionsAttributes>, .regions = 1,
    .factors = reduce_factors, .linear = reduction_linearity, .batch = batch_reduce,
};
// x..., init...; the body takes accumulators..., elements...
WEFT_OP(reduce_window) {
    .name = "reduce_window", .kind = Kind::reduction, .arity = variadic, .types = reduce_window_type,
    .gradient = reduce_window_gradient, .interpret = interpreter::reduce_window, .attributes = schema<ReduceWindowAttributes>,
    .regions = 1, .factors = reduce_window_factors, .linear = reduction_linearity, .local = reduce_window_local,
    .batch = batch_reduce_window,
};

WEFT_FAMILY_END
// clang-format on

}  // namespace ops
}  // namespace weft::ir
