#include "tests/tensor/check.h"

namespace weft {
namespace {

using test::arbitrary;
using test::Doubles;
using test::expect_error;
using test::expect_gradient;
using test::expect_values;

struct GridCase {
  GridSampleOptions options;
  Doubles values, of_x, of_grid;  // the gradients are those of sum(values * arbitrary weights)
};

// The values and gradients of torch.nn.functional.grid_sample.
const std::vector<GridCase>& grid_cases() {
  static const std::vector<GridCase> all = {
      {{GridMode::linear, GridPadding::zeros, false},
       {0, 0.673158423319, 0, 0, -0.271132273223, 0.178040738184, 0, 0},
       {0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0.271201182313,
        0.51451182416,
        0,
        -0.0164351247573,
        -0.0148393297311,
        0,
        0,
        0,
        0,
        0,
        0.108358067599,
        0,
        0,
        0,
        0.0615428098369},
       {0, 0, 0.358163898592, -1.28498492484, 0, 0, 0, 0, 0.261245151513, 0.349279445858, 0.016876405683,
        -0.150783329749, 0, 0, 0, 0}},
      {{GridMode::linear, GridPadding::zeros, true},
       {-0.222349383002, 0.574058649133, 0.104082511182, 0, -0.631170460337, 0.566042550533, 0.00912177388079,
        0.018007542639},
       {0.340301977668,
        0,
        0,
        0,
        0.168875671754,
        0.0731254427533,
        0.11736776576,
        0,
        0,
        0.310728254075,
        0.498724924817,
        0.0946240603104,
        -0.0518123693276,
        -0.0799841940943,
        0,
        0,
        0,
        0,
        0.0152753790664,
        0.201734951846,
        0,
        0,
        0.00486315769017,
        0.0642255015852},
       {-0.549471855226, -0.435397628244, 0.368887924255, 1.4372794244, -0.352303349345, -0.364165162101, 0, 0,
        0.05563730239, 0.384655441732, 0.04429127965, -0.091330272934, -0.140294263587, -0.0240846758679,
        -0.87293863208, -0.0188805495204}},
      {{GridMode::linear, GridPadding::border, false},
       {-0.116348929798, 0.856702546609, 0.998081879055, 0.998081879055, -0.456564267042, 0.756477224009,
        0.884499268827, 0.884499268827},
       {0.915891014083,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0.34514719787,
        0.654799189535,
        1.5619280934,
        -1.42879588174,
        -0.0630508223883,
        0,
        0,
        0,
        0,
        0,
        0.182466001274,
        0,
        0,
        0,
        0.103632988913},
       {-0, -0, 0.455821264948, -0, -0, -0, -0, -0, 0, 0.588157626149, 0.0717061536171, 0, 0, 0, 0, 0}},
      {{GridMode::linear, GridPadding::border, true},
       {-0.399954322642, 0.574058649133, 0.998081879055, 0.998081879055, -0.631170460337, 0.687303478298,
        0.884499268827, 0.884499268827},
       {0.612123340006,
        0,
        0,
        0,
        0.303767674076,
        0.0731254427533,
        0.11736776576,
        0,
        0,
        0.310728254075,
        0.498724924817,
        1.5619280934,
        -1.39472783072,
        -0.09711887341,
        0,
        0,
        0,
        0,
        0.0152753790664,
        0.201734951846,
        0,
        0,
        0.00486315769017,
        0.0642255015852},
       {-0, -0.783178082767, 0.368887924255, 1.4372794244, -0, -0, -0, -0, 0.05563730239, 0.384655441732,
        0.0537796152128, 0, 0, 0, 0, 0}},
      {{GridMode::linear, GridPadding::reflection, false},
       {-0.152982135709, 0.856702546609, 0.270289131647, 0.580153781718, -0.456564267042, 0.756477224009,
        -0.349762949302, 0.668902148676},
       {0.831552034909,
        0.0843389791739,
        0,
        0,
        0,
        0.00808861740234,
        0.316697787808,
        0.389638774777,
        0,
        0.370143477694,
        1.22922763443,
        0.248078188697,
        -0.274055588969,
        -0.84801332101,
        0,
        0,
        -0.087037402494,
        -0.28274039166,
        0,
        0.182466001274,
        0,
        0,
        0,
        0.103632988913},
       {0.728725855782, -0, 0.455821264948, -0, -0.493050943871, -1.57975282587, -0.328638625864, -1.38027564949, 0,
        0.588157626149, 0.0717061536171, 0, -0.297633901051, -1.16422965004, -0.448195808724, 0}},
      {{GridMode::linear, GridPadding::reflection, true},
       {-0.491028836738, 0.574058649133, 0.0247511864693, 0.195224700482, -0.631170460337, 0.428246881772,
        -0.54883125824, 0.315602211951},
       {0.340301977668,
        0.271821362339,
        0,
        0,
        0.168875671754,
        0.26094107574,
        0.791129329199,
        0.270240957023,
        0,
        0.364436602733,
        0.915394458126,
        0.0946240603104,
        -0.0518123693276,
        -0.821321327951,
        0,
        0,
        -0.0325265362528,
        -0.586186470602,
        0.0152753790664,
        0.201734951846,
        0,
        0,
        0.00486315769017,
        0.0642255015852},
       {0.281765148685, -0.546836812634, 0.368887924255, 1.4372794244, -0.430154223916, -1.14649375818, -0.269862086552,
        -0.927139001005, 0.05563730239, 0.384655441732, 0.0543740736889, -0.195114041284, -0.224566041009,
        -0.777795195637, -0.340523816394, -1.22296861241}},
      {{GridMode::nearest, GridPadding::zeros, false},
       {0, 0.935373698075, 0, 0, -0.95300550232, 0, 0, 0},
       {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.999946387405, 0, 0, 0, 0, 0, 0, 0, 0, 0.286098990187, 0, 0, 0, 0},
       {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
      {{GridMode::nearest, GridPadding::zeros, true},
       {-0.116348929798, 0.935373698075, 0, 0, -0.95300550232, 0.614687917053, 0, 0},
       {0.915891014083, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.999946387405, 0, 0, -0.13288201765, 0, 0, 0, 0, 0,
        0.286098990187, 0, 0, 0, 0},
       {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
      {{GridMode::nearest, GridPadding::border, false},
       {-0.116348929798, 0.935373698075, 0.998081879055, 0.998081879055, -0.95300550232, 0.884499268827, 0.884499268827,
        0.884499268827},
       {0.915891014083, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.999946387405, 1.5619280934, -1.49184670413, 0, 0, 0, 0, 0, 0,
        0.286098990187, 0, 0, 0, 0},
       {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
      {{GridMode::nearest, GridPadding::border, true},
       {-0.116348929798, 0.935373698075, 0.998081879055, 0.998081879055, -0.95300550232, 0.614687917053, 0.884499268827,
        0.884499268827},
       {0.915891014083,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0.999946387405,
        1.5619280934,
        -1.35896468648,
        -0.13288201765,
        0,
        0,
        0,
        0,
        0,
        0.286098990187,
        0,
        0,
        0,
        0},
       {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
      {{GridMode::nearest, GridPadding::reflection, false},
       {-0.116348929798, 0.935373698075, -0.060936133587, 0.935373698075, -0.95300550232, 0.884499268827,
        -0.858186953667, 0.614687917053},
       {0.915891014083,
        0,
        0,
        0,
        0,
        0,
        0,
        0.907381642179,
        0,
        0,
        1.65449283863,
        0,
        -0.13288201765,
        -0.830572557042,
        0,
        0,
        0,
        -0.528392129441,
        0,
        0.286098990187,
        0,
        0,
        0,
        0},
       {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
      {{GridMode::nearest, GridPadding::reflection, true},
       {-0.116348929798, 0.935373698075, -0.465680385497, 0.935373698075, -0.95300550232, 0.614687917053,
        -0.858186953667, 0.614687917053},
       {0.915891014083,
        0,
        0,
        0,
        0,
        0,
        0.907381642179,
        0,
        0,
        0,
        1.65449283863,
        0,
        0,
        -0.963454574692,
        0,
        0,
        0,
        -0.528392129441,
        0,
        0.286098990187,
        0,
        0,
        0,
        0},
       {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
  };
  return all;
}

TEST(GridSample, GivesPyTorchsValuesAndGradients) {
  const Tensor x = arbitrary({2, 1, 3, 4}), grid = arbitrary({2, 2, 2, 2}, 3) * 1.8;
  for (const GridCase& expected : grid_cases()) {
    const Tensor y = grid_sample(x, grid, expected.options);
    expect_values(y, {2, 1, 2, 2}, expected.values, 1e-11);
    const auto gradients = grad(sum(y * arbitrary(y.shape(), 99)), {x, grid});
    expect_values(gradients[0], x.shape(), expected.of_x, 1e-11);
    expect_values(gradients[1], grid.shape(), expected.of_grid, 1e-11);
  }
}

TEST(GridSample, SamplesVolumes) {
  const Tensor x = arbitrary({1, 1, 2, 3, 2}), grid = arbitrary({1, 1, 2, 2, 3}, 3) * 1.4;
  {
    const Tensor y = grid_sample(x, grid, {.padding = GridPadding::reflection, .align_corners = false});
    expect_values(y, {1, 1, 1, 2, 2}, {-0.279108927201, 0.998081879055, 0.998081879055, -0.607987722988}, 1e-11);
    expect_values(grad(sum(y * arbitrary(y.shape(), 99)), grid), grid.shape(),
                  {-0, 0.205445674504, -0.0122689501567, -0, 0, 0, 0, 0, -0, -0.198365331214, -0.532732990917, 0},
                  1e-11);
  }
  {
    const Tensor y = grid_sample(x, grid, {.padding = GridPadding::reflection, .align_corners = true});
    expect_values(y, {1, 1, 1, 2, 2}, {-0.251500549333, 0.639567634252, 0.700037881294, -0.652129803002}, 1e-11);
    expect_values(grad(sum(y * arbitrary(y.shape(), 99)), grid), grid.shape(),
                  {-0.0309753047456, 0.0952171177679, 0.176608699407, 0.0498201220423, -0.306608463889, -0.894878054579,
                   -0.0509822498693, -0.288412124582, 0.80472138103, -0.0750333721142, -0.331982704253, 0.308111644423},
                  1e-11);
  }
  expect_gradient([](const auto& xs) { return grid_sample(xs[0], xs[1]); }, {x, grid * 0.5}, 1e-5);
}

// PyTorch's gradient of a position is 0 at the edge, unless elements beyond the edge are zeros.
TEST(GridSample, GradientsOfPositionsOfTheFirstAndLastElements) {
  const Tensor x = arbitrary({1, 1, 2, 2});
  const Tensor grid = affine_grid(from_vector<double>({1, 0, 0, 0, 1, 0}, {1, 2, 3}), {1, 1, 2, 2}, true);
  const auto gradient = [&](GridPadding padding) {
    const Tensor y = grid_sample(x, grid, {.padding = padding, .align_corners = true});
    expect_values(y, {1, 1, 2, 2}, x.to_vector<double>(), 1e-14);
    return grad(sum(y * arbitrary(y.shape(), 99)), grid);
  };
  expect_values(gradient(GridPadding::zeros), {1, 2, 2, 2},
                {-0.182181463946, -0.322773206913, 0.257072409486, -0.234470680572, -0.0734802666969, 0.372560822982,
                 0.321755035344, 0.321755035344},
                1e-11);
  expect_values(gradient(GridPadding::border), {1, 2, 2, 2}, Doubles(8, 0.));
  expect_values(gradient(GridPadding::reflection), {1, 2, 2, 2}, Doubles(8, 0.));
}

TEST(GridSample, BatchesOfExamplesAndOtherTypes) {
  for (const GridCase& expected : grid_cases()) {
    const Tensor xs = arbitrary({3, 2, 1, 3, 4}), grids = arbitrary({3, 2, 2, 3, 2}, 3) * 1.8;
    const auto f = [&](const Tensor& x, const Tensor& grid) { return grid_sample(x, grid, expected.options); };
    const Tensor each = stack({f(xs[0], grids[0]), f(xs[1], grids[1]), f(xs[2], grids[2])});
    expect_values(vmap(f)(xs, grids), each.shape(), each.to_vector<double>(), 1e-12);
    const Tensor exact = f(xs[0], grids[0]), half = f(xs[0].to(DType::bf16), grids[0].to(DType::f32));
    EXPECT_EQ(half.dtype(), DType::f32);
    expect_values(half, exact.shape(), exact.to_vector<double>(), 0.02);
    EXPECT_EQ(f(xs[0].to(DType::bf16), grids[0].to(DType::bf16)).dtype(), DType::bf16);
  }
}

TEST(GridSample, OneCompiledFunctionServesAllSizes) {
  auto run = compile(
      [](const Tensor& x, const Tensor& grid) { return grid_sample(x, grid, {.padding = GridPadding::reflection}); });
  for (const std::int64_t size : {4, 6, 8, 3, 0}) {
    const Tensor x = arbitrary({size, 1, size + 1, 4}), grid = arbitrary({size, size, 2, 2}, 3) * 1.8;
    const Tensor expected = grid_sample(x, grid, {.padding = GridPadding::reflection});
    expect_values(run(x, grid), expected.shape(), expected.to_vector<double>(), 1e-12);
  }
}

TEST(GridSample, ElementsBeyondTheEdgeDoNotMatter) {
  const Tensor x = reshape(tensor({test::inf, 1.f}), {1, 1, 1, 2});
  const Tensor grid = reshape(tensor({1.f, 0.f, 5.f, 0.f}), {1, 1, 2, 2});
  expect_values(grid_sample(x, grid), {1, 1, 1, 2}, {0.5, 0});
}

TEST(AffineGrid, GivesPyTorchsValues) {
  const Tensor matrices = arbitrary({1, 2, 3}, 5);
  expect_values(affine_grid(matrices, {1, 1, 2, 3}), {1, 2, 3, 2},
                {0.537817869099, 0.60536370681, -0.121027679528, 0.507597241424, -0.779873228154, 0.409830776039,
                 -0.300417588268, 0.878112394634, -0.959263136895, 0.780345929249, -1.61810868552, 0.682579463863},
                1e-11);
  expect_values(affine_grid(matrices, {1, 1, 2, 3}, true), {1, 2, 3, 2},
                {1.2863583721, 0.51787259559, 0.298090049156, 0.371222897512, -0.690178273784, 0.224573199434,
                 -0.390112542638, 1.06336997124, -1.37838086558, 0.916720273161, -2.36664918852, 0.770070575083},
                1e-11);
  expect_values(affine_grid(arbitrary({1, 3, 4}, 5), {1, 1, 2, 1, 2}), {1, 2, 1, 2, 3},
                {0.617557167498, 0.412606390698, -0.718738075044, -0.370711155443, 0.685355078522, 0.202645777882,
                 0.0774117592862, 1.31405643767, -0.399649673986, -0.910856563654, 1.58680512549, 0.52173417894},
                1e-11);
  expect_gradient([](const auto& xs) { return affine_grid(xs[0], {2, 1, 2, 3}, true); }, {arbitrary({2, 2, 3})});
}

TEST(GridSample, Mistakes) {
  const Tensor image = ones({1, 1, 3, 4});
  expect_error([&] { grid_sample(ones({3, 4}), ones({3, 4})); },
               "grid_sample: expected [batch, channels, spatial...] with two or three spatial dimensions, got "
               "tensor<3x4xf32>");
  expect_error([&] { grid_sample(image, ones({2, 1, 1, 2})); },
               "grid_sample: expected a grid [1, spatial..., 2] of rank 4 for tensor<1x1x3x4xf32>, got "
               "tensor<2x1x1x2xf32>");
  expect_error([&] { grid_sample(image, ones({1, 1, 1, 2}, DType::i32)); },
               "grid_sample: expected floating point, got tensor<1x1x3x4xf32> and tensor<1x1x1x2xi32>");
  expect_error([&] { grid_sample(ones({1, 1, 0, 4}), ones({1, 1, 1, 2})); },
               "grid_sample: nothing to sample from tensor<1x1x0x4xf32>");
  expect_error([&] { affine_grid(ones({1, 2, 2}), {1, 1, 3, 4}); },
               "affine_grid: expected matrices [1, 2, 3] for the size [1, 1, 3, 4], got tensor<1x2x2xf32>");
  expect_error([&] { affine_grid(ones({1, 2, 3}), {1, 3, 4}); },
               "affine_grid: expected a size [batch, channels, spatial...] with two or three spatial dimensions, got "
               "[1, 3, 4]");
}

}  // namespace
}  // namespace weft
