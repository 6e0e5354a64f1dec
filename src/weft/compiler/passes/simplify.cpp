#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include <weft/compiler/loop/lower.h>
#include <weft/compiler/passes/all.h>
#include <weft/compiler/passes/rewrite.h>
#include <weft/ir/ops.h>
#include <weft/ir/uses.h>

namespace weft::compiler {

using ir::Node;
using ir::Value;
namespace ops = ir::ops;

namespace {

using Dims = std::vector<std::int64_t>;

bool is_splat(Value v, double value) {
  const ir::Literal* splat = ir::splat_of(v);
  return splat && visit(v.dtype(), [&](auto tag) {
           const double element = splat->at<decltype(tag)>(0);
           return element == value && !(value == 0 && std::signbit(element) != std::signbit(value));
         });
}

// Returns whether combining with the operand leaves the other operand of the op unchanged.
bool is_identity(const ir::Op& op, Value v) {
  const ir::Literal* splat = ir::splat_of(v);
  const auto identity = identity_of(op, v.dtype());
  if (!splat || !identity) return false;
  // Adding +0 to -0 gives +0, and a later division can tell the two apart; so the identity of addition is -0.
  if (is_float(v.dtype()) && op.commutative && *identity == 0) return is_splat(v, -0.0);
  return std::memcmp(splat->bytes.data(), &*identity, splat->bytes.size()) == 0;
}

// One function per family of rules; each returns the replacement of the node, or no value.

Value simplify_identity(const Node& n, std::span<const Value> x) {
  if (n.op->identity != ir::Identity::none) {
    if (is_identity(*n.op, x[1])) return x[0];
    if (n.op->commutative && is_identity(*n.op, x[0])) return x[1];
  }
  if (!n.op->involution || x[0].node->op != n.op) return {};
  const Node& inner = *x[0].node;
  const bool same = !n.op->attributes || n.op->attributes->equal(n.attribute_data, inner.attribute_data);
  return same ? inner.operand(0) : Value();
}

Value simplify_arithmetic(const Node& n, std::span<const Value> x) {
  // Gradients are already built at this point; without the op, what updates x may work in place.
  if (n.op == &ops::stop_gradient) return x[0];
  if (n.op == &ops::multiply && !is_float(n.type().dtype())) {
    if (is_splat(x[1], 0)) return x[1];
    if (is_splat(x[0], 0)) return x[0];
  }
  if (n.op == &ops::power && is_splat(x[1], 2)) return ir::multiply(x[0], x[0]);
  if (n.op == &ops::select) {
    if (x[1] == x[2]) return x[1];
    if (is_splat(x[0], 1)) return x[1];
    if (is_splat(x[0], 0)) return x[2];
  }
  return {};
}

// Returns whether every value of `from` is a value of `to`.
bool widens(DType from, DType to) {
  if (is_float(from) && is_float(to)) return byte_size(to) > byte_size(from);
  return is_integer(from) && is_signed_integer(from) == is_signed_integer(to) && is_integer(to) &&
         byte_size(to) > byte_size(from);
}

Value simplify_convert(const Node& n, std::span<const Value> x) {
  if (n.op != &ops::convert) return {};
  if (x[0].dtype() == n.type().dtype()) return x[0];
  if (x[0].node->op != n.op) return {};
  const Value inner = x[0].node->operand(0);
  return widens(inner.dtype(), x[0].dtype()) ? ir::convert(inner, n.type().dtype()) : Value();
}

// Composes permutations or maps of dimensions: returns of[d] for each d in `by`.
Dims composed(ir::Ints by, ir::Ints of) {
  Dims both;
  for (const std::int64_t d : by) both.push_back(of[d]);
  return both;
}

// Returns whether the op, whose operand and result have the same type, moves nothing.
bool moves_nothing(const Node& n) {
  const auto zero = [](std::int64_t v) { return v == 0; };
  if (const auto* a = n.attributes_if<ir::TransposeAttributes>()) return std::ranges::is_sorted(a->permutation);
  if (const auto* a = n.attributes_if<ir::BroadcastAttributes>()) return std::ranges::is_sorted(a->dimensions);
  if (const auto* a = n.attributes_if<ir::PadAttributes>())
    return std::ranges::all_of(a->low, zero) && std::ranges::all_of(a->high, zero) &&
           std::ranges::all_of(a->interior, zero);
  return !n.attributes_if<ir::DimensionsAttributes>();
}

// Returns whether a broadcast only inserts dimensions of size 1.
bool repeats_nothing(const Node& n, const Value x) {
  const auto* a = n.attributes_if<ir::BroadcastAttributes>();
  if (!a || x.rank() == 0 || !std::ranges::is_sorted(a->dimensions)) return false;
  for (int d = 0; d < n.type().rank(); ++d) {
    const auto from = std::ranges::find(a->dimensions, d);
    const Dim given = from == a->dimensions.end() ? Dim(1) : x.type().dim(from - a->dimensions.begin());
    if (n.type().dim(d) != given) return false;
  }
  return true;
}

Value simplify_move(const Node& n, std::span<const Value> x) {
  if (n.op->kind != ir::Kind::shape || x.empty()) return {};
  const ir::Literal* splat = ir::splat_of(x[0]);
  if (x.size() == 1 && splat) return ir::constant(x[0].graph(), ir::Literal{n.type(), splat->bytes});
  if (x[0].type() == n.type() && moves_nothing(n)) return x[0];
  if (repeats_nothing(n, x[0])) return ir::reshape(x[0], n.type().dims());
  if (x[0].node->op != n.op) return {};
  const Node& inner = *x[0].node;
  if (const auto* a = n.attributes_if<ir::TransposeAttributes>())
    return ir::transpose(inner.operand(0),
                         composed(a->permutation, inner.attributes<ir::TransposeAttributes>().permutation));
  if (const auto* a = n.attributes_if<ir::BroadcastAttributes>())
    return ir::broadcast_in_dim(inner.operand(0), n.type(),
                                composed(inner.attributes<ir::BroadcastAttributes>().dimensions, a->dimensions));
  return n.op == &ops::reshape ? ir::reshape(inner.operand(0), n.type().dims()) : Value();
}

Value simplify_reduction(const Node& n, std::span<const Value> x) {
  const auto* reduced = n.attributes_if<ir::DimensionsAttributes>();
  if (n.op->kind != ir::Kind::reduction || !reduced || x.size() != 2 || reduced->dimensions.empty()) return {};
  // A sum over dimensions of one element is the elements themselves.
  if (!std::ranges::all_of(reduced->dimensions, [&](std::int64_t d) { return x[0].type().dim(d) == Dim(1); }))
    return {};
  const ir::Op* op = ir::reduction_op(*n.regions[0]);
  if (op != &ops::add || !is_splat(x[1], 0)) return {};
  return ir::reshape(x[0], n.type().dims());
}

// Reversing a kernel in its spatial dimensions is the same as reversing the window.
Value simplify_convolution(const Node& n, std::span<const Value> x) {
  const auto* convolution = n.attributes_if<ir::ConvolutionAttributes>();
  if (!convolution || x[1].node->op != &ops::reverse) return {};
  ir::ConvolutionAttributes a = *convolution;
  Dims reversal(a.kernel_spatial.size());
  std::ranges::copy(a.reversal, reversal.begin());
  for (const std::int64_t d : x[1].node->attributes<ir::DimensionsAttributes>().dimensions) {
    const auto at = std::ranges::find(a.kernel_spatial, d);
    if (at == a.kernel_spatial.end()) return {};
    std::int64_t& turned = reversal[at - a.kernel_spatial.begin()];
    turned = 1 - turned;
  }
  a.reversal = reversal;
  const Type type = n.type();
  return {&x[0].graph().append(*n.op, std::array{x[0], x[1].node->operand(0)}, &a, std::span(&type, 1)), 0};
}

// Replaces operands that are concatenations along the same dimension, and that nothing else uses, by their operands.
Value simplify_concatenation(const Node& n, std::span<const Value> x, std::span<const int> uses) {
  const auto* a = n.attributes_if<ir::ConcatenateAttributes>();
  if (!a) return {};
  std::vector<Value> parts;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const auto* inner = x[k].node->attributes_if<ir::ConcatenateAttributes>();
    if (inner && inner->dimension == a->dimension && uses[n.operands[k].node->id] == 1) {
      parts.insert(parts.end(), x[k].node->operands.begin(), x[k].node->operands.end());
    } else {
      parts.push_back(x[k]);
    }
  }
  return parts.size() > x.size() ? ir::concatenate(parts, a->dimension) : Value();
}

// Replaces carried values that a loop never changes by their initial values. A loop that changes nothing is left unchanged: it never ends.
std::optional<std::vector<Value>> simplify_loop(Rewriter& rewriter, const Node& n, std::span<const Value> x) {
  if (n.op->flow != ir::Flow::loop) return std::nullopt;
  const ir::Graph& body = *n.regions[1];
  const std::size_t count = x.size();
  std::size_t unchanged = 0;
  for (std::size_t i = 0; i < count; ++i) unchanged += body.outputs()[i] == body.inputs()[i];
  if (unchanged == 0 || unchanged == count) return std::nullopt;
  Node& copy = rewriter.graph().append_copy(n, x);
  std::vector<Value> results;
  for (std::uint32_t i = 0; i < count; ++i)
    results.push_back(body.outputs()[i] == body.inputs()[i] ? x[i] : copy.result(i));
  return results;
}

}  // namespace

std::shared_ptr<ir::Graph> simplify(const ir::Graph& graph) {
  Rewriter rewriter(graph);
  const std::vector<int> uses = ir::count_uses(graph);
  return rewriter.run([&](const Node& node, std::span<const Value> operands) -> std::optional<std::vector<Value>> {
    if (const Value replacement = simplify_concatenation(node, operands, uses)) return std::vector{replacement};
    for (const auto rule : {simplify_identity, simplify_arithmetic, simplify_convert, simplify_move, simplify_reduction,
                            simplify_convolution})
      if (const Value replacement = rule(node, operands)) return std::vector{replacement};
    return simplify_loop(rewriter, node, operands);
  });
}

}  // namespace weft::compiler
