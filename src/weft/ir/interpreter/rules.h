// Rules of the interpreter: an op is interpreted by its scalar rule, its parts rule, or the interpret rule that its declaration names.
#pragma once

#include <span>
#include <vector>

#include <weft/ir/array.h>
#include <weft/ir/interpreter.h>
#include <weft/ir/interpreter/probes.h>
#include <weft/ir/interpreter/process.h>
#include <weft/ir/op.h>

namespace weft::ir::interpreter {

// State shared by all nodes of one process of a run.
struct Context {
  InterpretOptions options;
  ProcessGrid* grid;
  Probes* probes;
  ProcessId process = {};
};

// A node to evaluate, as a rule sees it.
struct NodeCall {
  const Node& node;
  std::span<const Array* const> operands;
  const Context& context;

  const Array& operator[](std::size_t i) const { return *operands[i]; }
  Type type(int result = 0) const { return node.type(result); }
  template <class A>
  const A& attributes() const {
    return node.attributes<A>();
  }
};

inline std::vector<const Array*> pointers(std::span<const Array> arrays) {
  std::vector<const Array*> result;
  for (const Array& array : arrays) result.push_back(&array);
  return result;
}

// Does what interpret() does, for inputs that are not contiguous.
std::vector<Array> run(const Graph& graph, std::span<const Array* const> inputs, const Context& context);

// Wraps a single result in the vector that rules return.
inline std::vector<Array> one(Array array) {
  std::vector<Array> results;
  results.push_back(std::move(array));
  return results;
}

}  // namespace weft::ir::interpreter
