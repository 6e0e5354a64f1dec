// Gradients through checkpoint: the same numbers, less memory.
#include <weft/tensor/checkpoint.h>

#include <cmath>
#include <functional>
#include <tests/tensor/check.h>

#include <gtest/gtest.h>

#include <weft/base/knobs.h>
#include <weft/record/sync.h>
#include <weft/tensor/activation.h>
#include <weft/tensor/creation.h>
#include <weft/tensor/elementwise.h>
#include <weft/tensor/gradient.h>
#include <weft/tensor/linalg.h>
#include <weft/tensor/manipulation.h>
#include <weft/tensor/random.h>
#include <weft/tensor/reduction.h>

namespace weft {
namespace {

struct Outcome {
  std::vector<std::vector<float>> values;
  std::uint64_t peak_bytes;
};

// A chain of blocks with dropout, each of which keeps several activations for its gradient.
Outcome run(bool checkpointed, std::int64_t rows) {
  manual_seed(3);
  constexpr int blocks = 6;
  const Tensor x = randn({rows, 64});
  std::vector<Tensor> weights;
  for (int i = 0; i < blocks; ++i) weights.push_back(randn({64, 64}) * 0.1);
  sync();
  Tensor y = x;
  for (const Tensor& weight : weights) {
    const auto block = [&](const Tensor& h) {
      Tensor t = h;
      for (int i = 0; i < 4; ++i) t = tanh(matmul(t, weight)) * sigmoid(t);
      return h + dropout(t, 0.2);
    };
    y = checkpointed ? checkpoint(block)(y) : block(y);
  }
  const Tensor loss = mean(y * y);
  weights.push_back(x);
  std::vector<Tensor> results = grad(loss, weights);
  results.push_back(loss);
  y = Tensor();
  sync();
  Outcome outcome{{}, last_compile()->peak_bytes};
  for (const Tensor& result : results) outcome.values.push_back(result.to_vector<float>());
  return outcome;
}

TEST(Checkpoint, SameGradientsWithLessMemory) {
  const Outcome plain = run(false, 2048), checkpointed = run(true, 2048);
  EXPECT_LT(checkpointed.peak_bytes, 0.6 * plain.peak_bytes);
  for (std::size_t i = 0; i < plain.values.size(); ++i)
    for (std::size_t j = 0; j < plain.values[i].size(); ++j)
      ASSERT_NEAR(checkpointed.values[i][j], plain.values[i][j], 1e-6 + 1e-4 * std::abs(plain.values[i][j])) << i;
}

// Cotangents of values that are used inside and outside, or by several blocks, are summed in the order of the plain
// program.
TEST(Checkpoint, TheSameBitsInStrictMode) {
  const knobs::Override strict(knobs::strict, true);
  manual_seed(5);
  const Tensor x = randn({33, 64}), w = randn({64, 64}) * 0.1, v = randn({64}), b = randn({64});
  sync();
  using Function = std::function<std::vector<Tensor>(const Tensor&, const Tensor&)>;
  const std::pair<const char*, Function> functions[] = {
      {"softmax", [](const Tensor& h, const Tensor&) { return std::vector{h - softmax(h)}; }},
      {"layer norm", [&](const Tensor& h, const Tensor&) { return std::vector{h + layer_norm(h, v, b)}; }},
      {"gelu", [&](const Tensor& h, const Tensor&) { return std::vector{h + gelu(matmul(h, w) + b)}; }},
      {"attention",
       [&](const Tensor& h, const Tensor&) {
         return std::vector{h + matmul(softmax(matmul(matmul(h, w), transpose(h))), h)};
       }},
      {"polynomial", [](const Tensor& h, const Tensor&) { return std::vector{h * h * h + exp(h) / sum(h * h)}; }},
      {"the same twice", [](const Tensor& h, const Tensor& k) { return std::vector{h * tanh(k) + k * k}; }},
      {"passed on", [](const Tensor& h, const Tensor& k) { return std::vector{tanh(h) * sin(h), h, k * h, h}; }},
  };
  for (const auto& [name, function] : functions) {
    const auto run = [&](bool checkpointed) {
      Tensor y = tanh(x);
      const Tensor before = y;
      for (int block = 0; block < 2; ++block) {
        const std::vector<Tensor> results = checkpointed ? checkpoint(function)(y, y) : function(y, y);
        y = y * 0.3;
        for (const Tensor& result : results) y = y + sin(result) + result * 0.7;
      }
      const Tensor loss = mean(y * y + sin(y) * before + before * 0.1);
      std::vector<Tensor> results = grad(loss, {x, before, w, v, b});
      results.push_back(loss);
      std::vector<std::vector<float>> values;
      for (const Tensor& result : results) values.push_back(result.to_vector<float>());
      return values;
    };
    const auto plain = run(false), checkpointed = run(true);
    for (std::size_t i = 0; i < plain.size(); ++i) EXPECT_EQ(checkpointed[i], plain[i]) << name << ", " << i;
  }
}

TEST(Checkpoint, SeveralArgumentsAndResults) {
  const Tensor a = tensor({1.f, 2.f}), b = tensor({3.f, 4.f}), c = tensor({5.f, 6.f});
  const auto f = checkpoint([&](const Tensor& x, const Tensor& y) { return std::vector{x * y + c, exp(x)}; });
  const auto both = f(a, b);
  const Tensor loss = sum(both[0] * both[1]);
  const auto gradients = grad(loss, {a, b, c});
  const Tensor plain_loss = sum((a * b + c) * exp(a));
  const auto plain = grad(plain_loss, {a, b, c});
  EXPECT_FLOAT_EQ(loss.item<float>(), plain_loss.item<float>());
  for (std::size_t i = 0; i < 3; ++i) {
    const auto got = gradients[i].to_vector<float>(), want = plain[i].to_vector<float>();
    for (std::size_t j = 0; j < want.size(); ++j) EXPECT_FLOAT_EQ(got[j], want[j]) << i;
  }
  // Second-order gradients.
  const Tensor first = grad(sum(checkpoint([](const Tensor& x) { return x * x * x; })(a)), a);
  const auto second = grad(sum(first), a).to_vector<float>();
  EXPECT_FLOAT_EQ(second[0], 6);
  EXPECT_FLOAT_EQ(second[1], 12);
}

TEST(Checkpoint, Mistakes) {
  const Tensor a = tensor({1.f, 2.f});
  EXPECT_THROW(checkpoint([](const Tensor&) { return std::vector<Tensor>(); })(a), Error);
  EXPECT_THROW(checkpoint([](const Tensor& x) { return x * sum(x).item(); })(a), Error);
}

}  // namespace
}  // namespace weft
