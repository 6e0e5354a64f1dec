#include <weft/compiler/spmd/why_sharded.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include <weft/base/error.h>
#include <weft/compiler/spmd/typing.h>
#include <weft/ir/op.h>
#include <weft/ir/ops.h>
#include <weft/ir/place_text.h>

namespace weft::compiler {

namespace {

// A dimension of a value, which an axis divides.
struct Place {
  ir::Value value;
  int dim;
};

std::string named(const ir::Node& node) {
  if (ir::is_parameter(node)) return ir::input_name(*node.graph, node.attributes<ir::ParameterAttributes>().index);
  const std::string place = ir::place_text(node.location);
  return place.empty() ? std::string(node.op->name) : concat(node.op->name, " at ", place);
}

bool splits(const ir::Sharding& sharding, int dim, int axis) {
  return std::ranges::count(sharding.axes(dim), axis) != 0;
}

ir::Sharding on(const ir::Mesh& mesh, const ir::Sharding& sharding) {
  return {mesh, sharding.dims(), sharding.partial()};
}

class Explainer {
 public:
  explicit Explainer(const Partitioned& program)
      : program_(program), graph_(*program.whole), users_(graph_.nodes().size()) {
    std::vector<ir::Sharding> inputs;
    for (const ir::Sharding& input : program.inputs) inputs.push_back(on(program.mesh, input));
    std::vector<std::optional<ir::Sharding>> outputs;
    for (const auto& wanted : program.wanted)
      outputs.push_back(wanted ? std::optional(on(program.mesh, *wanted)) : std::nullopt);
    typing_ = type_nodes(graph_, program.mesh, inputs, outputs, PartialOutputs::add, program.precedence);
    for (const ir::Node* node : graph_.nodes())
      for (const ir::Value v : node->operands) users_[v.node->id].push_back(node);
  }

  std::vector<ShardedValue> run() {
    std::vector<ShardedValue> all;
    for (ir::Node* node : graph_.nodes())
      for (std::uint32_t i = 0; i < node->types.size(); ++i) {
        const ir::Value value = node->result(i);
        const ir::Sharding& sharding = typing_[node->id].division->results[i];
        ShardedValue told{
            .value = named(*node), .type = concat(node->types[i]), .sharding = concat(sharding), .reasons = {}};
        for (int axis = 0; axis < std::ssize(program_.mesh.axes()); ++axis)
          explain(value, sharding, axis, told.reasons);
        if (!told.reasons.empty()) all.push_back(std::move(told));
      }
    return all;
  }

 private:
  void explain(ir::Value value, const ir::Sharding& sharding, int axis, std::vector<std::string>& reasons) {
    const std::string& name = program_.mesh.axes()[axis].name;
    for (int d = 0; d < sharding.rank(); ++d)
      if (splits(sharding, d, axis))
        reasons.push_back(concat("divided along ", name, " in dimension ", d, origin({value, d}, axis)));
    for (const auto& [partial, reduction] : sharding.partial())
      if (partial == axis) reasons.push_back(concat("a partial sum along ", name, origin_of_sum(value, axis)));
  }

  const ir::Sharding& seen(ir::Value v) const { return typing_[v.node->id].passed_on[v.index]; }

  // Returns the dimension of an operand, as it is held, that an axis divides by the same factor.
  std::optional<Place> operand_with(const ir::Node& node, int factor, int axis, ir::Value except = {}) const {
    for (int i = 0; i < std::ssize(node.operands); ++i) {
      const ir::Value operand = node.operand(i);
      const auto& dims = typing_[node.id].factors->operands;
      if (operand == except || i >= std::ssize(dims)) continue;
      for (int d = 0; d < operand.rank(); ++d)
        if (splits(seen(operand), d, axis) && std::ranges::count(dims[i][d], factor) != 0) return Place{operand, d};
    }
    return std::nullopt;
  }

  // Returns the factor of a dimension that an axis divides.
  template <class Factors>
  std::optional<int> factor_of(const ir::Node& node, const Factors& factors, int axis) const {
    for (const int factor : factors)
      if (std::ranges::count(typing_[node.id].division->axes[factor], axis) != 0) return factor;
    return std::nullopt;
  }

