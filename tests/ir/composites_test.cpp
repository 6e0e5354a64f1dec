// Compares the gradients of composites with those of their decompositions.
#include <weft/ir/composites.h>

#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include <weft/ir/autodiff.h>
#include <weft/ir/builder.h>
#include <weft/ir/interpreter.h>
#include <weft/ir/ops.h>

namespace weft::ir {
namespace {

Array random_array(Type type, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<double> normal;
  Array array(type);
  for (double& x : array.data<double>()) x = normal(generator);
  return array;
}

// Returns the gradients with respect to all inputs except the last, which is the cotangent of the first result.
template <class F>
std::vector<Array> gradients(const std::vector<Type>& types, F&& function, bool inlined) {
  std::vector<Type> inputs = types;
  const auto plain = make_graph(types, [&](Graph&, std::span<const Value> x) { return std::vector{function(x)}; });
  inputs.push_back(plain->outputs()[0].type());
  const auto graph = make_graph(inputs, [&](Graph& g, std::span<const Value> x) {
    const auto arguments = x.first(x.size() - 1);
    Value y = function(arguments);
    if (inlined) y = inline_graph(g, *y.node->regions[0], y.node->operands)[0];
    return gradient(g, std::vector{y}, std::vector{x.back()}, arguments);
  });
  std::vector<Array> values;
  for (const Type t : inputs) values.push_back(random_array(t, static_cast<unsigned>(values.size() + 1)));
  return interpret(*graph, values);
}

template <class F>
void check(const std::vector<Type>& types, F&& function) {
  const auto got = gradients(types, function, false), want = gradients(types, function, true);
  ASSERT_EQ(got.size(), types.size());
  for (std::size_t k = 0; k < got.size(); ++k)
    for (std::int64_t i = 0; i < got[k].size(); ++i)
      ASSERT_NEAR(got[k].element(i), want[k].element(i), 1e-12 * (1 + std::abs(want[k].element(i))))
          << "operand " << k << " at " << i;
}

TEST(Composites, GradientsEqualThoseOfTheDecompositions) {
  const Type rows(DType::f64, {3, 4, 7}), columns(DType::f64, {7});
  for (const auto function : {softmax, log_softmax, gelu, gelu_tanh, silu})
    for (const Type type : {rows, columns}) check({type}, [&](std::span<const Value> x) { return function(x[0]); });
  for (const Type type : {rows, columns}) {
    check({type, columns, columns}, [](std::span<const Value> x) { return layer_norm(x[0], x[1], x[2], 1e-5)[0]; });
    check({type, columns}, [](std::span<const Value> x) { return rms_norm(x[0], x[1], 1e-5)[0]; });
  }
}

TEST(Composites, AreOneNodeAndShareTheirDecomposition) {
  Graph graph;
  const Value x = graph.add_input(Type(DType::f32, {5, 6}));
  const Value a = softmax(x), b = softmax(a);
  EXPECT_EQ(graph.nodes().size(), 3u);
  EXPECT_EQ(a.node->regions[0], b.node->regions[0]);
}

}  // namespace
}  // namespace weft::ir
