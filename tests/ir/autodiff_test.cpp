// Tests reverse mode itself and properties that the differences of gradient_test.cpp cannot show: conventions at kinks and the
// form of gradients.
#include <weft/ir/autodiff.h>

#include <tests/ir/sum_all.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/ir/interpreter.h>
#include <weft/ir/ops.h>

namespace weft::ir {
namespace {

using Dims = std::vector<std::int64_t>;
using ::testing::ElementsAre;

const Type number(DType::f64, {});
Type vector_of(std::int64_t n) { return Type(DType::f64, {n}); }

std::vector<Value> gradient_of_sum(Graph& graph, Value y, std::span<const Value> xs) {
  const Value one = constant_like(y, 1);
  return gradient(graph, std::span(&y, 1), std::span(&one, 1), xs);
}

// Returns d sum(f(x...)) / d x... at these points.
template <class F>
std::vector<std::vector<double>> slopes(const std::vector<std::vector<double>>& points, F f) {
  std::vector<Array> inputs;
  std::vector<Type> types;
  for (const auto& p : points) {
    types.push_back(vector_of(std::ssize(p)));
    inputs.emplace_back(types.back(), std::as_bytes(std::span(p)));
  }
  const auto graph = make_graph(types, [&](Graph& g, std::span<const Value> x) { return gradient_of_sum(g, f(x), x); });
  std::vector<std::vector<double>> result;
  for (const Array& a : interpret(*graph, inputs))
    result.emplace_back(a.data<double>().begin(), a.data<double>().end());
  return result;
}

std::size_t count(const Graph& graph, const Op& op) {
  return static_cast<std::size_t>(std::ranges::count(graph.nodes(), &op, &Node::op));
}

TEST(Autodiff, IsZeroWhereNothingDepends) {
  EXPECT_THAT(slopes({{1, 2}, {3, 4}}, [](auto x) { return x[0] * x[0]; }),
              ElementsAre(ElementsAre(2, 4), ElementsAre(0, 0)));
}

TEST(Autodiff, OfAnInputByItselfIsItsCotangent) {
  Graph graph;
  const Value x = graph.add_input(number), dy = graph.add_input(number);
  EXPECT_EQ(gradient(graph, std::array{x}, std::array{dy}, std::array{x})[0], dy);
  EXPECT_EQ(graph.nodes().size(), 2u);
}

TEST(Autodiff, AddsOverUsesAndOutputs) {
  EXPECT_THAT(slopes({{3}}, [](auto x) { return x[0] * x[0] + x[0]; }), ElementsAre(ElementsAre(7)));
  Graph graph;
  const Value x = graph.add_input(number), y = exponential(x), dy = graph.add_input(number);
  graph.set_outputs(gradient(graph, std::array{y, y}, std::array{dy, dy}, std::array{x, x}));
  const auto results = interpret(graph, std::array{Array::scalar<double>(0), Array::scalar<double>(1)});
  EXPECT_EQ(results[0], Array::scalar<double>(2));
  EXPECT_EQ(results[1], Array::scalar<double>(2));
}

TEST(Autodiff, OfSlicesThatAreTheWholeIsTheirConcatenation) {
  const auto part = [](Value x, std::int64_t from, std::int64_t to) {
    return slice(x, std::array{from}, std::array{to}, std::array<std::int64_t, 1>{1});
  };
  const auto graph = make_graph(std::array{vector_of(6)}, [&](Graph& g, std::span<const Value> x) {
    const Value y = concatenate(std::array{part(x[0], 4, 6) * 3.0, part(x[0], 0, 2), part(x[0], 2, 4) * 2.0}, 0);
    return gradient_of_sum(g, y, x);
  });
  EXPECT_EQ(interpret(*graph, std::array{Array::of<double>({6}, {1, 1, 1, 1, 1, 1})})[0],
            Array::of<double>({6}, {1, 1, 2, 2, 3, 3}));
  EXPECT_EQ(count(*graph, ops::concatenate), 2u);
  EXPECT_EQ(count(*graph, ops::pad), 0u);
  // With gaps, overlaps and another use.
  EXPECT_THAT(slopes({{1, 1, 1, 1, 1, 1, 1}},
                     [&](auto x) {
                       const Value y =
                           concatenate(std::array{part(x[0], 1, 4), part(x[0], 2, 4) * 10.0, part(x[0], 4, 6)}, 0);
                       return concatenate(std::array{y, x[0] * 100.0}, 0);
                     }),
              ElementsAre(ElementsAre(100, 101, 111, 111, 101, 101, 100)));
}

TEST(Autodiff, OfSlicesWithGapsHasZerosThere) {
  const Type matrix(DType::f64, {2, 8});
  const auto graph = make_graph(std::array{matrix}, [&](Graph& g, std::span<const Value> x) {
    const auto columns = [&](std::int64_t begin, std::int64_t end) {
      const std::array<std::int64_t, 2> start{0, begin}, limit{2, end}, ones{1, 1};
      return slice(x[0], start, limit, ones);
    };
    const Value y = concatenate(std::array{columns(4, 5) * 3.0, columns(1, 2), columns(5, 7) * 5.0}, 1);
    return gradient_of_sum(g, y, x);
  });
  EXPECT_EQ(interpret(*graph, std::array{Array(matrix)})[0],
            Array::of<double>({2, 8}, {0, 1, 0, 0, 3, 5, 5, 0, 0, 1, 0, 0, 3, 5, 5, 0}));
  EXPECT_EQ(count(*graph, ops::pad), 0u);
}

// The slices are along different dimensions.
TEST(Autodiff, OfRowsAndColumnsIsTheirSum) {
  const Type matrix(DType::f64, {2, 2});
  const auto graph = make_graph(std::array{matrix}, [&](Graph& g, std::span<const Value> x) {
    const std::array<std::int64_t, 2> none{0, 0}, row{1, 2}, column{2, 1}, ones{1, 1};
    const Value y = concatenate(std::array{reshape(slice(x[0], none, row, ones), std::vector{Dim(2)}),
                                           reshape(slice(x[0], none, column, ones), std::vector{Dim(2)}) * 10.0},
                                0);
    return gradient_of_sum(g, y, x);
  });
  EXPECT_EQ(interpret(*graph, std::array{Array(matrix)})[0], Array::of<double>({2, 2}, {11, 1, 10, 0}));
}

TEST(Autodiff, OfAnInputThatDependsOnAnotherIsTheWhole) {
  Graph graph;
  const Value x = graph.add_input(number), middle = x * x, y = middle * x;
  graph.set_outputs(gradient_of_sum(graph, y, std::array{x, middle}));
  const auto results = interpret(graph, std::array{Array::scalar<double>(2)});
  EXPECT_EQ(results[0], Array::scalar<double>(12));
  EXPECT_EQ(results[1], Array::scalar<double>(2));
}

TEST(Autodiff, StopsWhereAsked) {
  EXPECT_THAT(slopes({{3}}, [](auto x) { return stop_gradient(x[0]) * x[0]; }), ElementsAre(ElementsAre(3)));
}

TEST(Autodiff, PassesOverWhatHasNoGradientOnOtherWays) {
  // The loop is not between x and y.
  const auto condition = make_graph(std::span(&number, 1), [](Graph&, auto x) {
    return std::vector{compare(x[0], constant_like(x[0], 9), Direction::LT)};
  });
  const auto body = make_graph(std::span(&number, 1), [](Graph&, auto x) { return std::vector{x[0] * 2}; });
  Graph graph;
  const Value x = graph.add_input(number), other = graph.add_input(number);
  const Value looped = while_(std::span(&other, 1), condition, body)[0];
  EXPECT_NO_THROW(gradient_of_sum(graph, x * looped, std::array{x}));
  try {
    gradient_of_sum(graph, x * looped, std::array{other});
    ADD_FAILURE() << "while has no gradient";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), ::testing::StartsWith("grad: while has no gradient"));
  }
}

