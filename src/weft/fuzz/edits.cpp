#include <weft/fuzz/edits.h>

#include <algorithm>
#include <set>

#include <weft/compiler/passes/rewrite.h>
#include <weft/ir/builder.h>
#include <weft/ir/inline.h>
#include <weft/ir/ops.h>

namespace weft::fuzz {

using ir::Node;
using ir::Value;

namespace {

using Values = std::vector<Value>;

std::vector<std::shared_ptr<const ir::Graph>> regions_of(const GraphPtr& graph, const Node& node) {
  std::vector<std::shared_ptr<const ir::Graph>> regions;
  for (std::size_t r = 0; r < node.regions.size(); ++r) regions.push_back(region_of(graph, node, r));
  return regions;
}

Values results_of(Node& node) {
  Values results;
  for (std::uint32_t i = 0; i < node.types.size(); ++i) results.push_back(node.result(i));
  return results;
}

// Returns the graph with one node replaced by the values that `replace` makes from its operands.
using Replace = std::function<Values(ir::Graph& into, const Node& node, std::span<const Value> operands)>;
Edit replacing(const GraphPtr& graph, std::uint32_t id, Replace replace) {
  return [graph, id, replace = std::move(replace)] {
    compiler::Rewriter rewriter(*graph);
    return rewriter.run([&](const Node& node, std::span<const Value> operands) -> std::optional<Values> {
      if (node.id != id) return std::nullopt;
      return replace(rewriter.graph(), node, operands);
    });
  };
}

// Adds edits that keep a single output, drop one output, or replace an output by its operands.
void drop_outputs(const GraphPtr& graph, std::vector<Edit>& list) {
  const std::size_t count = graph->outputs().size();
  const auto with = [&graph](Values outputs) -> Edit {
    return [graph, outputs] {
      auto copy = std::make_shared<ir::Graph>();
      ir::Inliner inliner(*copy, *graph);
      for (const Value input : graph->inputs()) inliner.substitute(input, copy->add_input(input.type()));
      copy->set_outputs(inliner.copy(outputs));
      return copy;
    };
  };
  for (const Value v : graph->outputs())
    if (const auto operands = v.node->operands; !operands.empty())
      list.push_back(with(Values(operands.begin(), operands.end())));
  if (count < 2) return;
  for (const Value v : graph->outputs()) list.push_back(with({v}));
  for (std::size_t i = 0; i < count && count > 2; ++i) {
    Values others(graph->outputs().begin(), graph->outputs().end());
    others.erase(others.begin() + i);
    list.push_back(with(others));
  }
}

void cut(const GraphPtr& graph, const Node& node, std::vector<Edit>& list) {
  list.push_back(replacing(graph, node.id, [](ir::Graph& into, const Node& n, auto) {
    Values inputs;
    for (const Type type : n.types) inputs.push_back(into.add_input(type));
    return inputs;
  }));
}

void bypass(const GraphPtr& graph, const Node& node, std::vector<Edit>& list) {
  for (std::size_t k = 0; k + node.types.size() <= node.operands.size(); ++k) {
    const auto same = [&](std::size_t i) { return node.operands[k + i].type() == node.types[i]; };
    std::size_t i = 0;
    while (i < node.types.size() && same(i)) ++i;
    if (i == node.types.size() && i > 0)
      list.push_back(replacing(graph, node.id, [k](auto&, const Node& n, std::span<const Value> operands) {
        const auto part = operands.subspan(k, n.types.size());
        return Values(part.begin(), part.end());
      }));
  }
}

void make_constant(const GraphPtr& graph, const Node& node, std::vector<Edit>& list) {
  for (const double value : {1.0, 0.0})
    list.push_back(replacing(graph, node.id, [value](ir::Graph& into, const Node& n, auto) {
      Values constants;
      for (const Type type : n.types) constants.push_back(ir::constant(into, type, value));
      return constants;
    }));
}

// Adds edits that replace the node by an input.
void take_input(const GraphPtr& graph, const Node& node, std::vector<Edit>& list) {
  if (node.types.size() != 1) return;
  for (std::size_t i = 0; i < graph->inputs().size(); ++i)
    if (graph->inputs()[i].type() == node.type())
      list.push_back(replacing(graph, node.id, [i](ir::Graph& into, auto&, auto) { return Values{into.inputs()[i]}; }));
}

// Adds edits that replace an input by a constant.
void fix_input(const GraphPtr& graph, std::size_t index, std::vector<Edit>& list) {
  list.push_back([graph, index] {
    auto copy = std::make_shared<ir::Graph>();
    ir::Inliner inliner(*copy, *graph);
    for (std::size_t i = 0; i < graph->inputs().size(); ++i) {
      const Type type = graph->inputs()[i].type();
      inliner.substitute(graph->inputs()[i], i == index ? ir::constant(*copy, type, 1) : copy->add_input(type));
    }
    copy->set_outputs(inliner.copy(graph->outputs()));
    return copy;
  });
}

// Adds edits that replace a control node by one of its regions.
void inline_regions(const GraphPtr& graph, const Node& node, std::vector<Edit>& list) {
  if (node.op->kind != ir::Kind::control) return;
  for (std::size_t r = 0; r < node.regions.size(); ++r)
    list.push_back(replacing(graph, node.id, [r](ir::Graph& into, const Node& n, std::span<const Value> operands) {
      const ir::Graph& region = *n.regions[r];
      const std::size_t before = operands.size() - std::min(operands.size(), region.inputs().size());
      Values results = ir::inline_graph(into, region, operands.subspan(before));
      require(results.size() == n.types.size(), "the region has other results than the node");
      for (std::size_t i = 0; i < results.size(); ++i)
        require(results[i].type() == n.types[i], "the region has other results than the node");
      return results;
    }));
}

void edit_regions(const GraphPtr& graph, const Node& node, std::vector<Edit>& list) {
  for (std::size_t r = 0; r < node.regions.size(); ++r)
    for (Edit& edit : edits(region_of(graph, node, r), true))
      list.push_back(replacing(
          graph, node.id,
          [graph, r, edit = std::move(edit)](ir::Graph& into, const Node& n, std::span<const Value> operands) {
            auto regions = regions_of(graph, n);
            regions[r] = pruned(edit(), true);
            return results_of(into.append(*n.op, operands, n.attribute_data, n.types, regions));
          }));
}

void collect_sizes(const ir::Graph& graph, std::set<std::int64_t, std::greater<>>& sizes) {
  for (const Node* node : graph.nodes()) {
    for (const Type type : node->types)
      for (int d = 0; d < type.rank(); ++d) sizes.insert(type.size(d));
    for (const ir::Graph* region : node->regions) collect_sizes(*region, sizes);
  }
}

}  // namespace

GraphPtr region_of(const GraphPtr& graph, const Node& node, std::size_t region) {
  return {graph, node.regions[region]};
}

GraphPtr pruned(const GraphPtr& graph, bool is_region) {
  const auto live = compiler::without_dead_nodes(*graph);
  if (is_region) return live;
  std::set<const Node*> used;
  for (const Node* node : live->nodes())
    for (const Value v : node->operands) used.insert(v.node);
  for (const Value v : live->outputs()) used.insert(v.node);
  auto result = std::make_shared<ir::Graph>();
  ir::Inliner inliner(*result, *live);
  for (const Value input : live->inputs())
    if (used.contains(input.node)) inliner.substitute(input, result->add_input(input.type()));
  result->set_outputs(inliner.copy(live->outputs()));
  return result;
}

std::vector<Edit> edits(const GraphPtr& graph, bool is_region) {
  std::vector<Edit> list;
  if (!is_region) drop_outputs(graph, list);
  for (std::size_t i = graph->nodes().size(); i-- > 0;) {
    const Node& node = *graph->nodes()[i];
    if (node.op == &ir::ops::parameter || node.op == &ir::ops::constant) continue;
    is_region ? take_input(graph, node, list) : cut(graph, node, list);
    bypass(graph, node, list);
    inline_regions(graph, node, list);
    make_constant(graph, node, list);
  }
  if (!is_region)
    for (std::size_t i = 0; i < graph->inputs().size(); ++i) fix_input(graph, i, list);
  for (const Node* node : graph->nodes()) {
    if (node->op == &ir::ops::constant) make_constant(graph, *node, list);
    edit_regions(graph, *node, list);
  }
  if (is_region) return list;
  std::set<std::int64_t, std::greater<>> sizes;
  collect_sizes(*graph, sizes);
  for (const std::int64_t size : sizes)
    for (const std::int64_t to : {std::int64_t{1}, std::int64_t{2}, size / 2, size - 1})
      if (to > 0 && to < size) list.push_back([graph, size, to] { return resized(graph, size, to); });
  return list;
}

}  // namespace weft::fuzz
