// How ops are interpreted: elementwise ops by their scalar meaning, all others by a rule. The rules of a kind stand in one
// table beside them.
#pragma once

#include <span>
#include <vector>

#include <weft/ir/array.h>
#include <weft/ir/interpreter.h>
#include <weft/ir/interpreter/probes.h>
#include <weft/ir/interpreter/process.h>
#include <weft/ir/op.h>

namespace weft::ir::interpreter {

// What all nodes of one process of a run have in common.
struct Context {
  InterpretOptions options;
  ProcessGrid* grid;
  Probes* probes;
  ProcessId process = {};
};

// A node to evaluate: what a rule sees.
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

using Rule = std::vector<Array> (*)(const NodeCall& call);

struct RuleEntry {
  const Op* op;
  Rule rule;
};

extern const std::span<const RuleEntry> source_rules, shape_rules, reduction_rules, contraction_rules, indexing_rules,
    control_rules, collective_rules, opaque_rules;

std::vector<Array> elementwise_rule(const NodeCall& call);
std::vector<Array> sort_rule(const NodeCall& call);  // both of indexing_rules
std::vector<Array> select_and_scatter_rule(const NodeCall& call);
std::vector<Array> custom_call_rule(const NodeCall& call);  // these of opaque_rules
std::vector<Array> cholesky_rule(const NodeCall& call);
std::vector<Array> triangular_solve_rule(const NodeCall& call);

// The rule of an op, or nullptr: there is none for parameter, whose value is an input.
Rule find_rule(const Op& op);

inline std::vector<const Array*> pointers(std::span<const Array> arrays) {
  std::vector<const Array*> result;
  for (const Array& array : arrays) result.push_back(&array);
  return result;
}

// interpret() for inputs that lie apart.
std::vector<Array> run(const Graph& graph, std::span<const Array* const> inputs, const Context& context);

// A result in the form in which rules return it.
inline std::vector<Array> one(Array array) {
  std::vector<Array> results;
  results.push_back(std::move(array));
  return results;
}

}  // namespace weft::ir::interpreter
