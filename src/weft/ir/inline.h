// Copies part of one graph into another.
#pragma once

#include <span>
#include <vector>

#include <weft/ir/graph.h>

namespace weft::ir {

// Copies nodes of `from` into `into`, with given substitutes for some of the values. The copies get the current location of
// `into`, or keep their own if `into` has none.
class Inliner {
 public:
  Inliner(Graph& into, const Graph& from);

  // Uses `substitute`, a value of `into` of the same type, for `value`. If called again for the same value, the first substitute stays.
  void substitute(Value value, Value substitute);
  // Copies the nodes on which `values` depend, unless they are substituted or already copied. Returns the counterparts of `values`.
  std::vector<Value> copy(std::span<const Value> values);
  // Copies the nodes that run for their side effect as well, in the order of the program.
  std::vector<Value> copy_with_effects(std::span<const Value> values);
  // Returns the counterpart of a value in `into`; an empty Value if it was neither substituted nor copied.
  Value found(Value value) const { return copies_[at(value)]; }

 private:
  std::size_t at(Value v) const { return first_result_[v.node->id] + v.index; }
  std::vector<Value> copy(std::span<const Value> values, std::vector<char> live);

  Graph& into_;
  const Graph& from_;
  std::vector<std::uint32_t> first_result_;  // by node id: the index in copies_ of its first result
  std::vector<Value> copies_;
};

// Returns the nodes on which the outputs of a graph depend or that have a side effect, in order, without its inputs.
std::vector<const Node*> needed_nodes(const Graph& graph);

}  // namespace weft::ir
