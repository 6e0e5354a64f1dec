// Samples of collectives, tokens and probes. The collectives are for one process, which every way of running a graph supports.
#include <tests/ir/op_samples.h>

#include <weft/ir/ops.h>

namespace weft::ir {

namespace {

using Values = std::vector<Value>;

constexpr std::int64_t only[] = {0}, itself[] = {0, 0};

// Returns every dtype of the op's domain, and more shapes for some of them.
std::vector<Type> types_of(const Op& op) {
  std::vector<Type> types{Type(DType::f64, {}), Type(DType::bf16, {2, 0}), Type(DType::i32, {2, 2})};
  for (const DType dtype : members(op.domain)) types.push_back(Type(dtype, {3}));
  return types;
}

std::vector<std::shared_ptr<const Graph>> reduction(DType dtype) {
  return {reduction_body(dtype == DType::boolean ? ops::or_ : ops::add, dtype)};
}

Value token(Graph& graph) { return graph.append(ops::create_token, {}).result(); }

template <class A>
A grouped() {
  A attributes;
  attributes.groups = {1, only};
  return attributes;
}

// Adds samples with one operand, whose type is the result's type.
template <class A>
void collective_samples(SampleList& list, const A& attributes, bool takes_rank_zero, bool reduces) {
  for (const Type type : types_of(list.op()))
    if (takes_rank_zero || type.rank() > 0)
      list.add({type}, [&](Graph& graph, std::span<const Value> x) {
        const auto regions = reduces ? reduction(type.dtype()) : std::vector<std::shared_ptr<const Graph>>();
        return all_results(graph.append(list.op(), x, &attributes, std::span(&type, 1), regions));
      });
}

std::shared_ptr<const Graph> identity(Type type) {
  return make_graph(std::span(&type, 1), [](Graph&, std::span<const Value> x) { return Values{x[0]}; });
}

Node& send(Graph& graph, Value x) {
  const TransferAttributes attributes{3, 1, false};
  return graph.append(ops::send, std::array{x, token(graph)}, &attributes);
}

void collective_samples(SampleList& list) {
  const Op& op = list.op();
  if (&op == &ops::all_gather) {
    collective_samples(list, grouped<AllGatherAttributes>(), false, false);
    auto global = grouped<AllGatherAttributes>();
    global.channel = 1;
    global.use_global_device_ids = true;
    collective_samples(list, global, false, false);
  } else if (&op == &ops::all_reduce) {
    collective_samples(list, grouped<AllReduceAttributes>(), true, true);
  } else if (&op == &ops::all_to_all) {
    collective_samples(list, grouped<AllToAllAttributes>(), false, false);
  } else if (&op == &ops::reduce_scatter) {
    collective_samples(list, grouped<ReduceScatterAttributes>(), false, true);
  } else if (&op == &ops::collective_permute) {
    CollectivePermuteAttributes attributes;
    attributes.groups = {2, {}};
    collective_samples(list, attributes, true, false);  // nobody sends
    attributes.groups = {2, itself};
    collective_samples(list, attributes, true, false);
  } else if (&op == &ops::collective_broadcast) {
    collective_samples(list, grouped<CollectiveRootAttributes>(), true, false);
    auto rooted = grouped<CollectiveRootAttributes>();
    rooted.has_dynamic_root = true;
    list.add({Type(DType::f32, {2}), Type(DType::i32, {1})},
             [&](Graph& graph, std::span<const Value> x) { return all_results(graph.append(op, x, &rooted)); })
        .inputs[1] = {.low = 0, .high = 0};
  } else {
    collective_samples(list, grouped<CollectiveRootAttributes>(), true, true);
    auto rooted = grouped<CollectiveRootAttributes>();
    rooted.has_dynamic_root = true;
    list.add({Type(DType::f32, {2}), Type(DType::f32, {}), Type(DType::i32, {2})},
             [&](Graph& graph, std::span<const Value> x) {
               return all_results(graph.append(op, x, &rooted, {}, reduction(DType::f32)));
             })
        .inputs[2] = {.low = 0, .high = 0};
  }
}

void process_id_samples(SampleList& list) { list.add({}); }

void token_samples(SampleList& list) {
  list.add({}, [&](Graph& graph, auto) {
    Values tokens;
    if (&list.op() == &ops::after_all) tokens = {token(graph), token(graph)};
    return all_results(graph.append(list.op(), tokens));
  });
}

void transfer_samples(SampleList& list) {
  const Op& op = list.op();
  for (const Type type : types_of(ops::send)) {
    if (&op == &ops::infeed) {
      const auto given = make_graph({}, [&](Graph& graph, auto) { return Values{constant(graph, type, 1)}; });
      const auto taken = make_graph({}, [&](Graph& graph, auto) {
        const InfeedAttributes attributes{"a"};
        const Type results[] = {type, Type(DType::token, {})};
        return Values{graph.append(ops::infeed, std::array{token(graph)}, &attributes, results).result()};
      });
      list.add({}, [&](Graph& graph, auto) {
        const RunParallelAttributes attributes{1, 1};
        return all_results(graph.append(ops::run_parallel, {}, &attributes, {}, std::array{given, taken}));
      });
      continue;
    }
    list.add({type}, [&](Graph& graph, std::span<const Value> x) {
      if (&op == &ops::send) return all_results(send(graph, x[0]));
      if (&op == &ops::outfeed) {
        const OutfeedAttributes attributes{"a"};
        return all_results(graph.append(op, std::array{x[0], token(graph)}, &attributes));
      }
      const Value sent = send(graph, x[0]).result();
      const TransferAttributes attributes{3, 1, false};
      const Type results[] = {type, Type(DType::token, {})};
      return all_results(graph.append(op, std::array{sent}, &attributes, results));
    });
  }
}

void run_parallel_samples(SampleList& list) {
  for (const Type type : types_of(list.op()))
    for (const std::int64_t partitions : {1, 2})
      list.add({type, type}, [&](Graph& graph, std::span<const Value> x) {
        const RunParallelAttributes attributes{partitions, 0};
        const std::vector programs(2, identity(type));
        return all_results(graph.append(list.op(), x, &attributes, {}, programs));
      });
}

// Of a mesh with one device.
void manual_computation_samples(SampleList& list) {
  for (const Type type : types_of(list.op()))
    list.add({type}, [&](Graph& graph, std::span<const Value> x) {
      std::string dims;
      for (int d = 0; d < type.rank(); ++d) dims += d == 0 ? "{\"d\"}" : ", {}";
      const std::string shardings = concat("#sdy.sharding_per_value<[<@mesh, [", dims, "]>]>");
      const ManualComputationAttributes attributes{shardings, shardings, "#sdy<manual_axes{\"d\"}>"};
      const std::array regions{identity(type)};
      return all_results(graph.append(list.op(), x, &attributes, std::span(&type, 1), regions));
    });
}

void probe_samples(SampleList& list) {
  for (const Type type : types_of(list.op()))
    list.add({type}, [&](Graph& graph, std::span<const Value> x) {
      const ProbeAttributes probe{"a/b"};
      const ProbeCheckAttributes check{"a/b", 0};
      if (&list.op() == &ops::print) return all_results(graph.append(ops::print, x));
      Node& seen = graph.append(ops::probe, x, &probe);
      if (&list.op() == &ops::probe) return all_results(seen);
      return all_results(graph.append(list.op(), std::array{seen.result()}, &check));
    });
}

constexpr SampleEntry collective_table[] = {
    {&ops::all_gather, collective_samples, needs_a_dimension},
    {&ops::all_reduce, collective_samples},
    {&ops::all_to_all, collective_samples, needs_a_dimension},
    {&ops::collective_broadcast, collective_samples},
    {&ops::collective_permute, collective_samples},
    {&ops::collective_reduce, collective_samples},
    {&ops::reduce_scatter, collective_samples, needs_a_dimension},
    {&ops::partition_id, process_id_samples},
    {&ops::replica_id, process_id_samples},
    {&ops::after_all, token_samples},
    {&ops::create_token, token_samples},
    {&ops::infeed, transfer_samples},
    {&ops::outfeed, transfer_samples},
    {&ops::recv, transfer_samples},
    {&ops::send, transfer_samples},
    {&ops::run_parallel, run_parallel_samples},
    {&ops::manual_computation, manual_computation_samples},
    {&ops::expect_serialized_eq, probe_samples},
    {&ops::print, probe_samples},
    {&ops::probe, probe_samples},
};

}  // namespace

constinit const std::span<const SampleEntry> collective_samples = collective_table;

}  // namespace weft::ir
