// Copying part of one graph into another.
#pragma once

#include <span>
#include <vector>

#include <weft/ir/graph.h>

namespace weft::ir {

// Copies nodes of `from` into `into` for given values in place of some of its own. The copies get the current location
// of `into`, or keep their own where it has none.
class Inliner {
 public:
  Inliner(Graph& into, const Graph& from);

  // Uses `substitute`, a value of `into` of the same type, for `value`. The first substitute of a value counts.
  void substitute(Value value, Value substitute);
  // Copies what `values` depend on, as far as it is neither substituted nor copied before; what became of them.
  std::vector<Value> copy(std::span<const Value> values);
  // What became of a value; none if it was neither substituted nor copied.
  Value found(Value value) const { return copies_[at(value)]; }

 private:
  std::size_t at(Value v) const { return first_result_[v.node->id] + v.index; }

  Graph& into_;
  const Graph& from_;
  std::vector<std::uint32_t> first_result_;  // by node id: where its results stand in copies_
  std::vector<Value> copies_;
};

}  // namespace weft::ir
