#include <weft/compiler/loop/matmul_shape.h>

#include <algorithm>

#include <weft/ir/ops.h>

namespace weft::compiler {

using ir::Node;

namespace {

// A group of dimensions that can be walked as one, with a single stride.
struct DimensionGroup {
  Size size = 1, stride = 0;
};

std::optional<DimensionGroup> group(const Strided& operand, ir::Ints dims) {
  DimensionGroup g;
  for (std::size_t i = dims.size(); i-- > 0;) {
    const std::size_t d = dims[i];
    const Size size = operand.sizes[d], stride = operand.strides[d];
    if (size.is(1)) continue;
    if (!g.size.is(1) && stride != g.stride * g.size) return std::nullopt;
    if (g.size.is(1)) g.stride = stride;
    g.size *= size;
  }
  return g;
}

}  // namespace

std::vector<std::int64_t> free_dims(int rank, ir::Ints batching, ir::Ints contracting) {
  std::vector<std::int64_t> dims;
  for (std::int64_t d = 0; d < rank; ++d)
    if (std::ranges::find(batching, d) == batching.end() && std::ranges::find(contracting, d) == contracting.end())
      dims.push_back(d);
  return dims;
}

std::optional<MatmulShape> matmul_shape(const ir::DotAttributes& a, const Strided& lhs, const Strided& rhs) {
  const auto rank = [](const Strided& operand) { return static_cast<int>(operand.sizes.size()); };
  const auto lhs_free = free_dims(rank(lhs), a.lhs_batching, a.lhs_contracting);
  const auto rhs_free = free_dims(rank(rhs), a.rhs_batching, a.rhs_contracting);
  const auto m = group(lhs, lhs_free), n = group(rhs, rhs_free);
  const auto lk = group(lhs, a.lhs_contracting), rk = group(rhs, a.rhs_contracting);
  if (!m || !n || !lk || !rk) return std::nullopt;
  // oneDNN requires one of a matrix's two dimensions to be dense. Nothing is computed if there are no elements, so all sizes may be assumed
  // to be positive, and with them their products, which are the strides of dense operands. That cannot be derived for each stride by itself
  // where sizes are differences.
  std::vector<Size> positive;
  for (const Strided* operand : {&lhs, &rhs}) {
    positive.insert(positive.end(), operand->sizes.begin(), operand->sizes.end());
    Size product = 1;
    for (std::size_t d = operand->sizes.size(); d-- > 0;) {
      product *= operand->sizes[d];
      if (!product.is_constant()) positive.push_back(product);
    }
  }
  const auto several = [](Size size) { return !size.is(1); };
  const auto at_least = [&](Size x, Size least) { return never_negative(x - least, positive); };
  const auto dense = [&](const DimensionGroup& rows, const DimensionGroup& columns) {
    if (several(rows.size) && several(columns.size))
      return (rows.stride.is(1) && at_least(columns.stride, rows.size)) ||
             (columns.stride.is(1) && at_least(rows.stride, columns.size));
    return rows.size.is(1) ? columns.size.is(1) || columns.stride.is(1) : rows.stride.is(1);
  };
  if (!dense(*m, *lk) || !dense(*rk, *n)) return std::nullopt;
  MatmulShape shape;
  shape.m = m->size;
  shape.n = n->size;
  shape.k = lk->size;
  const bool has_elements = std::ranges::none_of(positive, [](Size size) { return size.is(0); });
  // Collects batch dimensions and merges neighbours if both operands allow it.
  std::vector<Size> lhs_strides, rhs_strides;
  for (std::size_t i = 0; i < a.lhs_batching.size(); ++i) {
    const Size size = lhs.sizes[a.lhs_batching[i]];
    const Size ls = lhs.strides[a.lhs_batching[i]], rs = rhs.strides[a.rhs_batching[i]];
    if (size.is(1)) continue;
    if (!at_least(ls, 0) || !at_least(rs, 0)) return std::nullopt;  // oneDNN cannot walk a dimension backwards
    if (ls.is(0) && rs.is(0) && has_elements) return std::nullopt;  // nor repeat its result
    if (!shape.batch.empty() && lhs_strides.back() == ls * size && rhs_strides.back() == rs * size) {
      shape.batch.back() *= size;
      lhs_strides.back() = ls;
      rhs_strides.back() = rs;
    } else {
      shape.batch.push_back(size);
      lhs_strides.push_back(ls);
      rhs_strides.push_back(rs);
    }
  }
  if (shape.batch.size() > 8) return std::nullopt;
  // A dimension of one element may have any stride; choose one that keeps the layout plain.
  const auto pair = [&](std::vector<Size> strides, DimensionGroup rows, DimensionGroup columns) {
    if (rows.size.is(1)) rows.stride = columns.size.is(1) || columns.stride.is(1) ? columns.size : Size(1);
    if (columns.size.is(1)) columns.stride = rows.stride.is(1) && several(rows.size) ? rows.size : Size(1);
    strides.push_back(rows.stride);
    strides.push_back(columns.stride);
    return strides;
  };
  shape.lhs = pair(std::move(lhs_strides), *m, *lk);
  shape.rhs = pair(std::move(rhs_strides), *rk, *n);
  return shape;
}

Strided strided(const Node& dot, std::size_t operand, const View& view) {
  const auto dims = dot.operand(operand).type().dims();
  return {{dims.begin(), dims.end()}, view.strides};
}

std::optional<MatmulShape> matmul_shape(const Node& dot, const View& lhs, const View& rhs) {
  return matmul_shape(dot.attributes<ir::DotAttributes>(), strided(dot, 0, lhs), strided(dot, 1, rhs));
}

}  // namespace weft::compiler
