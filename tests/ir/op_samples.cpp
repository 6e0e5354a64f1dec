#include <tests/ir/op_samples.h>

#include <algorithm>
#include <map>
#include <random>

#include <weft/ir/ops.h>

namespace weft::ir {

namespace {

InputRange default_range(const Op& op, DType dtype) {
  if (dtype == DType::boolean) return {.low = 0, .high = 1};
  if (is_unsigned_integer(dtype)) return {.low = 0, .high = 40, .edges = true};
  if (is_signed_integer(dtype)) return {.low = -20, .high = 20, .edges = true};
  return {.low = op.low, .high = op.high, .edges = true};
}

Array random_array(Type type, const InputRange& range, std::mt19937_64& random) {
  Array array(type);
  const auto count = static_cast<std::size_t>(array.size());
  std::vector<double> values(count);
  if (is_float(type.dtype())) {
    for (double& v : values) v = range.low + (range.high - range.low) * (static_cast<double>(random() >> 11) * 0x1p-53);
  } else {
    const auto choices = static_cast<std::uint64_t>(range.high - range.low) + 1;
    std::vector<double> pool(choices);
    for (std::size_t i = 0; i < choices; ++i) pool[i] = range.low + static_cast<double>(i);
    std::ranges::shuffle(pool, random);
    for (std::size_t i = 0; i < count; ++i) values[i] = range.distinct ? pool.at(i) : pool[random() % choices];
  }
  visit(type.dtype(), [&](auto tag) {
    using T = decltype(tag);
    std::ranges::transform(values, array.data<T>().data(), [](double v) { return static_cast<T>(v); });
  });
  return array;
}

}  // namespace

OpSample& SampleList::add(std::vector<Type> inputs, const Build& build) {
  OpSample sample;
  sample.name = op_.name;
  sample.graph = make_graph(inputs, build);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    sample.name += (i == 0 ? " " : ", ") + concat(inputs[i]);
    sample.inputs.push_back(default_range(op_, inputs[i].dtype()));
    const bool has_gradient = op_.gradient != zero_gradient && op_.gradient != not_differentiable;
    if (has_gradient && inputs[i].dtype() == DType::f64) sample.wrt.push_back(static_cast<int>(i));
  }
  samples_.push_back(std::move(sample));
  return samples_.back();
}

OpSample& SampleList::add(std::vector<Type> inputs) {
  return add(std::move(inputs),
             [this](Graph& graph, std::span<const Value> x) { return all_results(graph.append(op_, x)); });
}

std::vector<DType> members(DTypes set) {
  std::vector<DType> list;
  for (int i = 0; i < dtype_count; ++i)
    if (contains(set, static_cast<DType>(i))) list.push_back(static_cast<DType>(i));
  return list;
}

const Node* find_node(const Graph& graph, const Op& op) {
  for (const Node* node : graph.nodes()) {
    if (node->op == &op) return node;
    for (const Graph* region : node->regions)
      if (const Node* inner = find_node(*region, op)) return inner;
  }
  return nullptr;
}

std::vector<OpSample> samples(const Op& op) {
  static const std::map<const Op*, void (*)(SampleList&)> by_op = {
      {&ops::broadcast_in_dim, broadcast_in_dim_samples},
      {&ops::reshape, reshape_samples},
      {&ops::transpose, transpose_samples},
      {&ops::slice, slice_samples},
      {&ops::pad, pad_samples},
      {&ops::concatenate, concatenate_samples},
      {&ops::reverse, reverse_samples},
      {&ops::reduce, reduce_samples},
      {&ops::reduce_window, reduce_window_samples},
      {&ops::select_and_scatter, select_and_scatter_samples},
      {&ops::dot_general, dot_general_samples},
      {&ops::convolution, convolution_samples},
      {&ops::gather, gather_samples},
      {&ops::scatter, scatter_samples},
      {&ops::dynamic_slice, dynamic_slice_samples},
      {&ops::dynamic_update_slice, dynamic_update_slice_samples},
      {&ops::sort, sort_samples},
      {&ops::while_, while_samples},
      {&ops::if_, branch_samples},
      {&ops::case_, branch_samples},
      {&ops::composite, composite_samples},
      {&ops::parameter, source_samples},
      {&ops::constant, source_samples},
      {&ops::iota, source_samples},
      {&ops::rng_bit_generator, rng_bit_generator_samples},
      {&ops::optimization_barrier, optimization_barrier_samples},
      {&ops::custom_call, custom_call_samples},
      {&ops::all_gather, collective_samples},
      {&ops::all_reduce, collective_samples},
      {&ops::all_to_all, collective_samples},
      {&ops::collective_broadcast, collective_samples},
      {&ops::collective_permute, collective_samples},
      {&ops::collective_reduce, collective_samples},
      {&ops::reduce_scatter, collective_samples},
      {&ops::partition_id, process_id_samples},
      {&ops::replica_id, process_id_samples},
      {&ops::after_all, token_samples},
      {&ops::create_token, token_samples},
      {&ops::infeed, transfer_samples},
      {&ops::outfeed, transfer_samples},
      {&ops::recv, transfer_samples},
      {&ops::send, transfer_samples},
      {&ops::run_parallel, run_parallel_samples},
      {&ops::expect_serialized_eq, probe_samples},
      {&ops::print, probe_samples},
      {&ops::probe, probe_samples},
      {&ops::cholesky, cholesky_samples},
      {&ops::triangular_solve, triangular_solve_samples},
  };
  SampleList list(op);
  if (const auto found = by_op.find(&op); found != by_op.end()) {
    found->second(list);
  } else if (op.kind == Kind::elementwise) {
    elementwise_samples(list);
  }
  return list.take();
}

std::vector<Array> random_inputs(const OpSample& sample, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Array> inputs;
  for (std::size_t i = 0; i < sample.inputs.size(); ++i)
    inputs.push_back(random_array(sample.graph->inputs()[i].type(), sample.inputs[i], random));
  return inputs;
}

}  // namespace weft::ir
