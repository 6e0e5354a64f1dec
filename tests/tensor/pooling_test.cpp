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
TEST(Pooling, GivesPyTorchsValues) {
  const Tensor line = arbitrary({1, 2, 7}), image = arbitrary({1, 1, 5, 6}), volume = arbitrary({1, 1, 3, 4, 5});
  expect_values(max_pool1d(line, 3, {.stride = 2, .padding = 1, .ceil_mode = true}), {1, 2, 4},
                {-0.116348929798, -0.514172385088, -0.788171702722, -0.465680385497, 0.354571242501, 0.935373698075,
                 0.998081879055, 0.884499268827},
                1e-11);
  expect_values(max_pool1d(line, 2, {.stride = 3, .dilation = 3}), {1, 2, 2},
                {-0.116348929798, -0.465680385497, 0.935373698075, 0.935373698075}, 1e-11);
  expect_values(max_pool1d(line, 3, {.stride = 2, .padding = 1, .dilation = 2, .ceil_mode = true}), {1, 2, 3},
                {-0.514172385088, -0.514172385088, -0.788171702722, 0.935373698075, 0.935373698075, 0.935373698075},
                1e-11);
  expect_values(max_pool1d(narrow(line, 2, 0, 2), 3, {.stride = 2, .ceil_mode = true}), {1, 2, 1},
                {-0.116348929798, 0.354571242501}, 1e-11);
  expect_values(max_pool2d(image, {2, 3}, {.stride = 2, .padding = 1, .dilation = {2, 1}, .ceil_mode = true}),
                {1, 1, 3, 4},
                {-0.060936133587, 0.707450846066, 0.998081879055, 0.998081879055, -0.060936133587, 0.707450846066,
                 0.998081879055, 0.998081879055, -0.95300550232, -0.404240050092, 0.417516930642, 0.417516930642},
                1e-11);
  expect_values(max_pool3d(volume, 2, {.stride = {1, 2, 2}, .ceil_mode = true}), {1, 1, 2, 2, 3},
                {0.991535585469, 0.850620413502, 0.754006512913, 0.998081879055, 0.884499268827, 0.797050770094,
                 0.991535585469, 0.850620413502, 0.754006512913, 0.987745215262, 0.771154902396, 0.836383160427},
                1e-11);
  expect_values(avg_pool1d(line, 3, {.stride = 2, .padding = 1, .ceil_mode = true}), {1, 2, 4},
                {-0.210173771629, -0.772829685869, -0.914253056064, -0.417950696073, 0.0978783696379, 0.665798595547,
                 0.939318281986, 0.49972906196},
                1e-11);
  expect_values(avg_pool1d(line, 4, {.stride = 3, .padding = 1, .ceil_mode = true}), {1, 2, 3},
                {-0.362924774666, -0.890984237992, -0.417950696073, 0.250271488745, 0.881351423006, 0.49972906196},
                1e-11);
  expect_values(avg_pool1d(line, 3, {.stride = 2, .padding = 1, .count_include_pad = false}), {1, 2, 4},
                {-0.315260657443, -0.772829685869, -0.914253056064, -0.62692604411, 0.146817554457, 0.665798595547,
                 0.939318281986, 0.74959359294},
                1e-11);
  expect_values(
      avg_pool2d(image, {3, 2}, {.stride = 2, .padding = 1, .ceil_mode = true}), {1, 1, 3, 4},
      {-0.0970048858826, -0.173619176658, -0.051960486888, 0.0349850293889, -0.0957503834075, -0.0921231393666,
       0.0817628641285, 0.092901976005, -0.0398857784768, 0.0419142445006, 0.168853729423, 0.0978333757501},
      1e-11);
  expect_values(avg_pool2d(image, {3, 2}, {.stride = 2, .padding = 1, .ceil_mode = true, .count_include_pad = false}),
                {1, 1, 3, 4},
                {-0.291014657648, -0.260428764988, -0.0779407303321, 0.104955088167, -0.191500766815, -0.0921231393666,
                 0.0817628641285, 0.18580395201, -0.119657335431, 0.0628713667508, 0.253280594135, 0.29350012725},
                1e-11);
  expect_values(avg_pool2d(image, 3, {.stride = 2, .padding = 1, .divisor = 5}), {1, 1, 3, 3},
                {-0.231427566794, -0.263480620526, -0.020370548999, -0.19475120386, -0.0866690677957, 0.20959780816,
                 -0.0470007875625, 0.139573166083, 0.320024526208},
                1e-11);
  expect_values(avg_pool3d(volume, 2, {.padding = 1, .count_include_pad = false}), {1, 1, 2, 3, 3},
                {-0.116348929798, -0.667675084432, -0.977293732735, 0.0736009976768, 0.338991157199, 0.478253624322,
                 -0.183817298752, -0.714829234536, -0.973163343047, 0.115219848872, 0.349048345274, 0.443756001584,
                 -0.0638872389145, -0.175719384723, -0.21613468044, 0.14533085238, 0.367586301814, 0.437703950514},
                1e-11);
}

