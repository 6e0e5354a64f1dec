#include <algorithm>
#include <string>
#include <utility>

#include <weft/compiler/loop/attention_kernel.h>
#include <weft/compiler/loop/cpu_attention.h>
#include <weft/compiler/loop/fft_kernel.h>
#include <weft/compiler/passes/all.h>
#include <weft/compiler/passes/rewrite.h>
#include <weft/ir/builder.h>
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

// Returns the results of a kernel that writes the heads of a row beside each other, as the products around attention have them, and
// transposes them, which those around it undo.
std::vector<ir::Value> by_time(const ir::Node& node, std::span<const ir::Value> operands) {
  const std::int64_t heads_and_time[] = {0, 2, 1, 3};
  const auto turned = [&](std::vector<ir::Value> results) {
    for (ir::Value& v : results)
      if (v.rank() == 4) v = ir::transpose(v, heads_and_time);
    return results;
  };
  std::vector<Type> types;
  for (const ir::Value v : operands) types.push_back(v.type());
  auto region = ir::make_graph(types, [&](ir::Graph& graph, std::span<const ir::Value> x) {
    return turned(ir::inline_graph(graph, *node.regions[0], x));
  });
  const std::string name = concat(node.attributes<ir::CompositeAttributes>().name, by_time_suffix);
  return turned(ir::composite(name, operands, std::move(region)));
}

// Composites for which the target has a kernel stay; without a target, none does.
std::shared_ptr<ir::Graph> inline_once(const ir::Graph& graph, const Target* target) {
  const ReadResults is_read(graph);
  const auto stays = [&](const ir::Node& node) {
    if (!target || !has_attention_kernel(node, *target)) return false;
    ir::Node& read = *graph.nodes()[node.id];
    return target->is_gpu || is_faster_as_kernel(node, is_attention_gradient(node) || is_read(read.result(1)));
  };
  const auto is_final = [&](const ir::Node& node) {
    if (target && has_fft_kernel(node, *target)) return true;
    return stays(node) && (node.operand(0).type().rank() != 4 || is_attention_by_time(node));
  };
  const auto concerns = [&](const ir::Node& node) { return node.op->flow == ir::Flow::call && !is_final(node); };
  if (std::ranges::none_of(graph.nodes(), [&](const ir::Node* node) { return concerns(*node); })) return nullptr;
  return rewrite_where(graph, concerns, [&](ir::Graph& to, const ir::Node& node, std::span<const ir::Value> operands) {
    if (stays(node)) return std::optional(by_time(node, operands));
    return std::optional(inlined(to, *graph.nodes()[node.id], operands, is_read));
  });
}

std::shared_ptr<ir::Graph> inline_all(const ir::Graph& graph, const Target* target) {
  std::shared_ptr<ir::Graph> result = inline_once(graph, target);
  // A decomposition may contain further composites.
  while (result)
    if (auto deeper = inline_once(*result, target))
      result = std::move(deeper);
    else
      break;
  return result;
}

}  // namespace

std::shared_ptr<ir::Graph> inline_composites_without_kernel(const ir::Graph& graph, const Target& target) {
  return inline_all(graph, &target);
}

std::shared_ptr<ir::Graph> inline_composites(const ir::Graph& graph) { return inline_all(graph, nullptr); }

}  // namespace weft::compiler