// The gradient of a loop keeps the values that it needs of each step, but no copies of arrays that the steps fill row by row.
TEST(Autodiff, KeepsNoStackOfStacks) {
  const Type counter(DType::i32, {}), row = vector_of(8), rows(DType::f64, {100, 8});
  const std::array types{counter, row, rows};
  const auto condition = make_graph(
      types, [](Graph&, auto x) { return std::vector{compare(x[0], constant_like(x[0], 100), Direction::LT)}; });
  const auto body = make_graph(types, [](Graph&, auto x) {
    const Value next = tanh(x[1]);
    const std::array at{x[0], constant_like(x[0], 0)};
    return std::vector{x[0] + constant_like(x[0], 1), next,
                       dynamic_update_slice(x[2], reshape(next, std::vector{Dim(1), Dim(8)}), at)};
  });
  Graph graph;
  const Value x = graph.add_input(row), zero = constant(graph, counter, 0), empty = constant(graph, rows, 0);
  const auto results = while_(std::array{zero, x, empty}, condition, body);
  gradient_of_sum(graph, sum_all(results[2]), std::array{x});
  for (const Node* n : graph.nodes())
    for (const Type type : n->types) EXPECT_LE(type.elements(), 800) << n->op->name << ' ' << type;
}

TEST(Autodiff, RefusesWhatIsNotDifferentiable) {
  Graph graph, elsewhere;
  const Value x = graph.add_input(number), i = graph.add_input(Type(DType::i32, {})),
              stranger = elsewhere.add_input(number);
  EXPECT_THROW(gradient_of_sum(graph, x, std::array{i}), Error);
  EXPECT_THROW(gradient_of_sum(graph, i, std::array{x}), Error);
  EXPECT_THROW(gradient_of_sum(graph, x, std::array{stranger}), Error);
  EXPECT_THROW(gradient(graph, std::array{x}, {}, std::array{x}), Error);
  const Value wrong = constant(graph, vector_of(2), 1);
  EXPECT_THROW(gradient(graph, std::array{x}, std::array{wrong}, std::array{x}), Error);
}

