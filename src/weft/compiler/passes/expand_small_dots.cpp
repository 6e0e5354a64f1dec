#include <algorithm>
#include <optional>
#include <span>

#include <weft/base/size.h>
#include <weft/compiler/loop/loop.h>
#include <weft/compiler/passes/all.h>
#include <weft/compiler/passes/rewrite.h>
#include <weft/ir/ops.h>

namespace weft::compiler {

namespace {

// A library call takes about as long as a generated loop for this many multiplications (measured: 4 times as many if both operands are read
// along the vectors, exactly as many if one has to be gathered). Besides, the loop can be fused with its surroundings.
constexpr std::int64_t multiplications_of_a_call = 2048;

// The same for each product of a batch, where a library has to begin anew with each: for column kernels, and for others.
constexpr std::int64_t multiplications_of_a_matrix = 50000, multiplications_of_a_product = 512;
// Column kernels are slower for long and narrow matrices. They pack a right operand that several rows read, if it is small.
constexpr std::int64_t least_columns = least_packed_lanes, most_columns = 64, most_rows = 64, least_sums = 8;
constexpr std::int64_t most_packed_columns = 32;
// Sums of so many elements along rows are as fast as what is packed.
constexpr std::int64_t long_row = 128;

// A kernel has straight code for a row of so few columns and multiplications, wherever the operands lie.
constexpr std::int64_t few_columns = 7, multiplications_of_a_row = 64, few_sums = 16;

bool contains(std::span<const std::int64_t> dimensions, std::int64_t d) {
  return std::ranges::find(dimensions, d) != dimensions.end();
}

// A dot_general as a batch of products of [rows, sums] and [sums, columns].
struct SmallDot {
  Size rows = 1, sums = 1, columns = 1;
  bool has_batch = false;
  bool has_rows = false,
       has_columns = false;  // whether an operand has dimensions of its own; without them it is a vector
  bool sums_end_lhs = false, sums_end_rhs = false;  // whether the last dimension of an operand is summed
};

SmallDot small_dot(const ir::Node& dot) {
  const auto& a = dot.attributes<ir::DotAttributes>();
  SmallDot result{.has_batch = !a.lhs_batching.empty()};
  const Type lhs = dot.operand(0).type(), rhs = dot.operand(1).type();
  for (int d = 0; d < lhs.rank(); ++d) {
    result.sums_end_lhs = contains(a.lhs_contracting, d);
    if (contains(a.lhs_batching, d)) continue;
    (result.sums_end_lhs ? result.sums : result.rows) *= Size(lhs.dim(d));
    result.has_rows = result.has_rows || !result.sums_end_lhs;
  }
  for (int d = 0; d < rhs.rank(); ++d) {
    result.sums_end_rhs = contains(a.rhs_contracting, d);
    if (result.sums_end_rhs || contains(a.rhs_batching, d)) continue;
    result.columns *= Size(rhs.dim(d));
    result.has_columns = true;
  }
  return result;
}

bool is_at_most(Size n, std::int64_t most) { return n.is_constant() && n.value() <= most; }
bool is_at_least(Size n, std::int64_t least) { return n.is_constant() && n.value() >= least; }

bool is_between(Size n, std::int64_t least, std::int64_t most) { return is_at_least(n, least) && is_at_most(n, most); }

// Returns how a loop multiplies the matrices of a batch, if it is as fast as a library.
std::optional<SumsOfDot> sums_of_matrices(const SmallDot& dot) {
  if (!dot.has_batch || !is_at_least(dot.columns, least_columns) ||
      !is_at_most(dot.rows * dot.sums * dot.columns, multiplications_of_a_matrix))
    return std::nullopt;
  if (dot.sums_end_lhs && dot.sums_end_rhs && is_at_least(dot.sums, long_row)) return SumsOfDot::along_rows;
  const bool fits = is_at_most(dot.columns, most_columns) && is_at_most(dot.rows, most_rows) &&
                    is_between(dot.sums, least_sums, long_row);
  const bool packs = is_at_most(dot.columns, most_packed_columns) && is_at_least(dot.rows, least_packed_rows);
  return fits && (!dot.sums_end_rhs || packs) ? std::optional(SumsOfDot::down_columns) : std::nullopt;
}

// Returns how a loop computes a product that is too small for a library; nullopt if the library is faster. Outer and inner products, and those
// of a matrix and a vector, are small whatever their size: an element takes less time to compute than to write or to read.
std::optional<SumsOfDot> sums_of_loop(const ir::Node& node, const Target& target) {
  if (node.op != &ir::ops::dot_general) return std::nullopt;
  const SmallDot dot = small_dot(node);
  const SumsOfDot in_place = sums_along(node.operand(1), node.attributes<ir::DotAttributes>());
  if (dot.sums.is(1) || (!target.is_gpu && dot.rows.is(1) && dot.columns.is(1))) return in_place;
  if (!target.is_gpu && dot.has_rows != dot.has_columns)
    return (dot.has_rows ? dot.sums_end_lhs : dot.sums_end_rhs) ? SumsOfDot::along_rows : SumsOfDot::down_columns;
  if (!target.is_gpu)
    if (const auto sums = sums_of_matrices(dot)) return sums;
  if (is_at_most(dot.sums * product_of(node.type().dims()), multiplications_of_a_call)) return in_place;
  if (is_at_most(dot.columns, few_columns) && is_at_most(dot.sums * dot.columns, multiplications_of_a_row) &&
      (is_at_most(dot.sums, few_sums) || dot.sums_end_lhs))
    return in_place;
  // multiply_and_reduce reads neighbours of both operands along its vectors, or one element of the left one.
  const bool reads_along_vectors = !dot.sums_end_rhs || dot.sums_end_lhs;
  if (dot.has_batch && reads_along_vectors &&
      is_at_most(dot.rows * dot.sums * dot.columns, multiplications_of_a_product))
    return in_place;
  return std::nullopt;
}

}  // namespace

std::shared_ptr<ir::Graph> expand_small_dots(const ir::Graph& graph, const Target& target) {
  const auto concerns = [&](const ir::Node& node) { return sums_of_loop(node, target).has_value(); };
  return rewrite_where(graph, concerns, [&](ir::Graph&, const ir::Node& node, std::span<const ir::Value> operands) {
    const DType result = node.type().dtype();
    const DType sums = is_float(result) && byte_size(result) < 4 ? DType::f32 : result;  // rounded once
    const auto& dimensions = node.attributes<ir::DotAttributes>();
    return std::optional(std::vector{ir::convert(
        multiply_and_reduce(operands[0], operands[1], dimensions, sums, *sums_of_loop(node, target)), result)});
  });
}

}  // namespace weft::compiler
