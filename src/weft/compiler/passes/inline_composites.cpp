#include <algorithm>

#include <weft/compiler/passes/all.h>
#include <weft/compiler/passes/rewrite.h>
#include <weft/ir/inline.h>
#include <weft/ir/ops.h>

namespace weft::compiler {

namespace {

// Returns for each result of the graph's composites whether something reads it.
class ReadResults {
 public:
  explicit ReadResults(const ir::Graph& graph) : is_read_(graph.nodes().size()) {
    for (const ir::Node* node : graph.nodes())
      for (const ir::Value v : node->operands) note(v);
    for (const ir::Value v : graph.outputs()) note(v);
  }
  bool operator()(ir::Value v) const {
    return std::ranges::find(is_read_[v.node->id], v.index) != is_read_[v.node->id].end();
  }

 private:
  void note(ir::Value v) {
    if (v.node->op->flow == ir::Flow::call && !(*this)(v)) is_read_[v.node->id].push_back(v.index);
  }

  std::vector<std::vector<std::uint32_t>> is_read_;  // by node
};

// Inlines the results that something reads; the others get no value.
std::vector<ir::Value> inlined(ir::Graph& to, ir::Node& node, std::span<const ir::Value> operands,
                               const ReadResults& is_read) {
  const ir::Graph& region = *node.regions[0];
  ir::Inliner inliner(to, region);
  for (std::size_t i = 0; i < operands.size(); ++i) inliner.substitute(region.inputs()[i], operands[i]);
  std::vector<ir::Value> wanted;
  for (std::size_t i = 0; i < node.types.size(); ++i)
    if (is_read(node.result(i))) wanted.push_back(region.outputs()[i]);
  inliner.copy_with_effects(wanted);
  std::vector<ir::Value> results;
  for (std::size_t i = 0; i < node.types.size(); ++i)
    results.push_back(is_read(node.result(i)) ? inliner.found(region.outputs()[i]) : ir::Value());
  return results;
}

std::shared_ptr<ir::Graph> inline_once(const ir::Graph& graph) {
  const auto concerns = [](const ir::Node& node) { return node.op->flow == ir::Flow::call; };
  if (std::ranges::none_of(graph.nodes(), [&](const ir::Node* node) { return concerns(*node); })) return nullptr;
  const ReadResults is_read(graph);
  return rewrite_where(graph, concerns, [&](ir::Graph& to, const ir::Node& node, std::span<const ir::Value> operands) {
    return std::optional(inlined(to, *graph.nodes()[node.id], operands, is_read));
  });
}

}  // namespace

std::shared_ptr<ir::Graph> inline_composites(const ir::Graph& graph) {
  std::shared_ptr<ir::Graph> result = inline_once(graph);
  // A decomposition may contain further composites.
  while (result)
    if (auto deeper = inline_once(*result))
      result = std::move(deeper);
    else
      break;
  return result;
}

}  // namespace weft::compiler
