// Bias, activation and residual behind a matrix product run inside of the product if nobody else needs the intermediate values.
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include <weft/compiler/library/matmul_thunk.h>
#include <weft/ir/composites.h>
#include <weft/ir/interpreter.h>
#include <weft/ir/ops.h>

#include "run.h"

namespace weft {
namespace {

using ir::Array;
using ir::Value;
using Values = std::vector<Value>;
using Body = std::function<Values(ir::Graph& g, std::span<const Value> in)>;

constexpr std::int64_t m = 24, k = 40, n = 56;

// Inputs: x [2, m, k], w [k, n], row [n], full [2, m, n].
std::shared_ptr<const ir::Graph> graph_with(DType dtype, const Body& body) {
  const Type x(dtype, {2, m, k}), w(dtype, {k, n}), row(dtype, {n}), full(dtype, {2, m, n});
  return ir::make_graph(std::vector{x, w, row, full}, body);
}

Value product_of(std::span<const Value> in) {
  const std::int64_t last[] = {2}, first[] = {0};
  return ir::dot_general(in[0], in[1], {{}, {}, last, first});
}

Value rows(Value row, Value like) {
  const std::int64_t last[] = {2};
  return ir::broadcast_in_dim(row, like.type(), last);
}

std::vector<Array> inputs_of(const ir::Graph& graph) {
  std::mt19937 generator(3);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<Array> inputs;
  for (const Value v : graph.inputs()) {
    Array& input = inputs.emplace_back(v.type());
    visit(v.dtype(), [&]<class T>(T) {
      if constexpr (is_float_type<T>)
        for (T& element : input.data<T>()) element = static_cast<T>(uniform(generator));
    });
  }
  return inputs;
}

// Returns the names of the thunks without their numbers; also compares the results with the interpreter's.
std::vector<std::string> thunks_of(const ir::Graph& graph, const compiler::Options& options = {}) {
  const auto inputs = inputs_of(graph);
  const auto want = ir::interpret(graph, inputs);
  const auto got = test::run_compiled(graph, inputs, options);
  for (std::size_t i = 0; i < want.size(); ++i) {
    const double tolerance = graph.inputs()[0].dtype() == DType::bf16 ? 0.05 : 2e-5;
    for (std::int64_t e = 0; e < want[i].size(); ++e) {
      const double expected = want[i].element(e);
      EXPECT_NEAR(got[i].element(e), expected, tolerance * (1 + std::abs(expected))) << "output " << i << " at " << e;
      if (testing::Test::HasFailure()) break;
    }
  }
  std::vector<std::string> names;
  const auto executable = compiler::compile(graph, options);
  for (const auto& thunk : executable->thunks) names.push_back(thunk->info.name.substr(0, thunk->info.name.find('.')));
  return names;
}

using Names = std::vector<std::string>;

struct Case {
  std::string name;
  Value (*activation)(Value);
};

class EveryActivation : public testing::TestWithParam<std::tuple<Case, DType>> {};

TEST_P(EveryActivation, RunsInsideTheProduct) {
  const auto& [activation, dtype] = GetParam();
  if (!compiler::Target::host().multiplies(dtype, dtype, dtype)) GTEST_SKIP() << "this machine has no bf16 products";
  const auto bare =
      graph_with(dtype, [&](ir::Graph&, auto in) { return Values{activation.activation(product_of(in))}; });
  EXPECT_EQ(thunks_of(*bare), Names{"dot_general+activation"});
  const auto whole = graph_with(dtype, [&](ir::Graph&, auto in) {
    const Value h = product_of(in);
    return Values{in[3] + activation.activation(rows(in[2], h) + h)};
  });
  EXPECT_EQ(thunks_of(*whole), Names{"dot_general+bias+activation+residual"});
}

// The product of a column and a row of ones repeats the column, so the results are those of the activation.
TEST_P(EveryActivation, KeepsItsValuesAtTheEdges) {
  const auto& [activation, dtype] = GetParam();
  const std::vector<double> edges = {0.0, -0.0, 1e-30, -1e-30, 3,     -3,       20,        -20, 88,
                                     -88, 1e4,  -1e4,  1e30,   -1e30, INFINITY, -INFINITY, NAN};
  const auto rows = std::ssize(edges);
  const auto graph =
      ir::make_graph(std::vector{Type(dtype, {rows, 1}), Type(dtype, {1, 16})}, [&](ir::Graph&, auto in) {
        const std::int64_t last[] = {1}, first[] = {0};
        return Values{activation.activation(ir::dot_general(in[0], in[1], {{}, {}, last, first}))};
      });
  std::vector<Array> inputs;
  for (const Value v : graph->inputs()) inputs.push_back(Array::splat(v.type(), 1));
  visit(dtype, [&]<class T>(T) {
    if constexpr (is_float_type<T>)
      for (std::size_t i = 0; i < edges.size(); ++i) inputs[0].data<T>()[i] = static_cast<T>(edges[i]);
  });
  const auto want = ir::interpret(*graph, inputs)[0], got = test::run_compiled(*graph, inputs)[0];
  for (std::int64_t i = 0; i < want.size(); ++i) {
    const double expected = want.element(i), actual = got.element(i);
    SCOPED_TRACE(edges[i / 16]);
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(actual)) << actual;
    } else if (std::isinf(expected)) {
      EXPECT_EQ(actual, expected);
    } else {
      EXPECT_NEAR(actual, expected, (dtype == DType::bf16 ? 0.02 : 2e-6) * (1 + std::abs(expected)));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Table, EveryActivation,
                         testing::Combine(testing::Values(Case{"tanh", ir::tanh}, Case{"silu", ir::silu},
                                                          Case{"gelu", ir::gelu}, Case{"gelu_tanh", ir::gelu_tanh}),
                                          testing::Values(DType::f32, DType::bf16)),
                         [](const auto& test) {
                           return std::get<0>(test.param).name + "_" + std::string(name(std::get<1>(test.param)));
                         });

TEST(Epilogue, BiasIsFoundThroughAReshape) {
  const auto graph = graph_with(DType::f32, [](ir::Graph&, auto in) {
    const Value flat = ir::reshape(product_of(in), Type(DType::f32, {2, m, 7, 8}).dims());
    const std::int64_t last[] = {2, 3};
    const Value row = ir::reshape(in[2], Type(DType::f32, {7, 8}).dims());
    return Values{flat + ir::broadcast_in_dim(row, flat.type(), last)};
  });
  EXPECT_EQ(thunks_of(*graph), Names{"dot_general+bias"});
}

TEST(Epilogue, AProductAddsToAnother) {
  const auto graph = graph_with(DType::f32, [](ir::Graph&, auto in) {
    return Values{product_of(in) + product_of(std::vector{ir::negate(in[0]), in[1]})};
  });
  EXPECT_EQ(thunks_of(*graph), (Names{"negate", "dot_general", "dot_general+residual"}));
}

// The gradients of weights: sums over many rows of operands that may be parts of wider ones, added to another tensor.
TEST(Epilogue, ALongSumOfProductsOfRowsAddsToAnother) {
  constexpr std::int64_t length = 600, wide = 48, left = 33, right = 40;
  const Type x(DType::f32, {length, wide}), sum(DType::f32, {left, right});
  const auto graph = ir::make_graph(std::vector{x, x, sum}, [&](ir::Graph&, std::span<const Value> in) {
    const std::int64_t first[] = {0}, one[] = {1, 1};
    const auto part = [&](Value of, std::int64_t from, std::int64_t columns) {
      return ir::slice(of, std::vector<std::int64_t>{0, from}, std::vector{length, from + columns}, one);
    };
    const auto rows_product = [&](Value a, Value b) { return ir::dot_general(a, b, {{}, {}, first, first}); };
    return Values{rows_product(part(in[0], 3, left), part(in[1], 8, right)) + in[2], rows_product(in[0], in[1])};
  });
  EXPECT_EQ(thunks_of(*graph), (Names{"dot_general+residual", "dot_general"}));
}

TEST(Epilogue, WhatOthersNeedIsStored) {
  const auto output = graph_with(DType::f32, [](ir::Graph&, auto in) {
    const Value h = product_of(in);
    return Values{h, ir::tanh(h)};
  });
  EXPECT_EQ(thunks_of(*output), (Names{"dot_general", "tanh"}));
  const auto used = graph_with(DType::f32, [](ir::Graph&, auto in) {
    const Value h = product_of(in) + rows(in[2], product_of(in));
    return Values{ir::gelu_tanh(h) * ir::sine(h)};
  });
  EXPECT_EQ(thunks_of(*used), (Names{"dot_general+bias", "fusion"}));
  const auto twice = graph_with(DType::f32, [](ir::Graph&, auto in) {
    const Value h = product_of(in);
    return Values{h + h};
  });
  EXPECT_EQ(thunks_of(*twice), (Names{"dot_general", "add"}));
}

TEST(Epilogue, ATensorMadeForTheSumAloneIsNotStored) {
  const auto graph =
      graph_with(DType::f32, [](ir::Graph&, auto in) { return Values{product_of(in) + ir::sine(in[3]) * 2.0}; });
  EXPECT_EQ(thunks_of(*graph), (Names{"dot_general", "fusion"}));
}

TEST(Epilogue, ReluKeepsNan) {
  const auto graph = graph_with(DType::f32, [](ir::Graph&, auto in) {
    const Value h = product_of(in);
    return Values{ir::maximum(h, ir::constant_like(h, 0))};
  });
  EXPECT_EQ(thunks_of(*graph), (Names{"dot_general", "maximum"}));
  auto inputs = inputs_of(*graph);
  inputs[0].data<float>()[0] = NAN;
  EXPECT_TRUE(std::isnan(test::run_compiled(*graph, inputs)[0].element(0)));
}

TEST(Epilogue, AColumnIsNoBias) {
  const auto graph = graph_with(DType::f32, [](ir::Graph&, auto in) {
    const Value h = product_of(in);
    const std::int64_t first[] = {0, 1}, last[] = {2};
    const Value column = ir::reduce_sum(in[3], last);
    return Values{h + ir::broadcast_in_dim(column, h.type(), first)};
  });
  EXPECT_EQ(thunks_of(*graph), (Names{"dot_general", "fusion"}));
}

TEST(Epilogue, MixedPrecisionAddsInTheWiderType) {
  if (!compiler::Target::host().multiplies(DType::bf16, DType::bf16, DType::f32))
    GTEST_SKIP() << "this machine has no bf16 products";
  const Type x(DType::bf16, {m, k}), w(DType::bf16, {k, n}), row(DType::bf16, {n}), full(DType::f32, {m, n});
  const auto graph = ir::make_graph(std::vector{x, w, row, full}, [](ir::Graph&, std::span<const Value> in) {
    const std::int64_t last[] = {1}, first[] = {0};
    const Value h = ir::dot_general(in[0], in[1], {{}, {}, last, first});
    return Values{ir::convert(h + ir::broadcast_in_dim(in[2], h.type(), last), DType::f32) + in[3]};
  });
  EXPECT_EQ(thunks_of(*graph), Names{"dot_general+bias+residual"});
  const auto only_wider = ir::make_graph(std::vector{x, w}, [](ir::Graph&, std::span<const Value> in) {
    const std::int64_t last[] = {1}, first[] = {0};
    return Values{ir::convert(ir::dot_general(in[0], in[1], {{}, {}, last, first}), DType::f32)};
  });
  EXPECT_EQ(thunks_of(*only_wider), (Names{"dot_general", "convert"}));
}

TEST(Epilogue, StrictModeKeepsRoundingsApart) {
  compiler::Options strict;
  strict.strict = true;
  const auto graph = graph_with(DType::f32, [](ir::Graph&, auto in) {
    const Value h = product_of(in);
    return Values{ir::tanh(h + rows(in[2], h))};
  });
  EXPECT_EQ(thunks_of(*graph, strict), (Names{"dot_general", "fusion"}));
}

}  // namespace
}  // namespace weft
