#include <weft/ir/batch.h>

#include <algorithm>
#include <numeric>

#include <weft/ir/builder.h>
#include <weft/ir/inline.h>
#include <weft/ir/ops.h>

namespace weft::ir {

namespace {

// The operand of rank 0 of a select or a clamp applies to all elements.
Value for_all_elements(const BatchCall& call, int i) {
  const int rank = call.node.type().rank();
  if (call.node.operand(i).rank() == rank) return call.batched(i);
  if (!call.is_batched(i)) return call.x(i);
  return broadcast_in_dim(call.x(i), with_batch(call.node.type().with(call.x(i).dtype()), call.size()),
                          std::vector<std::int64_t>{0});
}

std::vector<Batched> batch_elementwise(const BatchCall& call) {
  std::vector<Value> operands;
  for (int i = 0; i < std::ssize(call.operands); ++i) operands.push_back(for_all_elements(call, i));
  return call.append(operands);
}

class Batcher {
 public:
  Batcher(Graph& into, const Graph& from, const Batching& batching)
      : into_(into), from_(from), batching_(batching), location_(into.location()), values_(from.nodes().size()) {}
  ~Batcher() { into_.set_location(location_); }
  Batcher(const Batcher&) = delete;
  Batcher& operator=(const Batcher&) = delete;

  std::vector<Batched> run(std::span<const Batched> inputs) {
    for (std::size_t i = 0; i < inputs.size(); ++i) values_[from_.inputs()[i].node->id] = {inputs[i]};
    for (const Node* node : needed_nodes(from_)) values_[node->id] = results_of(*node);
    std::vector<Batched> outputs;
    for (const Value v : from_.outputs()) outputs.push_back(value_of(v));
    return outputs;
  }

 private:
  const Batched& value_of(Value v) const { return values_[v.node->id][v.index]; }

  std::vector<Batched> results_of(const Node& node) {
    std::vector<Batched> operands;
    for (const Value v : node.operands) operands.push_back(value_of(v));
    into_.set_location(node.location);
    bool depends = std::ranges::any_of(operands, &Batched::is_batched);
    if (!depends && node.op == &ops::rng_bit_generator) {
      require(
          !batching_.draws_fail,
          "vmap: random numbers are drawn with a key that all examples share: give each a key of its own, or choose "
          "Randomness::same or Randomness::different");
      depends = batching_.draws_differ;
    }
    return depends ? batched_results(node, operands) : same_results(node, operands);
  }

  std::vector<Batched> same_results(const Node& node, std::span<const Batched> operands) {
    std::vector<Value> values;
    for (const Batched& operand : operands) values.push_back(operand.value);
    Node& copy = into_.append_copy(node, values);
    std::vector<Batched> results;
    for (std::uint32_t i = 0; i < copy.types.size(); ++i) results.emplace_back(copy.result(i), false);
    return results;
  }

  std::vector<Batched> batched_results(const Node& node, std::span<const Batched> operands) {
    const bool is_elementwise = node.op->kind == Kind::elementwise && !node.op->batch;
    require(is_elementwise || node.op->batch, "vmap: ", node.op->name, " cannot be computed for a batch");
    if (batching_.size == 0) return empty_results(node);
    const BatchCall call{into_, node, operands, batching_};
    return is_elementwise ? batch_elementwise(call) : node.op->batch(call);
  }

  // Of an empty batch, every batched value is empty.
  std::vector<Batched> empty_results(const Node& node) {
    std::vector<Batched> results;
    for (const Type type : node.types) results.emplace_back(constant(into_, with_batch(type, 0), 0));
    return results;
  }

