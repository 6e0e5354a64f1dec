#include <weft/compiler/spmd/typing.h>

#include <algorithm>
#include <cmath>

#include <weft/base/error.h>
#include <weft/ir/array.h>
#include <weft/ir/ops.h>
#include <weft/ir/text/shardy.h>

namespace weft::compiler {

namespace {

using Axes = ir::Sharding::Axes;
using OptionalSharding = std::optional<ir::Sharding>;

// Returns the sharding with each dimension split along the first of its axes, as far as its size divides. A constraint says how values are
// held; the values are the same if fewer devices split them.
ir::Sharding as_far_as_sizes_divide(const ir::Sharding& sharding, const Type& type) {
  std::vector<Axes> dims = sharding.dims();
  for (int d = 0; d < sharding.rank(); ++d) {
    std::int64_t left = type.size(d);
    const auto too_many = std::ranges::find_if(dims[d], [&](int axis) {
      const std::int64_t parts = sharding.mesh().size(axis);
      const bool divides = left % parts == 0;
      left /= parts;
      return !divides;
    });
    dims[d].erase(too_many, dims[d].end());
  }
  return {sharding.mesh(), std::move(dims), sharding.partial()};
}

// Returns whether a value is a constant, perhaps moved or repeated, without zeros, infinities and NaN.
bool is_finite_constant(ir::Value v) {
  while (v.node->op->kind == ir::Kind::shape && v.node->operands.size() == 1) v = v.node->operand(0);
  const ir::Literal* splat = ir::splat_of(v);
  if (!splat) return false;
  const double value = ir::Array(ir::Literal{Type(v.dtype(), {}), splat->bytes}).element(0);
  return std::isfinite(value) && value != 0;
}

// Returns the bytes of all operands.
double operand_bytes(const ir::Node& node) {
  double bytes = 0;
  for (const ir::Value v : node.operands) bytes += bytes_of({{v.type()}});
  return bytes;
}

// Returns whether the node can take a partial sum as this operand and give a partial sum, without making more bytes to add. A
// concatenation adds the bytes of all its operands.
bool lets_partial_pass(const ir::Node& node, int operand) {
  const ir::Value x = node.operand(operand);
  if (x.dtype() == DType::boolean || node.types.size() != 1) return false;
  const ir::Linearity linear = linearity(node, operand);
  // Zeros and infinities would make NaN of parts whose sum they make infinite.
  const auto is_safe_factor = [&](ir::Value other) { return other == x || is_finite_constant(other); };
  const bool passes_alone = linear == ir::Linearity::alone && std::ranges::count(node.operands, x) == 1 &&
                            std::ranges::all_of(node.operands, is_safe_factor);
  if (linear == ir::Linearity::together) return bytes_of(node.types) <= operand_bytes(node);
  return passes_alone && node.type().bytes() <= x.type().bytes();
}

class Typing {
 public:
  Typing(const ir::Graph& graph, const ir::Mesh& mesh, std::span<const ir::Sharding> inputs,
         std::span<const OptionalSharding> outputs, PartialOutputs partial_outputs, const Precedence& precedence)
      : graph_(graph),
        mesh_(mesh),
        inputs_(inputs),
        outputs_(outputs),
        partial_outputs_(partial_outputs),
        has_precedence_(!precedence.is_data.empty()),
        is_of_data_(nodes_of_data(graph, precedence)),
        divider_(mesh),
        nodes_(graph.nodes().size()),
        wanted_(nodes_.size()),
        told_(nodes_.size()),
        collects_rows_(nodes_.size()),
        is_added_early_(nodes_.size()),
        is_needed_(nodes_.size()),
        is_whole_(nodes_.size()) {
    for (const ir::Node* node : graph.nodes()) {
      nodes_[node->id].factors = divider_.factors_of(*node);
      wanted_[node->id].resize(node->types.size());
      const auto* constraint = node->attributes_if<ir::ShardingAttributes>();
      if (constraint && ir::single_device(constraint->sharding)) is_whole_[node->operand(0).node->id] = 1;
    }
  }

  std::vector<NodeTyping> run() {
    find_costs();
    for (const ir::Node* node : graph_.nodes()) type(*node);
    knows_users_ = true;
    find_wanted();
    for (const ir::Node* node : graph_.nodes()) type(*node);
    return std::move(nodes_);
  }

 private:
  bool may_be_partial(std::size_t output) const {
    return outputs_[output] ? !outputs_[output]->partial().empty() : partial_outputs_ == PartialOutputs::keep;
  }

