#include <cmath>

#include "tests/tensor/check.h"

namespace weft {
namespace {

using test::arbitrary;
using test::Doubles;
using test::expect_error;
using test::expect_gradient;
using test::expect_values;

const Tensor& ctc_targets() {
  static const Tensor targets = tensor({{1, 2}, {1, 1}, {2, 2}, {1, 1}});
  return targets;
}
Tensor input_lengths() { return tensor({5, 4, 3, 2}); }
Tensor target_lengths() { return tensor({2, 2, 1, 0}); }

// The expected values are those of torch.nn.functional.ctc_loss(log_softmax(x), targets, input_lengths, target_lengths).
TEST(CtcLoss, GivesPyTorchsValuesAndGradients) {
  const Tensor x = arbitrary({5, 4, 3}) * 2, probabilities = log_softmax(x);
  const auto loss = [&](const CtcOptions& options) {
    return ctc_loss(probabilities, ctc_targets(), input_lengths(), target_lengths(), options);
  };
  expect_values(loss({.reduction = Reduction::none}), {4}, {1.2924298923, 2.31452300048, 1.09299325878, 3.60805520921},
                1e-10);
  expect_values(loss({.reduction = Reduction::sum}), {}, {8.30800136076}, 1e-10);
  expect_values(loss({}), {}, {1.62613122859}, 1e-10);
  expect_values(grad(loss({}), x), {5, 4, 3},
                {-0.00820928461651,
                 -0.00979606425378,
                 0.0180053488703,
                 0.0160483725071,
                 -0.0687860887945,
                 0.0527377162874,
                 -0.00262284229406,
                 0.0668318261231,
                 -0.064208983829,
                 -0.192736737851,
                 0.0903331924735,
                 0.102403545378,
                 0.0102760994195,
                 -0.0253378757671,
                 0.0150617763476,
                 -0.0125451344556,
                 -0.00631735268631,
                 0.0188624871419,
                 -0.00689615141836,
                 0.0726664913591,
                 -0.0657703399408,
                 -0.220416778552,
                 0.0673734125538,
                 0.153043365998,
                 0.00327526625072,
                 -0.0149687402628,
                 0.0116934740121,
                 -0.0146008934717,
                 -0.00303843703878,
                 0.0176393305105,
                 -0.0650551897118,
                 0.0674149102051,
                 -0.00235972049325,
                 0,
                 0,
                 0,
                 0.00432890796966,
                 0.0167551057878,
                 -0.0210840137575,
                 0.0151948191984,
                 -0.0618022229087,
                 0.0466074037103,
                 0,
                 0,
                 0,
                 0,
                 0,
                 0,
                 -0.00502328111342,
                 0.0357789963765,
                 -0.030755715263,
                 0,
                 0,
                 0,
                 0,
                 0,
                 0,
                 0,
                 0,
                 0},
                1e-10);
  const Tensor moved = tensor({{0, 1}, {0, 0}, {1, 1}, {1, 1}});
  expect_values(
      ctc_loss(probabilities, moved, input_lengths(), target_lengths(), {.blank = 2, .reduction = Reduction::none}),
      {4}, {1.35676473841, 3.45561254487, 1.60236043575, 1.38327918176}, 1e-10);
}

TEST(CtcLoss, OfInputsThatAreTooShort) {
  const Tensor x = arbitrary({5, 4, 3}) * 2, lengths = tensor({5, 2, 3, 2});
  const auto loss = [&](bool zero_infinity) {
    return ctc_loss(log_softmax(x), ctc_targets(), lengths, target_lengths(),
                    {.reduction = Reduction::none, .zero_infinity = zero_infinity});
  };
  expect_values(loss(false), {4}, {1.2924298923, test::inf, 1.09299325878, 3.60805520921}, 1e-10);
  expect_values(loss(true), {4}, {1.2924298923, 0, 1.09299325878, 3.60805520921}, 1e-10);
  const Doubles gradient = grad(sum(loss(true)), x).to_vector<double>();
  for (std::size_t t = 0; t < 5; ++t)
    for (std::size_t c = 0; c < 3; ++c) EXPECT_EQ(gradient[(t * 4 + 1) * 3 + c], 0);
  for (const double g : gradient) EXPECT_TRUE(std::isfinite(g));
}

// The sum over all sequences of classes whose form without repetitions and blanks is the target.
TEST(CtcLoss, IsItsDefinition) {
  const std::int64_t time = 4;
  const Tensor probabilities = log_softmax(arbitrary({time, 1, 3}, 7));
  const Doubles p = probabilities.to_vector<double>();
  double total = 0;
  for (int code = 0; code < 81; ++code) {
    std::vector<int> collapsed;
    int before = -1, rest = code;
    double log_probability = 0;
    for (std::int64_t t = 0; t < time; ++t, rest /= 3) {
      const int c = rest % 3;
      log_probability += p[t * 3 + c];
      if (c != before && c != 0) collapsed.push_back(c);
      before = c;
    }
    if (collapsed == std::vector{1, 2}) total += std::exp(log_probability);
  }
  expect_values(ctc_loss(probabilities, tensor({{1, 2}}), tensor({4}), tensor({2}), {.reduction = Reduction::sum}), {},
                {-std::log(total)}, 1e-10);
  expect_gradient([](const auto& xs) { return ctc_loss(xs[0], ctc_targets(), input_lengths(), target_lengths()); },
                  {log_softmax(arbitrary({5, 4, 3}))});
}

TEST(CtcLoss, NarrowInputsBatchesAndSizes) {
  const Tensor x = arbitrary({5, 4, 3}),
               exact = ctc_loss(log_softmax(x), ctc_targets(), input_lengths(), target_lengths());
  const auto of = [](const Tensor& p) { return ctc_loss(p, ctc_targets(), input_lengths(), target_lengths()); };
  expect_values(of(log_softmax(x).to(DType::f32)), {}, {exact.item()}, 1e-5);
  const Tensor half = of(log_softmax(x).to(DType::bf16));
  EXPECT_EQ(half.dtype(), DType::f32);
  expect_values(half, {}, {exact.item()}, 0.05);
  const Tensor batch = stack({log_softmax(x), log_softmax(x * 3)});
  expect_values(vmap(of)(batch), {2}, {exact.item(), of(log_softmax(x * 3)).item()}, 1e-10);
  auto run = compile([](const Tensor& p, const Tensor& targets, const Tensor& inputs, const Tensor& lengths) {
    return ctc_loss(p, targets, inputs, lengths, {.reduction = Reduction::none});
  });
  for (const std::int64_t size : {4, 6, 9, 3}) {
    const Tensor p = log_softmax(arbitrary({size, 2, 3})), targets = ones({2, size / 2}, DType::i32) + 1;
    const Tensor inputs = tensor({3, 2}), lengths = tensor({1, 1});
    expect_values(run(p, targets, inputs, lengths), {2},
                  ctc_loss(p, targets, inputs, lengths, {.reduction = Reduction::none}).to_vector<double>(), 1e-10);
  }
}

TEST(CtcLoss, Mistakes) {
  const Tensor p = log_softmax(arbitrary({5, 4, 3}));
  const auto losses = [&](const Tensor& targets, const Tensor& inputs, const Tensor& lengths) {
    return ctc_loss(p, targets, inputs, lengths, {.reduction = Reduction::none}).to_vector<double>();
  };
  const Doubles beyond = losses(tensor({{1, 3}, {1, -1}, {2, 9}, {1, 1}}), tensor({6, 4, 3, 2}), tensor({1, 2, 1, 3}));
  EXPECT_TRUE(std::isnan(beyond[0]));   // too long an input
  EXPECT_TRUE(std::isnan(beyond[1]));   // a target that is no class
  EXPECT_FALSE(std::isnan(beyond[2]));  // that target does not count
  EXPECT_TRUE(std::isnan(beyond[3]));   // too long a target
  expect_error(
      [&] { ctc_loss(ones({5, 3}), ctc_targets(), input_lengths(), target_lengths()); },
      "ctc_loss: expected log probabilities [time, batch, classes] with a time of at least 1, got tensor<5x3xf32>");
  expect_error([&] { ctc_loss(p, tensor({1, 2}), input_lengths(), target_lengths()); },
               "ctc_loss: the targets tensor<2xi32> are not integers [4, labels], one row for each sequence of "
               "tensor<5x4x3xf64>");
  expect_error([&] { ctc_loss(p, ctc_targets(), tensor({5, 4}), target_lengths()); },
               "ctc_loss: expected the lengths of 4 sequences as integers, got tensor<2xi32>");
  expect_error([&] { ctc_loss(p, ctc_targets(), input_lengths(), target_lengths(), {.blank = 3}); },
               "ctc_loss: the blank 3 is none of the 3 classes");
}

}  // namespace
}  // namespace weft