  Graph& into_;
  const Graph& from_;
  const Batching& batching_;
  const Location location_;
  std::vector<std::vector<Batched>> values_;  // by node id: its results
};

}  // namespace

Type with_batch(Type type, std::int64_t size) {
  std::vector<Dim> dims{Dim(size)};
  dims.insert(dims.end(), type.dims().begin(), type.dims().end());
  return {type.dtype(), dims};
}

std::vector<Batched> batch(Graph& into, const Graph& from, std::span<const Batched> inputs, const Batching& batching) {
  return Batcher(into, from, batching).run(inputs);
}

Value with_batch(const Batched& x, std::int64_t size) {
  if (x.is_batched) return x.value;
  std::vector<std::int64_t> dims(x.value.rank());
  std::iota(dims.begin(), dims.end(), 1);
  return broadcast_in_dim(x.value, with_batch(x.value.type(), size), dims);
}

BatchedRegion batch_region(const Graph& region, const std::vector<bool>& inputs,
                           const std::vector<bool>& outputs_to_batch, const Batching& batching) {
  std::vector<Type> types;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Type type = region.inputs()[i].type();
    types.push_back(inputs[i] ? with_batch(type, batching.size) : type);
  }
  BatchedRegion result;
  result.graph = make_graph(types, [&](Graph& graph, std::span<const Value> values) {
    std::vector<Batched> examples;
    for (std::size_t i = 0; i < inputs.size(); ++i) examples.emplace_back(values[i], inputs[i]);
    std::vector<Value> outputs;
    for (Batched& output : batch(graph, region, examples, batching)) {
      const std::size_t i = outputs.size();
      const bool is_batched = output.is_batched || (!outputs_to_batch.empty() && outputs_to_batch[i]);
      outputs.push_back(is_batched ? with_batch(output, batching.size) : output.value);
      result.is_batched.push_back(is_batched);
    }
    return outputs;
  });
  return result;
}

bool BatchCall::any_batched(int begin, int end) const {
  return std::any_of(operands.begin() + begin, operands.begin() + end, [](const Batched& x) { return x.is_batched; });
}

Value BatchCall::batched(const Batched& value) const { return with_batch(value, size()); }

std::vector<Value> BatchCall::all_batched() const {
  std::vector<Value> all;
  for (const Batched& operand : operands) all.push_back(batched(operand));
  return all;
}

std::vector<Batched> BatchCall::append(std::span<const Value> values, const void* attributes) const {
  std::vector<Type> types;
  for (const Type type : node.types) types.push_back(with_batch(type, size()));
  Node& made = graph.append(*node.op, values, attributes ? attributes : node.attribute_data, types,
                            node.graph->shared_regions(node));
  std::vector<Batched> results;
  for (std::uint32_t i = 0; i < types.size(); ++i) results.emplace_back(made.result(i));
  return results;
}

std::vector<Batched> batch_leading(const BatchCall& call) { return call.append(call.all_batched()); }

// Stacks the results of all examples.
std::vector<Batched> batch_by_loop(const BatchCall& call) {
  const std::size_t results = call.node.types.size(), operands = call.operands.size();
  const Type counter(DType::i32, {});
  std::vector<Value> carried{constant(call.graph, counter, 0)};
  for (const Type type : call.node.types) carried.push_back(constant(call.graph, with_batch(type, call.size()), 0));
  for (const Batched& operand : call.operands) carried.push_back(operand.value);
  const std::vector<Type> types = types_of(carried);
  const auto condition = make_graph(types, [&](Graph&, std::span<const Value> x) {
    return std::vector{compare(x[0], constant_like(x[0], static_cast<double>(call.size())), Direction::LT)};
  });
  const auto body = make_graph(types, [&](Graph& graph, std::span<const Value> x) {
    const auto starts_at = [&](int rank) {
      std::vector<Value> starts(rank, constant(graph, counter, 0));
      starts[0] = x[0];
      return starts;
    };
    std::vector<Value> example, next{x[0] + 1};
    for (std::size_t i = 0; i < operands; ++i) {
      const Value operand = x[1 + results + i];
      if (!call.operands[i].is_batched) {
        example.push_back(operand);
        continue;
      }
      const Type type = call.node.operand(static_cast<int>(i)).type();
      std::vector<std::int64_t> sizes{1};
      for (int d = 0; d < type.rank(); ++d) sizes.push_back(type.size(d));
      example.push_back(reshape(dynamic_slice(operand, starts_at(operand.rank()), sizes), type.dims()));
    }
    Node& one = graph.append_copy(call.node, example);
    for (std::uint32_t i = 0; i < results; ++i) {
      const Type row = with_batch(one.type(static_cast<int>(i)), 1);
      next.push_back(dynamic_update_slice(x[1 + i], reshape(one.result(i), row.dims()), starts_at(row.rank())));
    }
    next.insert(next.end(), x.begin() + 1 + static_cast<std::ptrdiff_t>(results), x.end());
    return next;
  });
  const std::vector<Value> made = while_(carried, condition, body);
  std::vector<Batched> stacked;
  for (std::size_t i = 0; i < results; ++i) stacked.emplace_back(made[1 + i]);
  return stacked;
}

}  // namespace weft::ir
