#include <weft/fuzz/grower.h>
#include <weft/ir/composites.h>
#include <weft/ir/inline.h>
#include <weft/ir/ops.h>

namespace weft::fuzz {

using ir::Op;
using ir::Value;

namespace {

std::vector<Value> some_values(Grower& g, std::size_t most) {
  std::vector<Value> values;
  for (std::size_t n = g.random().below(most + 1); n > 0; --n) values.push_back(g.any());
  return values;
}

std::vector<Type> random_types(Grower& g) {
  std::vector<Type> types;
  for (std::size_t n = 1 + g.random().below(2); n > 0; --n)
    types.push_back(g.random().one_in(2) ? g.any().type() : Grower::type_of(g.random_dtype(), g.random_sizes(0, 2)));
  return types;
}

// A counter bounds the loop; the other loop values may end it earlier.
void grow_while(Grower& g, const Op&) {
  require(g.may_nest(), "too deep");
  const Type count(DType::i32, {});
  const double trips = g.random().between(0, 5);
  std::vector<Value> inits{ir::constant(g.graph(), count, 0)};
  const std::vector<Value> state = some_values(g, 3);
  inits.insert(inits.end(), state.begin(), state.end());
  const std::vector<Type> types = types_of(inits), body_types(types.begin() + 1, types.end());
  const bool by_state = g.random().one_in(4);
  const std::array predicate{Type(DType::boolean, {})};
  const auto early = by_state ? g.random_region(types, predicate, 2) : nullptr;
  const auto condition = ir::make_graph(types, [&](ir::Graph& graph, auto v) {
    Value go_on = ir::compare(v[0], ir::constant_like(v[0], trips), ir::Direction::LT);
    if (early) go_on = ir::and_(go_on, ir::inline_graph(graph, *early, v)[0]);
    return std::vector{go_on};
  });
  const auto step = g.random_region(types, body_types, g.random().between(1, 5));
  const auto body = ir::make_graph(types, [&](ir::Graph& graph, auto v) {
    std::vector<Value> next{v[0] + 1.0};
    for (const Value x : ir::inline_graph(graph, *step, v)) next.push_back(x);
    return next;
  });
  g.add(ir::while_(inits, condition, body));
}

std::vector<std::shared_ptr<const ir::Graph>> random_branches(Grower& g, std::size_t count,
                                                              std::span<const Value> captures) {
  require(g.may_nest(), "too deep");
  const std::vector<Type> results = random_types(g);
  std::vector<std::shared_ptr<const ir::Graph>> branches;
  for (std::size_t i = 0; i < count; ++i)
    branches.push_back(g.random_region(types_of(captures), results, g.random().between(0, 4)));
  return branches;
}

void grow_if(Grower& g, const Op&) {
  const Value predicate = g.fitted(Type(DType::boolean, {}));
  const auto captures = some_values(g, 3);
  const auto branches = random_branches(g, 2, captures);
  g.add(ir::if_(predicate, captures, branches[0], branches[1]));
}

void grow_case(Grower& g, const Op&) {
  const Value index = g.positions(Type(DType::i32, {}), 3);
  const auto captures = some_values(g, 3);
  g.add(ir::case_(index, captures, random_branches(g, 1 + g.random().below(3), captures)));
}

void grow_composite(Grower& g, const Op&) {
  if (g.random().one_in(2)) {
    const auto operands = some_values(g, 2);
    return g.add(ir::composite("fuzz.function", operands, random_branches(g, 1, operands)[0]));
  }
  const Value x = g.any_of_rank(1, ir::dtypes({DType::f32, DType::f64}));
  constexpr Value (*unary[])(Value) = {ir::softmax, ir::safe_softmax, ir::log_softmax,
                                       ir::gelu,    ir::gelu_tanh,    ir::silu};
  if (g.random().one_in(2)) return g.add(g.random().pick(unary)(x));
  const Value weight = g.fitted(x.dtype(), Dims{x.size(x.rank() - 1)});
  if (g.random().one_in(2)) return g.add(ir::rms_norm(x, weight, 1e-3)[0]);
  g.add(ir::layer_norm(x, weight, g.fitted(weight.type()), 1e-3));
}

constexpr FuzzEntry control_table[] = {
    {&ir::ops::while_, grow_while},
    {&ir::ops::if_, grow_if},
    {&ir::ops::case_, grow_case},
    {&ir::ops::composite, grow_composite},
};

}  // namespace

constinit const std::span<const FuzzEntry> control_entries = control_table;

}  // namespace weft::fuzz
