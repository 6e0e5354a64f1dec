#include <weft/tensor/custom_op.h>

#include <algorithm>
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
