// Loops without a sync.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/base/knobs.h>
#include <weft/base/log.h>
#include <weft/record/sync.h>
#include <weft/tensor/creation.h>
#include <weft/tensor/elementwise.h>
#include <weft/tensor/gradient.h>
#include <weft/tensor/manipulation.h>
#include <weft/tensor/reduction.h>
#include <weft/tensor/scope.h>

namespace weft {
namespace {

using testing::HasSubstr;

class Growth : public testing::Test {
 protected:
  void SetUp() override {
    sync();
    logging::set_sink([this](logging::Channel, std::string_view message) { hints_.emplace_back(message); });
    logging::set_channels("perf_hints");
  }
  void TearDown() override {
    logging::set_channels("");
    logging::set_sink({});
  }
  static std::uint64_t launches() { return device().stats().launches; }

  std::vector<std::string> hints_;
  knobs::Override<knobs::Integer> limit_{knobs::graph_growth_nodes, 1000};
  knobs::Override<knobs::Text> backend_{knobs::backend, "interpreter"};
};

TEST_F(Growth, CutsALoopAtItsRounds) {
  const auto before = launches();
  Tensor x = tensor({1.f, 2.f});
  float rate = 0.5f;
  std::size_t compiled = 0;
  auto last = before;
  const int line = __LINE__ + 3;
  for (int step = 0; step < 6000; ++step) {
    const Scope scope("blocks.3");
    x = x * rate;
    x = x + 1;
    rate = 0.25f;
    if (launches() > last) compiled += last_sync().compiled;
    last = launches();
  }
  EXPECT_GT(launches(), before + 1000) << "a cut after every round";
  EXPECT_LE(compiled, 2u) << "rounds are one program";
  EXPECT_NEAR(x.to_vector<float>()[1], 4 / 3., 1e-6);
  ASSERT_GE(hints_.size(), 2u);
  EXPECT_THAT(hints_[0], testing::AllOf(HasSubstr("graph_growth: blocks.3 at "), HasSubstr(": 10"),
                                        HasSubstr("(blocks.3); remedy: call sync()")));
  EXPECT_THAT(hints_.back(), testing::AllOf(HasSubstr("graph_growth: blocks.3 at "), HasSubstr(": 16"),
                                            HasSubstr("a round of 4 operations that begins at "),
                                            testing::AnyOf(HasSubstr(concat("growth_test.cpp:", line, ' ')),
                                                           HasSubstr(concat("growth_test.cpp:", line + 1, ' '))),
                                            HasSubstr("(blocks.3)")));
}

TEST_F(Growth, NeverCutsAGradientInTwo) {
  Tensor w = tensor({1.f, 2.f}), reference = w;
  const auto before = launches();
  const auto step = [](const Tensor& weight) {
    Tensor y = weight;
    for (int i = 0; i < 20; ++i) y = sin(y);
    return weight - grad(sum(y * y), weight) * 0.1f;
  };
  for (int i = 0; i < 200; ++i) w = step(w);
  EXPECT_GT(launches(), before + 50);
  for (int i = 0; i < 200; ++i) {
    reference = step(reference);
    sync();
  }
  EXPECT_EQ(w.to_vector<float>(), reference.to_vector<float>());
}

TEST_F(Growth, RefusesAGradientThatAnAutomaticSyncCutOff) {
  const Tensor w = tensor({1.f});
  Tensor x = w;
  for (int i = 0; i < 7000; ++i) x = x * 0.999f;
  try {
    grad(sum(x), w);
    FAIL() << "half of a gradient";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("WEFT_GRAPH_GROWTH_NODES=0"));
  }
}

TEST_F(Growth, WhatWasMadeOfNothingHasNoGradientToLose) {
  Tensor w = tensor({1.f, 2.f});
  const Tensor x = ones({2}) * 0.5f;  // recorded, and held across every cut
  const auto before = launches();
  for (int i = 0; i < 400; ++i) w = w - grad(sum(sin(w * x)), w) * 0.1f;
  EXPECT_GT(launches(), before + 50);
}

TEST_F(Growth, WhatWasMadeOfIntegersHasNoGradientToLose) {
  const Tensor w = tensor({2.5f});
  Tensor x = tensor({0.f});
  const auto before = launches();
  for (int i = 0; i < 5000; ++i) x = x * 0.5f + convert(convert(w, DType::i32), DType::f32);
  EXPECT_GT(launches(), before);
  EXPECT_EQ(grad(sum(x * w), w).item(), 4);
}

TEST_F(Growth, OnlyWarnsWhereNothingRepeats) {
  const auto before = launches();
  Tensor x = tensor({1.f});
  for (int i = 1; i < 1200; ++i) x = reshape(x + 1, {1}) + ones({i})[0];
  EXPECT_EQ(launches(), before);
  ASSERT_FALSE(hints_.empty());
  EXPECT_THAT(hints_[0], HasSubstr("call sync() at the end of each step"));
}

TEST_F(Growth, LeavesALongUnrolledLoopWhole) {
  const Tensor w = tensor({0.5f});
  const auto before = launches();
  Tensor x = w;
  for (int i = 0; i < 600; ++i) x = sin(x * w) + w;  // like a recurrent network over time
  EXPECT_EQ(launches(), before);
  EXPECT_NO_THROW(grad(sum(x), w));
}

TEST_F(Growth, CanBeSwitchedOff) {
  const knobs::Override off(knobs::graph_growth_nodes, 0);
  sync();
  (void)(tensor({1.f}) + 1).item();  // starts a new recording, which reads the knob
  const auto before = launches();
  Tensor x = tensor({1.f});
  for (int i = 0; i < 8000; ++i) x = x + 1;
  EXPECT_EQ(launches(), before);
  EXPECT_EQ(x.item(), 8001);
}

TEST_F(Growth, LeavesAStepWithManyLayersAlone) {
  const auto run = [] {
    const auto before = launches();
    Tensor x = tensor({1.f});
    for (int i = 0; i < 900; ++i) x = x + x * 0.001f;
    EXPECT_EQ(launches(), before);
    sync();
  };
  const knobs::Override more(knobs::graph_growth_nodes, 5000);
  sync();
  (void)(tensor({1.f}) + 1).item();
  run();
  run();
}

}  // namespace
}  // namespace weft
