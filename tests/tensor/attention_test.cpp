// Attention stays a composite where kernels can replace it, and where it is inlined nothing is left of that.
#include <algorithm>
#include <cmath>
#include <map>
#include <tests/tensor/check.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/compiler/passes/all.h>
#include <weft/ir/autodiff.h>
#include <weft/ir/builder.h>
#include <weft/ir/composites.h>
#include <weft/ir/interpreter.h>
#include <weft/ir/ops.h>
#include <weft/ir/text/text.h>
#include <weft/weft.h>

namespace weft {
namespace {

using ir::Graph;
using testing::HasSubstr;
using testing::Not;

Tensor heads(std::int64_t time, std::int64_t seed) { return test::arbitrary({2, 3, time, 4}, seed); }

std::shared_ptr<const Graph> recorded(const AttentionOptions& options, std::int64_t queries, std::int64_t keys) {
  const auto attend = [&](const Tensor& q, const Tensor& k, const Tensor& v) {
    return scaled_dot_product_attention(q, k, v, options);
  };
  return ir::parse(export_stablehlo(attend, heads(queries, 0), heads(keys, 1), heads(keys, 2)));
}

const ir::Node& attention_in(const Graph& graph) {
  return **std::ranges::find_if(graph.nodes(), [](const ir::Node* n) { return n->op == &ir::ops::composite; });
}

// Returns the graph of the result and of the gradients of q, k and v, made from the composite or from its decomposition.
std::shared_ptr<const Graph> with_gradients(const Graph& graph, bool inlined) {
  const ir::Node& node = attention_in(graph);
  std::vector<Type> inputs;
  for (const ir::Value v : node.operands) inputs.push_back(v.type());
  inputs.push_back(node.types[0]);
  return ir::make_graph(inputs, [&](Graph& to, std::span<const ir::Value> x) {
    const auto operands = x.first(node.operands.size());
    ir::Value y = to.append_copy(node, operands).result();
    if (inlined) y = ir::inline_graph(to, *node.regions[0], operands)[0];
    std::vector<ir::Value> results = ir::gradient(to, std::span(&y, 1), x.last(1), operands.first(3));
    results.push_back(y);
    return results;
  });
}

std::shared_ptr<const Graph> optimised(std::shared_ptr<const Graph> graph) {
  using namespace compiler;
  const auto run = [&](auto pass) {
    if (auto made = pass(*graph)) graph = std::move(made);
  };
  run(inline_composites);
  run(eliminate_dead_nodes);
  run(simplify);
  run(fold_constants);
  run(eliminate_common_subexpressions);
  run(eliminate_dead_nodes);
  return graph;
}

std::map<std::string_view, int> ops_of(const Graph& graph) {
  std::map<std::string_view, int> counts;
  for (const ir::Node* node : graph.nodes()) ++counts[node->op->name];
  return counts;
}

std::vector<ir::Array> interpreted(const Graph& graph) {
  std::vector<ir::Array> inputs;
  for (const ir::Value v : graph.inputs()) {
    Tensor x = test::arbitrary(Shape(v.type().dims()), static_cast<std::int64_t>(inputs.size()));
    x = v.dtype() == DType::boolean ? x > 0.0 : x.to(v.dtype());
    inputs.emplace_back(v.type(), x.bytes());
  }
  return ir::interpret(graph, inputs);
}

struct Case {
  AttentionOptions options;
  std::int64_t queries, keys;
};
std::vector<Case> cases() {
  const Tensor seen = tensor({{true, false, true}, {false, true, true}});
  return {{{}, 5, 7},
          {{.causal = true}, 5, 5},
          {{.causal = true}, 5, 7},
          {{.causal = true}, 7, 5},
          {{.causal = true}, 100, 100},
          {{.mask = seen}, 2, 3},
          {{.causal = true, .mask = where(seen, 0.0, 1.5)}, 2, 3}};
}

TEST(Attention, GradientsAreThoseOfTheDecompositionOpByOp) {
  for (const Case& c : cases()) {
    const auto graph = recorded(c.options, c.queries, c.keys);
    const auto composite = optimised(with_gradients(*graph, false)), plain = optimised(with_gradients(*graph, true));
    EXPECT_EQ(ops_of(*composite), ops_of(*plain)) << c.queries << ' ' << c.keys;
    const auto found = interpreted(*composite), expected = interpreted(*plain);
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i)
      EXPECT_TRUE(std::ranges::equal(found[i].bytes(), expected[i].bytes())) << c.queries << ' ' << c.keys << ' ' << i;
  }
}

TEST(Attention, ReturnsTheLogarithmOfTheSumOfExponentials) {
  for (const bool causal : {false, true}) {
    const std::int64_t queries = 7, keys = 5;
    const auto graph = recorded({.causal = causal}, queries, keys);
    const std::vector<ir::Array> results = interpreted(*attention_in(*graph).regions[0]);
    const Tensor q = heads(queries, 0), k = heads(keys, 1);
    const auto scores = (matmul(q, transpose(k, -1, -2)) * 0.5).to_vector<double>();
    ASSERT_EQ(results[1].type(), Type(DType::f64, {2, 3, 7}));
    for (std::int64_t row = 0; row < 2 * 3 * queries; ++row) {
      const std::int64_t seen = causal ? std::max<std::int64_t>(0, row % queries + 1 + keys - queries) : keys;
      double sum = 0;
      for (std::int64_t j = 0; j < seen; ++j) sum += std::exp(scores[row * keys + j]);
      if (seen == 0)
        EXPECT_EQ(results[1].element(row), -std::numeric_limits<double>::infinity());
      else
        EXPECT_NEAR(results[1].element(row), std::log(sum), 1e-12);
    }
  }
}

TEST(Attention, StaysACompositeInGradientsAndBatches) {
  const auto loss = [](const Tensor& q, const Tensor& k, const Tensor& v) {
    return sum(scaled_dot_product_attention(q, k, v, {.causal = true}));
  };
  const auto gradients = [&](const Tensor& q, const Tensor& k, const Tensor& v) {
    return grad(loss(q, k, v), std::vector{q, k, v});
  };
  const Tensor x = heads(6, 0);
  const std::string text = export_stablehlo(gradients, x, x + 1, x - 1);
  EXPECT_THAT(text, HasSubstr("\"weft.causal_attention\""));
  EXPECT_THAT(text, HasSubstr("\"weft.causal_attention_gradient\""));
  EXPECT_EQ(ir::print(*ir::parse(text)), text);
  const auto batched =
      vmap([](const Tensor& q, const Tensor& k, const Tensor& v) { return scaled_dot_product_attention(q, k, v); });
  EXPECT_THAT(export_stablehlo(batched, x, x + 1, x - 1), HasSubstr("\"weft.attention\""));
  const auto scaled = [](const Tensor& q) { return scaled_dot_product_attention(q, q, q, {.scale = 0.3}); };
  EXPECT_THAT(export_stablehlo(scaled, x), HasSubstr("\"weft.attention\""));
  EXPECT_THAT(export_stablehlo(scaled, x.to(DType::bf16)), Not(HasSubstr("attention")));  // has no kernel
}

// Against differences of the first derivative.
TEST(Attention, HasSecondDerivatives) {
  const Tensor x = heads(5, 0), along = heads(5, 3);
  const auto first = [](const Tensor& q) {
    const Tensor y = scaled_dot_product_attention(q, q * 0.5, q + 1, {.causal = true});
    return grad(sum(y * y), std::vector{q})[0];
  };
  const double step = 1e-5;
  const Tensor expected = (first(x + along * step) - first(x - along * step)) * (0.5 / step);
  const Tensor found = jvp(first, x, along).second;
  const auto a = found.to_vector<double>(), b = expected.to_vector<double>();
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-7) << i;
}

}  // namespace
}  // namespace weft
