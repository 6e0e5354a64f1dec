#include <limits>

#include <weft/fuzz/grower.h>
#include <weft/ir/ops.h>

namespace weft::fuzz {

using ir::Op;
using ir::Value;

const Op& random_fold(Grower& g, DType dtype) {
  std::vector<const Op*> folds;
  for (const Op* op : ir::all_ops())
    if (op->kind == ir::Kind::elementwise && op->commutative && ir::contains(op->domain, dtype)) folds.push_back(op);
  return *g.random().pick(folds);
}

namespace {

// Operands of one shape, their initial values, and a body that may be folded in any order.
struct Fold {
  std::vector<Value> xs, inits;
  std::shared_ptr<const ir::Graph> body;
};

Fold fold_of_one(Grower& g, Value x) {
  return {{x}, {g.fitted(Type(x.dtype(), {}))}, ir::reduction_body(random_fold(g, x.dtype()), x.dtype())};
}

// Folds each operand with its own op.
Fold fold_of_two(Grower& g, Value x) {
  const Value y = g.fitted(x.type().with(g.random_dtype()));
  const Op &f = random_fold(g, x.dtype()), &h = random_fold(g, y.dtype());
  const Type a(x.dtype(), {}), b(y.dtype(), {});
  return {{x, y}, {g.fitted(a), g.fitted(b)}, ir::make_graph(std::array{a, b, a, b}, [&](ir::Graph& body, auto v) {
            return std::vector{body.append(f, std::array{v[0], v[2]}).result(),
                               body.append(h, std::array{v[1], v[3]}).result()};
          })};
}

// Folds to the largest or smallest element and its position; of equal elements, the first.
Fold argmax(Grower& g, Value x) {
  if (x.dtype() == DType::boolean) x = ir::convert(x, DType::i32);
  const Value place = ir::iota(g.graph(), x.type().with(DType::i32), x.rank() - 1);
  const Type a(x.dtype(), {}), b(DType::i32, {});
  const bool largest = g.random().one_in(2);
  const Value init = is_float(x.dtype()) ? ir::constant(g.graph(), a, largest ? -1e4 : 1e4) : g.fitted(a);
  return {{x, place},
          {init, ir::constant(g.graph(), b, 0)},
          ir::make_graph(std::array{a, b, a, b}, [&](ir::Graph&, auto v) {
            const Value better = ir::compare(v[0], v[2], largest ? ir::Direction::GT : ir::Direction::LT);
            const Value tie =
                ir::and_(ir::compare(v[0], v[2], ir::Direction::EQ), ir::compare(v[1], v[3], ir::Direction::LT));
            const Value keep = ir::or_(better, tie);
            return std::vector{ir::select(keep, v[0], v[2]), ir::select(keep, v[1], v[3])};
          })};
}

// The position alone, as JAX writes it: the first NaN counts as the largest and as the smallest element.
Value argmax_with_nan(Grower& g, Value x) {
  if (!is_float(x.dtype())) x = ir::convert(x, DType::f32);
  const std::int64_t along = x.rank() - 1;
  const Value place = ir::iota(g.graph(), x.type().with(g.random().one_in(2) ? DType::i32 : DType::i64), along);
  const Type a(x.dtype(), {}), b(place.dtype(), {});
  const bool largest = g.random().one_in(2);
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector inits{ir::constant(g.graph(), a, largest ? -infinity : infinity), ir::constant(g.graph(), b, 0)};
  const auto body = ir::make_graph(std::array{a, b, a, b}, [&](ir::Graph&, auto v) {
    const Value keep = ir::or_(ir::compare(v[0], v[2], largest ? ir::Direction::GT : ir::Direction::LT),
                               ir::compare(v[0], v[0], ir::Direction::NE));
    const Value tie = ir::and_(ir::compare(v[0], v[2], ir::Direction::EQ), ir::compare(v[1], v[3], ir::Direction::LT));
    return std::vector{ir::select(keep, v[0], v[2]), ir::select(ir::or_(keep, tie), v[1], v[3])};
  });
  return ir::reduce(std::array{x, place}, inits, std::array{along}, body)[1];
}

Fold random_fold_of(Grower& g) {
  const Value x = g.any_of_rank(1);
  if (g.random().one_in(6)) return fold_of_two(g, x);
  if (g.random().one_in(5)) return argmax(g, x);
  return fold_of_one(g, x);
}

void grow_reduce(Grower& g, const Op&) {
  const Value x = g.any_of_rank(1);
  const Dims dims = g.random_dimensions(x.rank());
  if (is_float(x.dtype()) && g.random().one_in(2)) {  // a form that is common in programs
    const Value sum = g.random().one_in(2) ? ir::reduce_sum(x, dims) : ir::reduce_max(x, dims);
    return g.add(sum);
  }
  if (g.random().one_in(6)) return g.add(argmax_with_nan(g, x));
  const Fold fold = random_fold_of(g);
  g.add(ir::reduce(fold.xs, fold.inits, g.random_dimensions(fold.xs[0].rank()), fold.body));
}

void grow_reduce_window(Grower& g, const Op&) {
  const Fold fold = random_fold_of(g);
  Dims window, strides, base, dilation, padding;
  for (int d = 0; d < fold.xs[0].rank(); ++d) {
    window.push_back(g.random().one_in(2) ? 1 : g.random().between(1, 4));
    strides.push_back(g.random().one_in(2) ? 1 : g.random().between(1, 3));
    base.push_back(g.random().one_in(4) ? 2 : 1);
    dilation.push_back(g.random().one_in(4) ? 2 : 1);
    for (int side = 0; side < 2; ++side) padding.push_back(g.random().one_in(2) ? 0 : g.random().between(-1, 2));
  }
  g.add(ir::reduce_window(fold.xs, fold.inits, {window, strides, base, dilation, padding}, fold.body));
}

constexpr FuzzEntry reduction_table[] = {{&ir::ops::reduce, grow_reduce},
                                         {&ir::ops::reduce_window, grow_reduce_window}};

}  // namespace

constinit const std::span<const FuzzEntry> reduction_entries = reduction_table;

}  // namespace weft::fuzz