  // Follows the reason back along operands, and, where no operand is divided, on to the users that ask for it.
  std::string origin(Place at, int axis) {
    std::vector<std::string> through;
    std::set<const ir::Node*> known;
    while (known.insert(at.value.node).second) {
      const ir::Node& node = *at.value.node;
      if (ir::is_parameter(node) || node.attributes_if<ir::ShardingAttributes>() ||
          node.attributes_if<ir::ManualComputationAttributes>())
        return told(at, through, known.size() == 1);
      const NodeTyping& t = typing_[node.id];
      const auto factor = at.value.index < t.factors->results.size()
                              ? factor_of(node, t.factors->results[at.value.index][at.dim], axis)
                              : std::nullopt;
      if (!factor) break;
      if (known.size() > 1) through.push_back(named(node));
      const auto operand = operand_with(node, *factor, axis);
      if (!operand) return asked_by_user(at, axis, std::move(through));
      at = *operand;
    }
    return told(at, through, known.size() == 1);
  }

  std::string asked_by_user(Place at, int axis, std::vector<std::string> through) {
    std::set<const ir::Node*> known;
    while (known.insert(at.value.node).second) {
      for (std::size_t o = 0; o < graph_.outputs().size(); ++o)
        if (graph_.outputs()[o] == at.value && program_.wanted[o] && splits(*program_.wanted[o], at.dim, axis))
          return concat(", as output ", o, " shall be", passing(through));
      std::optional<Place> next;
      for (const ir::Node* user : users_[at.value.node->id]) {
        const NodeTyping& t = typing_[user->id];
        for (int i = 0; i < std::ssize(user->operands) && !next; ++i) {
          if (user->operand(i) != at.value || i >= std::ssize(t.factors->operands) ||
              !splits(t.division->operands[i], at.dim, axis))
            continue;
          const auto factor = factor_of(*user, t.factors->operands[i][at.dim], axis);
          if (!factor) continue;
          if (const auto other = operand_with(*user, *factor, axis, at.value))
            return concat(", as ", named(*user), " needs it", passing(through), ": there it meets ",
                          named(*other->value.node), ", divided so in dimension ", other->dim);
          for (std::uint32_t r = 0; r < t.factors->results.size() && !next; ++r)
            for (int d = 0; d < std::ssize(t.factors->results[r]) && !next; ++d)
              if (std::ranges::count(t.factors->results[r][d], *factor) != 0)
                next = Place{{const_cast<ir::Node*>(user), r}, d};
        }
        if (next) break;
      }
      if (!next) break;
      through.push_back(named(*next->value.node));
      at = *next;
    }
    return concat(", as its users need it", passing(through));
  }

  std::string origin_of_sum(ir::Value value, int axis) {
    std::vector<std::string> through;
    std::set<const ir::Node*> known;
    for (ir::Value at = value; known.insert(at.node).second;) {
      const ir::Node& node = *at.node;
      const NodeTyping& t = typing_[node.id];
      for (std::size_t f = 0; f < t.division->axes.size(); ++f)
        if (std::ranges::count(t.division->axes[f], axis) != 0)
          if (const auto operand = operand_with(node, static_cast<int>(f), axis))
            return concat(": ", named(node), " sums over dimension ", operand->dim, " of ", named(*operand->value.node),
                          ", which is divided", passing(through));
      const auto partial = std::ranges::find_if(node.operands, [&](ir::Value v) {
        return std::ranges::any_of(seen(v).partial(), [&](const auto& part) { return part.first == axis; });
      });
      if (partial == node.operands.end()) break;
      if (known.size() > 1) through.push_back(named(node));
      at = *partial;
    }
    return passing(through);
  }

  static std::string passing(const std::vector<std::string>& through) {
    constexpr std::size_t most = 3;
    std::string text;
    for (std::size_t i = 0; i < std::min(most, through.size()); ++i)
      text += concat(i == 0 ? ", through " : ", ", through[i]);
    if (through.size() > most) text += concat(" and ", through.size() - most, " more");
    return text;
  }

  static std::string told(const Place& at, const std::vector<std::string>& through, bool is_itself) {
    if (is_itself) return ", as it is given";
    return concat(", as ", named(*at.value.node), " is in dimension ", at.dim, passing(through));
  }

  const Partitioned& program_;
  const ir::Graph& graph_;
  std::vector<std::vector<const ir::Node*>> users_;
  std::vector<NodeTyping> typing_;
};

}  // namespace

std::vector<ShardedValue> explain_shardings(const Partitioned& program) { return Explainer(program).run(); }

}  // namespace weft::compiler