  // A row that a step of a loop puts into an array is added with the array, after the loop: this adds as many bytes as adding each row.
  bool passes(const ir::Node& node, int operand) const {
    return lets_partial_pass(node, operand) || (operand == 1 && collects_rows_[node.id] != 0);
  }

  const ir::Sharding& seen(ir::Value v) const { return nodes_[v.node->id].passed_on[v.index]; }

  // Decides, for each value, where it is added up if it is a partial sum: at once, or further on, after linear ops. What adds fewer bytes
  // wins; if both add the same, it is added further on, where other partial sums may have joined it. Outputs that stay partial
  // are added after the loop to whose body they belong.
  void find_costs() {
    std::vector<double> nonlinear(nodes_.size()),
        linear(nodes_.size());  // of the uses of each node, because sums have one result
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      const ir::Node& node = *graph_.outputs()[i].node;
      (may_be_partial(i) ? linear : nonlinear)[node.id] = bytes_of(node.types);
    }
    for (auto at = graph_.nodes().rbegin(); at != graph_.nodes().rend(); ++at) {
      const ir::Node& node = **at;
      const double own = bytes_of(node.types), later = nonlinear[node.id] + linear[node.id];
      const bool is_output_only = nonlinear[node.id] == 0 && linear[node.id] == own;
      collects_rows_[node.id] = node.op == &ir::ops::dynamic_update_slice && is_output_only ? 1 : 0;
      is_added_early_[node.id] = own < later;
      is_needed_[node.id] = nonlinear[node.id] > 0;
      for (int i = 0; i < std::ssize(node.operands); ++i) {
        const ir::Node& from = *node.operand(i).node;
        if (passes(node, i)) {
          linear[from.id] += std::min({own, later, bytes_of(from.types)});
        } else {
          nonlinear[from.id] = bytes_of(from.types);
        }
      }
    }
  }

  // Finds how the users of each value need it, where all of them agree. A user that would do as well with a part of a partial sum lets the
  // others decide: the norm of a gradient does not keep an optimizer from getting the gradient split.
  void find_wanted() {
    for (const ir::Node* node : graph_.nodes())
      for (const Type type : node->types) told_[node->id].resize(told_[node->id].size() + type.rank());
    for (std::size_t i = 0; i < graph_.outputs().size(); ++i) {
      const ir::Value v = graph_.outputs()[i];
      want(v, outputs_[i] ? *outputs_[i] : seen(v), [](int) { return true; });
    }
    for (auto at = graph_.nodes().rbegin(); at != graph_.nodes().rend(); ++at) {
      const ir::Node& node = **at;
      type(node);  // again, with what its users want
      const NodeTyping& t = nodes_[node.id];
      for (int i = 0; i < std::ssize(node.operands); ++i) {
        const ir::Value v = node.operand(i);
        const auto is_split = [](const Axes& axes) { return !axes.empty(); };
        const bool has_chosen = !follows_factors(node) || std::ranges::any_of(t.division->operands[i].dims(), is_split);
        want(v, t.division->operands[i], [&](int d) {
          const auto minds = [&](int factor) { return minds_factor(node, factor, bytes_of({{v.type()}})); };
          return has_chosen || std::ranges::any_of(t.factors->operands[i][d], minds);
        });
      }
    }
  }

  // What users have told of one dimension of a value.
  struct Told {
    bool any = false, minds = false;
  };

  Told& told(const ir::Node& node, std::size_t result, int dim) {
    std::size_t at = dim;
    for (std::size_t i = 0; i < result; ++i) at += node.types[i].rank();
    return told_[node.id][at];
  }

  // Adds what one user needs to what the users of a value want.
  void want(ir::Value v, const ir::Sharding& needed, const auto& minds) {
    OptionalSharding& wanted = wanted_[v.node->id][v.index];
    std::vector<Axes> dims = wanted ? wanted->dims() : std::vector<Axes>(needed.rank());
    const bool is_partial = !nodes_[v.node->id].division->results[v.index].partial().empty();
    for (int d = 0; d < needed.rank(); ++d) {
      Told& so_far = told(*v.node, v.index, d);
      const bool does_mind = minds(d);
      so_far.minds |= does_mind;
      if (is_partial && !does_mind) continue;
      const Axes& axes = needed.axes(d);
      if (std::exchange(so_far.any, true)) {
        dims[d].erase(std::ranges::mismatch(dims[d], axes).in1, dims[d].end());
      } else {
        dims[d] = axes;
      }
    }
    if (!wanted || dims != wanted->dims()) wanted.emplace(mesh_, std::move(dims));
  }

