#include <weft/compiler/codegen/llvm/region_emitter.h>

#include <algorithm>
#include <functional>
#include <queue>

#include <weft/compiler/codegen/llvm/region_vectors.h>
#include <weft/compiler/loop/cost.h>
#include <weft/compiler/loop/kernel_source.h>
#include <weft/compiler/loop/region_order.h>
#include <weft/ir/ops.h>
#include <weft/ir/uses.h>

namespace weft::compiler {

using ir::Node;
using llvm::Value;

namespace {

// From this cost on, computing several nodes as lanes of a vector pays for assembling the vector.
constexpr int long_function = 8;
constexpr std::size_t values_between_fences = 100;

}  // namespace

RegionEmitter::RegionEmitter(RegionContext& context, const ir::Graph& graph, const WhileRegion* memory)
    : c_(context), graph_(graph), memory_(memory), uses_(ir::count_uses(graph)), values_(graph.nodes().size()) {}

std::vector<Elements> RegionEmitter::emit(std::span<const Elements> inputs) {
  for (std::size_t i = 0; i < inputs.size(); ++i) values_[graph_.inputs()[i].node->id] = {inputs[i]};
  emit_in_order();
  std::vector<Elements> outputs;
  for (const ir::Value v : graph_.outputs()) outputs.push_back(memory_of(v) ? Elements{} : at(v));
  return outputs;
}

void RegionEmitter::emit_in_order() {
  const auto nodes = graph_.nodes();
  RegionOrder order(graph_, memory_);
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> ready;
  std::map<std::string, std::vector<const Node*>> put_off;
  const auto make_ready = [&](std::uint32_t id) {
    std::string key = lanes_key(*nodes[id]);
    if (key.empty())
      ready.push(id);
    else
      put_off[std::move(key)].push_back(nodes[id]);
  };
  const auto finish = [&](std::uint32_t id) {
    order.finish(id, make_ready);
    const std::int64_t values = nodes[id]->types.empty() ? 1 : nodes[id]->type().elements();
    c_.count(static_cast<std::size_t>(std::clamp<std::int64_t>(values, 1, 64)));
  };
  order.start(make_ready);
  while (true) {
    for (; !ready.empty();) {
      const std::uint32_t id = ready.top();
      ready.pop();
      emit(*nodes[id]);
      finish(id);
    }
    if (put_off.empty()) break;
    const auto most = std::ranges::max_element(put_off, {}, [](const auto& group) { return group.second.size(); });
    const std::vector<const Node*> group = std::move(most->second);
    put_off.erase(most);
    emit_together(group);
    for (const Node* n : group) finish(n->id);
  }
}

std::string RegionEmitter::lanes_key(const Node& n) {
  if (n.op->kind != ir::Kind::elementwise || n.operands.empty()) return {};
  const DType dtype = n.operand(0).dtype();
  if (cost_of(*n.op, n.attribute_data, dtype, n.type().dtype()) < long_function) return {};
  std::string key(n.op->name);
  for (const ir::Value v : n.operands) key += static_cast<char>(v.dtype());
  key += static_cast<char>(n.type().dtype());
  if (n.op->attributes) key += std::to_string(n.op->attributes->hash(n.attribute_data));
  return key;
}

void RegionEmitter::emit_together(std::span<const Node* const> nodes) {
  std::vector<std::pair<const Node*, std::size_t>> lanes;
  for (const Node* n : nodes) {
    values_[n->id].resize(1);
    for (std::int64_t e = 0; e < n->type().elements(); ++e) lanes.emplace_back(n, e);
  }
  const DType dtype = nodes[0]->type().dtype();
  const std::size_t width = c_.target.lanes;
  for (std::size_t first = 0; first < lanes.size(); first += width) {
    const auto part = std::span(lanes).subspan(first, std::min(width, lanes.size() - first));
    const auto call = [&](ScalarEmitter& emitter, std::span<const ir::Scalar> operands) {
      return llvm_value(nodes[0]->op->scalar(emitter, {operands, dtype, nodes[0]->attribute_data}));
    };
    if (part.size() == 1) {
      const auto operands = operands_of(*part[0].first, part[0].second);
      values_[part[0].first->id][0].push_back(call(c_.one, operands));
      continue;
    }
    const std::size_t few = 4, count = part.size() <= few ? few : width;  // a whole vector of the math library
    ScalarEmitter many(c_.b, c_.target, static_cast<int>(count), c_.contract);
    std::vector<Elements> by_operand(nodes[0]->operands.size());
    for (const auto& [node, element] : part) {
      const auto operands = operands_of(*node, element);
      for (std::size_t k = 0; k < operands.size(); ++k) by_operand[k].push_back(llvm_value(operands[k]));
    }
    std::vector<ir::Scalar> vectors;
    for (std::size_t k = 0; k < by_operand.size(); ++k)
      vectors.push_back(
          to_scalar(vector_of(c_.b, by_operand[k], count), nodes[0]->operand(static_cast<int>(k)).dtype()));
    Elements lanes_of_result;
    append_lanes(c_.b, call(many, vectors), part.size(), lanes_of_result);
    for (std::size_t lane = 0; lane < part.size(); ++lane)
      values_[part[lane].first->id][0].push_back(lanes_of_result[lane]);
  }
}

void RegionContext::count(std::size_t values) {
  unfenced += values;
  if (unfenced < values_between_fences) return;
  unfenced = 0;
  b.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent, llvm::SyncScope::SingleThread);
}

}  // namespace weft::compiler
