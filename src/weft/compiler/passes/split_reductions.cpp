#include <weft/compiler/passes/split_reductions.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include <weft/base/size.h>
#include <weft/compiler/loop/lower.h>
#include <weft/compiler/passes/all.h>
#include <weft/compiler/passes/rewrite.h>
#include <weft/ir/ops.h>

namespace weft::compiler {

namespace {

// The way in which a sum is split must not depend on the number of threads, so these serve every machine of a kind.
struct SplitRule {
  std::int64_t enough_tasks, short_reduction;
  std::int64_t lanes;     // of one task, if the sum is not along rows
  bool joins_dimensions;  // whether dimensions that follow each other are joined before they are split
};
constexpr SplitRule for_cpus = {64, 4096, 64, false}, for_gpus = {512, 1024, 256, true};
const SplitRule& split_rule(const Target& target) { return target.is_gpu ? for_gpus : for_cpus; }

using Dims = std::vector<std::int64_t>;

// Returns the largest divisor of `size` that is at least 2 and at most `wanted`; 1 if there is none.
std::int64_t part_of(std::int64_t size, std::int64_t wanted) {
  for (std::int64_t parts = std::min(wanted, size); parts > 1; --parts)
    if (size % parts == 0) return parts;
  return 1;
}

// Returns into how many parts to split the first reduced dimension; 1 means no split.
std::int64_t parts_of(Type type, const Dims& dims, bool along_rows, const SplitRule& by) {
  std::int64_t kept = 1, summed = 1;
  for (int d = 0; d < type.rank(); ++d) (std::ranges::binary_search(dims, d) ? summed : kept) *= type.size(d);
  const std::int64_t tasks = along_rows ? kept : (kept + by.lanes - 1) / by.lanes;
  if (tasks >= by.enough_tasks / 2 || summed < by.short_reduction) return 1;
  const std::int64_t size = type.size(dims[0]);
  const std::int64_t parts = part_of(size, std::min(by.enough_tasks, summed / (by.short_reduction / 4)));
  return parts == size ? 1 : parts;
}

ir::Value reduce(ir::Value x, ir::Value init, const Dims& dims, const ir::Node& like) {
  const ir::DimensionsAttributes attributes{dims};
  const ir::Value operands[] = {x, init};
  const std::shared_ptr<const ir::Graph> body = ir::reduction_body(*ir::reduction_op(*like.regions[0]), x.dtype());
  return x.node->graph->append(*like.op, operands, &attributes, {}, std::span(&body, 1)).result();
}

// Partial sums are kept in the type in which a kernel accumulates.
ir::Value widened(ir::Value x) { return ir::convert(x, accumulator_type(x.dtype())); }

ir::Value neutral(ir::Value x, const ir::Op& op) {
  const std::uint64_t bits = *identity_of(op, x.dtype());
  return ir::constant(x.graph(),
                      ir::Literal{Type(x.dtype(), {}), std::as_bytes(std::span(&bits, 1)).first(byte_size(x.dtype()))});
}

// Removes reduced dimensions with one element from the operand; also returns the other reduced dimensions, sorted. The order of a sum is
// then the same as in a program for many sizes, one of which is 1.
std::pair<ir::Value, Dims> without_single_elements(ir::Value x, const ir::Node& node) {
  const auto list = node.attributes<ir::DimensionsAttributes>().dimensions;
  Dims dims;
  std::vector<Dim> left;
  for (int d = 0; d < x.rank(); ++d) {
    const bool is_reduced = std::ranges::find(list, d) != list.end();
    if (is_reduced && x.type().dim(d) == Dim(1)) continue;
    if (is_reduced) dims.push_back(std::ssize(left));
    left.push_back(x.type().dim(d));
  }
  if (dims.empty() || dims.size() == list.size()) return {x, dims};
  return {ir::reshape(x, left), dims};
}

// Joins reduced dimensions that follow each other into one, which can be split into any number of parts.
std::pair<ir::Value, Dims> with_joined_dimensions(ir::Value x, const Dims& dims) {
  Dims joined;
  std::vector<Dim> sizes;
  bool was_reduced = false;
  for (int d = 0; d < x.rank(); ++d) {
    const bool is_reduced = std::ranges::binary_search(dims, d);
    if (is_reduced && was_reduced) {
      sizes.back() = Dim(sizes.back().value() * x.type().size(d));
    } else {
      if (is_reduced) joined.push_back(std::ssize(sizes));
      sizes.push_back(x.type().dim(d));
    }
    was_reduced = is_reduced;
  }
  if (std::ssize(sizes) == x.rank()) return {x, dims};
  return {ir::reshape(x, sizes), joined};
}

}  // namespace

bool is_reordered(const ir::Node& reduce, const SizeValues& sizes, const Target& target) {
  const Type type = reduce.operand(0).type(), known = sizes(type);
  if (known.elements() == 0) return false;
  const auto list = reduce.attributes<ir::DimensionsAttributes>().dimensions;
  Dims dims(list.begin(), list.end());
  std::ranges::sort(dims);
  const auto reduced = [&](int d) { return std::ranges::binary_search(dims, d); };
  // A dimension that is known to have one element is not walked, and the next outer dimension takes its place.
  const auto vanishes = [&](int d) { return type.dim(d) != Dim(1) && known.size(d) == 1; };
  int last_kept = type.rank() - 1;
  while (last_kept >= 0 && reduced(last_kept)) --last_kept;
  const bool along_rows = dims.empty() || dims.back() > last_kept;
  if (last_kept >= 0 && vanishes(last_kept) && !dims.empty() && dims.front() < last_kept) return true;
  if (along_rows && dims.size() > 1 && vanishes(dims.back())) return true;
  std::erase_if(dims, [&](std::int64_t d) { return known.size(d) == 1; });
  return !dims.empty() && parts_of(known, dims, along_rows, split_rule(target)) != 1;
}

std::shared_ptr<ir::Graph> split_reductions(const ir::Graph& graph, const Target& target) {
  Rewriter rewriter(graph);
  return rewriter.run(
      [&](const ir::Node& node, std::span<const ir::Value> operands) -> std::optional<std::vector<ir::Value>> {
        if (node.op->kind != ir::Kind::reduction || !can_lower(node)) return std::nullopt;
        const ir::Value init = operands[1];
        if (product_of(operands[0].type().dims()).is(0)) return std::nullopt;
        const ir::Op& op = *ir::reduction_op(*node.regions[0]);
        auto [x, dims] = without_single_elements(operands[0], node);
        if (split_rule(target).joins_dimensions && x.type().is_static())
          std::tie(x, dims) = with_joined_dimensions(x, dims);
        const Type type = x.type();
        if (dims.empty()) return std::nullopt;
        const auto reduced = [&](int d) { return std::ranges::binary_search(dims, d); };
        int last_kept = type.rank() - 1;
        while (last_kept >= 0 && (reduced(last_kept) || type.dim(last_kept) == Dim(1))) --last_kept;
        Dims inner, outer;
        for (const std::int64_t d : dims) (d > last_kept ? inner : outer).push_back(d);
        // Along the rows first, then the remaining dimensions along the columns.
        if (!inner.empty() && !outer.empty()) {
          const ir::Value wide = widened(x), partial = reduce(wide, neutral(wide, op), inner, node);
          const ir::Value total = ir::convert(reduce(partial, widened(init), outer, node), type.dtype());
          return std::vector{total};
        }
        const int cut = dims[0];
        const std::int64_t parts = type.is_static() ? parts_of(type, dims, !inner.empty(), split_rule(target)) : 1;
        if (parts == 1 && x == operands[0]) return std::nullopt;
        if (parts == 1) return std::vector{reduce(x, init, dims, node)};
        // Reshapes [.., n, ..] to [.., parts, n / parts, ..]; the second of these is reduced first.
        std::vector<Dim> split;
        Dims first;
        for (int d = 0; d < type.rank(); ++d) {
          if (d == cut) split.push_back(Dim(parts));
          if (reduced(d)) first.push_back(std::ssize(split));
          split.push_back(d == cut ? Dim(type.size(d) / parts) : type.dim(d));
        }
        const ir::Value wide = widened(ir::reshape(x, split)), partial = reduce(wide, neutral(wide, op), first, node);
        const ir::Value total = ir::convert(reduce(partial, widened(init), Dims{cut}, node), type.dtype());
        return std::vector{total};
      });
}

}  // namespace weft::compiler
