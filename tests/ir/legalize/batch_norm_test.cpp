// Tests StableHLO's batch normalisation: the examples of the specification, and gradients compared with those of the definition.
#include <weft/ir/legalize/batch_norm.h>

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/base/error.h>
#include <weft/ir/autodiff.h>
#include <weft/ir/builder.h>
#include <weft/ir/interpreter.h>
#include <weft/ir/text/text.h>

namespace weft::ir {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

std::vector<Array> run_module(const std::string& text, const std::vector<Array>& inputs) {
  return interpret(*parse(text), inputs);
}

const Array x = Array::of<double>({2, 2, 2}, {1, 2, 3, 4, 3, 4, 1, 2});
const Array ones = Array::of<double>({2}, {1, 1}), mean = Array::of<double>({2}, {2, 3});

std::string training(const std::string& scale, int feature) {
  return concat("func.func @main(%x: tensor<2x2x2xf64>, %s: ", scale, ", %o: ", scale,
                ") -> (tensor<2x2x2xf64>, tensor<2xf64>, tensor<2xf64>) { "
                "%y, %m, %v = \"stablehlo.batch_norm_training\"(%x, %s, %o) "
                "{epsilon = 0.0 : f32, feature_index = ",
                feature, " : i64} : (tensor<2x2x2xf64>, ", scale, ", ", scale,
                ") -> (tensor<2x2x2xf64>, tensor<2xf64>, tensor<2xf64>) "
                "return %y, %m, %v : tensor<2x2x2xf64>, tensor<2xf64>, tensor<2xf64> }");
}

TEST(TextBatchNorm, Training) {
  const std::vector<Array> results = run_module(training("tensor<2xf64>", 2), {x, ones, ones});
  EXPECT_THAT(results[0].data<double>(), ElementsAre(0, 0, 2, 2, 2, 2, 0, 0));
  EXPECT_THAT(results[1].data<double>(), ElementsAre(2, 3));
  EXPECT_THAT(results[2].data<double>(), ElementsAre(1, 1));
}

TEST(TextBatchNorm, Inference) {
  const std::vector<Array> results = run_module(
      "func.func @main(%x: tensor<2x2x2xf64>, %s: tensor<2xf64>, %m: tensor<2xf64>) -> tensor<2x2x2xf64> { "
      "%y = \"stablehlo.batch_norm_inference\"(%x, %s, %s, %m, %s) {epsilon = 3.0 : f32, feature_index = 2 : i64} : "
      "(tensor<2x2x2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>) -> tensor<2x2x2xf64> "
      "return %y : tensor<2x2x2xf64> }",
      {x, ones, mean});
  EXPECT_THAT(results[0].data<double>(), ElementsAre(0.5, 0.5, 1.5, 1.5, 1.5, 1.5, 0.5, 0.5));
}

TEST(TextBatchNorm, GradientOfTheSpecification) {
  const std::vector<Array> results = run_module(
      "func.func @main(%x: tensor<2x2x2xf64>, %s: tensor<2xf64>, %m: tensor<2xf64>, %dy: tensor<2x2x2xf64>) -> "
      "(tensor<2x2x2xf64>, tensor<2xf64>, tensor<2xf64>) { "
      "%a, %b, %c = \"stablehlo.batch_norm_grad\"(%x, %s, %m, %s, %dy) {epsilon = 0.0 : f32, feature_index = 2 : "
      "i64} : (tensor<2x2x2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2x2x2xf64>) -> "
      "(tensor<2x2x2xf64>, tensor<2xf64>, tensor<2xf64>) "
      "return %a, %b, %c : tensor<2x2x2xf64>, tensor<2xf64>, tensor<2xf64> }",
      {x, ones, mean, Array::of<double>({2, 2, 2}, {0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1})});
  EXPECT_THAT(results[0].data<double>(), Each(testing::DoubleNear(0, 1e-15)));
  EXPECT_THAT(results[1].data<double>(), Each(testing::DoubleNear(0, 1e-15)));
  EXPECT_THAT(results[2].data<double>(), Each(testing::DoubleNear(0.4, 1e-15)));
}

// Compares the rule of batch_norm_grad with the derivative of the computation of batch_norm_training.
TEST(TextBatchNorm, GradientIsThatOfTraining) {
  const legalize::BatchNorm norm{.epsilon = 0.01, .feature_index = 1};
  const Type type(DType::f64, {3, 2, 4}), each(DType::f64, {2});
  const std::vector<Type> types{type, each, each, type};  // x, scale, offset and the cotangent
  const auto graph = make_graph(types, [&](Graph& g, std::span<const Value> in) {
    const std::vector<Value> y = legalize::batch_norm_training(in[0], in[1], in[2], norm);
    std::vector<Value> all = gradient(g, std::span(y).first(1), in.subspan(3, 1), in.first(3));
    for (const Value v : legalize::batch_norm_grad(in[0], in[1], y[1], y[2], in[3], norm)) all.push_back(v);
    return all;
  });
  std::vector<Array> inputs;
  for (const Type t : types) {
    std::vector<double> values;
    for (std::int64_t i = 0; i < t.elements(); ++i)
      values.push_back(static_cast<double>((i * 37 + 11 * std::ssize(inputs)) % 23) / 7);
    inputs.emplace_back(t, std::as_bytes(std::span(values)));
  }
  const std::vector<Array> results = interpret(*graph, inputs);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::int64_t k = 0; k < results[i].size(); ++k)
      EXPECT_NEAR(results[i].element(k), results[i + 3].element(k), 1e-12) << i << ' ' << k;
}

TEST(TextBatchNorm, RefusesWhatDoesNotFit) {
  EXPECT_THAT([] { parse(training("tensor<3xf64>", 2)); },
              ThrowsMessage<Error>(HasSubstr("expected tensor<2xf64> for the features of tensor<2x2x2xf64>")));
  EXPECT_THAT([] { parse(training("tensor<2xf64>", 3)); },
              ThrowsMessage<Error>(HasSubstr("there is no dimension feature_index = 3 in tensor<2x2x2xf64>")));
}

}  // namespace
}  // namespace weft::ir
