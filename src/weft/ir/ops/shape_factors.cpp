// Factor rules of shape ops.
#include <algorithm>
#include <numeric>

#include <weft/ir/factors.h>
#include <weft/ir/ops/shape.h>

namespace weft::ir {

namespace {

// Relates dimension `from` of the operand to dimension `to` of the result.
void relate(const Node& node, Factors& f, int from, int to) {
  f.operands[0][from] = f.results[0][to] = {f.add(node.type().dim(to))};
}

// Relates the dimensions [begin, end) of the operand to the same dimensions of the result.
void relate_dims(const Node& node, Factors& f, int begin, int end, int shift = 0) {
  for (int d = begin; d < end; ++d) relate(node, f, d, d + shift);
}

// A range of dimensions, from `first` to the one before `end`.
struct Range {
  int first, end;
};

// Returns the numbers of elements in the last dimensions of a range: of the last one, of the last two, and so on.
std::vector<std::int64_t> sizes_from_the_right(Type type, Range range) {
  std::vector<std::int64_t> sizes;
  std::int64_t size = 1;
  for (int d = range.end - 1; d >= range.first; --d) sizes.push_back(size *= type.size(d));
  return sizes;
}

// Gives each dimension of a range the factors between its own bounds. `bounds` are the bounds of factors, from minor to major.
void assign(Type type, Range range, std::span<const std::int64_t> bounds, int first_factor,
            std::vector<DimFactors>& dims) {
  std::int64_t low = 1;
  for (int d = range.end - 1; d >= range.first; --d) {
    const std::int64_t high = low * type.size(d);
    for (int i = static_cast<int>(bounds.size()) - 1; i >= 0; --i)
      if (bounds[i] > low && bounds[i] <= high) dims[d].push_back(first_factor + i);
    low = high;
  }
}

// Splits dimensions with the same number of elements into factors of which both are composed. There are none if the dimensions are cut
// at positions that do not divide each other: 6x4 as 8x3.
void relate_group(const Node& node, Factors& f, Range from, Range to) {
  const Type x = node.operand(0).type(), y = node.type();
  std::vector<std::int64_t> bounds = sizes_from_the_right(x, from);
  const auto others = sizes_from_the_right(y, to);
  bounds.insert(bounds.end(), others.begin(), others.end());
  std::ranges::sort(bounds);
  bounds.erase(std::ranges::unique(bounds).begin(), bounds.end());
  std::erase(bounds, 1);
  for (std::size_t i = 1; i < bounds.size(); ++i)
    if (bounds[i] % bounds[i - 1] != 0) return;
  const int first_factor = static_cast<int>(f.all.size());
  for (std::size_t i = 0; i < bounds.size(); ++i) f.add(bounds[i] / (i == 0 ? 1 : bounds[i - 1]));
  assign(x, from, bounds, first_factor, f.operands[0]);
  assign(y, to, bounds, first_factor, f.results[0]);
}

// Relates dimensions of static sizes other than 0, in the smallest groups that have the same number of elements.
void relate_in_groups(const Node& node, Factors& f, Range from, Range to) {
  const Type x = node.operand(0).type(), y = node.type();
  for (int i = from.first, j = to.first; i < from.end && j < to.end;) {
    const int first_i = i, first_j = j;
    std::int64_t a = x.size(i++), b = y.size(j++);
    while (a != b) {
      if (a < b && i < from.end) {
        a *= x.size(i++);
      } else if (j < to.end) {
        b *= y.size(j++);
      } else {
        return;
      }
    }
    relate_group(node, f, {first_i, i}, {first_j, j});
  }
}

}  // namespace

void broadcast_in_dim_factors(const Node& node, Factors& f) {
  const Type from = node.operand(0).type(), to = node.type();
  const Ints dimensions = node.attributes<BroadcastAttributes>().dimensions;
  for (int d = 0; d < to.rank(); ++d) f.results[0][d] = {f.add(to.dim(d))};
  for (int d = 0; d < from.rank(); ++d)
    if (from.dim(d) == to.dim(static_cast<int>(dimensions[d]))) f.operands[0][d] = f.results[0][dimensions[d]];
}

void reshape_factors(const Node& node, Factors& f) {
  const Type from = node.operand(0).type(), to = node.type();
  const int least = std::min(from.rank(), to.rank()), more = to.rank() - from.rank();
  int same = 0, same_at_end = 0;
  while (same < least && from.dim(same) == to.dim(same)) ++same;
  while (same + same_at_end < least && from.dim(from.rank() - 1 - same_at_end) == to.dim(to.rank() - 1 - same_at_end))
    ++same_at_end;
  relate_dims(node, f, 0, same);
  relate_dims(node, f, from.rank() - same_at_end, from.rank(), more);
  const auto is_known = [](Dim size) { return size.is_constant() && size.value() != 0; };
  if (std::ranges::all_of(from.dims(), is_known) && std::ranges::all_of(to.dims(), is_known))
    relate_in_groups(node, f, {same, from.rank() - same_at_end}, {same, to.rank() - same_at_end});
}

void transpose_factors(const Node& node, Factors& f) {
  const Ints permutation = node.attributes<TransposeAttributes>().permutation;
  for (int d = 0; d < std::ssize(permutation); ++d) relate(node, f, static_cast<int>(permutation[d]), d);
}

void concatenate_factors(const Node& node, Factors& f) {
  for (int d = 0; d < node.type().rank(); ++d) {
    if (d == node.attributes<ConcatenateAttributes>().dimension) continue;
    f.results[0][d] = {f.add(node.type().dim(d))};
    for (auto& operand : f.operands) operand[d] = f.results[0][d];
  }
}

void reverse_factors(const Node& node, Factors& f) {
  for (int d = 0; d < node.type().rank(); ++d)
    if (std::ranges::count(node.attributes<DimensionsAttributes>().dimensions, d) == 0) relate(node, f, d, d);
}

}  // namespace weft::ir