TEST(Pooling, OfPartsGivesPyTorchsValues) {
  const Tensor line = arbitrary({1, 2, 7}), image = arbitrary({1, 1, 5, 6}), volume = arbitrary({1, 1, 3, 4, 5});
  expect_values(adaptive_max_pool1d(line, 3), {1, 2, 3},
                {-0.116348929798, -0.821177783777, -0.465680385497, 0.707450846066, 0.998081879055, 0.998081879055},
                1e-11);
  expect_values(adaptive_max_pool2d(image, {3, 4}), {1, 1, 3, 4},
                {-0.060936133587, 0.354571242501, 0.935373698075, 0.998081879055, 0.884499268827, 0.614687917053,
                 0.935373698075, 0.998081879055, 0.957316235368, 0.991535585469, 0.850620413502, 0.559460508251},
                1e-11);
  expect_values(adaptive_max_pool3d(volume, {2, 1, 3}), {1, 1, 2, 1, 3},
                {0.998081879055, 0.998081879055, 0.797050770094, 0.991535585469, 0.991535585469, 0.836383160427},
                1e-11);
  expect_values(adaptive_avg_pool1d(line, 3), {1, 2, 3},
                {-0.483899699554, -0.925255083082, -0.741766888315, 0.333695318326, 0.880302141065, 0.832423021645},
                1e-11);
  expect_values(adaptive_avg_pool1d(line, 9), {1, 2, 9},
                {-0.116348929798, -0.315260657443, -0.667675084432, -0.90215833626, -0.983138888743, -0.977293732735,
                 -0.879810139724, -0.62692604411, -0.465680385497, -0.060936133587, 0.146817554457, 0.531011044283,
                 0.821412272071, 0.935373698075, 0.966727788565, 0.941290573941, 0.74959359294, 0.614687917053},
                1e-11);
  expect_values(adaptive_avg_pool2d(image, {3, 4}), {1, 1, 3, 4},
                {-0.289284458493, -0.260428764988, -0.0779407303321, 0.0434588244206, -0.162292669883, -0.0921231393666,
                 0.0817628641285, 0.15476592393, -0.0587509844532, 0.0628713667508, 0.253280594135, 0.288435566908},
                1e-11);
  expect_values(adaptive_avg_pool3d(volume, {2, 1, 3}), {1, 1, 2, 1, 3},
                {-0.113780958221, -0.0957162562499, -0.0463040766696, 0.0548123456504, 0.0999165410206, 0.112297647805},
                1e-11);
  expect_values(adaptive_avg_pool2d(image, 1), {1, 1, 1, 1}, {0.000290407222119}, 1e-11);
  expect_values(adaptive_avg_pool2d(image, {5, 2}), {1, 1, 5, 2}, avg_pool2d(image, {1, 3}).to_vector<double>(), 1e-15);
  expect_values(adaptive_max_pool2d(image, {1, 3}), {1, 1, 1, 3}, max_pool2d(image, {5, 2}).to_vector<double>());
}

using Pool = Tensor (*)(const Tensor&);

struct PoolCase {
  Shape shape;
  Pool pool;
};

const std::vector<PoolCase>& pool_cases() {
  static const std::vector<PoolCase> all = {
      {{2, 2, 7}, [](const Tensor& x) { return max_pool1d(x, 3, {.stride = 2, .padding = 1, .ceil_mode = true}); }},
      {{1, 2, 5, 6}, [](const Tensor& x) { return max_pool2d(x, 2, {.stride = 1, .padding = 1, .dilation = {2, 3}}); }},
      {{1, 1, 3, 4, 5}, [](const Tensor& x) { return max_pool3d(x, 2, {.stride = {1, 2, 2}, .ceil_mode = true}); }},
      {{2, 2, 7}, [](const Tensor& x) { return avg_pool1d(x, 4, {.stride = 3, .padding = 1, .ceil_mode = true}); }},
      {{1, 2, 5, 6}, [](const Tensor& x) { return avg_pool2d(x, 3, {.padding = 1, .count_include_pad = false}); }},
      {{1, 1, 3, 4, 5}, [](const Tensor& x) { return avg_pool3d(x, 2, {.padding = 1}); }},
      {{1, 2, 7}, [](const Tensor& x) { return adaptive_max_pool1d(x, 3); }},
      {{1, 1, 5, 6}, [](const Tensor& x) { return adaptive_avg_pool2d(x, {3, 4}); }},
      {{1, 1, 3, 4, 5}, [](const Tensor& x) { return adaptive_max_pool3d(x, {2, 3, 2}); }},
      {{1, 1, 3, 4, 5}, [](const Tensor& x) { return adaptive_avg_pool3d(x, {2, 3, 2}); }},
  };
  return all;
}

