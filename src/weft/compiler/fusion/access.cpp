#include <weft/compiler/fusion/access.h>

#include <algorithm>

#include <weft/ir/ops.h>

namespace weft::compiler {

using ir::Node;
namespace ops = ir::ops;

bool Affine::is_constant() const {
  return std::ranges::all_of(coefficients, [](std::int64_t c) { return c == 0; });
}

void Affine::add(const Affine& other, std::int64_t factor) {
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

std::pair<std::int64_t, std::int64_t> range(const Affine& affine, std::span<const std::int64_t> axes) {
  std::int64_t low = affine.offset, high = affine.offset;
  for (std::size_t i = 0; i < affine.coefficients.size(); ++i) {
    const std::int64_t most = affine.coefficients[i] * (axes[i] - 1);
    (most < 0 ? low : high) += most;
  }
  return {low, high};
}

Affine linearise(const Index& index, std::span<const Dim> dims) {
  Affine position;
  std::int64_t stride = 1;
  for (std::size_t i = dims.size(); i-- > 0;) {
    position.add(index[i], stride);
    stride *= dims[i].value();
  }
  return position;
}

namespace {

// position = quotient * divisor + remainder with 0 <= remainder < divisor, if both are affine.
std::optional<std::pair<Affine, Affine>> divide(const Affine& position, std::int64_t divisor,
                                                std::span<const std::int64_t> axes, std::optional<Split>& split) {
  Affine quotient, remainder;
  remainder.offset = position.offset % divisor;
  if (remainder.offset < 0) remainder.offset += divisor;
  quotient.offset = (position.offset - remainder.offset) / divisor;
  quotient.coefficients.resize(position.coefficients.size());
  remainder.coefficients.resize(position.coefficients.size());
  for (std::size_t i = 0; i < position.coefficients.size(); ++i) {
    const std::int64_t c = position.coefficients[i];
    if (c % divisor == 0) {
      quotient.coefficients[i] = c / divisor;
    } else if (c > 0 && divisor % c == 0 && axes[i] > divisor / c && axes[i] % (divisor / c) == 0) {
      split = Split{i, divisor / c};
      return std::nullopt;
    } else {
      remainder.coefficients[i] = c;
    }
  }
  const auto [low, high] = range(remainder, axes);
  if (low < 0 || high >= divisor) return std::nullopt;
  return std::pair{quotient, remainder};
}

}  // namespace

std::optional<Index> delinearise(const Affine& position, std::span<const Dim> dims, std::span<const std::int64_t> axes,
                                 std::optional<Split>& split) {
  Index index(dims.size());
  Affine rest = position;
  for (std::size_t i = dims.size(); i-- > 0;) {
    const std::int64_t size = dims[i].value();
    if (i == 0 || size == 0) {
      index[i] = rest;
      rest = {};
      continue;
    }
    if (size == 1) continue;
    const auto parts = divide(rest, size, axes, split);
    if (!parts) return std::nullopt;
    index[i] = parts->second;
    rest = parts->first;
  }
  return index;
}

namespace {

// Groups of neighbouring dimensions that a reshape turns into one another are taken one by one, so that an index that leaves its
// dimension (the outside of a pad) stays in its group.
std::optional<Index> through_reshape(std::span<const Dim> from, std::span<const Dim> to, const Index& index,
                                     std::span<const std::int64_t> axes, std::optional<Split>& split) {
  Index result;
  std::size_t f = 0, t = 0;
  while (f < from.size() || t < to.size()) {
    const std::size_t first_f = f, first_t = t;
    std::int64_t size_from = f < from.size() ? from[f++].value() : 1, size_to = t < to.size() ? to[t++].value() : 1;
    while (size_from != size_to) {
      if (size_from < size_to) {
        if (f == from.size()) break;
        size_from *= from[f++].value();
      } else {
        if (t == to.size()) break;
        size_to *= to[t++].value();
      }
    }
    const Index part(index.begin() + static_cast<std::ptrdiff_t>(first_t),
                     index.begin() + static_cast<std::ptrdiff_t>(t));
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
  return node.op != &ops::pad ||
         std::ranges::all_of(node.attributes<ir::PadAttributes>().interior, [](std::int64_t i) { return i == 0; });
}

std::optional<Index> operand_index(const Node& node, int operand, const Index& index,
                                   std::span<const std::int64_t> axes, std::vector<Bound>& bounds,
                                   std::optional<Split>& split) {
  const Type type = node.operand(operand).type();
  const auto rank = static_cast<std::size_t>(type.rank());
  Index result(rank);
  if (node.op == &ops::broadcast_in_dim) {
    const auto dims = node.attributes<ir::BroadcastAttributes>().dimensions;
    for (std::size_t i = 0; i < rank; ++i)
      if (type.size(static_cast<int>(i)) != 1) result[i] = index[static_cast<std::size_t>(dims[i])];
    return result;
  }
  if (node.op == &ops::reshape) return through_reshape(type.dims(), node.type().dims(), index, axes, split);
  if (node.op == &ops::transpose) {
    const auto permutation = node.attributes<ir::TransposeAttributes>().permutation;
    for (std::size_t i = 0; i < rank; ++i) result[static_cast<std::size_t>(permutation[i])] = index[i];
    return result;
  }
  if (node.op == &ops::slice) {
    const auto& a = node.attributes<ir::SliceAttributes>();
    for (std::size_t i = 0; i < rank; ++i) {
      result[i].offset = a.start[i];
      result[i].add(index[i], a.strides[i]);
    }
    return result;
  }
  if (node.op == &ops::reverse) {
    result = index;
    for (const std::int64_t d : node.attributes<ir::DimensionsAttributes>().dimensions) {
      Affine reversed{type.size(static_cast<int>(d)) - 1, {}};
      reversed.add(index[static_cast<std::size_t>(d)], -1);
      result[static_cast<std::size_t>(d)] = std::move(reversed);
    }
    return result;
  }
  if (node.op == &ops::pad) {
    if (operand == 1) return Index{};
    const auto& a = node.attributes<ir::PadAttributes>();
    result = index;
    for (std::size_t i = 0; i < rank; ++i) {
      result[i].offset -= a.low[i];
      const std::int64_t size = type.size(static_cast<int>(i));
      const auto [low, high] = range(result[i], axes);
      if (low < 0 || high >= size) bounds.push_back({result[i], 0, size});
    }
    return result;
  }
  if (node.op == &ops::concatenate) {
    const auto d = static_cast<std::size_t>(node.attributes<ir::ConcatenateAttributes>().dimension);
    result = index;
    for (int k = 0; k < operand; ++k) result[d].offset -= node.operand(k).size(static_cast<int>(d));
    const std::int64_t size = type.size(static_cast<int>(d));
    const auto [low, high] = range(result[d], axes);
    if (low < 0 || high >= size) bounds.push_back({result[d], 0, size});
    return result;
  }
  WEFT_ASSERT(false, node.op->name, " does not move elements");
  return std::nullopt;
}

View view_through(ir::Value value, bool (*stored)(const void* context, ir::Value), const void* context) {
  const Type type = value.type();
  std::vector<std::int64_t> axes;
  Index index;
  for (int i = 0; i < type.rank(); ++i) {
    axes.push_back(type.size(i));
    index.push_back(axis_index(static_cast<std::size_t>(i)));
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

}  // namespace weft::compiler
