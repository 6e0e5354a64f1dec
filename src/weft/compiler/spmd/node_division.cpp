#include <weft/compiler/spmd/node_division.h>

#include <algorithm>
#include <functional>
#include <utility>

#include <weft/ir/op.h>

namespace weft::compiler {

namespace {

using Axes = ir::Sharding::Axes;
using Operand = NodeSurroundings::Operand;

ir::Sharding with_partial(const ir::Sharding& sharding, const Axes& summed) {
  if (summed.empty()) return sharding;
  ir::Sharding::Partial partial = sharding.partial();
  for (const int axis : summed) partial.emplace_back(axis, ir::Reduction::sum);
  return {sharding.mesh(), sharding.dims(), std::move(partial)};
}

bool is_partial_along(const ir::Sharding& sharding, int axis) {
  return std::ranges::count(sharding.partial(), std::pair(axis, ir::Reduction::sum)) != 0;
}

// Returns the sharding with each dimension split only along the axes before the first one of these.
ir::Sharding without_axes(const ir::Sharding& sharding, const Axes& removed) {
  if (removed.empty()) return sharding;
  std::vector<Axes> dims = sharding.dims();
  for (Axes& axes : dims) axes.erase(std::ranges::find_first_of(axes, removed), axes.end());
  return {sharding.mesh(), std::move(dims), sharding.partial()};
}

// Axes that an operand, or the users of a result, suggest for one factor.
struct Claim {
  int factor;
  Axes axes;
  double weight;            // the bytes that are moved if the claim is not met
  bool is_of_data = false;  // whether it takes precedence
};

class Choice {
 public:
  Choice(const ir::Node& node, const ir::Factors& factors, const ir::Mesh& mesh, const NodeSurroundings& around)
      : node_(node), factors_(factors), mesh_(mesh), around_(around) {}

  NodeDivision run() {
    choose_axes();
    NodeDivision division;
    const Axes passing = passing_axes();
    for (int i = 0; i < std::ssize(node_.operands); ++i) {
      Axes own;
      for (const int axis : passing)
        if (is_partial_along(around_.operands[i].held, axis) || linearity(node_, i) == ir::Linearity::together)
          own.push_back(axis);
      division.operands.push_back(with_partial(*factors_.operand_sharding(i, node_, mesh_, axes_), own));
    }
    for (int i = 0; i < std::ssize(node_.types); ++i)
      division.results.push_back(with_partial(*factors_.result_sharding(i, mesh_, axes_), passing));
    division.axes = std::move(axes_);
    return division;
  }

 private:
  // Each factor is split as the tensors with the most bytes say, and each axis splits one factor. Operands come first if there is a tie.
  void choose_axes() {
    for (int i = 0; i < std::ssize(node_.operands); ++i)
      add_claims(around_.operands[i].held, factors_.operands[i], bytes_of({{node_.operand(i).type()}}),
                 around_.operands[i].is_of_data);
    if (!around_.knows_users) add_results();
    meet_claims();
    // Along an axis on which a partial sum passes, the result is not split: it is added up, and thereby split, further on.
    const Axes passing = passing_axes();
    bool any = false;
    for (std::size_t i = 0; i < node_.types.size(); ++i) {
      const auto& wanted = around_.wanted[i];
      if (!wanted) continue;
      any = true;
      add_claims(without_axes(*wanted, passing), factors_.results[i], bytes_of({{node_.types[i]}}),
                 /*is_of_data=*/false);
    }
    if (any) meet_claims();
  }

  void add_claim(Claim claim) {
    const auto same = std::ranges::find_if(
        claims_, [&](const Claim& other) { return other.factor == claim.factor && other.axes == claim.axes; });
    if (same == claims_.end()) {
      claims_.push_back(std::move(claim));
    } else {
      same->weight += claim.weight;
      same->is_of_data = same->is_of_data || claim.is_of_data;
    }
  }

  // Adds the claims of a tensor's sharding on the factors of its dimensions.
  void add_claims(const ir::Sharding& sharding, std::span<const ir::DimFactors> dims, double weight, bool is_of_data) {
    for (int d = 0; d < sharding.rank(); ++d) {
      auto axis = sharding.axes(d).begin();
      for (const int factor : dims[d]) {
        if (factors_.all[factor].kind == ir::Factor::Kind::whole) break;
        std::int64_t left = factors_.all[factor].size.value();
        Claim claim{factor, {}, weight, is_of_data};
        for (; axis != sharding.axes(d).end() && left % mesh_.size(*axis) == 0 && left > 0; ++axis) {
          claim.axes.push_back(*axis);
          left /= mesh_.size(*axis);
        }
        if (!claim.axes.empty()) add_claim(std::move(claim));
        if (left != 1) break;
      }
    }
  }

  // Before it is known what users want, they are taken to want results that are split as operands are: what a claim on a letter of the
  // results saves are also the bytes of the results.
  void add_results() {
    for (Claim& claim : claims_)
      for (std::size_t i = 0; i < node_.types.size(); ++i)
        if (ir::has_factor(factors_.results[i], claim.factor)) claim.weight += bytes_of({{node_.types[i]}});
  }

