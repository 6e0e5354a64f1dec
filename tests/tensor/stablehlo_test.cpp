// An exported module is read back and interpreted, and gives the values that weft computes.
#include <tests/tensor/check.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/ir/bytecode/bytecode.h>
#include <weft/ir/interpreter.h>
#include <weft/ir/text/text.h>
#include <weft/weft.h>

namespace weft {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::vector<ir::Array> interpret(const std::string& text, std::span<const Tensor> arguments) {
  std::vector<ir::Array> inputs;
  for (const Tensor& x : arguments) inputs.emplace_back(x.type(), x.bytes());
  return ir::interpret(*ir::parse(text), inputs);
}

void expect_elements(const ir::Array& interpreted, const Tensor& expected) {
  ASSERT_EQ(interpreted.type(), expected.type());
  const auto values = expected.to_vector<double>();
  for (std::int64_t i = 0; i < interpreted.size(); ++i) EXPECT_NEAR(interpreted.element(i), values[i], 1e-5) << i;
}

TEST(ExportStablehlo, InputsAreTheArguments) {
  const Tensor x = tensor({{1.0f, 2.0f}, {3.0f, 4.0f}}), y = tensor({0.5f, -1.0f});
  const auto f = [](const Tensor& a, const Tensor& b) { return tanh(matmul(a, b)) * 2 + b; };
  const std::string text = export_stablehlo(f, x, y);
  const Tensor both[] = {x, y};
  expect_elements(interpret(text, both)[0], f(x, y));
  EXPECT_THAT(text, HasSubstr("@main(%arg0: tensor<2x2xf32>, %arg1: tensor<2xf32>) -> (tensor<2xf32>)"));
  EXPECT_EQ(text, export_stablehlo(f, y * 0 + x, y)) << "the values of arguments do not matter";
}

TEST(ExportStablehlo, BytecodeOfAVersion) {
  const Tensor x = tensor({{1.0f, 2.0f}, {3.0f, 4.0f}}), y = tensor({0.5f, -1.0f});
  const auto f = [](const Tensor& a, const Tensor& b) { return softmax(matmul(a, b)) + b; };
  const std::string bytes = export_stablehlo(StablehloVersion{1, 10}, f, x, y);
  EXPECT_THAT(bytes, HasSubstr("StableHLO_v1.10.0"));
  EXPECT_EQ(ir::print(ir::read_program(bytes)), export_stablehlo(f, x, y));
  // Version 0.18 has no composites, so softmax is a call; it has no tangent.
  const Tensor given[] = {x, y};
  expect_elements(interpret(ir::print(ir::read_program(export_stablehlo(StablehloVersion{0, 18}, f, x, y))), given)[0],
                  f(x, y));
  EXPECT_THAT([&] { export_stablehlo(StablehloVersion{0, 18}, [](const Tensor& a) { return tan(a); }, x); },
              testing::ThrowsMessage<Error>(AllOf(HasSubstr("stablehlo.tan at "), HasSubstr("stablehlo_test.cpp:"),
                                                  HasSubstr("only since StableHLO 1.4"))));
  const auto both = [&](const std::vector<Tensor>& given) { return std::vector{f(given[0], given[1])}; };
  const Tensor arguments[] = {x, y};
  EXPECT_EQ(export_stablehlo(StablehloVersion{1, 10}, both, arguments), bytes);
}

TEST(ExportStablehlo, EverythingElseIsAConstant) {
  nn::Linear layer(2, 3);
  const Tensor x = tensor({{1.0f, 2.0f}}), pending = x + 1;
  double rate = 0.5;
  const auto f = [&](const Tensor& a) { return layer(a) * rate + sum(pending); };
  const std::string text = export_stablehlo(f, x);
  rate = 7;
  const ir::Array result = interpret(text, std::span(&x, 1))[0];
  rate = 0.5;
  expect_elements(result, f(x));
  EXPECT_EQ(ir::parse(text)->inputs().size(), 1u);
}

TEST(ExportStablehlo, GradientsAndControlFlow) {
  const Tensor x = tensor({1.0f, -2.0f, 3.0f}), w = tensor({0.1f, 0.2f, 0.3f});
  const auto f = [](const std::vector<Tensor>& given) {
    const auto step = [&](const Tensor&, const std::vector<Tensor>& at) {
      return std::vector{softmax(at[0] * given[1])};
    };
    const Tensor loss = sum(for_loop(3, std::vector{given[0]}, step)[0] * given[0]);
    return std::vector{loss, grad(sum(gelu(given[0] * given[1])), given[1])};
  };
  const std::vector<Tensor> arguments{x, w};
  const std::string text = export_stablehlo(f, arguments);
  const auto results = interpret(text, arguments);
  const auto expected = f(arguments);
  ASSERT_EQ(results.size(), 2u);
  expect_elements(results[0], expected[0]);
  expect_elements(results[1], expected[1]);
}

TEST(ExportStablehlo, NothingIsOursAlone) {
  const Tensor x = tensor({1.0f, -2.0f, 3.0f});
  const std::string text =
      export_stablehlo([](const Tensor& a) { return stop_gradient(logsumexp(a)) + stop_gradient(a); }, x);
  EXPECT_THAT(text, Not(HasSubstr("weft.stop_gradient")));
  expect_elements(interpret(text, std::span(&x, 1))[0], logsumexp(x) + x);
}

TEST(ExportStablehlo, ReadingAValueWithinIsRefused) {
  const Tensor x = tensor({1.0f});
  EXPECT_THROW(export_stablehlo([](const Tensor& a) { return a * a.item<float>(); }, x), Error);
  EXPECT_THAT(export_stablehlo([](const Tensor& a) { return a; }, x), HasSubstr("return")) << "nothing is left behind";
}

TEST(ExportStablehlo, PrintIsTheGraphs) {
  const auto graph = ir::parse("func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> { return %x : tensor<2xf32> }");
  EXPECT_THAT(stablehlo::print(*graph), HasSubstr("func.func public @f(%arg0: tensor<2xf32>)"));
}

}  // namespace
}  // namespace weft
