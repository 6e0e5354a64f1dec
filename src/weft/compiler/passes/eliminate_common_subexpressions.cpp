#include <algorithm>
#include <unordered_map>

#include <weft/compiler/passes/all.h>
#include <weft/compiler/passes/rewrite.h>
#include <weft/ir/op.h>

namespace weft::compiler {

namespace {

std::uint64_t hash_of(const ir::Node& node, std::span<const ir::Value> operands) {
  std::uint64_t hash = mix(reinterpret_cast<std::uintptr_t>(node.op),
                           node.op->attributes ? node.op->attributes->hash(node.attribute_data) : 0);
  for (const Type t : node.types) hash = mix(hash, t.hash());
  for (const ir::Value v : operands) hash = mix(hash, (static_cast<std::uint64_t>(v.node->id) << 16) + v.index);
  for (const ir::Graph* region : node.regions) hash = mix(hash, ir::fingerprint_of(*region).low);
  return hash;
}

bool same(const ir::Node& a, const ir::Node& b, std::span<const ir::Value> b_operands) {
  return a.op == b.op && std::ranges::equal(a.operands, b_operands) && std::ranges::equal(a.types, b.types) &&
         (!a.op->attributes || a.op->attributes->equal(a.attribute_data, b.attribute_data)) &&
         std::ranges::equal(a.regions, b.regions, [](const ir::Graph* x, const ir::Graph* y) {
           return x == y || ir::structurally_equal(*x, *y);
         });
}

}  // namespace

std::shared_ptr<ir::Graph> eliminate_common_subexpressions(const ir::Graph& graph) {
  Rewriter rewriter(graph);
  std::unordered_multimap<std::uint64_t, ir::Node*> known;
  return rewriter.run([&](const ir::Node& node, std::span<const ir::Value> operands) {
    if (ir::has_side_effect(node)) return std::optional<std::vector<ir::Value>>();
    const std::uint64_t hash = hash_of(node, operands);
    ir::Node* found = nullptr;
    for (auto [at, end] = known.equal_range(hash); at != end && !found; ++at)
      if (same(*at->second, node, operands)) found = at->second;
    if (!found) known.emplace(hash, found = &rewriter.graph().append_copy(node, operands));
    std::vector<ir::Value> results;
    for (std::uint32_t i = 0; i < found->types.size(); ++i) results.push_back(found->result(i));
    return std::optional(std::move(results));
  });
}

}  // namespace weft::compiler
