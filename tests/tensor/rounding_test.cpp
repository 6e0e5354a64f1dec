// Stochastic rounding to 16-bit floats: to neighbours, and right on average.
#include <weft/tensor/rounding.h>

#include <cmath>

#include <gtest/gtest.h>

#include "tests/tensor/check.h"

namespace weft {
namespace {

using test::expect_error;

Tensor rounded(const Tensor& x, DType dtype, std::uint64_t seed = 1) {
  const Tensor key = rounding_key(seed, constant(1, DType::i64));
  return round_stochastically(x, dtype, rounding_bits(key, "x", x.shape()));
}

// A number, and its neighbours in a dtype.
struct Between {
  DType dtype;
  double x, low, high;
};

const double f16_step = std::ldexp(1, -10), f16_least = std::ldexp(1, -24), bf16_step = std::ldexp(1, -7);
const Between between[] = {
    {DType::f16, 1 + f16_step / 8, 1, 1 + f16_step},
    {DType::f16, -1 - f16_step * 3 / 4, -1 - f16_step, -1},
    {DType::f16, 65503, 65472, 65504},
    {DType::f16, f16_least * 5.25, f16_least * 5, f16_least * 6},
    {DType::f16, -f16_least * 0.125, -f16_least, 0},
    {DType::bf16, 1 + bf16_step / 16, 1, 1 + bf16_step},
    {DType::bf16, -3 * (1 + bf16_step / 3), -3 - 2 * bf16_step, -3},
    {DType::bf16, std::ldexp(1 + bf16_step / 2, -120), std::ldexp(1, -120), std::ldexp(1 + bf16_step, -120)},
};

// The number of draws that become the upper neighbour has a binomial distribution, which is farther than 6 standard deviations from its
// mean with a probability of 2e-9.
TEST(StochasticRounding, IsRightOnAverage) {
  constexpr std::int64_t draws = 1 << 16;
  for (const Between& b : between) {
    const Tensor x = full({draws}, b.x, DType::f32);
    const double at = x.to_vector<float>()[0], up = (at - b.low) / (b.high - b.low);
    std::int64_t count = 0;
    for (const double got : rounded(x, b.dtype).to_vector<double>()) {
      ASSERT_TRUE(got == b.low || got == b.high) << got << " for " << b.x;
      if (got == b.high) ++count;
    }
    EXPECT_NEAR(static_cast<double>(count), draws * up, 6 * std::sqrt(draws * up * (1 - up))) << b.x;
  }
}

TEST(StochasticRounding, KeepsWhatCanBeKept) {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<float> kept{0, 1, -2.5, static_cast<float>(f16_least), 65504};
  for (const DType dtype : {DType::f16, DType::bf16}) {
    const Tensor x = from_vector(kept, {std::ssize(kept)}).to(dtype).to(DType::f32);
    test::expect_values(rounded(x, dtype), {std::ssize(kept)}, x.to_vector<double>());
    const std::vector<float> others{static_cast<float>(inf), static_cast<float>(-inf), static_cast<float>(nan)};
    test::expect_values(rounded(from_vector(others, {3}), dtype), {3}, {inf, -inf, nan});
  }
  // Beyond the largest number, to the nearest.
  test::expect_values(rounded(full({100}, 65510, DType::f32), DType::f16), {100}, test::Doubles(100, 65504));
}

TEST(StochasticRounding, DependsOnSeedStepAndName) {
  const Tensor x = full({64}, 1.003, DType::f32), step = constant(1, DType::i64);
  const auto with = [&](std::uint64_t seed, const Tensor& number, const char* name) {
    const Tensor bits = rounding_bits(rounding_key(seed, number), name, x.shape());
    return round_stochastically(x, DType::bf16, bits).to_vector<double>();
  };
  const auto first = with(1, step, "a");
  EXPECT_EQ(with(1, step, "a"), first);
  EXPECT_NE(with(2, step, "a"), first);
  EXPECT_NE(with(1, step + 1, "a"), first);
  EXPECT_NE(with(1, step, "b"), first);
}

TEST(StochasticRounding, NamesWhatIsWrong) {
  const Tensor x = zeros({2}, DType::f32), bits = zeros({2}, DType::u32);
  expect_error([&] { round_stochastically(x, DType::f64, bits); },
               "round_stochastically: expected f32 to be rounded to f16 or bf16, got tensor<2xf32> and f64");
  expect_error([&] { round_stochastically(x, DType::f16, x); },
               "round_stochastically: expected random bits of tensor<2xui32>, got tensor<2xf32>");
}

}  // namespace
}  // namespace weft
