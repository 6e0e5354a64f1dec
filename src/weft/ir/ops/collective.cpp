// Type rules of collectives, and their replacements in single-process programs.
#include <weft/ir/ops/collective.h>

#include <algorithm>
#include <array>
#include <type_traits>

#include <weft/ir/builder.h>
#include <weft/ir/ops/rules.h>
#include <weft/ir/several_devices.h>

namespace weft::ir {

namespace {

constexpr DType process_id_dtype = DType::u32;

bool is_token(Type type) { return type.dtype() == DType::token; }

// The requirements of an op on its replica_groups.
struct GroupRules {
  bool complete = true;  // every number from 0 to the largest one is in a group
  bool equal = true;     // all groups have the same size, so no -1 pads a shorter one
};

void require_groups(const Call& call, GroupRules rules) {
  const auto& a = call.attributes<CollectiveAttributes>();
  std::vector<std::int64_t> ids;
  for (const std::int64_t id : a.groups.values) {
    call.require(id >= (rules.equal ? 0 : -1), "replica_groups name process ", id);
    if (id >= 0) ids.push_back(id);
  }
  std::ranges::sort(ids);
  const auto twice = std::ranges::adjacent_find(ids);
  call.require(twice == ids.end(), "replica_groups name process ", twice == ids.end() ? 0 : *twice, " twice");
  for (std::size_t i = 0; rules.complete && i < ids.size(); ++i)
    call.require(ids[i] == static_cast<std::int64_t>(i), "replica_groups name process ", ids.back(),
                 " but not process ", i);
  if (!a.use_global_device_ids) return;
  call.require(a.channel > 0, "use_global_device_ids needs a channel_handle with a positive handle, got ", a.channel);
  call.require(!ids.empty(), "use_global_device_ids needs replica_groups that are not empty");
}

void require_reduction_region(const Call& call, DType dtype) {
  const Type scalars[] = {Type(dtype, {}), Type(dtype, {})};
  require_region(call, 0, scalars, std::span(scalars).first(1));
}

// Requires that the given result type differs from the operand's at most in the size of one dimension; returns that size.
Dim require_resized(const Call& call, Type operand, Type result, std::string_view name, std::int64_t dimension) {
  require_dimension(call, name, dimension, operand.rank());
  call.require(result.dtype() == operand.dtype() && result.rank() == operand.rank(), "cannot produce ", result);
  for (int d = 0; d < operand.rank(); ++d)
    call.require(d == dimension || result.dim(d) == operand.dim(d), "cannot produce ", result, ": dimension ", d,
                 " differs");
  return result.dim(dimension);
}

// Requires that `whole` is a multiple of the part size. The number of processes per group may depend on the grid, so it is not checked.
void require_parts(const Call& call, std::int64_t dimension, Dim part, Dim whole) {
  call.require(part != Dim(0) && whole != Dim(0), "dimension ", dimension, " must not be empty");
  call.require(part == whole || whole.value() % part.value() == 0, "dimension ", dimension, " of size ", whole,
               " is not a multiple of ", part);
}

void require_operand_for_each_result(const Call& call) {
  call.require(!call.operands.empty() && call.requested.size() == call.operands.size(),
               "expected operands and as many result types");
}

bool holds_others(Ints ids) {
  return std::ranges::any_of(ids, [](std::int64_t id) { return id > 0; });
}

Value zeros(Graph& graph, Type type) { return constant(graph, type, 0); }

}  // namespace

void process_id_type(const Call&, std::vector<Type>& results) { results.push_back(Type(process_id_dtype, {})); }

void all_gather_type(const Call& call, std::vector<Type>& results) {
  const auto& a = call.attributes<CollectiveAttributes>();
  require_groups(call, {});
  require_operand_for_each_result(call);
  for (std::size_t i = 0; i < call.operands.size(); ++i) {
    const Type operand = call.operands[i].type(), result = call.requested[i];
    const Dim size = require_resized(call, operand, result, "all_gather_dim", a.dimension);
    require_parts(call, a.dimension, operand.dim(a.dimension), size);
    results.push_back(result);
  }
}

void all_reduce_type(const Call& call, std::vector<Type>& results) {
  require_groups(call, {.equal = false});
  call.require(!call.operands.empty(), "expected at least one operand");
  for (const Value v : call.operands) {
    require_reduction_region(call, v.dtype());
    results.push_back(v.type());
  }
}

void all_to_all_type(const Call& call, std::vector<Type>& results) {
  const auto& a = call.attributes<CollectiveAttributes>();
  require_groups(call, {});
  call.require(!call.operands.empty(), "expected at least one operand");
  call.require(a.split_count > 0, "split_count must be positive, got ", a.split_count);
  call.require(a.groups.columns == a.split_count && !a.groups.values.empty(), "split_count ", a.split_count,
               " must be the number of processes in each of the replica_groups, which is ",
               a.groups.values.empty() ? 0 : a.groups.columns);
  for (const Value v : call.operands) {
    const Type type = v.type();
    require_dimension(call, "split_dimension", a.dimension, type.rank());
    require_dimension(call, "concat_dimension", a.concat_dimension, type.rank());
    DimList dims(type.dims());
    const std::int64_t split = type.size(a.dimension);
    call.require(split % a.split_count == 0, "split_dimension of ", type, " cannot be split into ", a.split_count,
                 " parts");
    dims[a.dimension] = split / a.split_count;
    dims[a.concat_dimension] = dims[a.concat_dimension] * Dim(a.split_count);
    results.push_back(dims.type(type.dtype()));
  }
}

void reduce_scatter_type(const Call& call, std::vector<Type>& results) {
  const auto& a = call.attributes<CollectiveAttributes>();
  require_groups(call, {});
  require_operand_for_each_result(call);
  for (std::size_t i = 0; i < call.operands.size(); ++i) {
    const Type operand = call.operands[i].type(), result = call.requested[i];
    require_reduction_region(call, operand.dtype());
    const Dim size = require_resized(call, operand, result, "scatter_dimension", a.dimension);
    require_parts(call, a.dimension, size, operand.dim(a.dimension));
    results.push_back(result);
  }
}

namespace {

// Returns the operands without the roots, which are process numbers within a group.
std::span<const Value> without_roots(const Call& call) {
  const bool has_roots = call.attributes<CollectiveAttributes>().has_dynamic_root;
  call.require(call.operands.size() > (has_roots ? 1u : 0u), "expected at least one operand",
               has_roots ? " before the roots" : "");
  if (!has_roots) return call.operands;
  const auto others = call.operands.first(call.operands.size() - 1);
  const Type roots = call.operands.back().type();
  call.require(roots.dtype() == DType::i32 && roots.rank() == 1 && roots.dim(0) == Dim(std::ssize(others)),
               "expected one root for each of ", others.size(), " operands, got ", roots);
  return others;
}

}  // namespace

void collective_broadcast_type(const Call& call, std::vector<Type>& results) {
  require_groups(call, {.complete = false});
  for (const Value v : without_roots(call)) results.push_back(v.type());
}

void collective_reduce_type(const Call& call, std::vector<Type>& results) {
  require_groups(call, {.complete = false, .equal = false});
  for (const Value v : without_roots(call)) {
    require_reduction_region(call, v.dtype());
    results.push_back(v.type());
  }
}

void collective_permute_type(const Call& call, std::vector<Type>& results) {
  const IntMatrix& pairs = call.attributes<CollectiveAttributes>().groups;
  call.require(pairs.columns == 2, "source_target_pairs must have two columns, got ", pairs.columns);
  for (const std::size_t side : {0u, 1u}) {
    std::vector<std::int64_t> ids;
    for (std::size_t i = side; i < pairs.values.size(); i += 2) ids.push_back(pairs.values[i]);
    std::ranges::sort(ids);
    call.require(ids.empty() || ids[0] >= 0, "source_target_pairs name process ", ids.empty() ? 0 : ids[0]);
    call.require(std::ranges::adjacent_find(ids) == ids.end(), "source_target_pairs name a ",
                 side ? "target" : "source", " twice");
  }
  results.push_back(call.type(0));
}

void token_type(const Call& call, std::vector<Type>& results) {
  for (const Value v : call.operands) call.require(is_token(v.type()), "takes tokens, got ", v.type());
  results.push_back(Type(DType::token, {}));
}

namespace {

// StableHLO's numbers for the types of a channel.
constexpr std::int64_t device_to_device = 1, device_to_host = 2, host_to_device = 3;

void require_channel_type(const Call& call, std::int64_t of_host) {
  const auto& a = call.attributes<TransferAttributes>();
  const std::int64_t expected = a.is_host_transfer ? of_host : device_to_device;
  call.require(a.channel_type == expected, "the type of channel_handle must be ", expected,
               " where is_host_transfer is ", a.is_host_transfer ? "true" : "false", ", got ", a.channel_type);
}

}  // namespace

void transfer_in_type(const Call& call, std::vector<Type>& results) {
  if (&call.op == &ops::recv) require_channel_type(call, host_to_device);
  call.require(is_token(call.type(0)), "takes a token, got ", call.type(0));
  call.require(!call.requested.empty() && is_token(call.requested.back()), "the last result must be a token");
  for (const Type type : call.requested.first(call.requested.size() - 1))
    call.require(!is_token(type), "only the last result may be a token");
  results.assign(call.requested.begin(), call.requested.end());
}

void transfer_out_type(const Call& call, std::vector<Type>& results) {
  if (&call.op == &ops::send) require_channel_type(call, device_to_host);
  call.require(!call.operands.empty() && is_token(call.operands.back().type()), "the last operand must be a token");
  for (const Value v : call.operands.first(call.operands.size() - 1))
    call.require(!is_token(v.type()), "only the last operand may be a token");
  results.push_back(call.operands.back().type());
}

void run_parallel_type(const Call& call, std::vector<Type>& results) {
  const auto& a = call.attributes<RunParallelAttributes>();
  constexpr std::size_t most = 256;  // each takes a thread
  call.require(a.infeeds >= 0 && a.infeeds <= std::ssize(call.regions), "there are ", call.regions.size(),
               " programs, not ", a.infeeds, " for the infeed");
  const auto infeeds = call.regions.first(a.infeeds);
  const auto programs = call.regions.subspan(infeeds.size());
  call.require(!programs.empty() && programs.size() <= most && a.partitions > 0 && programs.size() % a.partitions == 0,
               "expected a grid of 1 to ", most, " programs, got ", programs.size(), " in rows of ", a.partitions);
  for (const auto& infeed : infeeds)
    call.require(infeed->inputs().empty() && infeed->outputs().size() == 1 && !is_token(infeed->outputs()[0].type()),
                 "a program for the infeed takes no inputs and returns one tensor");
  std::size_t operand = 0;
  for (const auto& program : programs) {
    for (const Value input : program->inputs()) {
      call.require(operand < call.operands.size(), "the programs take more than ", call.operands.size(), " operands");
      call.require(input.type() == call.operands[operand].type(), "operand ", operand, " is ",
                   call.operands[operand].type(), ", its program takes ", input.type());
      ++operand;
    }
    for (const Value output : program->outputs()) results.push_back(output.type());
  }
  call.require(operand == call.operands.size(), "the programs take ", operand, " operands");
}

void manual_computation_type(const Call& call, std::vector<Type>& results) {
  const Graph& region = *call.regions[0];
  const auto require_shards = [&](std::span<const Value> shards, std::span<const Type> whole, const char* what) {
    call.require(shards.size() == whole.size(), "there are ", whole.size(), ' ', what, "s, the region has ",
                 shards.size());
    for (std::size_t i = 0; i < shards.size(); ++i) {
      const Type shard = shards[i].type();
      call.require(shard.dtype() == whole[i].dtype() && shard.rank() == whole[i].rank(), what, ' ', i, " is ", whole[i],
                   ", in the region it is ", shard);
      for (int d = 0; d < shard.rank(); ++d)
        call.require(shard.size(d) == whole[i].size(d) || (shard.size(d) != 0 && whole[i].size(d) % shard.size(d) == 0),
                     what, ' ', i, " is ", whole[i], ", which does not consist of shards ", shard);
    }
  };
  std::vector<Type> operands;
  for (const Value v : call.operands) operands.push_back(v.type());
  require_shards(region.inputs(), operands, "operand");
  require_shards(region.outputs(), call.requested, "result");
  results.assign(call.requested.begin(), call.requested.end());
}

// ---------------------------------------------------------------------------------------------------------------------
// Functions

namespace {

// Collectives meet in program order, so one channel serves all of them, as in the programs that JAX writes.
template <class A>
A among_partitions(const IntMatrix& groups) {
  A attributes;
  attributes.groups = groups;
  attributes.channel = 1;
  attributes.use_global_device_ids = !std::is_same_v<A, AllToAllAttributes>;  // which has no such attribute
  return attributes;
}

Value append(const Op& op, Value x, const void* attributes, Type type, std::shared_ptr<const Graph> body = nullptr) {
  const std::array operands{x};
  const std::array types{type};
  const std::array bodies{std::move(body)};
  return x.graph().append(op, operands, attributes, types, std::span(bodies).first(bodies.front() ? 1 : 0)).result();
}

// Returns the type with a dimension that is `multiply / divide` times as large.
Type with_scaled(Type type, std::int64_t dimension, std::int64_t multiply, std::int64_t divide) {
  std::vector<Dim> dims(type.dims().begin(), type.dims().end());
  dims[dimension] = dims[dimension].value() * multiply / divide;
  return Type(type.dtype(), dims);
}

}  // namespace

Value partition_id(Graph& graph) { return graph.append(ops::partition_id, {}).result(); }

Value all_reduce(Value x, const IntMatrix& groups, std::shared_ptr<const Graph> body) {
  const auto attributes = among_partitions<AllReduceAttributes>(groups);
  return append(ops::all_reduce, x, &attributes, x.type(), std::move(body));
}

Value reduce_scatter(Value x, std::int64_t dimension, const IntMatrix& groups, std::shared_ptr<const Graph> body) {
  auto attributes = among_partitions<ReduceScatterAttributes>(groups);
  attributes.dimension = dimension;
  return append(ops::reduce_scatter, x, &attributes, with_scaled(x.type(), dimension, 1, groups.columns),
                std::move(body));
}

Value all_gather(Value x, std::int64_t dimension, const IntMatrix& groups) {
  auto attributes = among_partitions<AllGatherAttributes>(groups);
  attributes.dimension = dimension;
  return append(ops::all_gather, x, &attributes, with_scaled(x.type(), dimension, groups.columns, 1));
}

Value all_to_all(Value x, std::int64_t split_dimension, std::int64_t concat_dimension, const IntMatrix& groups) {
  auto attributes = among_partitions<AllToAllAttributes>(groups);
  attributes.dimension = split_dimension;
  attributes.concat_dimension = concat_dimension;
  attributes.split_count = groups.columns;
  const Type split = with_scaled(x.type(), split_dimension, 1, groups.columns);
  return append(ops::all_to_all, x, &attributes, with_scaled(split, concat_dimension, groups.columns, 1));
}

Value collective_broadcast(Value x, const IntMatrix& groups) {
  auto attributes = among_partitions<CollectiveRootAttributes>(groups);
  attributes.use_global_device_ids = false;  // it has no such attribute
  return append(ops::collective_broadcast, x, &attributes, x.type());
}

Value collective_permute(Value x, const IntMatrix& pairs) {
  CollectivePermuteAttributes attributes;
  attributes.groups = pairs;
  attributes.channel = 1;
  return append(ops::collective_permute, x, &attributes, x.type());
}

// ---------------------------------------------------------------------------------------------------------------------
// Single-process programs: the process is replica 0 and partition 0, and is alone in every group.

std::vector<Value> process_id_of_one(Graph& graph, const Node& node, std::span<const Value>) {
  return {zeros(graph, node.type())};
}

std::vector<Value> group_of_one(Graph&, const Node& node, std::span<const Value> operands) {
  for (std::size_t i = 0; i < operands.size(); ++i)
    if (operands[i].type() != node.types[i]) refuse_several_devices(node);
  if (holds_others(node.attributes<CollectiveAttributes>().groups.values)) refuse_several_devices(node);
  return {operands.begin(), operands.end()};
}

bool is_of_one_device(const Node& manual_computation) {
  const Graph& region = *manual_computation.regions[0];
  return std::ranges::equal(region.inputs(), manual_computation.operands, {}, &Value::type, &Value::type) &&
         std::ranges::equal(region.outputs(), manual_computation.types, {}, &Value::type);
}

std::vector<Value> manual_computation_of_one(Graph& graph, const Node& node, std::span<const Value> operands) {
  if (!is_of_one_device(node)) refuse_several_devices(node);
  return inline_graph(graph, *node.regions[0], operands);
}

std::vector<Value> root_of_one(Graph& graph, const Node& node, std::span<const Value> operands) {
  const Ints ids = node.attributes<CollectiveAttributes>().groups.values;
  if (holds_others(ids)) refuse_several_devices(node);
  const bool is_member = std::ranges::find(ids, 0) != ids.end();
  std::vector<Value> results;
  for (std::size_t i = 0; i < node.types.size(); ++i)
    results.push_back(is_member ? operands[i] : zeros(graph, node.types[i]));
  return results;
}

std::vector<Value> permute_of_one(Graph& graph, const Node& node, std::span<const Value> operands) {
  const Ints pairs = node.attributes<CollectiveAttributes>().groups.values;
  if (holds_others(pairs)) refuse_several_devices(node);
  return {pairs.empty() ? zeros(graph, node.type()) : operands[0]};
}

}  // namespace weft::ir
