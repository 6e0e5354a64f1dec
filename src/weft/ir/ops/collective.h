// Collectives: operations that the processes of one program perform together. A program runs as a grid of replicas and
// partitions; replica_groups and channels say which processes take part, as StableHLO defines. Included through <weft/ir/ops.h>.
#pragma once

#include <weft/ir/ops/declare.h>

namespace weft::ir {

void process_id_type(const Call& call, std::vector<Type>& results);
void all_gather_type(const Call& call, std::vector<Type>& results);
void all_reduce_type(const Call& call, std::vector<Type>& results);
void all_to_all_type(const Call& call, std::vector<Type>& results);
void reduce_scatter_type(const Call& call, std::vector<Type>& results);
void collective_broadcast_type(const Call& call, std::vector<Type>& results);
void collective_permute_type(const Call& call, std::vector<Type>& results);
void collective_reduce_type(const Call& call, std::vector<Type>& results);
void token_type(const Call& call, std::vector<Type>& results);
void transfer_in_type(const Call& call, std::vector<Type>& results);
void transfer_out_type(const Call& call, std::vector<Type>& results);
void run_parallel_type(const Call& call, std::vector<Type>& results);
void manual_computation_type(const Call& call, std::vector<Type>& results);

// Append collectives among groups of the partitions of one replica; each row of `groups` is a group.
Value partition_id(Graph& graph);
Value all_reduce(Value x, const IntMatrix& groups, std::shared_ptr<const Graph> body);
Value reduce_scatter(Value x, std::int64_t dimension, const IntMatrix& groups, std::shared_ptr<const Graph> body);
Value all_gather(Value x, std::int64_t dimension, const IntMatrix& groups);
Value all_to_all(Value x, std::int64_t split_dimension, std::int64_t concat_dimension, const IntMatrix& groups);
Value collective_broadcast(Value x, const IntMatrix& groups);  // from the first member of each group
Value collective_permute(Value x, const IntMatrix& pairs);  // each of a source and a target; zeros where nobody sends

void all_gather_gradient(const GradientCall& c);
void all_reduce_gradient(const GradientCall& c);
void all_to_all_gradient(const GradientCall& c);
void reduce_scatter_gradient(const GradientCall& c);
void collective_permute_gradient(const GradientCall& c);
void manual_computation_gradient(const GradientCall& c);

std::vector<Value> process_id_of_one(Graph& graph, const Node& node, std::span<const Value> operands);
std::vector<Value> group_of_one(Graph& graph, const Node& node, std::span<const Value> operands);
std::vector<Value> root_of_one(Graph& graph, const Node& node, std::span<const Value> operands);
std::vector<Value> permute_of_one(Graph& graph, const Node& node, std::span<const Value> operands);
// Returns whether the region computes on whole operands, so that the mesh has one device along the manual axes.
bool is_of_one_device(const Node& manual_computation);
std::vector<Value> manual_computation_of_one(Graph& graph, const Node& node, std::span<const Value> operands);

namespace interpreter {
InterpretRule all_gather, all_reduce, all_to_all, collective_broadcast, collective_permute, collective_reduce, infeed,
    manual_computation, outfeed, process_number, recv, reduce_scatter, run_parallel, send, token;
}

namespace ops {

// clang-format off: a table
WEFT_FAMILY(collective)

WEFT_OP(partition_id) {
    .name = "partition_id", .kind = Kind::collective, .arity = 0, .types = process_id_type, .gradient = zero_gradient,
    .interpret = interpreter::process_number, .domain = 0, .single_process = process_id_of_one,
    .collective = Collective::process_id,
};
WEFT_OP(replica_id) {
    .name = "replica_id", .kind = Kind::collective, .arity = 0, .types = process_id_type, .gradient = zero_gradient,
    .interpret = interpreter::process_number, .domain = 0, .single_process = process_id_of_one,
    .collective = Collective::process_id,
};

WEFT_OP(all_gather) {  // result types are given: the number of participants may depend on the grid
    .name = "all_gather", .kind = Kind::collective, .arity = variadic, .types = all_gather_type, .gradient = all_gather_gradient,
    .interpret = interpreter::all_gather, .attributes = schema<AllGatherAttributes>, .single_process = group_of_one,
    .collective = Collective::all_gather,
};
WEFT_OP(all_reduce) {  // region: of two rank-0 values
    .name = "all_reduce", .kind = Kind::collective, .arity = variadic, .types = all_reduce_type, .gradient = all_reduce_gradient,
    .interpret = interpreter::all_reduce, .attributes = schema<AllReduceAttributes>, .regions = 1, .single_process = group_of_one,
    .collective = Collective::all_reduce,
};
WEFT_OP(all_to_all) {
    .name = "all_to_all", .kind = Kind::collective, .arity = variadic, .types = all_to_all_type, .gradient = all_to_all_gradient,
    .interpret = interpreter::all_to_all, .attributes = schema<AllToAllAttributes>, .single_process = group_of_one,
    .collective = Collective::all_to_all,
};
WEFT_OP(reduce_scatter) {  // result types are given; StableHLO has a single operand, several are one exchange as of all_reduce
    .name = "reduce_scatter", .kind = Kind::collective, .arity = variadic, .types = reduce_scatter_type,
    .gradient = reduce_scatter_gradient, .interpret = interpreter::reduce_scatter, .attributes = schema<ReduceScatterAttributes>,
    .regions = 1, .single_process = group_of_one,
    .collective = Collective::reduce_scatter,
};

// The result is zero if nobody sends, or if a process is in no group.
WEFT_OP(collective_broadcast) {
    .name = "collective_broadcast", .kind = Kind::collective, .arity = variadic, .types = collective_broadcast_type,
    .gradient = not_differentiable, .interpret = interpreter::collective_broadcast,
    .attributes = schema<CollectiveRootAttributes>, .single_process = root_of_one,
    .collective = Collective::broadcast,
};
WEFT_OP(collective_permute) {
    .name = "collective_permute", .kind = Kind::collective, .arity = 1, .types = collective_permute_type,
    .gradient = collective_permute_gradient, .interpret = interpreter::collective_permute,
    .attributes = schema<CollectivePermuteAttributes>, .single_process = permute_of_one,
    .collective = Collective::permute,
};
WEFT_OP(collective_reduce) {  // one process of a group gets the result, the others get zeros
    .name = "collective_reduce", .kind = Kind::collective, .arity = variadic, .types = collective_reduce_type,
    .gradient = not_differentiable, .interpret = interpreter::collective_reduce,
    .attributes = schema<CollectiveRootAttributes>, .regions = 1, .single_process = root_of_one,
    .collective = Collective::reduce,
};

// Tokens order operations with side effects and have no elements. The interpreter runs the nodes of a program in order, so tokens
// carry no data.
WEFT_OP(after_all) {
    .name = "after_all", .kind = Kind::opaque, .arity = variadic, .types = token_type, .gradient = zero_gradient,
    .interpret = interpreter::token, .domain = 0, .takes_tokens = true,
};
WEFT_OP(create_token) {
    .name = "create_token", .kind = Kind::opaque, .arity = 0, .types = token_type, .gradient = zero_gradient,
    .interpret = interpreter::token, .domain = 0, .takes_tokens = true,
};

// Transfers between processes and with the host: the last operand and the last result are tokens.
WEFT_OP(infeed) {
    .name = "infeed", .kind = Kind::collective, .arity = 1, .types = transfer_in_type, .gradient = not_differentiable,
    .interpret = interpreter::infeed, .domain = 0, .attributes = schema<InfeedAttributes>, .takes_tokens = true,
    .has_side_effect = true, .interpreted = true,
};
WEFT_OP(outfeed) {
    .name = "outfeed", .kind = Kind::collective, .arity = variadic, .types = transfer_out_type, .gradient = not_differentiable,
    .interpret = interpreter::outfeed, .attributes = schema<OutfeedAttributes>, .takes_tokens = true, .has_side_effect = true,
    .interpreted = true,
};
WEFT_OP(recv) {
    .name = "recv", .kind = Kind::collective, .arity = 1, .types = transfer_in_type, .gradient = not_differentiable,
    .interpret = interpreter::recv, .domain = 0, .attributes = schema<TransferAttributes>, .takes_tokens = true,
    .has_side_effect = true, .interpreted = true,
};
WEFT_OP(send) {
    .name = "send", .kind = Kind::collective, .arity = variadic, .types = transfer_out_type, .gradient = not_differentiable,
    .interpret = interpreter::send, .attributes = schema<TransferAttributes>, .takes_tokens = true, .has_side_effect = true,
    .interpreted = true,
};

// A grid of programs that run in parallel; an op of the interpreter's dialect. The regions are the programs of the infeed, then
// those of the processes, ordered by replica and then by partition. The operands and results are those of the programs,
// concatenated.
// Shardy: the region is the program of every device, on shards of the operands along the manual axes. Runs only in a program that is
// divided among the devices of the mesh, or with a single one.
WEFT_OP(manual_computation) {
    .name = "manual_computation", .kind = Kind::collective, .arity = variadic, .types = manual_computation_type,
    .gradient = manual_computation_gradient, .interpret = interpreter::manual_computation,
    .attributes = schema<ManualComputationAttributes>, .regions = 1, .takes_tokens = true, .single_process = manual_computation_of_one, .dialect = "sdy",
};
WEFT_OP(run_parallel) {
    .name = "run_parallel", .kind = Kind::collective, .arity = variadic, .types = run_parallel_type,
    .gradient = not_differentiable, .interpret = interpreter::run_parallel, .attributes = schema<RunParallelAttributes>,
    .regions = variadic, .takes_tokens = true, .has_side_effect = true, .interpreted = true, .dialect = "interpreter",
};

WEFT_FAMILY_END
// clang-format on

}  // namespace ops
}  // namespace weft::ir
