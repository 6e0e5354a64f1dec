#include <weft/fuzz/generator.h>

#include <algorithm>

#include <weft/fuzz/edits.h>
#include <weft/fuzz/grower.h>
#include <weft/ir/autodiff.h>
#include <weft/ir/ops.h>

namespace weft::fuzz {

using ir::Value;

namespace {

Grower::Style random_style(Random& random) {
  Grower::Style style;
  style.elements = random.one_in(24) ? 40'000 : random.one_in(4) ? 2'000 : 300;
  style.wild = random.one_in(8);
  return style;
}

// Returns the cotangents of some floating-point values, with another one as the loss.
std::vector<Value> gradients(Grower& g) {
  std::vector<Value> floats;
  for (const Value v : g.values())
    if (is_float(v.dtype())) floats.push_back(v);
  if (floats.size() < 2) return {};
  const Value y = floats[floats.size() - 1 - g.random().below(floats.size() / 2)];
  std::vector<Value> xs{floats[0], g.random().pick(floats)};
  try {
    return ir::gradient(g.graph(), std::array{y}, std::array{g.fitted(y.type())}, xs);
  } catch (const Error&) {
    return {};  // a path leads through an op without a gradient
  }
}

// Returns all values that nothing reads, and some of the others.
std::vector<Value> random_outputs(Grower& g) {
  std::vector<bool> read(g.graph().nodes().size());
  for (const ir::Node* node : g.graph().nodes())
    for (const Value v : node->operands) read[v.node->id] = true;
  std::vector<Value> outputs, others;
  for (const Value v : g.values()) (read[v.node->id] ? others : outputs).push_back(v);
  g.random().shuffle(outputs);
  outputs.resize(std::min<std::size_t>(outputs.size(), 6));
  for (std::size_t extra = g.random().below(3); extra > 0 && !others.empty(); --extra)
    outputs.push_back(g.random().pick(others));
  if (outputs.empty()) outputs.push_back(g.any());
  return outputs;
}

}  // namespace

bool is_generated(const ir::Op& op) { return op.kind == ir::Kind::elementwise || find_recipe(op) != nullptr; }

std::shared_ptr<const ir::Graph> random_graph(std::uint64_t seed) {
  Random random(seed);
  const auto graph = std::make_shared<ir::Graph>();
  Grower g(*graph, random, random_style(random), {}, true);
  g.grow(random.between(1, 9));
  if (random.one_in(3)) {
    const auto cotangents = gradients(g);
    g.add(cotangents);
  }
  graph->set_outputs(random_outputs(g));
  return pruned(graph);
}

}  // namespace weft::fuzz
