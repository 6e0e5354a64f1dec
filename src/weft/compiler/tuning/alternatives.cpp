#include <weft/compiler/tuning/alternatives.h>

#include <algorithm>
#include <array>

#include <weft/compiler/loop/product_flops.h>
#include <weft/compiler/passes/all.h>
#include <weft/compiler/passes/rewrite.h>
#include <weft/ir/attributes.h>
#include <weft/ir/builder.h>
#include <weft/ir/op.h>
#include <weft/runtime/parallel.h>

namespace weft::compiler {

using ir::Node;
using ir::Value;

namespace {

constexpr std::array names = {"standard", "generated", "transposed", "padded", "split", "apart"};

constexpr std::int64_t vector_bytes = 64;

Value kept_apart(Value v) { return ir::optimization_barrier(std::span(&v, 1))[0]; }

bool contains(ir::Ints list, std::int64_t entry) { return std::ranges::find(list, entry) != list.end(); }

Value transposed_first(Value lhs, Value rhs, const Node& dot) {
  ir::DotAttributes a = dot.attributes<ir::DotAttributes>();
  static constexpr std::array<std::int64_t, 2> turned = {1, 0};
  static constexpr std::array<std::int64_t, 1> first = {0}, second = {1};
  a.rhs_contracting = a.rhs_contracting[0] == 0 ? ir::Ints(second) : ir::Ints(first);
  return ir::dot_general(lhs, kept_apart(ir::transpose(rhs, turned)), a, dot.type().dtype());
}

// Returns how many elements of padding each dimension of an operand needs.
std::vector<std::int64_t> filling(Value operand, ir::Ints batching) {
  const std::int64_t whole = vector_bytes / byte_size(operand.dtype());
  std::vector<std::int64_t> more(operand.rank(), 0);
  for (int d = 0; d < operand.rank(); ++d)
    if (!contains(batching, d)) more[d] = (whole - operand.size(d) % whole) % whole;
  return more;
}

Value filled_up(Value operand, ir::Ints batching) {
  const std::vector<std::int64_t> none(operand.rank(), 0);
  return ir::pad(operand, ir::constant(operand.graph(), Type(operand.dtype(), {}), 0), none, filling(operand, batching),
                 none);
}

Value padded(Value lhs, Value rhs, const Node& dot) {
  const auto& a = dot.attributes<ir::DotAttributes>();
  const Value product =
      ir::dot_general(filled_up(lhs, a.lhs_batching), filled_up(rhs, a.rhs_batching), a, dot.type().dtype());
  const std::vector<std::int64_t> from(product.rank(), 0), strides(from.size(), 1);
  std::vector<std::int64_t> to(from.size());
  for (int d = 0; d < product.rank(); ++d) to[d] = dot.type().size(d);
  return ir::slice(product, from, to, strides);
}

// Splits the contracted dimension into one that threads share and one that is summed over.
Value shared(Value operand, std::int64_t dimension, std::int64_t parts) {
  std::vector<Dim> dims(operand.type().dims().begin(), operand.type().dims().end());
  const auto at = dims.begin() + dimension;
  *at = operand.size(dimension) / parts;
  dims.insert(at, parts);
  return ir::reshape(operand, dims);
}

Value split(Value lhs, Value rhs, const Node& dot, std::int64_t parts) {
  const auto& a = dot.attributes<ir::DotAttributes>();
  const std::int64_t left = a.lhs_contracting[0], right = a.rhs_contracting[0];
  const std::int64_t left_rest = left + 1, right_rest = right + 1;
  const ir::DotAttributes each{{&left, 1}, {&right, 1}, {&left_rest, 1}, {&right_rest, 1}};
  static constexpr std::array<std::int64_t, 1> by_part = {0};
  return ir::reduce_sum(ir::dot_general(shared(lhs, left, parts), shared(rhs, right, parts), each, dot.type().dtype()),
                        by_part);
}

// Products up to this size may be faster as a generated kernel.
constexpr double generated_flops = 4e7;

bool can_be_generated(const Node& dot) {
  return dot.operand(0).dtype() == DType::f32 && dot.type().dtype() == DType::f32 &&
         product_flops(dot) <= generated_flops;
}

bool can_be_transposed(const Node& dot) {
  const auto& a = dot.attributes<ir::DotAttributes>();
  return dot.operand(1).rank() == 2 && a.rhs_batching.empty() && a.rhs_contracting.size() == 1;
}

// If padding would be more than this share of an operand, it costs more than whole vectors gain.
constexpr double most_filling = 0.25;

bool can_be_padded(const Node& dot) {
  const auto& a = dot.attributes<ir::DotAttributes>();
  if (!is_float(dot.operand(0).dtype()) || !is_float(dot.operand(1).dtype())) return false;
  double before = 1, after = 1;
  for (const std::size_t side : {0, 1}) {
    const Value operand = dot.operand(side);
    const std::vector<std::int64_t> more = filling(operand, side == 0 ? a.lhs_batching : a.rhs_batching);
    for (int d = 0; d < operand.rank(); ++d) {
      before *= operand.size(d);
      after *= operand.size(d) + more[d];
    }
  }
  return after > before && after <= (1 + most_filling) * before;
}

// Larger results give the library enough work for all threads; shorter sums are not worth splitting.
constexpr std::int64_t most_split_results = 256 * 256, least_split_part = 512;

bool can_be_split(const Node& dot, std::int64_t parts) {
  const auto& a = dot.attributes<ir::DotAttributes>();
  if (parts < 2 || !a.lhs_batching.empty() || a.lhs_contracting.size() != 1) return false;
  const std::int64_t length = dot.operand(0).size(a.lhs_contracting[0]);
  // Partial sums are rounded to the result's type; a narrow type would lose bits that the library keeps.
  return byte_size(dot.type().dtype()) >= 4 && is_float(dot.type().dtype()) && length % parts == 0 &&
         length / parts >= least_split_part && dot.type().elements() <= most_split_results;
}

}  // namespace

std::string name(Alternative alternative) { return names[static_cast<std::size_t>(alternative)]; }

std::optional<Alternative> find_alternative(std::string_view name) {
  const auto* found = std::ranges::find(names, name);
  return found == names.end() ? std::nullopt : std::optional(static_cast<Alternative>(found - names.begin()));
}

std::vector<Alternative> alternatives_of_product(const Node& dot, bool has_epilogue, Tuning tuning) {
  std::vector<Alternative> alternatives{Alternative::standard};
  if (tuning != Tuning::none && can_be_padded(dot)) alternatives.push_back(Alternative::padded);
  if (tuning != Tuning::all) return alternatives;
  if (can_be_generated(dot)) alternatives.push_back(Alternative::generated);
  if (can_be_transposed(dot)) alternatives.push_back(Alternative::transposed);
  if (can_be_split(dot, runtime::thread_count())) alternatives.push_back(Alternative::split);
  if (has_epilogue) alternatives.push_back(Alternative::apart);
  return alternatives;
}

std::shared_ptr<const ir::Graph> apply(const ir::Graph& graph,
                                       const std::function<Alternative(const Node&)>& alternative_of) {
  Rewriter rewriter(graph);
  return rewriter.run([&](const Node& n, std::span<const Value> operands) -> std::optional<std::vector<Value>> {
    switch (alternative_of(n)) {
      case Alternative::standard: return std::nullopt;
      case Alternative::generated: {
        const auto& a = n.attributes<ir::DotAttributes>();
        return std::vector{
            multiply_and_reduce(operands[0], operands[1], a, n.type().dtype(), sums_along(operands[1], a))};
      }
      case Alternative::transposed: return std::vector{transposed_first(operands[0], operands[1], n)};
      case Alternative::padded: return std::vector{padded(operands[0], operands[1], n)};
      case Alternative::split: return std::vector{split(operands[0], operands[1], n, runtime::thread_count())};
      case Alternative::apart: break;
    }
    if (n.op->kind != ir::Kind::reduction)
      return std::vector{kept_apart(rewriter.graph().append_copy(n, operands).result())};
    std::vector<Value> held(operands.begin(), operands.end());
    held[0] = kept_apart(held[0]);
    Node& made = rewriter.graph().append_copy(n, held);
    std::vector<Value> results;
    for (std::uint32_t i = 0; i < made.types.size(); ++i) results.push_back(made.result(i));
    return results;
  });
}

}  // namespace weft::compiler
