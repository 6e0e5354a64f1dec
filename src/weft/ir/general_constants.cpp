#include <weft/ir/general_constants.h>

#include <algorithm>

#include <weft/ir/general_nodes.h>
#include <weft/ir/op.h>

namespace weft::ir {

namespace {

using Path = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

bool is_another_in_each(std::span<const Graph* const> graphs, std::size_t i) {
  const Node& n = *graphs[0]->nodes()[i];
  return is_splat(n) &&
         !std::ranges::all_of(graphs, [&](const Graph* graph) { return have_same_attributes(n, *graph->nodes()[i]); });
}

void add_constants(std::span<const Graph* const> graphs, const Path& path, std::vector<General::Constant>& all) {
  for (std::uint32_t i = 0; i < graphs[0]->nodes().size(); ++i) {
    const Node& n = *graphs[0]->nodes()[i];
    const bool is_of_all = std::ranges::all_of(graphs, [&](const Graph* graph) {
      return i < graph->nodes().size() && graph->nodes()[i]->op == n.op &&
             graph->nodes()[i]->regions.size() == n.regions.size();
    });
    require(is_of_all, "different operations were recorded for different sizes");
    if (is_another_in_each(graphs, i)) all.push_back({path, i, n.type().dtype()});
    for (std::uint32_t r = 0; r < n.regions.size(); ++r) {
      std::vector<const Graph*> bodies;
      for (const Graph* graph : graphs) bodies.push_back(graph->nodes()[i]->regions[r]);
      if (are_alike(bodies)) continue;
      Path inner = path;
      inner.emplace_back(i, r);
      add_constants(bodies, inner, all);
    }
  }
}

}  // namespace

std::vector<General::Constant> find_constants(std::span<const Graph* const> samples) {
  std::vector<General::Constant> all;
  add_constants(samples, {}, all);
  return all;
}

std::span<const General::Constant> constants_at(std::span<const General::Constant> within, std::size_t depth,
                                                std::size_t node) {
  const auto node_of = [&](const General::Constant& c) { return c.path.size() > depth ? c.path[depth].first : c.node; };
  const auto found = std::ranges::equal_range(within, node, {}, node_of);
  return {found.begin(), found.end()};
}

std::span<const General::Constant> constants_in(std::span<const General::Constant> of_node, std::size_t depth,
                                                std::size_t region) {
  const auto region_of = [&](const General::Constant& c) { return c.path[depth].second; };
  const auto found = std::ranges::equal_range(of_node, region, {}, region_of);
  return {found.begin(), found.end()};
}

bool are_alike(std::span<const Graph* const> bodies) {
  return std::ranges::all_of(bodies,
                             [&](const Graph* b) { return b == bodies[0] || structurally_equal(*b, *bodies[0]); });
}

}  // namespace weft::ir
