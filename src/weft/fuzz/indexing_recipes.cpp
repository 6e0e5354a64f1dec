#include <weft/fuzz/grower.h>
#include <weft/ir/ops.h>
#include <weft/ir/ops/window.h>

namespace weft::fuzz {

using ir::Op;
using ir::Value;

namespace {

std::vector<Value> random_starts(Grower& g, Value x) {
  const Type type(g.random_index_dtype(), {});
  std::vector<Value> starts;
  for (int d = 0; d < x.rank(); ++d) starts.push_back(g.positions(type, x.size(d)));
  return starts;
}

Dims random_part(Grower& g, Value x) {
  Dims sizes;
  for (int d = 0; d < x.rank(); ++d)
    sizes.push_back(g.random().one_in(3) ? x.size(d) : g.random().between(0, x.size(d)));
  return sizes;
}

void grow_dynamic_slice(Grower& g, const Op&) {
  const Value x = g.any();
  g.add(ir::dynamic_slice(x, random_starts(g, x), random_part(g, x)));
}

void grow_dynamic_update_slice(Grower& g, const Op&) {
  const Value x = g.any(), update = g.fitted(x.dtype(), random_part(g, x));
  g.add(ir::dynamic_update_slice(x, update, random_starts(g, x)));
}

// Sorts by some of the operands in turn, ascending or descending; the others are permuted along.
void grow_sort(Grower& g, const Op&) {
  const Value x = g.any_of_rank(1);
  std::vector<Value> operands{x};
  while (g.random().one_in(3)) operands.push_back(g.fitted(x.type().with(g.random_dtype())));
  std::vector<Type> scalars;
  for (const Value v : operands) scalars.insert(scalars.end(), 2, Type(v.dtype(), {}));
  const std::size_t keys = 1 + g.random().below(operands.size());
  const auto direction = g.random().one_in(2) ? ir::Direction::LT : ir::Direction::GT;
  const auto comparator = ir::make_graph(scalars, [&](ir::Graph&, auto v) {
    const auto before = [&](Value a, Value b) {
      return ir::compare(a, b, direction, is_float(a.dtype()) ? ir::Comparison::TOTALORDER : ir::Comparison::NOTYPE);
    };
    Value result = before(v[2 * keys - 2], v[2 * keys - 1]);
    for (std::size_t k = keys - 1; k-- > 0;) {
      const Value a = v[2 * k], b = v[2 * k + 1];
      result = ir::or_(before(a, b), ir::and_(ir::not_(before(b, a)), result));
    }
    return std::vector{result};
  });
  g.add(ir::sort(operands, g.random().between(-x.rank(), x.rank() - 1), g.random().one_in(2), comparator));
}

void grow_select_and_scatter(Grower& g, const Op&) {
  const Value x = g.any_of_rank(1);
  Dims window, strides, padding, positions;
  for (int d = 0; d < x.rank(); ++d) {
    window.push_back(g.random().one_in(2) ? 1 : g.random().between(1, 4));
    strides.push_back(g.random().between(1, 3));
    for (int side = 0; side < 2; ++side) padding.push_back(g.random().one_in(2) ? 0 : g.random().between(0, 1));
  }
  const ir::SelectAndScatterAttributes attributes{window, strides, padding};
  for (int d = 0; d < x.rank(); ++d) positions.push_back(ir::window_dim(attributes, d).positions(x.size(d)));
  const auto select = ir::comparison_body(g.random().one_in(2) ? ir::Direction::GE : ir::Direction::LE, x.dtype());
  g.add(ir::select_and_scatter(x, g.fitted(x.dtype(), positions), g.fitted(Type(x.dtype(), {})), attributes, select,
                               ir::reduction_body(random_fold(g, x.dtype()), x.dtype())));
}

constexpr FuzzEntry indexing_table[] = {
    {&ir::ops::gather, grow_gather},
    {&ir::ops::scatter, grow_scatter, scatter_bounds},
    {&ir::ops::dynamic_slice, grow_dynamic_slice},
    {&ir::ops::dynamic_update_slice, grow_dynamic_update_slice, update_bounds},
    {&ir::ops::sort, grow_sort, sort_bounds},
    {&ir::ops::select_and_scatter, grow_select_and_scatter, select_and_scatter_bounds},
};

}  // namespace

constinit const std::span<const FuzzEntry> indexing_entries = indexing_table;

}  // namespace weft::fuzz