TEST(Autodiff, GivesNewNodesThePlaceOfTheirForwardNode) {
  Graph graph;
  const Value x = graph.add_input(number);
  graph.set_location({.file = "model.cpp", .scope = "layer.1", .line = 10});
  const Value h = tanh(x);
  graph.set_location({.file = "model.cpp", .scope = "layer.2", .line = 20});
  const Value y = exponential(h), one = constant_like(y, 1);
  graph.set_location({.file = "train.cpp", .scope = "", .line = 1});
  const std::size_t before = graph.nodes().size();
  gradient(graph, std::span(&y, 1), std::span(&one, 1), std::array{x});
  std::vector<std::uint32_t> lines;
  for (const Node* node : graph.nodes().subspan(before)) lines.push_back(node->location.line);
  EXPECT_THAT(lines, ::testing::Contains(10u));
  EXPECT_EQ(lines.front(), 20u);
  EXPECT_EQ(lines.back(), 10u);
  EXPECT_EQ(graph.location().line, 1u);
}

TEST(Autodiff, PutsTheLocationBackWhenItFails) {
  Graph graph;
  const Value x = graph.add_input(number);
  const auto body =
      make_graph(std::span(&number, 1), [](Graph&, auto v) { return std::vector{compare(v[0], v[0], Direction::LT)}; });
  const auto same = make_graph(std::span(&number, 1), [](Graph&, auto v) { return std::vector{v[0]}; });
  graph.set_location({.file = "a.cpp", .scope = "", .line = 1});
  const Value y = while_(std::span(&x, 1), body, same)[0];
  graph.set_location({.file = "b.cpp", .scope = "", .line = 2});
  EXPECT_THROW(gradient_of_sum(graph, y, std::array{x}), Error);
  EXPECT_EQ(graph.location().line, 2u);
}

TEST(Autodiff, AppendsTheSameNodesEveryTime) {
  const auto build = [](Graph& graph) {
    const Value x = graph.add_input(vector_of(3)), w = graph.add_input(vector_of(3));
    const Value y = sum_all(tanh(x * w) + x / w + maximum(x, w));
    gradient_of_sum(graph, y, std::array{x, w});
  };
  Graph a, b;
  build(a);
  build(b);
  EXPECT_EQ(a.fingerprint(), b.fingerprint());
}

TEST(Autodiff, SparesCotangentsThatNobodyNeeds) {
  Graph graph;
  const Type matrix(DType::f32, {4, 4});
  const Value x = graph.add_input(matrix), w = graph.add_input(matrix);
  const Dims last{1}, first{0};
  gradient_of_sum(graph, dot_general(x, w, {{}, {}, last, first}), std::array{w});
  EXPECT_EQ(count(graph, ops::dot_general), 2u);
}

