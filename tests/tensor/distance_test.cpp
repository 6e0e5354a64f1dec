// Distances against numbers of PyTorch 2.14.
#include "tests/tensor/check.h"

namespace weft {
namespace {

using test::Doubles;
using test::expect_error;
using test::expect_values;
using test::inf;

TEST(Distance, EqualsPyTorch) {
  const Tensor a = test::arbitrary({2, 3, 4}), b = test::arbitrary({2, 2, 4}, 1);
  const auto check = [&](double p, const Doubles& distances, const Doubles& gradient) {
    SCOPED_TRACE(p);
    const Tensor d = cdist(a, b, p);
    expect_values(d, {2, 3, 2}, distances, 1e-9);
    if (p > 0) expect_values(grad(sum(d), a)[0], {3, 4}, gradient, 1e-9);
  };
  check(0, Doubles(12, 4), {});
  check(1,
        {4.114785206226, 5.44058799662, 3.820764823963, 5.291986807747, 1.460949640266, 1.735652466247, 3.823283847088,
         4.124714700883, 1.138702849681, 1.752545648824, 2.925307835253, 1.724894834362},
        {0, -2, -2, -2, -2, -2, -2, -2, 0, 0, 2, 2});
  check(2,
        {2.467609687914, 2.738402430871, 1.923099431206, 2.901146226565, 0.8009144183531, 0.9614755792089,
         1.924050487178, 2.477105528238, 0.6838502365655, 1.042977805618, 1.740913937857, 0.8951234159814},
        {-0.3773724657436, -0.8320532336183, -1.139768781545, -1.246167439034, -1.085599435819, -1.124761089233,
         -0.9652566547223, -0.6352593348575, 0.009824805458458, 0.3557332112659, 0.6388086064868, 0.8090515006562});
  check(3,
        {2.14266562143, 2.186933517811, 1.535819044263, 2.437210687225, 0.672836536845, 0.8192176105636, 1.53637516255,
         2.149709457563, 0.5934665698911, 0.9092802942631, 1.517749207293, 0.7306980354777},
        {-0.2583659068106, -0.5614561764637, -0.9374247467288, -1.134675451378, -0.9123282304129, -0.9416589406039,
         -0.7241610253139, -0.4067152508812, 0.03643180174674, 0.4225064254044, 0.3080509396182, 0.6372865697013});
  check(inf,
        {1.865136690826, 1.532388961046, 1.076151666443, 1.969185991441, 0.5436297689936, 0.6431661722146,
         1.075640677305, 1.868599681284, 0.5158610804125, 0.8313597143879, 1.387686014367, 0.5391627185737},
        {0, 0, -1, -1, -1, 0, -1, 0, 0, 0, 0, 0});
  const Tensor x = select(a, 1, 0), y = select(b, 1, 0);
  expect_values(pairwise_distance(x, y, 3), {2}, {2.142664297426, 1.536376730884}, 1e-9);
  expect_values(pairwise_distance(x, y[0]), {2}, {2.467608079327, 1.604872355751}, 1e-9);
  expect_values(pairwise_distance(x, y, 3, 1e-6, true), {2, 1}, {2.142664297426, 1.536376730884}, 1e-9);
}

TEST(Distance, OfEqualVectorsHasGradientZero) {
  const Tensor x = tensor({{1.0, 2.0}, {3.0, 4.0}}, DType::f64), y = stop_gradient(x);
  const double root = 1 / std::sqrt(2), cube_root = std::pow(2, 1. / 3) / 2;
  expect_values(grad(sum(cdist(x, y, 1)), x), {2, 2}, {-1, -1, 1, 1});
  expect_values(grad(sum(cdist(x, y, 2)), x), {2, 2}, {-root, -root, root, root}, 1e-12);
  expect_values(grad(sum(cdist(x, y, 3)), x), {2, 2}, {-cube_root, -cube_root, cube_root, cube_root}, 1e-12);
}

TEST(Distance, OfNothingAndMisfits) {
  expect_values(cdist(zeros({0, 3}), zeros({2, 3})), {0, 2}, {});
  expect_error([] { cdist(ones({2, 3}), ones({2, 4})); },
               "cdist: expected vectors [..., count, width] of one width, got tensor<2x3xf32> and tensor<2x4xf32>");
  expect_error([] { pairwise_distance(ones({3}), ones({3}), -1); }, "pairwise_distance: p cannot be negative, got -1");
}

}  // namespace
}  // namespace weft
