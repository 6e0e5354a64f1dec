#include <algorithm>
#include <cstdlib>
#include <unordered_map>

#include <weft/ir/general.h>
#include <weft/ir/general_nodes.h>
#include <weft/ir/op.h>
#include <weft/ir/ops.h>

namespace weft::ir {

namespace {

Status others_recorded() { return Status::failed("other operations are recorded"); }

// Compares graphs with a general form at given sizes.
class FormMatcher {
 public:
  explicit FormMatcher(std::vector<std::int64_t> symbols) : values_(std::move(symbols)) {}

  Status holds(const General::Form& form, const Graph& graph) {
    const auto nodes = form.sample->nodes();
    if (nodes.size() != graph.nodes().size()) return others_recorded();
    auto type = form.types.begin();
    auto constant = form.constants.begin();
    for (std::uint32_t i = 0; i < nodes.size(); ++i) {
      const Node &a = *nodes[i], &b = *graph.nodes()[i];
      const auto types = std::span(type, type + std::ssize(a.types));
      type += std::ssize(a.types);
      const bool is_given = constant != form.constants.end() && *constant == i;
      constant += is_given;
      if (a.op != b.op || !std::ranges::equal(a.operands, b.operands, same_value) ||
          !std::ranges::equal(types, b.types, [&](Type x, Type y) { return at(x) == y; }) ||
          !(is_given ? is_splat(b) : same_attributes(form, a, b)) || !same_regions(form, a, b))
        return Status::failed(concat(describe(b), " does not follow from the sizes of the inputs as before"));
    }
    return {};
  }

 private:
  bool same_attributes(const General::Form& form, const Node& a, const Node& b) const {
    const auto found = form.attributes.find(a.id);
    if (found == form.attributes.end()) return have_same_attributes(a, b);
    const AttributeSchema& schema = *a.op->attributes;
    return schema.equal_without_sizes(a.attribute_data, b.attribute_data) &&
           std::ranges::equal(schema.sizes(found->second), schema.sizes(b.attribute_data), {},
                              [&](std::int64_t n) { return values_(Size(n)); });
  }

  bool same_regions(const General::Form& form, const Node& a, const Node& b) {
    if (a.regions.size() != b.regions.size()) return false;
    for (std::size_t r = 0; r < a.regions.size(); ++r) {
      if (a.regions[r] == b.regions[r]) continue;
      const auto found = form.regions.find({a.id, r});
      if (found == form.regions.end() ? !structurally_equal(*a.regions[r], *b.regions[r])
                                      : !holds(found->second, *b.regions[r]))
        return false;
    }
    return true;
  }

  Type at(Type type) {
    if (type.is_static()) return type;
    auto& [from, to] = known_[type.hash()];
    if (from != type) from = type, to = values_(type);
    return to;
  }

  const SizeValues values_;
  std::unordered_map<std::uint64_t, std::pair<Type, Type>> known_;
};

}  // namespace

std::string SizeRelation::text(const std::function<std::string(std::size_t)>& name_of_input) const {
  const auto place = [&](const Place& p) { return concat("dimension ", p.dim, " of ", name_of_input(p.input)); };
  std::string text = concat(place(size), " was ", factor == 1 ? "" : concat(factor, " times "), place(of));
  if (more != 0) text += concat(more < 0 ? " - " : " + ", std::abs(more));
  return text;
}

std::vector<SizeRelation> broken_relations(const General& general, const Graph& graph) {
  const auto index = [](const Node& node) {
    return static_cast<std::size_t>(node.attributes<ParameterAttributes>().index);
  };
  std::vector<SizeRelation> broken;
  const std::vector<std::int64_t> none(general.symbols.size(), 0);
  const SizeValues at_zero(none);
  for (std::size_t s = 0; s < general.symbols.size(); ++s) {
    const General::Symbol& symbol = general.symbols[s];
    const Node& node = *general.sample->nodes()[symbol.node];
    if (node.op != &ops::parameter) continue;
    const SizeRelation::Place of{index(node), symbol.dim};
    std::vector<std::int64_t> one = none;
    one[s] = 1;
    const SizeValues at_one(std::move(one));
    for (std::size_t i = 0; i < general.sample->inputs().size(); ++i) {
      const Type type = general.graph->inputs()[i].type(), now = graph.inputs()[i].type();
      for (int d = 0; d < type.rank(); ++d) {
        const std::int64_t more = at_zero(type.dim(d)), factor = at_one(type.dim(d)) - more;
        if (factor != 0 && now.size(d) != factor * graph.inputs()[of.input].size(of.dim) + more)
          broken.push_back({{i, d}, of, factor, more});
      }
    }
  }
  return broken;
}

Result<Match> match(const General& general, const Graph& graph, std::span<const Value> outputs) {
  if (general.sample->nodes().size() != graph.nodes().size() ||
      !std::ranges::equal(general.sample->outputs(), outputs, same_value) ||
      general.sample->inputs().size() != graph.inputs().size())
    return others_recorded();
  Match match;
  for (const General::Symbol& symbol : general.symbols) {
    const Node& node = *graph.nodes()[symbol.node];
    const auto types = node.types;
    if (symbol.is_attribute) {
      if (node.op != general.sample->nodes()[symbol.node]->op) return others_recorded();
      const auto numbers = node.op->attributes->sizes(node.attribute_data);
      const std::size_t at = symbol.dim;
      if (at >= numbers.size() || numbers[at] < 0) return others_recorded();
      match.symbols.push_back(numbers[at]);
      continue;
    }
    if (symbol.result >= types.size() || symbol.dim >= types[symbol.result].rank()) return others_recorded();
    match.symbols.push_back(types[symbol.result].size(symbol.dim));
  }
  if (Status holds = FormMatcher(match.symbols).holds(general.form, graph); !holds) return holds;
  for (const General::Constant& constant : general.constants) {
    const Graph* at = &graph;
    for (const auto& [node, region] : constant.path) at = at->nodes()[node]->regions[region];
    match.constants.push_back(at->nodes()[constant.node]->attributes<ConstantAttributes>().value.bytes);
  }
  return match;
}

}  // namespace weft::ir
