// Batching: a graph that is written for one example, computed for a batch of examples at once, graph to graph. (vmap)
//
// A batched value has the batch as its first dimension. Values on which no batched value has an influence stay as they are, so that what
// does not depend on the example is computed once, and a product with such a matrix stays one product. How a node is batched stands with its
// op (Op::batch); elementwise ops need no rule.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <weft/ir/op.h>

namespace weft::ir {

// A value of the batched graph.
struct Batched {
  Batched(Value v, bool depends = true) : value(v), is_batched(depends) {}  // NOLINT: rules return values
  Value value;
  bool is_batched;  // whether the first dimension is the batch
};

struct Batching {
  std::int64_t size;  // of the batch
  // Random numbers whose key does not depend on the example are the same for all examples, or others for each, or an error.
  bool draws_differ = false, draws_fail = false;
};

// Appends the nodes that compute the outputs of `from` for all examples, and those that have side effects, to `into`; returns the outputs.
// `inputs`, values of `into`, are in place of the inputs of `from`. New nodes have the location of the node that they compute. Throws
// Error for an op that cannot be batched.
std::vector<Batched> batch(Graph& into, const Graph& from, std::span<const Batched> inputs, const Batching& batching);

// A region computed for a batch: its inputs are batched as given, its outputs as `is_batched` tells.
struct BatchedRegion {
  std::shared_ptr<const Graph> graph;
  std::vector<bool> is_batched;
};
// `outputs_to_batch`: which outputs are batched even if they do not depend on the example; empty: none.
BatchedRegion batch_region(const Graph& region, const std::vector<bool>& inputs,
                           const std::vector<bool>& outputs_to_batch, const Batching& batching);

// Return a type with the batch as its first dimension, and a value, which is repeated if it is not batched.
Type with_batch(Type type, std::int64_t size);
Value with_batch(const Batched& x, std::int64_t size);

// The argument of a rule for Op::batch: a node with an operand that is batched.
struct BatchCall {
  Graph& graph;  // to which the rule appends
  const Node& node;
  std::span<const Batched> operands;
  const Batching& batching;

  std::int64_t size() const { return batching.size; }
  bool is_batched(int i) const { return operands[i].is_batched; }
  // Returns whether operands from `begin` to the one before `end` are batched.
  bool any_batched(int begin, int end) const;
  Value x(int i = 0) const { return operands[i].value; }
  // Return an operand, or any value of the batched graph, with the batch as its first dimension.
  Value batched(int i = 0) const { return batched(operands[i]); }
  Value batched(const Batched& value) const;
  std::vector<Value> all_batched() const;
  template <class A>
  const A& attributes() const {
    return node.attributes<A>();
  }
  // Appends a node of the same op, with the same regions, whose results are batched; `attributes` are those of the node if null.
  std::vector<Batched> append(std::span<const Value> values, const void* attributes = nullptr) const;
};

}  // namespace weft::ir
