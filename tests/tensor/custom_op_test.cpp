#include <weft/tensor/custom_op.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/base/knobs.h>
#include <weft/base/metrics.h>
#include <weft/record/sync.h>
#include <weft/tensor/creation.h>
#include <weft/tensor/elementwise.h>
#include <weft/tensor/gradient.h>
#include <weft/tensor/jvp.h>
#include <weft/tensor/reduction.h>

namespace weft {
namespace {

using Floats = std::vector<float>;

std::uint64_t counter(const std::string& name) {
  for (const auto& counter : metrics::snapshot().counters)
    if (counter.name == name) return counter.value;
  return 0;
}

// sin, with its gradient: inputs x, sin(x), dy.
const CustomOp& sine() {
  static const CustomOp op = custom_op(
      "test.sine", {.compute =
                        [](const HostCall& call) {
                          std::ranges::transform(call.inputs[0].data<float>(), call.outputs[0].data<float>().begin(),
                                                 [](float x) { return std::sin(x); });
                        },
                    .gradient =
                        [](const HostCall& call) {
                          const auto x = call.inputs[0].data<float>(), dy = call.inputs[2].data<float>();
                          for (std::size_t i = 0; i < x.size(); ++i)
                            call.outputs[0].data<float>()[i] = dy[i] * std::cos(x[i]);
                        }});
  return op;
}

TEST(CustomOp, RunsInsideTheProgram) {
  const Tensor x = tensor({0.f, 1.f, 2.f});
  sync();
  const auto launches = device().stats().launches;
  const auto calls = counter("custom_op::test.sine");
  const Tensor y = sine()(x * 2) + 1;
  EXPECT_EQ(y.to_vector<float>(), (Floats{std::sin(0.f) + 1, std::sin(2.f) + 1, std::sin(4.f) + 1}));
  EXPECT_EQ(device().stats().launches, launches + 1) << "the graph was cut";
  EXPECT_EQ(counter("custom_op::test.sine"), calls + 1);
}

TEST(CustomOp, IsTheSameInEveryBackend) {
  const Tensor x = tensor({0.5f, 1.f});
  const auto run = [&](const char* backend) {
    const knobs::Override chosen(knobs::backend, backend);
    return (sine()(x) * 2).to_vector<float>();
  };
  EXPECT_EQ(run("eager"), run("compiled"));
  EXPECT_EQ(run("interpreter"), run("compiled"));
}

TEST(CustomOp, HasTheGradientItWasGiven) {
  const Tensor x = tensor({0.f, 1.f});
  const Tensor gradient = grad(sum(sine()(x * 3)), x);
  const Floats got = gradient.to_vector<float>();
  EXPECT_NEAR(got[0], 3, 1e-6);
  EXPECT_NEAR(got[1], 3 * std::cos(3.f), 1e-6);
}

// x^2 y and x + y as f32, and an integer, with a forward rule.
const CustomOp& blend() {
  static const CustomOp op = custom_op(
      "test.blend",
      {.compute =
           [](const HostCall& call) {
             const auto x = call.inputs[0].data<float>(), y = call.inputs[1].data<float>();
             for (std::size_t i = 0; i < x.size(); ++i) {
               call.outputs[0].data<float>()[i] = x[i] * x[i] * y[i];
               call.outputs[1].data<std::int32_t>()[i] = static_cast<std::int32_t>(x[i]);
               call.outputs[2].data<float>()[i] = x[i] + y[i];
             }
           },
       .types =
           [](std::span<const Type> inputs) { return std::vector{inputs[0], inputs[0].with(DType::i32), inputs[0]}; },
       .forward = [](const HostCall& call) {  // x, y, an integer; 3 outputs; dx, dy
         const auto x = call.inputs[0].data<float>(), y = call.inputs[1].data<float>(),
                    sum = call.inputs[5].data<float>(), dx = call.inputs[6].data<float>(),
                    dy = call.inputs[7].data<float>();
         for (std::size_t i = 0; i < x.size(); ++i) {
           EXPECT_EQ(sum[i], x[i] + y[i]);
           call.outputs[0].data<float>()[i] = 2 * x[i] * y[i] * dx[i] + x[i] * x[i] * dy[i];
           call.outputs[1].data<float>()[i] = dx[i] + dy[i];
         }
       }});
  return op;
}

TEST(CustomOp, HasTheForwardRuleItWasGiven) {
  const auto f = [](const Tensor& x, const Tensor& y) {
    const auto results = blend().apply(std::array{x * 2, y, tensor({7, 8})});
    return results[0] + sin(results[2]);
  };
  const Tensor x = tensor({1.f, -2.f}), y = tensor({0.5f, 3.f}), dx = tensor({1.f, 2.f}), dy = tensor({-1.f, 0.5f});
  const auto same = [](const Tensor& a, const Tensor& b) { return 4 * a * a * b + sin(2 * a + b); };
  const auto check = [&](const std::pair<Tensor, Tensor>& got, const std::pair<Tensor, Tensor>& expected) {
    for (const auto& [a, b] : {std::pair(got.first, expected.first), std::pair(got.second, expected.second)})
      for (std::int64_t i = 0; i < 2; ++i) EXPECT_NEAR(a[i].item(), b[i].item(), 1e-4);
  };
  check(jvp(f, std::tuple(x, y), std::tuple(dx, dy)), jvp(same, std::tuple(x, y), std::tuple(dx, dy)));
  // An operand from outside has the tangent 0.
  check(jvp([&](const Tensor& a) { return f(a, y); }, x, dx), jvp([&](const Tensor& a) { return same(a, y); }, x, dx));
  // Without a forward rule, the tangent would need the gradient of the gradient.
  EXPECT_THROW(jvp([](const Tensor& a) { return sine()(a); }, x, dx), Error);
}

TEST(CustomOp, WithoutAGradientSaysSo) {
  const CustomOp op =
      custom_op("test.opaque", {.compute = [](const HostCall& call) {
                  std::ranges::copy(call.inputs[0].data<float>(), call.outputs[0].data<float>().begin());
                }});
  const Tensor x = tensor({1.f});
  EXPECT_THROW(grad(sum(op(x)), x), Error);
  EXPECT_EQ(op(x).item(), 1);
}

TEST(CustomOp, TakesOtherTypesAndHasSeveralResults) {
  const CustomOp op = custom_op(
      "test.bounds", {.compute =
                          [](const HostCall& call) {
                            const auto x = call.inputs[0].data<std::int32_t>();
                            call.outputs[0].data<std::int32_t>()[0] = *std::ranges::min_element(x);
                            call.outputs[1].data<double>()[0] = std::accumulate(x.begin(), x.end(), 0.0);
                          },
                      .types = [](std::span<const Type> inputs) -> std::vector<Type> {
                        require(inputs[0].dtype() == DType::i32, "test.bounds: expected i32, got ", inputs[0]);
                        return {Type(DType::i32, {}), Type(DType::f64, {})};
                      }});
  const std::vector<Tensor> results = op.apply(std::vector{tensor({3, 1, 2})});
  EXPECT_EQ(results[0].item(), 1);
  EXPECT_EQ(results[1].item(), 6);
  EXPECT_THROW(op.apply(std::vector{tensor({1.f})}), Error);
  EXPECT_THROW(op(tensor({1})), Error) << "two results";
}

TEST(CustomOp, ThatThrowsFailsItsLaunch) {
  const CustomOp op = custom_op("test.thrower", {.compute = [](const HostCall&) { fail("no such key"); }});
  const Tensor y = op(tensor({1.f})) + 1;
  try {
    y.item();
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::AllOf(testing::HasSubstr("no such key (custom_op.test.thrower"),
                                             testing::HasSubstr("custom_op_test.cpp:"), testing::HasSubstr("step ")));
  }
}

TEST(CustomOp, NamesAreTakenOnce) {
  sine();
  EXPECT_THROW(custom_op("test.sine", {.compute = [](const HostCall&) {}}), Error);
  EXPECT_THROW(custom_op("", {.compute = [](const HostCall&) {}}), Error);
  EXPECT_THROW(custom_op("test.nothing", {}), Error);
}

}  // namespace
}  // namespace weft
