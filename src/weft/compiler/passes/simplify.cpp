#include <algorithm>
#include <array>
#include <numeric>

#include <weft/compiler/passes/all.h>
#include <weft/compiler/passes/rewrite.h>
#include <weft/ir/ops.h>

namespace weft::compiler {

using ir::Node;
using ir::Value;
namespace ops = ir::ops;

namespace {

using Dims = std::vector<std::int64_t>;

bool is_op(Value v, const ir::Op& op) { return v.node->op == &op; }

// The element that all elements of a constant have.
std::optional<double> splat(Value v) {
  if (!is_op(v, ops::constant)) return std::nullopt;
  const auto& literal = v.node->attributes<ir::ConstantAttributes>().value;
  if (!literal.is_splat()) return std::nullopt;
  return visit(v.dtype(), [&](auto tag) { return static_cast<double>(literal.at<decltype(tag)>(0)); });
}

bool is_splat(Value v, double value) {
  const auto element = splat(v);
  return element && *element == value && !(value == 0 && std::signbit(*element) != std::signbit(value));
}

Value splat_of(Value constant, Type type) {
  return ir::constant(constant.graph(),
                      ir::Literal{type, constant.node->attributes<ir::ConstantAttributes>().value.bytes});
}

// One function per family of rules; each returns what the node may be replaced by, or no value.

Value simplify_arithmetic(const Node& n, std::span<const Value> x) {
  if (n.op->kind != ir::Kind::elementwise) return {};
  if (n.op == &ops::stop_gradient) return x[0];  // gradients are built: what updates x may do so in place
  const bool integers = !is_float(n.type().dtype());
  if (n.op == &ops::add || n.op == &ops::or_ || n.op == &ops::xor_) {
    // -0 is the neutral element of float addition; +0 turns -0 into +0, which arithmetic cannot tell but division can.
    if (integers && is_splat(x[1], 0)) return x[0];
    if (integers && is_splat(x[0], 0)) return x[1];
    if (!integers && n.op == &ops::add && is_splat(x[1], -0.0)) return x[0];
    if (!integers && n.op == &ops::add && is_splat(x[0], -0.0)) return x[1];
  }
  if (n.op == &ops::subtract && is_splat(x[1], 0)) return x[0];
  if (n.op == &ops::multiply) {
    if (is_splat(x[1], 1)) return x[0];
    if (is_splat(x[0], 1)) return x[1];
    if (integers && is_splat(x[1], 0)) return x[1];
    if (integers && is_splat(x[0], 0)) return x[0];
  }
  if (n.op == &ops::divide && is_splat(x[1], 1)) return x[0];
  if (n.op == &ops::negate && is_op(x[0], ops::negate)) return x[0].node->operand(0);
  if (n.op == &ops::not_ && is_op(x[0], ops::not_)) return x[0].node->operand(0);
  if (n.op == &ops::power) {
    if (is_splat(x[1], 1)) return x[0];
    if (is_splat(x[1], 2)) return ir::multiply(x[0], x[0]);
  }
  if (n.op == &ops::select) {
    if (x[1] == x[2]) return x[1];
    if (is_splat(x[0], 1)) return x[1];
    if (is_splat(x[0], 0)) return x[2];
  }
  return {};
}

// Whether every value of `from` is one of `to`.
bool widens(DType from, DType to) {
  if (is_float(from) && is_float(to)) return byte_size(to) > byte_size(from);
  return is_integer(from) && is_signed_integer(from) == is_signed_integer(to) && is_integer(to) &&
         byte_size(to) > byte_size(from);
}

Value simplify_convert(const Node& n, std::span<const Value> x) {
  if (n.op != &ops::convert) return {};
  if (x[0].dtype() == n.type().dtype()) return x[0];
  if (is_op(x[0], ops::convert)) {
    const Value inner = x[0].node->operand(0);
    if (widens(inner.dtype(), x[0].dtype())) return ir::convert(inner, n.type().dtype());
  }
  return {};
}

Value simplify_move(const Node& n, std::span<const Value> x) {
  if (n.op->kind != ir::Kind::shape || x.empty()) return {};
  if (n.operands.size() == 1 && splat(x[0])) return splat_of(x[0], n.type());
  if (n.op == &ops::reshape) {
    if (x[0].type() == n.type()) return x[0];
    if (is_op(x[0], ops::reshape)) return ir::reshape(x[0].node->operand(0), n.type().dims());
  }
  if (n.op == &ops::transpose) {
    const auto permutation = n.attributes<ir::TransposeAttributes>().permutation;
    if (std::ranges::is_sorted(permutation)) return x[0];
    if (is_op(x[0], ops::transpose)) {
      const auto inner = x[0].node->attributes<ir::TransposeAttributes>().permutation;
      Dims both;
      for (const std::int64_t p : permutation) both.push_back(inner[static_cast<std::size_t>(p)]);
      return ir::transpose(x[0].node->operand(0), both);
    }
  }
  if (n.op == &ops::broadcast_in_dim) {
    const auto dims = n.attributes<ir::BroadcastAttributes>().dimensions;
    if (x[0].type() == n.type() && std::ranges::is_sorted(dims)) return x[0];
    if (is_op(x[0], ops::broadcast_in_dim)) {
      Dims both;
      for (const std::int64_t d : x[0].node->attributes<ir::BroadcastAttributes>().dimensions)
        both.push_back(dims[static_cast<std::size_t>(d)]);
      return ir::broadcast_in_dim(x[0].node->operand(0), n.type(), both);
    }
  }
  if ((n.op == &ops::slice || n.op == &ops::pad) && x[0].type() == n.type()) {
    if (n.op == &ops::slice) return x[0];
    const auto& a = n.attributes<ir::PadAttributes>();
    const auto zero = [](std::int64_t v) { return v == 0; };
    if (std::ranges::all_of(a.low, zero) && std::ranges::all_of(a.high, zero) && std::ranges::all_of(a.interior, zero))
      return x[0];
  }
  if (n.op == &ops::concatenate && x.size() == 1) return x[0];
  return {};
}

Value simplify_reduction(const Node& n, std::span<const Value> x) {
  if (n.op != &ops::reduce || x.size() != 2 || n.attributes<ir::DimensionsAttributes>().dimensions.empty()) return {};
  // Over dimensions of one element: the elements themselves, with the initial value.
  const auto dims = n.attributes<ir::DimensionsAttributes>().dimensions;
  if (!std::ranges::all_of(dims, [&](std::int64_t d) { return x[0].type().dim(static_cast<int>(d)) == Dim(1); }))
    return {};
  const ir::Op* op = ir::reduction_op(*n.regions[0]);
  if (op != &ops::add || !is_splat(x[1], 0)) return {};
  return ir::reshape(x[0], n.type().dims());
}

// A kernel turned round in its spatial dimensions slides as the kernel itself with the window turned round.
Value simplify_convolution(const Node& n, std::span<const Value> x) {
  if (n.op != &ops::convolution || !is_op(x[1], ops::reverse)) return {};
  ir::ConvolutionAttributes a = n.attributes<ir::ConvolutionAttributes>();
  Dims reversal(a.kernel_spatial.size());
  std::ranges::copy(a.reversal, reversal.begin());
  for (const std::int64_t d : x[1].node->attributes<ir::DimensionsAttributes>().dimensions) {
    const auto at = std::ranges::find(a.kernel_spatial, d);
    if (at == a.kernel_spatial.end()) return {};
    std::int64_t& turned = reversal[static_cast<std::size_t>(at - a.kernel_spatial.begin())];
    turned = 1 - turned;
  }
  a.reversal = reversal;
  const Type type = n.type();
  return {&x[0].graph().append(ops::convolution, std::array{x[0], x[1].node->operand(0)}, &a, std::span(&type, 1)), 0};
}

// What a loop passes on from step to step is what it began with. A loop that changes nothing is left alone: it never ends.
std::optional<std::vector<Value>> simplify_loop(Rewriter& rewriter, const Node& n, std::span<const Value> x) {
  if (n.op != &ops::while_) return std::nullopt;
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
  return rewriter.run([&](const Node& node, std::span<const Value> operands) -> std::optional<std::vector<Value>> {
    for (const auto rule :
         {simplify_arithmetic, simplify_convert, simplify_move, simplify_reduction, simplify_convolution})
      if (const Value replacement = rule(node, operands)) return std::vector{replacement};
    return simplify_loop(rewriter, node, operands);
  });
}

}  // namespace weft::compiler
