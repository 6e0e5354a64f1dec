#include <weft/compiler/loop/access.h>

#include <algorithm>
#include <tuple>

#include <weft/ir/ops.h>

namespace weft::compiler {

using ir::Node;
namespace ops = ir::ops;

bool Affine::is_constant() const {
  return std::ranges::all_of(coefficients, [](Size c) { return c.is(0); });
}

void Affine::add(const Affine& other, Size factor) {
  offset += other.offset * factor;
  if (coefficients.size() < other.coefficients.size()) coefficients.resize(other.coefficients.size());
  for (std::size_t i = 0; i < other.coefficients.size(); ++i) coefficients[i] += other.coefficients[i] * factor;
}

bool operator==(const Affine& a, const Affine& b) {
  if (a.offset != b.offset) return false;
  for (std::size_t i = 0; i < std::max(a.coefficients.size(), b.coefficients.size()); ++i)
    if (a.coefficient(i) != b.coefficient(i)) return false;
  return true;
}

Affine axis_index(std::size_t axis) {
  Affine result;
  result.coefficients.resize(axis + 1);
  result.coefficients[axis] = 1;
  return result;
}

std::optional<std::pair<Size, Size>> range(const Affine& affine, std::span<const Size> axes) {
  Size low = affine.offset, high = affine.offset;
  for (std::size_t i = 0; i < affine.coefficients.size(); ++i) {
    const Size most = affine.coefficients[i] * (axes[i] - 1);
    if (never_negative(most, axes)) {
      high += most;
    } else if (never_negative(-most, axes)) {
      low += most;
    } else {
      return std::nullopt;
    }
  }
  return std::pair{low, high};
}

namespace {

// Returns whether 0 <= low and high < size at every point of the domain.
bool lies_within(const Affine& affine, Size size, std::span<const Size> axes) {
  const auto bounds = range(affine, axes);
  return bounds && never_negative(bounds->first, axes) && never_negative(size - 1 - bounds->second, axes);
}

}  // namespace

Affine linearise(const Index& index, std::span<const Dim> dims) {
  Affine position;
  Size stride = 1;
  for (std::size_t i = dims.size(); i-- > 0;) {
    position.add(index[i], stride);
    stride *= dims[i];
  }
  return position;
}

namespace {

// Returns quotient and remainder; the remainder is at least 0 if both numbers are known.
std::pair<Size, Size> divide_offset(Size offset, Size divisor) {
  if (const auto whole = exact_quotient(offset, divisor)) return {*whole, 0};
  if (!offset.is_constant() || !divisor.is_constant()) return {0, offset};
  const std::int64_t remainder = (offset.value() % divisor.value() + divisor.value()) % divisor.value();
  return {(offset.value() - remainder) / divisor.value(), remainder};
}

// Returns how many steps of `coefficient` make one step of `divisor`, if the axis divides into whole numbers of them.
std::optional<Size> inner_part(Size coefficient, Size divisor, Size axis, std::span<const Size> axes) {
  if (!never_negative(coefficient - 1, axes)) return std::nullopt;
  const auto inner = exact_quotient(divisor, coefficient);
  if (!inner) return std::nullopt;
  const auto outer = exact_quotient(axis, *inner);
  if (!outer || outer->is(1) || outer->is(0)) return std::nullopt;
  return inner;
}

// Returns (quotient, remainder) with position = quotient * divisor + remainder and 0 <= remainder < divisor, if both are affine.
std::optional<std::pair<Affine, Affine>> divide(const Affine& position, Size divisor, std::span<const Size> axes,
                                                std::optional<Split>& split) {
  Affine quotient, remainder;
  std::tie(quotient.offset, remainder.offset) = divide_offset(position.offset, divisor);
  quotient.coefficients.resize(position.coefficients.size());
  remainder.coefficients.resize(position.coefficients.size());
  for (std::size_t i = 0; i < position.coefficients.size(); ++i) {
    const Size c = position.coefficients[i];
    if (const auto whole = exact_quotient(c, divisor)) {
      quotient.coefficients[i] = *whole;
    } else if (const auto inner = inner_part(c, divisor, axes[i], axes)) {
      split = Split{i, *inner};
      return std::nullopt;
    } else {
      remainder.coefficients[i] = c;
    }
  }
  if (!lies_within(remainder, divisor, axes)) return std::nullopt;
  return std::pair{quotient, remainder};
}

}  // namespace

std::optional<Index> delinearise(const Affine& position, std::span<const Dim> dims, std::span<const Size> axes,
                                 std::optional<Split>& split) {
  Index index(dims.size());
  Affine rest = position;
  for (std::size_t i = dims.size(); i-- > 0;) {
    const Size size = dims[i];
    if (i == 0 || size.is(0)) {
      index[i] = rest;
      rest = {};
      continue;
    }
    if (size.is(1)) continue;
    const auto parts = divide(rest, size, axes, split);
    if (!parts) return std::nullopt;
    index[i] = parts->second;
    rest = parts->first;
  }
  return index;
}

namespace {

// Returns whether the first of two different products must take in more dimensions to become the second, because it is smaller as far as is
// known. A wrong guess makes groups larger than necessary.
bool is_part(Size a, Size b) {
  if (a.is_constant() && b.is_constant()) return a.value() < b.value();
  return exact_quotient(b, a) || !exact_quotient(a, b);
}

// Handles each group of neighbouring dimensions that a reshape turns into one another separately, so that an index that leaves its
// dimension (outside of a pad's operand) stays within its group.
std::optional<Index> through_reshape(std::span<const Dim> from, std::span<const Dim> to, const Index& index,
                                     std::span<const Size> axes, std::optional<Split>& split) {
  Index result;
  std::size_t f = 0, t = 0;
  while (f < from.size() || t < to.size()) {
    const std::size_t first_f = f, first_t = t;
    Size size_from = f < from.size() ? Size(from[f++]) : Size(1), size_to = t < to.size() ? Size(to[t++]) : Size(1);
    while (size_from != size_to) {
      if (is_part(size_from, size_to)) {
        if (f == from.size()) break;  // if there are sizes of 0
        size_from *= from[f++];
      } else {
        if (t == to.size()) break;
        size_to *= to[t++];
      }
    }
    if (size_from != size_to && !(size_from.is_constant() && size_to.is_constant())) f = from.size(), t = to.size();
    const Index part(index.begin() + first_t, index.begin() + t);
    auto at =
        delinearise(linearise(part, to.subspan(first_t, t - first_t)), from.subspan(first_f, f - first_f), axes, split);
    if (!at) return std::nullopt;
    result.insert(result.end(), at->begin(), at->end());
  }
  return result;
}

}  // namespace

bool moves_elements(const Node& node) {
  if (node.op->kind != ir::Kind::shape) return false;
  const auto* pad = node.attributes_if<ir::PadAttributes>();
  return !pad || std::ranges::all_of(pad->interior, [](std::int64_t i) { return i == 0; });
}

std::optional<Index> operand_index(const Node& node, int operand, const Index& index, std::span<const Size> axes,
                                   std::vector<Bound>& bounds, std::optional<Split>& split) {
  const Type type = node.operand(operand).type();
  const std::size_t rank = type.rank();
  Index result(rank);
  if (const auto* broadcast = node.attributes_if<ir::BroadcastAttributes>()) {
    for (std::size_t i = 0; i < rank; ++i)
      if (type.dims()[i] != Dim(1)) result[i] = index[broadcast->dimensions[i]];
    return result;
  }
  if (node.op == &ops::reshape) return through_reshape(type.dims(), node.type().dims(), index, axes, split);
  if (const auto* transpose = node.attributes_if<ir::TransposeAttributes>()) {
    for (std::size_t i = 0; i < rank; ++i) result[transpose->permutation[i]] = index[i];
    return result;
  }
  if (const auto* slice = node.attributes_if<ir::SliceAttributes>()) {
    for (std::size_t i = 0; i < rank; ++i) {
      result[i].offset = slice->start[i];
      result[i].add(index[i], slice->strides[i]);
    }
    return result;
  }
  if (const auto* reverse = node.attributes_if<ir::DimensionsAttributes>()) {
    result = index;
    for (const std::int64_t d : reverse->dimensions) {
      Affine reversed{Size(type.dim(d)) - 1, {}};
      reversed.add(index[d], -1);
      result[d] = std::move(reversed);
    }
    return result;
  }
  if (const auto* pad = node.attributes_if<ir::PadAttributes>()) {
    if (operand == 1) return Index{};
    result = index;
    for (std::size_t i = 0; i < rank; ++i) {
      result[i].offset -= pad->low[i];
      const Size size = type.dims()[i];
      if (!lies_within(result[i], size, axes)) bounds.push_back({result[i], size});
    }
    return result;
  }
  if (const auto* concatenate = node.attributes_if<ir::ConcatenateAttributes>()) {
    const std::size_t d = concatenate->dimension;
    result = index;
    for (int k = 0; k < operand; ++k) result[d].offset -= node.operand(k).type().dims()[d];
    const Size size = type.dims()[d];
    if (!lies_within(result[d], size, axes)) bounds.push_back({result[d], size});
    return result;
  }
  WEFT_ASSERT(false, node.op->name, " does not move elements");
  return std::nullopt;
}

View view_through(ir::Value value, bool (*stored)(const void* context, ir::Value), const void* context) {
  const Type type = value.type();
  std::vector<Size> axes;
  Index index;
  for (int i = 0; i < type.rank(); ++i) {
    axes.push_back(type.dim(i));
    index.push_back(axis_index(i));
  }
  const auto as_view = [&](ir::Value base, const Index& at) {
    const Affine position = linearise(at, base.type().dims());
    View view{base, position.offset, {}};
    for (std::size_t i = 0; i < axes.size(); ++i) view.strides.push_back(position.coefficient(i));
    return view;
  };
  View best = as_view(value, index);
  while (!stored(context, value) && moves_elements(*value.node) && value.node->operands.size() == 1) {
    std::vector<Bound> bounds;
    std::optional<Split> split;
    auto next = operand_index(*value.node, 0, index, axes, bounds, split);
    if (!next || !bounds.empty()) break;
    value = value.node->operand(0);
    index = std::move(*next);
    best = as_view(value, index);
  }
  return best;
}

ir::Value storage_of(ir::Value value) {
  while (value.node->op == &ir::ops::reshape) value = value.node->operand(0);
  return value;
}

}  // namespace weft::compiler