  // Returns whether it matters to a node that a factor of an operand with so many bytes is split as the node asks. A sum of an operand is
  // added up again if the operand is split; this is worth it if the sum is small.
  bool minds_factor(const ir::Node& node, int factor, double bytes) {
    const ir::Factors& factors = *nodes_[node.id].factors;
    const ir::Factor& f = factors.all[factor];
    if (f.kind == ir::Factor::Kind::whole) return true;
    if (f.kind == ir::Factor::Kind::reduced) return bytes_of(node.types) * mesh_.devices() > bytes;
    for (std::size_t r = 0; r < node.types.size(); ++r)
      for (int d = 0; d < node.types[r].rank(); ++d)
        if (told(node, r, d).minds && std::ranges::count(factors.results[r][d], factor) != 0) return true;
    return false;
  }

  // Returns whether the op's factors decide how a node is divided.
  bool follows_factors(const ir::Node& node) const {
    const bool decides_itself = ir::is_parameter(node) || node.attributes_if<ir::ShardingAttributes>() ||
                                node.attributes_if<ir::ManualComputationAttributes>() ||
                                (node.op->flow != ir::Flow::none && node.op->flow != ir::Flow::call) ||
                                is_whole_[node.id] != 0;
    return !decides_itself && (node.op->factors || node.op->kind == ir::Kind::elementwise);
  }

  void type(const ir::Node& node) {
    NodeTyping& t = nodes_[node.id];
    t.division = follows_factors(node) ? divided(node) : std::make_shared<const NodeDivision>(as_it_says(node, t));
    t.passed_on = t.division->results;
    for (std::size_t i = 0; i < t.passed_on.size(); ++i) {
      if (t.passed_on[i].partial().empty()) continue;
      ir::Sharding sum = sum_of(node, i);
      // If some use needs the sum and all agree how it is split, they share it; otherwise each use adds what it needs.
      const bool is_shared = is_needed_[node.id] != 0 && sum.dims() != t.passed_on[i].dims();
      if (is_added_early_[node.id] != 0 || is_shared) t.passed_on[i] = std::move(sum);
    }
  }

  std::shared_ptr<const NodeDivision> divided(const ir::Node& node) {
    around_.operands.clear();
    for (int i = 0; i < std::ssize(node.operands); ++i) {
      const ir::Value v = node.operand(i);
      const ir::Sharding& held = seen(v);
      around_.operands.push_back({.held = held,
                                  .is_of_data = is_of_data_[v.node->id] != 0,
                                  .passes = !held.partial().empty() && passes(node, i)});
    }
    around_.wanted = wanted_[node.id];
    around_.knows_users = knows_users_;
    around_.collects_rows = collects_rows_[node.id] != 0;
    return divider_.divide(node, nodes_[node.id].factors, around_);
  }

  // Returns the division of a node that does not follow factors.
  NodeDivision as_it_says(const ir::Node& node, NodeTyping& t) const {
    NodeDivision division{.axes = ir::FactorAxes(t.factors->all.size()), .operands = {}, .results = {}};
    if (ir::is_parameter(node)) {
      division.results = {inputs_[node.attributes<ir::ParameterAttributes>().index]};
    } else if (const auto* constraint = node.attributes_if<ir::ShardingAttributes>()) {
      const ir::Sharding asked = ir::single_device(constraint->sharding)
                                     ? ir::Sharding(mesh_, node.type().rank())
                                     : ir::constrained(constraint->sharding, seen(node.operand(0)));
      division.operands = division.results = {as_far_as_sizes_divide(asked, node.type())};
      for (int d = 0; d < node.type().rank(); ++d)
        for (const int factor : t.factors->results[0][d]) division.axes[factor] = division.results[0].axes(d);
    } else if (node.attributes_if<ir::ManualComputationAttributes>()) {
      ir::ManualShardings manual = ir::manual_shardings(node, mesh_);
      division.operands = std::move(manual.operands);
      division.results = std::move(manual.results);
    } else if (node.op->flow == ir::Flow::barrier) {
      for (const ir::Value v : node.operands) division.operands.push_back(seen(v));
      division.results = division.operands;
    } else if (node.op->flow == ir::Flow::loop || node.op->flow == ir::Flow::branches) {
      type_control(node, t);
      division.operands = t.regions->operands;
      division.results = t.regions->results;
    } else {
      for (const ir::Value v : node.operands) division.operands.emplace_back(mesh_, v.rank());
      for (const Type result : node.types) division.results.emplace_back(mesh_, result.rank());
    }
    return division;
  }

