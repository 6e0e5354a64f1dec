#include <cmath>

#include "tests/tensor/check.h"

namespace weft {
namespace {

using test::arbitrary;
using test::Doubles;
using test::expect_error;
using test::expect_gradient;
using test::expect_values;

// The expected values are those of torch.nn.functional.interpolate with the same arguments.
TEST(Interpolate, GivesPyTorchsValues) {
  const Tensor line = arbitrary({1, 2, 4}), image = arbitrary({1, 1, 3, 4}), volume = arbitrary({1, 1, 2, 3, 2});
  expect_values(interpolate(line, {.size = {7}}), {1, 2, 7},
                {-0.116348929798, -0.116348929798, -0.514172385088, -0.514172385088, -0.821177783777, -0.821177783777,
                 -0.983138888743, -0.971448576726, -0.971448576726, -0.788171702722, -0.788171702722, -0.465680385497,
                 -0.465680385497, -0.060936133587},
                1e-11);
  expect_values(interpolate(line, {.size = {3}, .mode = Interpolation::nearest_exact}), {1, 2, 3},
                {-0.116348929798, -0.821177783777, -0.983138888743, -0.971448576726, -0.465680385497, -0.060936133587},
                1e-11);
  expect_values(interpolate(line, {.scale = {1.7}, .mode = Interpolation::linear}), {1, 2, 6},
                {-0.116348929798, -0.268457897997, -0.502471695226, -0.685734225531, -0.84499559333, -0.940266831546,
                 -0.971448576726, -0.901372124901, -0.793562199016, -0.607955966626, -0.406159171981, -0.168074317916},
                1e-11);
  expect_values(interpolate(line, {.size = {9}, .mode = Interpolation::area}), {1, 2, 9},
                {-0.116348929798, -0.116348929798, -0.315260657443, -0.514172385088, -0.667675084432, -0.821177783777,
                 -0.90215833626, -0.983138888743, -0.983138888743, -0.971448576726, -0.971448576726, -0.879810139724,
                 -0.788171702722, -0.62692604411, -0.465680385497, -0.263308259542, -0.060936133587, -0.060936133587},
                1e-11);
  expect_values(interpolate(image, {.size = {5, 2}}), {1, 1, 5, 2},
                {-0.116348929798, -0.821177783777, -0.116348929798, -0.821177783777, -0.971448576726, -0.465680385497,
                 -0.971448576726, -0.465680385497, 0.354571242501, 0.935373698075},
                1e-11);
  expect_values(interpolate(image, {.scale = {2, 0.5}, .mode = Interpolation::nearest_exact}), {1, 1, 6, 2},
                {-0.514172385088, -0.983138888743, -0.514172385088, -0.983138888743, -0.788171702722, -0.060936133587,
                 -0.788171702722, -0.060936133587, 0.707450846066, 0.998081879055, 0.707450846066, 0.998081879055},
                1e-11);
  expect_values(interpolate(image, {.size = {5, 3}, .mode = Interpolation::linear}), {1, 1, 5, 3},
                {-0.182652839013, -0.667675084432, -0.956145371249, -0.485952675831, -0.651375468303, -0.625044626311,
                 -0.940902431059, -0.62692604411, -0.128393508905, -0.128330266567, 0.242076945599, 0.541220905773,
                 0.413384509761, 0.821412272071, 0.987630515558},
                1e-11);
  expect_values(interpolate(image, {.size = {5, 3}, .mode = Interpolation::linear, .align_corners = true}),
                {1, 1, 5, 3},
                {-0.116348929798, -0.667675084432, -0.983138888743, -0.543898753262, -0.647300564271, -0.522037511165,
                 -0.971448576726, -0.62692604411, -0.060936133587, -0.308438667113, 0.0972431139805, 0.468572872734,
                 0.354571242501, 0.821412272071, 0.998081879055},
                1e-11);
  expect_values(interpolate(image, {.size = {5, 3}, .mode = Interpolation::cubic}), {1, 1, 5, 3},
                {-0.0929815518002, -0.693828642398, -1.04699711095, -0.569118550382, -0.781186855676, -0.714391948721,
                 -0.950743758881, -0.647688610788, -0.113425621409, -0.179667408563, 0.271080811859, 0.625060294526,
                 0.531051271934, 0.992261070496, 1.09925969986},
                1e-11);
  expect_values(interpolate(image, {.size = {4, 7}, .mode = Interpolation::cubic, .align_corners = true}), {1, 1, 4, 7},
                {-0.116348929798, -0.286478901316, -0.514172385088, -0.689787179775, -0.821177783777, -0.930940092387,
                 -0.983138888743, -0.8495860752,   -0.87147926138,  -0.86809294148,  -0.827197914402, -0.733268909056,
                 -0.588458647111, -0.468927891245, -0.649008964776, -0.53239018547,  -0.347771935618, -0.171952182506,
                 0.0148919072879, 0.228908388288,  0.374925398744,  0.354571242501,  0.509643276907,  0.707450846066,
                 0.848615842938,  0.935373698075,  0.988095555941,  0.998081879055},
                1e-11);
  expect_values(interpolate(image, {.size = {2, 5}, .mode = Interpolation::linear, .antialias = true}), {1, 1, 2, 5},
                {-0.437011297396, -0.562948879659, -0.652394194311, -0.672700238263, -0.63731285556, -0.142686189709,
                 0.0598088162766, 0.278285403503, 0.467269929009, 0.600950124314},
                1e-11);
  expect_values(interpolate(image, {.size = {1, 3}, .mode = Interpolation::cubic, .antialias = true}), {1, 1, 1, 3},
                {-0.299128318454, -0.200998045544, -0.0451304653916}, 1e-11);
  expect_values(interpolate(volume, {.size = {3, 2, 3}, .mode = Interpolation::linear}), {1, 1, 3, 2, 3},
                {-0.292556143293, -0.461985077147, -0.631414011002, -0.933880878489, -0.885397188858, -0.836913499227,
                 -0.276586810895, -0.263356755367, -0.250126699838, -0.0718538971536, -0.0137992931817, 0.0442553107903,
                 -0.260617478498, -0.0647284335858, 0.131160611326, 0.790173084182, 0.857798602495, 0.925424120808},
                1e-11);
}

const std::vector<InterpolateOptions>& interpolations() {
  static const std::vector<InterpolateOptions> all = {
      {.scale = {2}},
      {.scale = {0.5}},
      {.size = {5, 3}},
      {.size = {2, 5}, .mode = Interpolation::nearest_exact},
      {.size = {5, 3}, .mode = Interpolation::linear},
      {.scale = {1.5}, .mode = Interpolation::cubic, .align_corners = true},
      {.size = {2}, .mode = Interpolation::cubic, .antialias = true},
      {.size = {2, 3}, .mode = Interpolation::area},
  };
  return all;
}

TEST(Interpolate, GradientsAndBatchesOfExamples) {
  for (const InterpolateOptions& options : interpolations()) {
    const auto f = [&](const Tensor& x) { return interpolate(x, options); };
    const Tensor x = arbitrary({2, 1, 4, 4});
    expect_gradient([&](const auto& xs) { return f(xs[0]); }, {x});
    const Tensor batch = stack({x, x * -1.5}), expected = stack({f(x), f(x * -1.5)});
    expect_values(vmap(f)(batch), expected.shape(), expected.to_vector<double>(), 1e-12);
    const Doubles exact = f(x).to_vector<double>(), single = f(x.to(DType::f32)).to_vector<double>();
    const Tensor rounded = f(x.to(DType::bf16));
    EXPECT_EQ(rounded.dtype(), DType::bf16);
    const Doubles half = rounded.to_vector<double>();
    for (std::size_t i = 0; i < exact.size(); ++i) {
      EXPECT_NEAR(single[i], exact[i], 1e-5);
      EXPECT_NEAR(half[i], exact[i], 0.02);
    }
  }
}

TEST(Interpolate, OneCompiledFunctionServesAllSizes) {
  for (const InterpolateOptions& options : interpolations()) {
    auto run = compile([&](const Tensor& x) { return interpolate(x, options); });
    for (const std::int64_t size : {4, 6, 8, 3}) {
      const Tensor x = arbitrary({size, 1, size + 1, 4}), expected = interpolate(x, options);
      expect_values(run(x), expected.shape(), expected.to_vector<double>(), 1e-12);
    }
  }
}

TEST(Interpolate, WhatIsBeyondTheNeighboursDoesNotMatter) {
  const Tensor x = reshape(tensor({test::inf, 1., 3.}), {1, 1, 3});
  expect_values(interpolate(x, {.size = {5}, .mode = Interpolation::linear, .align_corners = true}), {1, 1, 5},
                {test::inf, test::inf, 1, 2, 3});
}

TEST(Interpolate, Mistakes) {
  const Tensor image = ones({1, 1, 3, 4});
  expect_error([&] { interpolate(ones({3, 4}), {.size = {2}}); },
               "interpolate: expected [batch, channels, spatial...] with one to three spatial dimensions, got "
               "tensor<3x4xf32>");
  expect_error([&] { interpolate(image, {}); }, "interpolate: expected either a size or a scale");
  expect_error([&] { interpolate(image, {.size = {2}, .scale = {2}}); },
               "interpolate: expected either a size or a scale");
  expect_error([&] { interpolate(image, {.size = {2, 3, 4}}); },
               "interpolate: expected one size, or 2 for tensor<1x1x3x4xf32>, got 3");
  expect_error([&] { interpolate(image, {.scale = {-1}}); }, "interpolate: a scale must be positive, got -1");
  expect_error([&] { interpolate(image, {.scale = {0.1}}); },
               "interpolate: cannot resample 3 elements of dimension 2 of tensor<1x1x3x4xf32> to 0");
  expect_error([&] { interpolate(image, {.size = {2}, .align_corners = true}); },
               "interpolate: align_corners and antialias are options of linear and cubic interpolation");
  expect_error(
      [&] {
        interpolate(image, {.size = {2}, .mode = Interpolation::linear, .align_corners = true, .antialias = true});
      },
      "interpolate: align_corners and antialias cannot be combined");
}

TEST(PixelShuffle, MovesChannelsIntoPixelsAndBack) {
  const Tensor x = arange(2 * 4 * 2 * 3);
  const Tensor image = reshape(x, {2, 4, 2, 3}), large = pixel_shuffle(image, 2);
  EXPECT_EQ(large.shape(), Shape({2, 1, 4, 6}));
  // Element (2 h + i, 2 w + j) is that of channel 2 i + j at (h, w).
  expect_values(index(large, {0, 0, 1}), {6}, {12, 18, 13, 19, 14, 20});
  expect_values(pixel_unshuffle(large, 2), {2, 4, 2, 3}, x.to_vector<double>());
  expect_gradient([](const auto& xs) { return pixel_shuffle(xs[0], 2); }, {arbitrary({4, 1, 2})});
  expect_values(nn::Sequential(nn::PixelShuffle(2), nn::PixelUnshuffle(2))(image), {2, 4, 2, 3}, x.to_vector<double>());
  expect_values(nn::Upsample({.scale = {2}})(reshape(tensor({1.f, 2.f}), {1, 1, 2})), {1, 1, 4}, {1, 1, 2, 2});
  expect_error([] { pixel_shuffle(ones({3, 2, 2}), 2); },
               "pixel_shuffle: the square of the factor 2 does not divide the channels of tensor<3x2x2xf32>");
  expect_error([] { pixel_unshuffle(ones({3, 2, 3}), 2); },
               "pixel_unshuffle: the factor 2 does not divide the height and width of tensor<3x2x3xf32>");
}

TEST(InstanceNorm, NormalisesEachChannelOfEachSample) {
  const Tensor x = arbitrary({2, 3, 4, 5}), weight = arbitrary({3}, 1), bias = arbitrary({3}, 2);
  const Tensor normal = (x - mean(x, {2, 3}, true)) / sqrt(var(x, {2, 3}, true, 0) + 1e-5);
  expect_values(instance_norm(x), {2, 3, 4, 5}, normal.to_vector<double>(), 1e-10);
  const Tensor expected = normal * reshape(weight, {3, 1, 1}) + reshape(bias, {3, 1, 1});
  expect_values(instance_norm(x, weight, bias), {2, 3, 4, 5}, expected.to_vector<double>(), 1e-10);
  expect_gradient([](const auto& xs) { return instance_norm(xs[0], xs[1], xs[2]); },
                  {arbitrary({2, 2, 5}), arbitrary({2}, 1), arbitrary({2}, 2)}, 1e-5);
  nn::InstanceNorm plain(3), affine(3, {.affine = true, .dtype = DType::f64});
  EXPECT_TRUE(named_parameters(plain).empty());
  affine.weight->reset(weight);
  affine.bias->reset(bias);
  expect_values(affine(x), {2, 3, 4, 5}, expected.to_vector<double>(), 1e-10);
  expect_values(plain(x.to(DType::bf16)), {2, 3, 4, 5}, normal.to_vector<double>(), 0.05);
  expect_error([&] { plain(ones({2, 4, 5})); }, "InstanceNorm: expected [batch, 3, spatial...], got tensor<2x4x5xf32>");
  expect_error([&] { instance_norm(ones({2, 4})); },
               "instance_norm: expected [batch, channels, spatial...], got tensor<2x4xf32>");
}

}  // namespace
}  // namespace weft
