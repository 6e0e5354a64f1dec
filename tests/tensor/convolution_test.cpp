#include <cmath>

#include "tests/tensor/check.h"

namespace weft {
namespace {

using test::arbitrary;
using test::Doubles;
using test::expect_error;
using test::expect_gradient;
using test::expect_values;

// The expected values are those of torch.nn.functional with the same arguments.
TEST(Convolution, OfLinesAndVolumesGivesPyTorchsValues) {
  const Tensor x = arbitrary({1, 2, 2, 3, 3}), weight = arbitrary({2, 1, 2, 2, 2}, 1), bias = arbitrary({2}, 2);
  expect_values(
      conv3d(x, weight, bias, {.stride = {1, 2, 1}, .padding = {1, 0, 1}, .dilation = {1, 1, 2}, .groups = 2}),
      {1, 2, 3, 1, 3},
      {-0.354387220655, -1.39153418544, -0.727106216502, 0.59884813934, 1.36900193086, 1.35140536455, 1.235142489,
       1.32211388265, 0.675216842649, 0.858115212582, 1.82346820754, 1.00759973993, 0.120800409557, -0.354372310559,
       -0.104971188379, 0.42307086647, 1.00926741781, 0.533830911134},
      1e-11);
  expect_values(conv_transpose1d(arbitrary({1, 2, 4}), arbitrary({2, 2, 3}, 1), arbitrary({2}, 2),
                                 {.stride = 2, .padding = 1, .output_padding = 1}),
                {1, 2, 8},
                {0.100629075071, -0.0035449577588, 0.0745831202116, 0.0308045588967, 0.119581961765, 0.143931461219,
                 0.227677472881, -0.11998147624, 0.719905992357, 0.816756533687, 0.179132808826, -0.153343244259,
                 -0.38029404261, -1.08337158179, -0.859563227599, -0.788801854274},
                1e-11);
}

TEST(Convolution, GradientsAndBatchesOfExamples) {
  const auto check = [](auto f, const Tensor& x, const Tensor& weight) {
    expect_gradient([&](const auto& xs) { return f(xs[0], xs[1]); }, {x, weight});
    const Tensor batch = stack({x, x * -0.5});
    const Tensor each = vmap([&](const Tensor& one) { return f(one, weight); })(batch);
    const Tensor expected = stack({f(x, weight), f(x * -0.5, weight)});
    expect_values(each, expected.shape(), expected.template to_vector<double>(), 1e-12);
    const Tensor narrow = f(x.to(DType::bf16), weight.to(DType::bf16));
    EXPECT_EQ(narrow.dtype(), DType::bf16);
    const Doubles half = narrow.to_vector<double>(), exact = f(x, weight).template to_vector<double>();
    for (std::size_t i = 0; i < exact.size(); ++i) EXPECT_NEAR(half[i], exact[i], 0.1);
  };
  check([](const Tensor& a, const Tensor& b) { return conv3d(a, b, {.stride = {2, 1, 1}, .padding = 1, .groups = 2}); },
        arbitrary({1, 2, 3, 2, 3}), arbitrary({2, 1, 2, 2, 3}, 1));
  check([](const Tensor& a,
           const Tensor& b) { return conv_transpose1d(a, b, {.stride = 3, .padding = 1, .dilation = 2}); },
        arbitrary({2, 2, 4}), arbitrary({2, 3, 3}, 1));
  check([](const Tensor& a,
           const Tensor& b) { return conv_transpose3d(a, b, {.stride = {1, 2, 2}, .output_padding = {0, 1, 0}}); },
        arbitrary({1, 2, 2, 1, 2}), arbitrary({2, 2, 2, 2, 1}, 1));
}

TEST(Convolution, TransposedOfVolumesIsTheGradientOfConvolution) {
  const Tensor x = arbitrary({2, 4, 4, 5, 6}), weight = arbitrary({6, 2, 3, 2, 3}, 1);
  const Tensor y = conv3d(x, weight, {.stride = {2, 1, 3}, .padding = {1, 0, 1}, .groups = 2});
  const Tensor cotangent = arbitrary(y.shape(), 2);
  const Tensor got = conv_transpose3d(
      cotangent, weight, {.stride = {2, 1, 3}, .padding = {1, 0, 1}, .output_padding = {1, 0, 2}, .groups = 2});
  expect_values(got, x.shape(), grad(sum(y * cotangent), x).to_vector<double>(), 1e-10);
}

TEST(Convolution, ModulesOfLinesAndVolumes) {
  nn::Conv3d volume(2, 4, {1, 2, 3}, {.stride = 2, .groups = 2});
  EXPECT_EQ(volume.weight.shape(), Shape({4, 1, 1, 2, 3}));
  EXPECT_EQ(volume(ones({1, 2, 5, 4, 7})).shape(), Shape({1, 4, 3, 2, 3}));
  nn::ConvTranspose1d line(4, 6, 3, {.stride = 2, .groups = 2});
  EXPECT_EQ(line(ones({1, 4, 5})).shape(), Shape({1, 6, 11}));
  nn::ConvTranspose3d up(2, 3, 2, {.stride = 2}, false);
  EXPECT_EQ(up(ones({1, 2, 2, 3, 4}, DType::bf16)).type(), Type(DType::bf16, {1, 3, 4, 6, 8}));
  expect_error([] { nn::Conv3d(3, 4, 3, {.groups = 2}); }, "Conv3d: 2 groups do not divide 3 channels");
  expect_error([] { nn::ConvTranspose1d(3, 3, 3, {.groups = 2}); },
               "ConvTranspose1d: 2 groups do not divide 3 channels");
  expect_error(
      [&] { volume(ones({1, 2, 5, 4})); },
      "conv3d: expected [batch, channels, depth, height, width] and a weight of rank 5, got tensor<1x2x5x4xf32> "
      "and tensor<4x1x1x2x3xf32>");
}

}  // namespace
}  // namespace weft