// Layers, attention scores and attention outputs, whichever side is transposed: neither operands nor results are transposed.
TEST(Autodiff, OfMatrixProductsNeedsNoTranspose) {
  struct Case {
    Dims lhs, rhs, batching, lhs_contracting, rhs_contracting;
  };
  for (const Case& c :
       {Case{{2, 3, 4}, {4, 5}, {}, {2}, {0}}, Case{{2, 3, 4}, {5, 4}, {}, {2}, {1}},
        Case{{4, 3}, {4, 5}, {}, {0}, {0}}, Case{{4, 3}, {5, 4}, {}, {0}, {1}},
        Case{{2, 6, 3, 4}, {2, 6, 5, 4}, {0, 1}, {3}, {3}}, Case{{2, 6, 3, 5}, {2, 6, 5, 4}, {0, 1}, {3}, {2}}}) {
    Graph graph;
    const std::vector<Dim> lhs(c.lhs.begin(), c.lhs.end()), rhs(c.rhs.begin(), c.rhs.end());
    const Value a = graph.add_input(Type(DType::f32, lhs)), b = graph.add_input(Type(DType::f32, rhs));
    const Value y = dot_general(a, b, {c.batching, c.batching, c.lhs_contracting, c.rhs_contracting});
    gradient_of_sum(graph, y, std::array{a, b});
    EXPECT_EQ(count(graph, ops::dot_general), 3u);
    EXPECT_EQ(count(graph, ops::transpose), 0u) << y.type();
  }
}

// The gradients of x x^T by both operands are one product: (dy + dy^T) x.
TEST(Autodiff, OfAProductByItsTransposeNeedsOneProduct) {
  const Type matrices(DType::f64, {2, 3, 4}), products(DType::f64, {2, 3, 3});
  const Dims batch{0}, last{2};
  const auto slopes_of = [&](Graph& graph, Value a, Value b, Value factors) {
    const std::array by{a, b};
    return gradient_of_sum(graph, dot_general(a, b, {batch, batch, last, last}) * factors,
                           std::span(by).first(a == b ? 1 : 2));
  };
  Graph one, two;
  const Value x = one.add_input(matrices);
  one.set_outputs(slopes_of(one, x, x, one.add_input(products)));
  EXPECT_EQ(count(one, ops::dot_general), 2u);
  const Value a = two.add_input(matrices), b = two.add_input(matrices);
  const auto of_each = slopes_of(two, a, b, two.add_input(products));
  two.set_outputs({of_each[0] + of_each[1]});

  Array rows(matrices), factors(products);
  for (std::size_t i = 0; i < rows.data<double>().size(); ++i) rows.data<double>()[i] = static_cast<double>(i * i % 7);
  for (std::size_t i = 0; i < factors.data<double>().size(); ++i)
    factors.data<double>()[i] = static_cast<double>(i % 5);
  EXPECT_EQ(interpret(one, std::array{rows, factors})[0], interpret(two, std::array{rows, rows, factors})[0]);
}

TEST(Autodiff, OfAMixedPrecisionProductIsComputedInTheOperandsDtype) {
  Graph graph;
  const Type matrix(DType::bf16, {4, 4});
  const Value x = graph.add_input(matrix), w = graph.add_input(matrix);
  const Dims last{1}, first{0};
  const auto grads = gradient_of_sum(graph, dot_general(x, w, {{}, {}, last, first}, DType::f32), std::array{x, w});
  for (const Value g : grads) {
    EXPECT_EQ(g.type(), matrix);
    EXPECT_EQ(g.node->op, &ops::dot_general);
  }
}

TEST(Autodiff, OfALookupScattersIntoTheTable) {
  Graph graph;
  const Value table = graph.add_input(Type(DType::f32, {7, 3})), tokens = graph.add_input(Type(DType::i32, {2, 5}));
  const Dims two{2}, zero{0}, row{1, 3};
  const Value rows = gather(table, tokens, {two, zero, {}, {}, zero, 2, row, false});
  const auto grads = gradient_of_sum(graph, rows, std::array{table});
  EXPECT_EQ(grads[0].node->op, &ops::scatter);
  EXPECT_EQ(grads[0].type(), table.type());
}

TEST(Autodiff, OfConversionsReturnsToTheOperandsDtype) {
  Graph graph;
  const Value x = graph.add_input(Type(DType::f32, {3}));
  const Value y = convert(convert(x, DType::bf16), DType::f32);
  EXPECT_EQ(gradient_of_sum(graph, y, std::array{x})[0].type(), x.type());
  // No gradient passes back through integers.
  const Value z = convert(convert(x, DType::i32), DType::f32);
  EXPECT_EQ(gradient_of_sum(graph, z, std::array{x})[0].node->op, &ops::constant);
}

TEST(Autodiff, WithSymbolicSizes) {
  const Dim batch = Dim::symbol("batch", 1);
  Graph graph;
  const Dims last{1}, first{0};
  const Value x = graph.add_input(Type(DType::f32, {batch, 4})), w = graph.add_input(Type(DType::f32, {4, 3})),
              b = graph.add_input(Type(DType::f32, {3}));
  const Value y = dot_general(x, w, {{}, {}, last, first});
  const Value loss = sum_all(tanh(y + broadcast(b, y.type())));
  const auto grads = gradient_of_sum(graph, loss, std::array{x, w, b});
  EXPECT_EQ(grads[0].type(), x.type());
  EXPECT_EQ(grads[1].type(), w.type());
  EXPECT_EQ(grads[2].type(), b.type());
}

