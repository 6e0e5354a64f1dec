#include <tests/ir/op_samples.h>

#include <algorithm>
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
  const std::size_t count = array.size();
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

namespace {

const SampleEntry* find_entry(const Op& op) {
  for (const auto entries : {collective_samples, contraction_samples, control_samples, embedding_samples,
                             indexing_samples, linalg_samples, reduction_samples, shape_samples})
    if (const auto found = std::ranges::find(entries, &op, &SampleEntry::op); found != entries.end()) return &*found;
  return nullptr;
}

}  // namespace

std::vector<OpSample> samples(const Op& op) {
  SampleList list(op);
  if (const SampleEntry* entry = find_entry(op))
    entry->add(list);
  else if (op.kind == Kind::elementwise)
    elementwise_samples(list);
  return list.take();
}

bool takes_rank_zero(const Op& op) {
  const SampleEntry* entry = find_entry(op);
  return !entry || entry->least_rank == 0;
}

std::vector<Array> random_inputs(const OpSample& sample, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Array> inputs;
  for (std::size_t i = 0; i < sample.inputs.size(); ++i)
    inputs.push_back(random_array(sample.graph->inputs()[i].type(), sample.inputs[i], random));
  return inputs;
}

}  // namespace weft::ir
