#include <cmath>

#include "tests/tensor/check.h"

namespace weft {
namespace {

using test::arbitrary;
using test::Doubles;
using test::expect_error;
using test::expect_gradient;
using test::expect_values;

// Rotates the pairs with plain numbers: pair i of a row of x [rows, width] consists of elements first(i) and second(i).
template <class First, class Second>
Doubles rotated(Doubles x, std::int64_t width, std::int64_t turned, const Doubles& positions, First first,
                Second second) {
  for (std::size_t row = 0; row < positions.size(); ++row)
    for (std::int64_t i = 0; i < turned / 2; ++i) {
      const double angle = positions[row] * std::pow(10000., -2. * i / turned);
      double &a = x[row * width + first(i)], &b = x[row * width + second(i)];
      const double was = a;
      a = was * std::cos(angle) - b * std::sin(angle);
      b = b * std::cos(angle) + was * std::sin(angle);
    }
  return x;
}

TEST(RotaryEmbedding, IsItsDefinitionInBothLayouts) {
  const Tensor x = arbitrary({3, 8});
  const Doubles values = x.to_vector<double>(), places = {0, 5, 2.5};
  const auto twice = [](std::int64_t i) { return 2 * i; };
  const auto same = [](std::int64_t i) { return i; };
  const Tensor positions = from_vector(places, {3});
  expect_values(rotary_embedding(x, positions), {3, 8},
                rotated(values, 8, 8, places, same, [](std::int64_t i) { return i + 4; }), 1e-12);
  expect_values(rotary_embedding(x, positions, {.interleaved = true}), {3, 8},
                rotated(values, 8, 8, places, twice, [](std::int64_t i) { return 2 * i + 1; }), 1e-12);
  expect_values(rotary_embedding(x, positions, {.width = 4}), {3, 8},
                rotated(values, 8, 4, places, same, [](std::int64_t i) { return i + 2; }), 1e-12);
}

TEST(RotaryEmbedding, ScoresDependOnlyOnTheDistance) {
  const nn::RotaryEmbedding rotary({.base = 500});
  const Tensor q = arbitrary({1, 6}), k = arbitrary({1, 6}, 1);
  const auto score = [&](std::int64_t i, std::int64_t j) { return sum(rotary(q, i) * rotary(k, j)).item(); };
  EXPECT_NEAR(score(7, 3), score(104, 100), 1e-10);
  const Tensor x = arbitrary({2, 3, 5, 6});
  expect_values(rotary(x), x.shape(), rotary(x, arange(5)).to_vector<double>());
  const Tensor each = tensor({{0, 1, 2, 3, 4}, {7, 8, 9, 10, 11}});  // positions of each sample
  const Tensor expected = stack({rotary(x[0], arange(5)), rotary(x[1], arange(7, 12))});
  expect_values(rotary(x, unsqueeze(each, 1)), x.shape(), expected.to_vector<double>(), 1e-12);
  expect_values(vmap([&](const Tensor& one) { return rotary(one); })(x), x.shape(), rotary(x).to_vector<double>(),
                1e-12);
}

TEST(RotaryEmbedding, GradientsDtypesAndMistakes) {
  for (const bool interleaved : {false, true})
    expect_gradient(
        [&](const auto& xs) { return rotary_embedding(xs[0], xs[1], {.interleaved = interleaved, .width = 4}); },
        {arbitrary({2, 3, 6}), arbitrary({3}, 1)});
  const Tensor x = arbitrary({4, 8}), exact = rotary_embedding(x, arange(4));
  const Tensor half = rotary_embedding(x.to(DType::bf16), arange(4));
  EXPECT_EQ(half.dtype(), DType::bf16);
  expect_values(half, {4, 8}, exact.to_vector<double>(), 0.02);
  expect_values(rotary_embedding(x.to(DType::f32), arange(4)), {4, 8}, exact.to_vector<double>(), 1e-6);
  expect_error([] { rotary_embedding(ones({4, 7}), arange(4)); },
               "rotary_embedding: cannot rotate 7 elements of rows of 7: expected an even number of them");
  expect_error([] { rotary_embedding(ones({4, 6}), arange(5)); },
               "rotary_embedding: the positions tensor<5xi32> do not broadcast to [4]");
  expect_error([] { rotary_embedding(ones({4, 6}), 0, {.width = 8}); },
               "rotary_embedding: cannot rotate 8 elements of rows of 6: expected an even number of them");
}

}  // namespace
}  // namespace weft