// Conventions at kinks follow JAX.

TEST(GradientConvention, TiesAreShared) {
  EXPECT_THAT(slopes({{1, 2, 3}, {2, 2, 2}}, [](auto x) { return maximum(x[0], x[1]); }),
              ElementsAre(ElementsAre(0, 0.5, 1), ElementsAre(1, 0.5, 0)));
  EXPECT_THAT(slopes({{1, 2, 3}, {2, 2, 2}}, [](auto x) { return minimum(x[0], x[1]); }),
              ElementsAre(ElementsAre(1, 0.5, 0), ElementsAre(0, 0.5, 1)));
  EXPECT_THAT(slopes({{4, 1, 4, 4}}, [](auto x) { return reduce_max(x[0], Dims{0}) * 3; }),
              ElementsAre(ElementsAre(1, 0, 1, 1)));
}

TEST(GradientConvention, AtZero) {
  EXPECT_THAT(slopes({{-2, 0, 2}}, [](auto x) { return abs(x[0]); }), ElementsAre(ElementsAre(-1, 0, 1)));
  EXPECT_THAT(slopes({{0, 0, 2}, {2, 0, 0}}, [](auto x) { return power(x[0], x[1]); }),
              ElementsAre(ElementsAre(0, 0, 0), ElementsAre(0, 0, std::log(2.0))));
}

TEST(GradientConvention, OfClampIncludesItsBounds) {
  EXPECT_THAT(
      slopes({{0, 0, 0, 0, 0}, {-1, 0, 1, 2, 3}, {2, 2, 2, 2, 2}}, [](auto x) { return clamp(x[0], x[1], x[2]); }),
      ElementsAre(ElementsAre(1, 0, 0, 0, 0), ElementsAre(0, 1, 1, 1, 0), ElementsAre(0, 0, 0, 0, 1)));
}

TEST(GradientConvention, OfProductsWithZeros) {
  const auto product = [](auto x) { return reduce_product(x[0], Dims{0}); };
  EXPECT_THAT(slopes({{2, 3, 4}}, product), ElementsAre(ElementsAre(12, 8, 6)));
  EXPECT_THAT(slopes({{2, 0, 4}}, product), ElementsAre(ElementsAre(0, 8, 0)));
  EXPECT_THAT(slopes({{2, 0, 0}}, product), ElementsAre(ElementsAre(0, 0, 0)));
}

TEST(GradientConvention, OfWindowMaximaIsTheFirstOnes) {
  EXPECT_THAT(slopes({{5, 5, 1, 5}},
                     [](auto x) {
                       const Dims two{2};
                       const Value low = constant(x[0].graph(), number, -100);
                       return reduce_window(x[0], low, {two, two, {}, {}, {}},
                                            reduction_body(ops::maximum, DType::f64));
                     }),
              ElementsAre(ElementsAre(1, 0, 0, 1)));
}

TEST(GradientConvention, OfReplacementsGoesToTheLastUpdate) {
  const auto replacing = make_graph(std::array{number, number}, [](Graph&, auto x) { return std::vector{x[1]}; });
  const auto put = [&](auto x) {
    const Dims zero{0};
    const Array at = Array::of<std::int32_t>({3}, {1, 1, 9});  // one position twice, and one outside
    return scatter(x[0], constant(x[0].graph(), at.literal()), x[1], {{}, zero, {}, {}, zero, 1, false, false},
                   replacing);
  };
  EXPECT_THAT(slopes({{1, 2, 3}, {4, 5, 6}}, put), ElementsAre(ElementsAre(1, 0, 1), ElementsAre(0, 1, 0)));
}

TEST(GradientConvention, OfACompositeUsesItsResult) {
  const Type vector = vector_of(3);
  const auto square_root = make_graph(std::span(&vector, 1), [](Graph&, auto x) { return std::vector{sqrt(x[0])}; });
  Graph graph;
  const Value x = graph.add_input(vector);
  gradient_of_sum(graph, composite("test.sqrt", std::span(&x, 1), square_root)[0], std::array{x});
  // the gradient of sqrt needs only its result, which is the result of the composite
  EXPECT_EQ(count(graph, ops::sqrt), 0u);
}

}  // namespace
}  // namespace weft::ir