  void meet_claims() {
    axes_.assign(factors_.all.size(), {});
    std::vector<Claim> claims = claims_;
    std::ranges::stable_sort(claims, std::greater(), [](const Claim& c) { return std::pair(c.is_of_data, c.weight); });
    std::vector<std::uint8_t> taken(mesh_.axes().size());
    for (const Claim& claim : claims) {
      if (!axes_[claim.factor].empty()) continue;
      for (const int axis : claim.axes) {
        if (std::exchange(taken[axis], 1) != 0) break;
        axes_[claim.factor].push_back(axis);
      }
    }
    drop_what_is_no_sharding();
  }

  void drop_what_is_no_sharding() {
    const auto drop_minor = [&](std::span<const ir::DimFactors> dims) {
      for (const ir::DimFactors& dim : dims) {
        bool complete = true;
        for (const int factor : dim) {
          if (!complete) axes_[factor].clear();
          complete = complete && factors_.all[factor].size == Dim(ir::devices_along(mesh_, axes_[factor]));
        }
      }
    };
    while (!factors_.can_split(mesh_, axes_)) {
      for (const auto& dims : factors_.operands) drop_minor(dims);
      for (const auto& dims : factors_.results) drop_minor(dims);
    }
  }

  // Returns the axes along which operands are partial sums and may stay so.
  Axes passing_axes() const {
    Axes passing;
    for (int axis = 0; axis < std::ssize(mesh_.axes()); ++axis) {
      if (std::ranges::any_of(axes_, [&](const Axes& axes) { return std::ranges::count(axes, axis) != 0; })) continue;
      std::vector<int> partial;
      for (int i = 0; i < std::ssize(node_.operands); ++i)
        if (is_partial_along(around_.operands[i].held, axis)) partial.push_back(i);
      if (partial.empty()) continue;
      const auto may_pass = [&](int operand) { return around_.operands[operand].passes; };
      const auto is_joint = [&](int operand) { return linearity(node_, operand) == ir::Linearity::together; };
      // If an operand is only a part of the result, the other parts would be added, too.
      const bool is_part = bytes_of(node_.types) > bytes_of({{node_.operand(partial.front()).type()}});
      if (is_part && !around_.collects_rows && std::cmp_less(partial.size(), node_.operands.size())) continue;
      if (std::ranges::all_of(partial, may_pass) && (partial.size() == 1 || std::ranges::all_of(partial, is_joint)))
        passing.push_back(axis);
    }
    return passing;
  }

  const ir::Node& node_;
  const ir::Factors& factors_;
  const ir::Mesh& mesh_;
  const NodeSurroundings& around_;
  std::vector<Claim> claims_;
  ir::FactorAxes axes_;
};

// Returns what a node's factors, and its linearity, depend on.
Fingerprint signature_of(const ir::Node& node) {
  Fingerprint signature;
  signature.add(reinterpret_cast<std::uintptr_t>(node.op));
  if (node.op->attributes) signature.add(node.op->attributes->hash(node.attribute_data));
  signature.add(node.operands.size());
  for (const ir::Value v : node.operands) signature.add(v.type().hash());
  for (const Type type : node.types) signature.add(type.hash());
  for (const ir::Graph* region : node.regions) signature.add(ir::fingerprint_of(*region).low);
  return signature;
}

Fingerprint question_of(const std::shared_ptr<const ir::Factors>& factors, const NodeSurroundings& around) {
  Fingerprint question;
  question.add(reinterpret_cast<std::uintptr_t>(factors.get()));  // which stand for the signature
  question.add((around.knows_users ? 1U : 0U) + (around.collects_rows ? 2U : 0U));
  for (const Operand& operand : around.operands) {
    question.add(operand.held.identity());
    question.add((operand.is_of_data ? 1U : 0U) + (operand.passes ? 2U : 0U));
  }
  for (const auto& wanted : around.wanted) question.add(wanted ? wanted->identity() : 0);
  return question;
}

}  // namespace

ir::Linearity linearity(const ir::Node& node, int operand) {
  return node.op->linear ? node.op->linear(node, operand) : ir::Linearity::none;
}

double bytes_of(std::span<const Type> types) {
  double bytes = 0;
  for (const Type type : types) bytes += type.dtype() == DType::token ? 0 : type.bytes();
  return bytes;
}

std::shared_ptr<const ir::Factors> NodeDivider::factors_of(const ir::Node& node) {
  std::shared_ptr<const ir::Factors>& known = factors_[signature_of(node)];
  if (!known) known = std::make_shared<const ir::Factors>(ir::factors_of(node));
  return known;
}

std::shared_ptr<const NodeDivision> NodeDivider::divide(const ir::Node& node,
                                                        const std::shared_ptr<const ir::Factors>& factors,
                                                        const NodeSurroundings& around) {
  std::shared_ptr<const NodeDivision>& known = divisions_[question_of(factors, around)];
  if (!known) known = std::make_shared<const NodeDivision>(Choice(node, *factors, mesh_, around).run());
  return known;
}

}  // namespace weft::compiler
