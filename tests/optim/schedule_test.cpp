// Learning rates by step, alone and composed.
#include "tests/tensor/check.h"

namespace weft {
namespace {

using test::expect_error;

TEST(Schedule, Cosine) {
  const optim::CosineSchedule schedule{.peak = 1, .warmup = 4, .total = 14, .floor = 0.1};
  EXPECT_DOUBLE_EQ(schedule(0), 0.25);
  EXPECT_DOUBLE_EQ(schedule(3), 1);
  EXPECT_DOUBLE_EQ(schedule(4), 1);
  EXPECT_DOUBLE_EQ(schedule(9), 0.55);
  EXPECT_DOUBLE_EQ(schedule(14), 0.1);
  EXPECT_DOUBLE_EQ(schedule(100), 0.1);
}

TEST(Schedule, Others) {
  const optim::LinearSchedule line{.peak = 1, .warmup = 2, .total = 12};
  EXPECT_DOUBLE_EQ(line(0), 0.5);
  EXPECT_DOUBLE_EQ(line(7), 0.5);
  EXPECT_DOUBLE_EQ(line(12), 0);
  EXPECT_DOUBLE_EQ((optim::ConstantSchedule{.peak = 3, .warmup = 3})(0), 1);
  EXPECT_DOUBLE_EQ((optim::ConstantSchedule{.peak = 3, .warmup = 3})(50), 3);
}

TEST(Schedule, Steps) {
  const optim::StepSchedule schedule{.peak = 1, .every = 10, .factor = 0.5, .warmup = 2};
  EXPECT_DOUBLE_EQ(schedule(0), 0.5);
  EXPECT_DOUBLE_EQ(schedule(2), 1);
  EXPECT_DOUBLE_EQ(schedule(11), 1);
  EXPECT_DOUBLE_EQ(schedule(12), 0.5);
  EXPECT_DOUBLE_EQ(schedule(32), 0.125);
}

TEST(Schedule, InverseRoot) {
  const optim::InverseRootSchedule schedule{.peak = 2, .warmup = 4};
  EXPECT_DOUBLE_EQ(schedule(0), 0.5);
  EXPECT_DOUBLE_EQ(schedule(3), 2);
  EXPECT_DOUBLE_EQ(schedule(15), 1);
}

TEST(Schedule, Piecewise) {
  const optim::PiecewiseSchedule schedule{.first = 1, .changes = {{10, 0.1}, {20, 0.01}}};
  EXPECT_DOUBLE_EQ(schedule(9), 1);
  EXPECT_DOUBLE_EQ(schedule(10), 0.1);
  EXPECT_DOUBLE_EQ(schedule(19), 0.1);
  EXPECT_DOUBLE_EQ(schedule(1000), 0.01);
}

// A warm-up, a plateau and a decay, each of which counts its own steps.
TEST(Schedule, Joined) {
  const optim::Schedule schedule =
      optim::joined({optim::LinearSchedule{.peak = 0, .total = 10, .floor = 1}, optim::ConstantSchedule{.peak = 1},
                     optim::CosineSchedule{.peak = 1, .total = 100}},
                    {10, 50});
  EXPECT_DOUBLE_EQ(schedule(0), 0);
  EXPECT_DOUBLE_EQ(schedule(5), 0.5);
  EXPECT_DOUBLE_EQ(schedule(10), 1);
  EXPECT_DOUBLE_EQ(schedule(49), 1);
  EXPECT_DOUBLE_EQ(schedule(100), 0.5);
  EXPECT_NEAR(schedule(150), 0, 1e-16);
}

TEST(Schedule, ProductsScalesAndRepetitions) {
  const optim::LinearSchedule line{.peak = 1, .total = 10};
  const optim::Schedule schedule = optim::product({line, optim::StepSchedule{.peak = 4, .every = 5, .factor = 0.5}});
  EXPECT_DOUBLE_EQ(schedule(4), 0.6 * 4);
  EXPECT_DOUBLE_EQ(schedule(5), 0.5 * 2);
  EXPECT_DOUBLE_EQ(optim::scaled(line, 3)(5), 1.5);
  const optim::Schedule again = optim::repeated(line, 8);
  EXPECT_DOUBLE_EQ(again(7), 0.3);
  EXPECT_DOUBLE_EQ(again(8), 1);
}

TEST(Schedule, Errors) {
  const optim::ConstantSchedule one;
  expect_error([&] { optim::joined({one, one}, {}); },
               "joined: 2 schedules need 1 starts, of all but the first, got 0");
  expect_error([&] { optim::joined({one, one, one}, {5, 4}); }, "joined: the starts must be in ascending order");
  expect_error([&] { optim::repeated(one, 0); }, "repeated: the period must be positive, got 0");
}

}  // namespace
}  // namespace weft