  // Regions are divided again only if their inputs change: nested loops would otherwise be divided very often. What a loop is given whole and
  // its users want split is split before the loop if this makes the loop send no more.
  void type_control(const ir::Node& node, NodeTyping& t) const {
    std::vector<ir::Sharding> operands;
    for (const ir::Value v : node.operands) operands.push_back(seen(v));
    std::vector<ir::Sharding> asked = node.op->flow == ir::Flow::loop ? split_as_wanted(node, operands) : operands;
    if (t.regions && t.given == operands && t.asked == asked) return;
    const auto typed = [&](std::span<const ir::Sharding> as) {
      return std::make_shared<const RegionTyping>(type_regions(node, mesh_, as, precedence_in(node)));
    };
    t.regions = typed(operands);
    if (asked != operands)
      if (auto split = typed(asked); sent_by(*split) <= sent_by(*t.regions)) t.regions = std::move(split);
    t.given = std::move(operands);
    t.asked = std::move(asked);
  }

  static double sent_by(const RegionTyping& regions) {
    double bytes = 0;
    for (const Communication& c : regions.communications) bytes += c.sent_bytes * static_cast<double>(c.times);
    return bytes;
  }

  // Returns the operands of a loop with those that are whole split as the users of its results want.
  std::vector<ir::Sharding> split_as_wanted(const ir::Node& node, std::vector<ir::Sharding> operands) const {
    const auto is_split = [](const Axes& axes) { return !axes.empty(); };
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const OptionalSharding& wanted = wanted_[node.id][i];
      const bool is_whole = operands[i].partial().empty() && std::ranges::none_of(operands[i].dims(), is_split);
      if (wanted && is_whole) operands[i] = as_far_as_sizes_divide(without_partial(*wanted), node.types[i]);
    }
    return operands;
  }

  // Returns the precedence in the regions of a node, for its operands.
  Precedence precedence_in(const ir::Node& node) const {
    Precedence precedence;
    if (has_precedence_)
      for (const ir::Value v : node.operands) precedence.is_data.push_back(is_of_data_[v.node->id]);
    return precedence;
  }

  // Returns the sharding in which a partial sum is added: split along its axes if the users want that.
  ir::Sharding sum_of(const ir::Node& node, std::size_t result) const {
    const ir::Sharding& given = nodes_[node.id].division->results[result];
    const OptionalSharding& wanted = wanted_[node.id][result];
    std::vector<Axes> dims = given.dims();
    if (wanted)
      for (int d = 0; d < given.rank(); ++d) {
        const Axes& more = wanted->axes(d);
        if (more.size() < dims[d].size() || !std::ranges::equal(dims[d], std::span(more).first(dims[d].size())))
          continue;
        for (std::size_t i = dims[d].size(); i < more.size(); ++i) {
          const auto of_axis = [&](const auto& part) { return part.first == more[i]; };
          if (std::ranges::none_of(given.partial(), of_axis)) break;
          dims[d].push_back(more[i]);
        }
      }
    return {mesh_, std::move(dims)};
  }

  const ir::Graph& graph_;
  const ir::Mesh& mesh_;
  const std::span<const ir::Sharding> inputs_;
  const std::span<const OptionalSharding> outputs_;
  const PartialOutputs partial_outputs_;
  const bool has_precedence_;                   // of values that depend on data
  const std::vector<std::uint8_t> is_of_data_;  // by node: whether it depends on data
  NodeDivider divider_;
  NodeSurroundings around_;  // of the node that is divided; kept because its memory is used again
  std::vector<NodeTyping> nodes_;
  std::vector<std::vector<OptionalSharding>> wanted_;  // by node and result
  std::vector<std::vector<Told>> told_;                // by node, of the dimensions of all results
  bool knows_users_ = false;                           // whether wanted_ is filled in
  std::vector<std::uint8_t>
      collects_rows_;  // of nodes that put a row into an array that is an output, which may be partial
  std::vector<std::uint8_t> is_added_early_;
  std::vector<std::uint8_t> is_needed_;  // whether a use needs the sum of parts
  std::vector<std::uint8_t> is_whole_;   // of nodes whose results one device computes, from whole operands
};

}  // namespace

std::vector<NodeTyping> type_nodes(const ir::Graph& graph, const ir::Mesh& mesh, std::span<const ir::Sharding> inputs,
                                   std::span<const std::optional<ir::Sharding>> outputs, PartialOutputs partial_outputs,
                                   const Precedence& precedence) {
  return Typing(graph, mesh, inputs, outputs, partial_outputs, precedence).run();
}

ir::Sharding without_partial(const ir::Sharding& given) {
  return given.partial().empty() ? given : ir::Sharding(given.mesh(), given.dims());
}

}  // namespace weft::compiler
