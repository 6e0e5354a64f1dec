// Indexing: the positions at which elements are read or written are data. Included through <weft/ir/ops.h>.
//
// Out-of-bounds positions follow StableHLO: gather, dynamic_slice and dynamic_update_slice move the window back inside; scatter
// skips each element that falls outside. If several updates hit the same element, scatter applies them in row-major order of the
// updates. sort is always stable.
#pragma once

#include <weft/ir/ops/declare.h>

namespace weft::ir {

void gather_type(const Call& call, std::vector<Type>& results);
void scatter_type(const Call& call, std::vector<Type>& results);
void dynamic_slice_type(const Call& call, std::vector<Type>& results);
void dynamic_update_slice_type(const Call& call, std::vector<Type>& results);
void sort_type(const Call& call, std::vector<Type>& results);
void select_and_scatter_type(const Call& call, std::vector<Type>& results);

void gather_gradient(const GradientCall& c);
void scatter_gradient(const GradientCall& c);
void dynamic_slice_gradient(const GradientCall& c);
void dynamic_update_slice_gradient(const GradientCall& c);
void sort_gradient(const GradientCall& c);
void select_and_scatter_gradient(const GradientCall& c);

void gather_factors(const Node& node, Factors& f);
void scatter_factors(const Node& node, Factors& f);
void dynamic_slice_factors(const Node& node, Factors& f);
void dynamic_update_slice_factors(const Node& node, Factors& f);
void sort_factors(const Node& node, Factors& f);
void select_and_scatter_factors(const Node& node, Factors& f);
std::vector<Value> gather_local(const LocalCall& call);
std::vector<Value> scatter_local(const LocalCall& call);

std::vector<Batched> batch_gather(const BatchCall& c);
std::vector<Batched> batch_scatter(const BatchCall& c);
std::vector<Batched> batch_dynamic_slice(const BatchCall& c);
std::vector<Batched> batch_dynamic_update_slice(const BatchCall& c);
std::vector<Batched> batch_sort(const BatchCall& c);
std::vector<Batched> batch_select_and_scatter(const BatchCall& c);

Linearity slicing_linearity(const Node& node,
                            int operand);  // gather, dynamic_slice: linear in the operand, not in the positions
Linearity scatter_linearity(const Node& node, int operand);
Linearity dynamic_update_slice_linearity(const Node& node, int operand);
Linearity select_and_scatter_linearity(const Node& node, int operand);

namespace interpreter {
InterpretRule dynamic_slice, dynamic_update_slice, gather, scatter, select_and_scatter, sort;
}

namespace ops {

// clang-format off: a table
WEFT_FAMILY(indexing)

WEFT_OP(gather) {  // x, start indices
    .name = "gather", .kind = Kind::indexing, .arity = 2, .types = gather_type, .gradient = gather_gradient,
    .interpret = interpreter::gather, .attributes = schema<GatherAttributes>, .factors = gather_factors,
    .linear = slicing_linearity, .local = gather_local, .batch = batch_gather,
};
WEFT_OP(scatter) {  // x..., indices, updates...; the body takes one element of each x, then one of each update
    .name = "scatter", .kind = Kind::indexing, .arity = variadic, .types = scatter_type, .gradient = scatter_gradient,
    .interpret = interpreter::scatter, .attributes = schema<ScatterAttributes>, .regions = 1,
    .factors = scatter_factors, .linear = scatter_linearity, .local = scatter_local, .batch = batch_scatter,
};
WEFT_OP(dynamic_slice) {  // x, start of each dimension...
    .name = "dynamic_slice", .kind = Kind::indexing, .arity = variadic, .types = dynamic_slice_type,
    .gradient = dynamic_slice_gradient, .interpret = interpreter::dynamic_slice, .attributes = schema<DynamicSliceAttributes>,
    .factors = dynamic_slice_factors, .linear = slicing_linearity, .batch = batch_dynamic_slice,
};
WEFT_OP(dynamic_update_slice) {  // x, update, start of each dimension...
    .name = "dynamic_update_slice", .kind = Kind::indexing, .arity = variadic, .types = dynamic_update_slice_type,
    .gradient = dynamic_update_slice_gradient, .interpret = interpreter::dynamic_update_slice,
    .factors = dynamic_update_slice_factors, .linear = dynamic_update_slice_linearity, .batch = batch_dynamic_update_slice,
};
WEFT_OP(sort) {  // the comparator takes a left and a right element of each operand, in pairs, and returns whether left comes before right
    .name = "sort", .kind = Kind::indexing, .arity = variadic, .types = sort_type, .gradient = sort_gradient,
    .interpret = interpreter::sort, .attributes = schema<SortAttributes>, .regions = 1, .factors = sort_factors, .batch = batch_sort,
};
// x, source, init. The select body takes the element chosen so far and another, and returns whether to keep the first. The
// scatter body accumulates.
WEFT_OP(select_and_scatter) {
    .name = "select_and_scatter", .kind = Kind::indexing, .arity = 3, .types = select_and_scatter_type,
    .gradient = select_and_scatter_gradient, .interpret = interpreter::select_and_scatter,
    .attributes = schema<SelectAndScatterAttributes>, .regions = 2, .factors = select_and_scatter_factors,
    .linear = select_and_scatter_linearity, .batch = batch_select_and_scatter,
};

WEFT_FAMILY_END
// clang-format on

}  // namespace ops
}  // namespace weft::ir