TEST(Pooling, GradientsAndBatchesOfExamples) {
  for (const auto& [shape, pool] : pool_cases()) {
    const Tensor x = arbitrary(shape);
    expect_gradient([&](const auto& xs) { return pool(xs[0]); }, {x});
    const Tensor batch = stack({x, x * -1.5}), each = vmap([&](const Tensor& one) { return pool(one); })(batch);
    const Tensor expected = stack({pool(x), pool(x * -1.5)});
    expect_values(each, expected.shape(), expected.to_vector<double>(), 1e-12);
    const Doubles single = pool(x.to(DType::f32)).to_vector<double>(), exact = pool(x).to_vector<double>();
    const Tensor rounded = pool(x.to(DType::bf16));
    EXPECT_EQ(rounded.dtype(), DType::bf16);
    const Doubles half = rounded.to_vector<double>();
    for (std::size_t i = 0; i < exact.size(); ++i) {
      EXPECT_NEAR(single[i], exact[i], 1e-6);
      EXPECT_NEAR(half[i], exact[i], 0.01);
    }
  }
}

TEST(Pooling, OneCompiledFunctionServesAllSizes) {
  for (const auto& [shape, pool] : pool_cases()) {
    auto run = compile([&](const Tensor& x) { return pool(x); });
    for (const std::int64_t batch : {2, 3, 1, 5}) {
      Shape sizes = shape;
      sizes[0] = batch;
      sizes[2] = shape[2] + Dim(batch);
      const Tensor x = arbitrary(sizes), expected = pool(x);
      expect_values(run(x), expected.shape(), expected.to_vector<double>(), 1e-12);
    }
  }
}

TEST(Pooling, InfinitiesAndNaNsStayInTheirParts) {
  const Tensor x = tensor({0., test::inf, 2., 3., test::nan, 5., 6.});
  expect_values(adaptive_avg_pool1d(reshape(x, {1, 1, 7}), 3), {1, 1, 3}, {test::inf, test::nan, test::nan});
  expect_values(adaptive_max_pool1d(reshape(x, {1, 1, 7}), 7), {1, 1, 7}, x.to_vector<double>());
}

TEST(Pooling, TheGradientOfATieGoesToTheFirst) {
  const Tensor x = ones({1, 1, 7}, DType::f64);
  const auto gradient = [&](Pool pool) { return grad(sum(pool(x)), x); };
  expect_values(gradient([](const Tensor& v) { return adaptive_max_pool1d(v, 3); }), {1, 1, 7}, {1, 0, 1, 0, 1, 0, 0});
  expect_values(gradient([](const Tensor& v) { return max_pool1d(v, 2, {.stride = 3, .dilation = 3}); }), {1, 1, 7},
                {1, 0, 0, 1, 0, 0, 0});
}

TEST(Pooling, Modules) {
  const Tensor x = arbitrary({1, 2, 6, 6}).to(DType::f32);
  const auto layers = nn::Sequential(nn::MaxPool2d(3, {.stride = 1, .padding = 1}), nn::AvgPool2d(2),
                                     nn::AdaptiveAvgPool2d(2), nn::AdaptiveMaxPool2d(1));
  const Tensor expected =
      adaptive_max_pool2d(adaptive_avg_pool2d(avg_pool2d(max_pool2d(x, 3, {.stride = 1, .padding = 1}), 2), 2), 1);
  expect_values(layers(x), {1, 2, 1, 1}, expected.to_vector<double>());
  EXPECT_EQ(nn::MaxPool1d(2)(ones({1, 2, 6})).shape(), Shape({1, 2, 3}));
  EXPECT_EQ(nn::AvgPool3d(2)(ones({1, 2, 6, 6, 4})).shape(), Shape({1, 2, 3, 3, 2}));
}

TEST(Pooling, Mistakes) {
  expect_error([] { max_pool1d(ones({2, 3}), 2); },
               "max_pool1d: expected [batch, channels, time], got tensor<2x3xf32>");
  expect_error(
      [] { max_pool3d(ones({1, 1, 2, 2, 2}), {2, 2, 3}); },
      "max_pool3d: a window of 3 does not fit dimension 4 of tensor<1x1x2x2x2xf32>, which has 2 elements with its "
      "padding");
  expect_error([] { max_pool1d(ones({1, 1, 2}), 4, {.stride = 2, .ceil_mode = true}); },
               "max_pool1d: a window of 4 does not fit dimension 2 of tensor<1x1x2xf32>, which has 2 elements with its "
               "padding");
  expect_error([] { avg_pool1d(ones({1, 1, 4}), 2, {.divisor = -1}); },
               "avg_pool1d: the divisor must not be negative, got -1");
  expect_error([] { adaptive_avg_pool2d(ones({1, 1, 4, 4}), {2, 0}); },
               "adaptive_avg_pool2d: cannot divide dimension 3 of tensor<1x1x4x4xf32> into 0 parts");
  expect_error([] { adaptive_max_pool1d(ones({1, 4}), 2); },
               "adaptive_max_pool1d: expected floating point [batch, channels, time], got tensor<1x4xf32>");
  expect_error([] { adaptive_max_pool1d(1, 2); },
               "adaptive_max_pool1d: expected floating point [batch, channels, time], got tensor<i32>");
}

}  // namespace
}  // namespace weft
