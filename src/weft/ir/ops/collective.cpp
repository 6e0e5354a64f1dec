// Type rules of collectives, and what they are for a program that runs as one process.
#include <algorithm>

#include <weft/ir/ops.h>
#include <weft/ir/ops/rules.h>

namespace weft::ir {

namespace {

constexpr DType process_id_dtype = DType::u32;

bool is_token(Type type) { return type.dtype() == DType::token; }

void require_groups(const Call& call, const IntMatrix& groups) {
  std::vector<std::int64_t> ids;
  for (const std::int64_t id : groups.values) {
    call.require(id >= -1, "replica_groups name process ", id);
    if (id >= 0) ids.push_back(id);  // -1 fills short groups up
  }
  std::ranges::sort(ids);
  call.require(std::ranges::adjacent_find(ids) == ids.end(), "replica_groups name a process twice");
}

void require_reduction_region(const Call& call, DType dtype) {
  const Type scalars[] = {Type(dtype, {}), Type(dtype, {})};
  require_region(call, 0, scalars, std::span(scalars).first(1));
}

// Requires a given result type like the operand's but for the size of one dimension; that size.
Dim require_resized(const Call& call, Type operand, Type result, std::int64_t dimension) {
  require_dimension(call, "dimension", dimension, operand.rank());
  call.require(result.dtype() == operand.dtype() && result.rank() == operand.rank(), "cannot give ", result);
  for (int d = 0; d < operand.rank(); ++d)
    call.require(d == dimension || result.dim(d) == operand.dim(d), "cannot give ", result, ": dimension ", d,
                 " differs");
  return result.dim(static_cast<int>(dimension));
}

bool divides(Dim part, Dim whole) {
  return part == whole || (part.value() == 0 ? whole.value() == 0 : whole.value() % part.value() == 0);
}

[[noreturn]] void not_alone(const Node& node) {
  throw UnsupportedError(concat(node.op->name, ": it is for several processes, compiled programs run as one"),
                         concat(node.op->dialect, '.', node.op->name));
}

bool holds_others(Ints ids) {
  return std::ranges::any_of(ids, [](std::int64_t id) { return id > 0; });
}

Value zeros(Graph& graph, Type type) { return constant(graph, type, 0); }

}  // namespace

void process_id_type(const Call&, std::vector<Type>& results) { results.push_back(Type(process_id_dtype, {})); }

void all_gather_type(const Call& call, std::vector<Type>& results) {
  const auto& a = call.attributes<CollectiveAttributes>();
  require_groups(call, a.groups);
  call.require(!call.operands.empty() && call.requested.size() == call.operands.size(),
               "expected operands and as many result types");
  for (std::size_t i = 0; i < call.operands.size(); ++i) {
    const Type operand = call.operands[i].type(), result = call.requested[i];
    const Dim size = require_resized(call, operand, result, a.dimension);
    call.require(divides(operand.dim(static_cast<int>(a.dimension)), size), "cannot give ", result, " by gathering ",
                 operand);
    results.push_back(result);
  }
}

void all_reduce_type(const Call& call, std::vector<Type>& results) {
  require_groups(call, call.attributes<CollectiveAttributes>().groups);
  call.require(!call.operands.empty(), "expected at least one operand");
  for (const Value v : call.operands) {
    require_reduction_region(call, v.dtype());
    results.push_back(v.type());
  }
}

void all_to_all_type(const Call& call, std::vector<Type>& results) {
  const auto& a = call.attributes<CollectiveAttributes>();
  require_groups(call, a.groups);
  call.require(!call.operands.empty(), "expected at least one operand");
  call.require(a.split_count > 0, "split_count must be positive, got ", a.split_count);
  for (const Value v : call.operands) {
    const Type type = v.type();
    require_dimension(call, "split_dimension", a.dimension, type.rank());
    require_dimension(call, "concat_dimension", a.concat_dimension, type.rank());
    DimList dims(type.dims());
    const std::int64_t split = type.size(static_cast<int>(a.dimension));
    call.require(split % a.split_count == 0, "split_dimension of ", type, " does not fall into ", a.split_count,
                 " parts");
    dims[a.dimension] = split / a.split_count;
    dims[a.concat_dimension] = dims[a.concat_dimension] * Dim(a.split_count);
    results.push_back(dims.type(type.dtype()));
  }
}

void reduce_scatter_type(const Call& call, std::vector<Type>& results) {
  const auto& a = call.attributes<CollectiveAttributes>();
  require_groups(call, a.groups);
  const Type operand = call.type(0), result = call.requested_type();
  require_reduction_region(call, operand.dtype());
  const Dim size = require_resized(call, operand, result, a.dimension);
  call.require(divides(size, operand.dim(static_cast<int>(a.dimension))), "cannot give ", result, " by scattering ",
               operand);
  results.push_back(result);
}

void collective_broadcast_type(const Call& call, std::vector<Type>& results) {
  const auto& a = call.attributes<CollectiveAttributes>();
  require_groups(call, a.groups);
  call.require(call.operands.size() > (a.has_dynamic_root ? 1u : 0u), "expected an operand to broadcast");
  const auto sent = call.operands.first(call.operands.size() - (a.has_dynamic_root ? 1 : 0));
  for (const Value v : sent) results.push_back(v.type());
  if (!a.has_dynamic_root) return;
  const Type roots = call.operands.back().type();
  call.require(
      is_integer(roots.dtype()) && roots.rank() == 1 && roots.dim(0) == Dim(static_cast<std::int64_t>(sent.size())),
      "expected one root for each of ", sent.size(), " operands, got ", roots);
}

void collective_reduce_type(const Call& call, std::vector<Type>& results) {
  require_reduction_region(call, call.type(0).dtype());
  require_groups(call, call.attributes<CollectiveAttributes>().groups);
  results.push_back(call.type(0));
}

void collective_permute_type(const Call& call, std::vector<Type>& results) {
  const IntMatrix& pairs = call.attributes<CollectiveAttributes>().groups;
  call.require(pairs.values.empty() || pairs.columns == 2, "source_target_pairs must have two columns, got ",
               pairs.columns);
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

void transfer_in_type(const Call& call, std::vector<Type>& results) {
  call.require(is_token(call.type(0)), "takes a token, got ", call.type(0));
  call.require(!call.requested.empty() && is_token(call.requested.back()), "the last result must be a token");
  results.assign(call.requested.begin(), call.requested.end());
}

void transfer_out_type(const Call& call, std::vector<Type>& results) {
  call.require(!call.operands.empty() && is_token(call.operands.back().type()), "the last operand must be a token");
  results.push_back(call.operands.back().type());
}

void run_parallel_type(const Call& call, std::vector<Type>& results) {
  const auto& a = call.attributes<RunParallelAttributes>();
  constexpr std::size_t most = 256;  // each takes a thread
  call.require(a.infeeds >= 0 && static_cast<std::size_t>(a.infeeds) <= call.regions.size(), "there are ",
               call.regions.size(), " programs, not ", a.infeeds, " for the infeed");
  const auto infeeds = call.regions.first(static_cast<std::size_t>(a.infeeds));
  const auto programs = call.regions.subspan(infeeds.size());
  call.require(!programs.empty() && programs.size() <= most && a.partitions > 0 &&
                   programs.size() % static_cast<std::size_t>(a.partitions) == 0,
               "expected a grid of 1 to ", most, " programs, got ", programs.size(), " in rows of ", a.partitions);
  for (const auto& infeed : infeeds) call.require(infeed->inputs().empty(), "a program for the infeed takes no inputs");
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

// ---------------------------------------------------------------------------------------------------------------------
// One process: it is replica 0 and partition 0, and meets nobody.

std::vector<Value> process_id_alone(Graph& graph, const Node& node, std::span<const Value>) {
  return {zeros(graph, node.type())};
}

std::vector<Value> group_alone(Graph&, const Node& node, std::span<const Value> operands) {
  for (std::size_t i = 0; i < operands.size(); ++i)
    if (operands[i].type() != node.types[i]) not_alone(node);
  if (holds_others(node.attributes<CollectiveAttributes>().groups.values)) not_alone(node);
  return {operands.begin(), operands.end()};
}

std::vector<Value> root_alone(Graph& graph, const Node& node, std::span<const Value> operands) {
  const Ints ids = node.attributes<CollectiveAttributes>().groups.values;
  if (holds_others(ids)) not_alone(node);
  const bool is_member = std::ranges::find(ids, 0) != ids.end();
  std::vector<Value> results;
  for (std::size_t i = 0; i < node.types.size(); ++i)
    results.push_back(is_member ? operands[i] : zeros(graph, node.types[i]));
  return results;
}

std::vector<Value> permute_alone(Graph& graph, const Node& node, std::span<const Value> operands) {
  const Ints pairs = node.attributes<CollectiveAttributes>().groups.values;
  if (holds_others(pairs)) not_alone(node);
  return {pairs.empty() ? zeros(graph, node.type()) : operands[0]};
}

}  // namespace weft::ir
