// Compares the gradients of every differentiable op, and the gradients of these gradients, with central differences of the
// interpreter's results in f64.
#include <tests/ir/op_samples.h>
#include <tests/ir/sum_all.h>

#include <gtest/gtest.h>

#include <weft/ir/autodiff.h>
#include <weft/ir/interpreter.h>
#include <weft/ir/ops.h>

namespace weft::ir {
namespace {

// Returns weights that differ between elements, so that errors do not cancel.
Value weights(Value like) {
  Graph& graph = like.graph();
  const Type flat(DType::f64, {like.type().elements()});
  return reshape(sine(iota(graph, flat, 0) * 1.7 + 0.3), like.type().dims());
}

// Returns a number that depends quadratically on every element of every floating-point value, so that its second derivative
// passes through the cotangents too.
Value loss_of(Graph& graph, std::span<const Value> values) {
  Value loss = constant(graph, Type(DType::f64, {}), 0);
  for (const Value v : values) {
    if (!is_float(v.dtype())) continue;
    const Value y = convert(v, DType::f64), w = weights(y);
    loss = loss + sum_all(w * y + w * y * y * 0.25);
  }
  return loss;
}

// Returns a graph of the sample's inputs whose first output is a loss of the op (order 1) or of the op's gradient (order 2). The
// other outputs are the gradients of that loss.
std::shared_ptr<const Graph> loss_and_gradients(const OpSample& sample, int order) {
  std::vector<Type> types;
  for (const Value v : sample.graph->inputs()) types.push_back(v.type());
  return make_graph(types, [&](Graph& graph, std::span<const Value> inputs) {
    std::vector<Value> xs, values = inline_graph(graph, *sample.graph, inputs);
    for (const int i : sample.wrt) xs.push_back(inputs[i]);
    Value loss;
    for (int i = 0; i < order; ++i) {
      loss = loss_of(graph, values);
      values = gradient(graph, std::span(&loss, 1), std::array{constant_like(loss, 1)}, xs);
    }
    values.insert(values.begin(), loss);
    return values;
  });
}

double loss_at(const Graph& graph, std::span<const Array> inputs) {
  return interpret(graph, inputs)[0].data<double>()[0];
}

void check_gradients(const OpSample& sample, int order) {
  SCOPED_TRACE(sample.name + ", order " + std::to_string(order));
  const auto graph = loss_and_gradients(sample, order);
  std::vector<Array> inputs = random_inputs(sample);
  const auto results = interpret(*graph, inputs);
  for (std::size_t k = 0; k < sample.wrt.size(); ++k) {
    auto& input = inputs[sample.wrt[k]];
    for (std::size_t i = 0; i < input.data<double>().size(); ++i) {
      const double x = input.data<double>()[i];
      input.data<double>()[i] = x + sample.step;
      const double above = loss_at(*graph, inputs);
      input.data<double>()[i] = x - sample.step;
      const double below = loss_at(*graph, inputs);
      input.data<double>()[i] = x;
      const double expected = (above - below) / (2 * sample.step), actual = results[k + 1].data<double>()[i];
      const double magnitude = std::max({1.0, std::abs(expected), std::abs(results[0].data<double>()[0])});
      ASSERT_NEAR(actual, expected, 2e-6 * magnitude) << "element " << i << " of input " << sample.wrt[k];
    }
  }
}

class Gradient : public ::testing::TestWithParam<const Op*> {};

TEST_P(Gradient, AgreesWithDifferences) {
  for (const OpSample& sample : samples(*GetParam()))
    if (!sample.wrt.empty())
      for (int order = 1; order <= sample.order; ++order) check_gradients(sample, order);
}

std::vector<const Op*> differentiable() {
  std::vector<const Op*> list;
  for (const Op* op : all_ops())
    if (op->gradient != zero_gradient && op->gradient != not_differentiable) list.push_back(op);
  return list;
}

INSTANTIATE_TEST_SUITE_P(Table, Gradient, ::testing::ValuesIn(differentiable()),
                         [](const auto& instance) { return std::string(instance.param->name); });

}  // namespace
}  // namespace weft::ir
