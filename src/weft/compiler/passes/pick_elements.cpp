// Sums in which an index picks one element of each row, sum(select(index == iota, x, 0)), as a loss over classes computes them. A GPU would
// compare all elements of a row, often in a walk of its own; instead it reads the one element.
#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include <weft/compiler/loop/lower.h>
#include <weft/compiler/passes/all.h>
#include <weft/compiler/passes/rewrite.h>
#include <weft/ir/builder.h>
#include <weft/ir/ops.h>
#include <weft/ir/resize.h>

namespace weft::compiler {

namespace {

using ir::Value;

struct Pick {
  Value x;          // of all elements
  Value broadcast;  // the index of the element of each row, for all elements
  int dimension = 0;
};

bool is_zero(Value v) {
  const ir::Literal* const literal = ir::splat_of(v);
  return literal && splat_bits(*literal) == 0;
}

bool is_iota_along(Value v, int dimension) {
  return v.node->op == &ir::ops::iota && v.node->attributes<ir::IotaAttributes>().dimension == dimension;
}

bool is_same_along(Value v, int dimension) {
  if (v.node->op != &ir::ops::broadcast_in_dim) return false;
  const ir::Ints to = v.node->attributes<ir::BroadcastAttributes>().dimensions;
  return std::ranges::find(to, dimension) == to.end();
}

std::optional<Pick> pick_of(const ir::Node& sum) {
  if (sum.op != &ir::ops::reduce || sum.operands.size() != 2 || !ir::is_static(sum)) return std::nullopt;
  const auto dimensions = sum.attributes<ir::DimensionsAttributes>().dimensions;
  if (dimensions.size() != 1 || ir::reduction_op(*sum.regions[0]) != &ir::ops::add) return std::nullopt;
  const int d = static_cast<int>(dimensions[0]);
  const ir::Node& select = *sum.operand(0).node;
  if (select.op != &ir::ops::select || select.operand(0).type().dims().size() != sum.operand(0).type().dims().size() ||
      !is_zero(select.operand(2)))
    return std::nullopt;
  const ir::Node& compare = *select.operand(0).node;
  if (compare.op != &ir::ops::compare || compare.attributes<ir::CompareAttributes>().direction != ir::Direction::EQ)
    return std::nullopt;
  for (const int side : {0, 1}) {
    const Value places = compare.operand(side), index = compare.operand(1 - side);
    const bool is_wide_enough = index.dtype() == DType::i32 || index.dtype() == DType::i64;
    if (is_wide_enough && is_iota_along(places, d) && is_same_along(index, d)) return Pick{select.operand(1), index, d};
  }
  return std::nullopt;
}

// Builds what the picked elements are: tensors with one element along the dimension.
class Picker {
 public:
  Picker(Rewriter& rewriter, const Pick& pick) : rewriter_(rewriter), pick_(pick), index_(narrow(pick.broadcast)) {}

  // Elementwise ops are applied to what is picked of their operands, so that nothing is computed for the other elements.
  Value narrow(Value x) {
    const auto [known, is_new] = narrowed_.try_emplace({x.node->id, x.index});
    if (is_new) known->second = made(x);
    return known->second;
  }
  Value index() const { return index_; }

 private:
  Type narrow_type(Value x) const {
    std::vector<Dim> dims(x.type().dims().begin(), x.type().dims().end());
    dims[pick_.dimension] = Dim(1);
    return Type(x.dtype(), dims);
  }

  Value made(Value x) {
    const ir::Node& node = *x.node;
    const Type type = narrow_type(x);
    if (is_iota_along(x, pick_.dimension)) return ir::convert(index_, x.dtype());
    if (is_same_along(x, pick_.dimension) || node.op == &ir::ops::iota) {
      std::vector<Value> operands;
      for (const Value o : node.operands) operands.push_back(rewriter_.at(o));
      return append_resized(rewriter_.graph(), node, operands, std::array{type}).result();
    }
    if (const ir::Literal* const literal = ir::splat_of(x)) {
      const std::uint64_t bits = splat_bits(*literal);
      const auto bytes = std::as_bytes(std::span(&bits, 1)).first(byte_size(x.dtype()));
      return ir::broadcast(ir::constant(rewriter_.graph(), ir::Literal{Type(x.dtype(), {}), bytes}), type);
    }
    const bool is_applied = node.op->kind == ir::Kind::elementwise &&
                            std::ranges::all_of(node.operands, [&](Value o) { return o.rank() == x.rank(); });
    if (!is_applied) return gathered(rewriter_.at(x));
    std::vector<Value> operands;
    for (const Value o : node.operands) operands.push_back(narrow(o));
    return append_resized(rewriter_.graph(), node, operands, std::array{type}).result();
  }

  Value gathered(Value x) const {
    std::vector<std::int64_t> others(x.rank()), sizes(x.rank(), 1);
    std::iota(others.begin(), others.end(), 0);
    others.erase(others.begin() + pick_.dimension);
    const std::array<std::int64_t, 1> along{pick_.dimension};
    return ir::gather(x, index_,
                      {.offset_dims = {},
                       .collapsed_slice_dims = along,
                       .operand_batching_dims = others,
                       .start_indices_batching_dims = others,
                       .start_index_map = along,
                       .index_vector_dim = x.rank(),
                       .slice_sizes = sizes});
  }

  Rewriter& rewriter_;
  const Pick& pick_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Value> narrowed_;  // by node and result of the old graph
  Value index_;
};

// An index outside of the row picks nothing, and the sum is 0.
Value picked(Rewriter& rewriter, const Pick& pick, const ir::Node& sum, Value init) {
  Picker picker(rewriter, pick);
  const Value index = picker.index(), element = picker.narrow(pick.x);
  const auto size = static_cast<double>(pick.x.size(pick.dimension));
  const Value not_before = ir::compare(index, ir::constant_like(index, 0), ir::Direction::GE),
              not_behind = ir::compare(index, ir::constant_like(index, size), ir::Direction::LT);
  const Value term = ir::select(ir::and_(not_before, not_behind), element, ir::constant_like(element, 0));
  return ir::reshape(ir::add(ir::broadcast(init, term.type()), term), sum.type().dims());
}

}  // namespace

std::shared_ptr<ir::Graph> pick_elements(const ir::Graph& graph, const Target& target) {
  if (!target.is_gpu || std::ranges::none_of(graph.nodes(), [](const ir::Node* n) { return pick_of(*n).has_value(); }))
    return nullptr;
  Rewriter rewriter(graph);
  return rewriter.run([&](const ir::Node& node, std::span<const Value> operands) -> std::optional<std::vector<Value>> {
    const std::optional<Pick> pick = pick_of(node);
    if (!pick) return std::nullopt;
    return std::vector{picked(rewriter, *pick, node, operands[1])};
  });
}

}  // namespace weft::compiler
