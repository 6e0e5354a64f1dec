// Functions that PyTorch and NumPy have in common, against numbers of PyTorch 2.14. Where its gradient is NaN, weft's is a number.
#include <weft/jit/compile.h>

#include "tests/tensor/check.h"

namespace weft {
namespace {

using test::Doubles;
using test::expect_error;
using test::expect_values;
using test::inf;
using test::nan;

Tensor doubles(const Doubles& values) { return from_vector(values, {values.size()}); }

void expect_unary(Tensor (*f)(const Operand&), const Doubles& at, const Doubles& values, const Doubles& gradients) {
  const Tensor x = doubles(at), y = f(x);
  expect_values(y, x.shape(), values, 1e-11);
  expect_values(grad(sum(y), x), x.shape(), gradients, 1e-11);
}

void expect_binary(Tensor (*f)(const Operand&, const Operand&), const Doubles& a, const Doubles& b,
                   const Doubles& values, const Doubles& by_a, const Doubles& by_b) {
  const Tensor x = doubles(a), y = doubles(b), z = f(x, y);
  expect_values(z, x.shape(), values, 1e-11);
  const auto gradients = grad(sum(z), {x, y});
  expect_values(gradients[0], x.shape(), by_a, 1e-11);
  expect_values(gradients[1], x.shape(), by_b, 1e-11);
}

TEST(Elementwise, InverseHyperbolicFunctions) {
  expect_unary(asinh, {-2.5, -0.5, 0, 0.5, 1.5, 3, 1e200},
               {-1.647231146371, -0.48121182506, 0, 0.48121182506, 1.194763217287, 1.818446459232, 461.210165779369},
               {0.371390676354, 0.894427191, 1, 0.894427191, 0.554700196225, 0.316227766017, 1e-200});
  expect_unary(atanh, {-0.5, 0, 0.9, 1}, {-0.549306144334, 0, 1.472219489583, inf},
               {1.333333333333, 1, 5.263157894737, inf});
  expect_unary(acosh, {1, 1.5, 1e200}, {0, 0.962423650119, 461.210165779369}, {inf, 0.894427191, 1e-200});
  expect_values(acosh(0.5), {}, {nan});
  EXPECT_NEAR(asinh(tensor(1e-10, DType::f64)).item() / 1e-10, 1, 1e-14);
  EXPECT_NEAR(acosh(tensor(1 + 0x1p-40, DType::f64)).item() / std::sqrt(0x1p-39), 1, 1e-12);
}

TEST(Elementwise, TowardsZero) {
  expect_unary(frac, {-2.5, -0.5, 0, 0.5, 1.5, 3}, {-0.5, -0.5, 0, 0.5, 0.5, 0}, {1, 1, 1, 1, 1, 1});
  expect_unary(trunc, {-2.5, -0.5, 0, 0.5, 1.5, 3}, {-2, 0, 0, 0, 1, 3}, Doubles(6));
  expect_binary(fmod, {-5.5, 5.5, 7}, {2, -2, 3}, {-1.5, 1.5, 1}, {1, 1, 1}, {2, 2, -2});
  expect_values(fmod(tensor({-7, 7}), 3), {2}, {-1, 1});
  EXPECT_TRUE(std::signbit(trunc(tensor(-0.5)).item()));
}

TEST(Elementwise, FunctionsOfTwoOperands) {
  expect_binary(hypot, {3, 0, 2}, {-4, 0, 2}, {5, 0, 2 * std::sqrt(2)}, {0.6, 0, 0.707106781187},
                {-0.8, 0, 0.707106781187});
  EXPECT_NEAR(hypot(tensor(3e200, DType::f64), 4e200).item() / 5e200, 1, 1e-15);
  expect_values(hypot(doubles({inf, nan, 3}), doubles({nan, -inf, nan})), {3}, {inf, inf, nan});
  expect_binary(logaddexp, {1, 0, -inf, 1000}, {2, 0, 3, 1000}, {2.313261687518, 0.69314718056, 3, 1000.69314718056},
                {0.26894142137, 0.5, 0, 0.5}, {0.73105857863, 0.5, 1, 0.5});
  expect_values(logaddexp(doubles({inf, -inf}), doubles({inf, -inf})), {2}, {inf, -inf});
  expect_binary(copysign, {1, -2, 0}, {-1, 1, -1}, {-1, 2, 0}, {-1, -1, 0}, {0, 0, 0});
  expect_values(copysign(doubles({1, 3}), doubles({-0.0, nan})), {2}, {-1, 3});
  EXPECT_EQ(copysign(tensor(2.f).to(DType::bf16), -1).item(), -2);
  test::expect_gradient([](const std::vector<Tensor>& in) { return hypot(in[0], in[1]) + logaddexp(in[0], in[1]); },
                        {test::arbitrary({4}), test::arbitrary({4}, 1)});
}

TEST(Elementwise, SecondDerivativeOfLogaddexpWhereOperandsAreEqual) {
  const Tensor x = tensor(1.0, DType::f64), y = tensor(1.0, DType::f64);
  expect_values(grad(grad(logaddexp(x, y), x), x), {}, {0.25}, 1e-15);
}

TEST(Elementwise, NanToNum) {
  const Tensor x = doubles({nan, inf, -inf, 1}), y = nan_to_num(x, 1, 2, -3);
  expect_values(y, {4}, {1, 2, -3, 1});
  expect_values(grad(sum(y), x), {4}, {0, 0, 0, 1});
  for (const auto& [dtype, most] :
       {std::pair{DType::f16, 65504.0}, {DType::bf16, 0x1.fep127}, {DType::f32, 0x1.fffffep127}})
    expect_values(nan_to_num(x.to(dtype)), {4}, {0, most, -most, 1});
  expect_values(nan_to_num(tensor({3})), {1}, {3});
}

TEST(Reduction, RunningExtremes) {
  const Tensor m = from_vector<double>({1, 3, 3, 2, nan, 1, -1, 4}, {2, 4});
  const Indexed most = cummax(m), least = cummin(m, 1), down = cummax(m, 0);
  expect_values(most.values, {2, 4}, {1, 3, 3, 3, nan, nan, nan, nan});
  expect_values(most.indices, {2, 4}, {0, 1, 2, 2, 0, 0, 0, 0});
  expect_values(least.values, {2, 4}, {1, 1, 1, 1, nan, nan, nan, nan});
  expect_values(least.indices, {2, 4}, Doubles(8));
  expect_values(down.values, {2, 4}, {1, 3, 3, 2, nan, 3, 3, 4});
  expect_values(down.indices, {2, 4}, {0, 0, 0, 0, 1, 0, 0, 1});
  expect_values(grad(sum(most.values), m), {2, 4}, {1, 1, 2, 0, 4, 0, 0, 0});
  expect_values(cummax(zeros({0})).values, {0}, {});
  for (std::int64_t n = 1; n < 20; ++n) {
    const Tensor x = test::arbitrary({n}, static_cast<int>(n));
    const Doubles values = x.to_vector<double>();
    Doubles expected = values;
    for (std::size_t i = 1; i < expected.size(); ++i) expected[i] = std::max(expected[i], expected[i - 1]);
    expect_values(cummax(x).values, {n}, expected);
  }
  expect_error([] { cummax(tensor(1.f)); }, "cummax: expected rank 1 or more, got tensor<f32>");
}

TEST(Reduction, Logcumsumexp) {
  const Tensor x = from_vector<double>({-inf, 1, 1000, 2, 0, 0, 0, 0}, {2, 4});
  expect_values(logcumsumexp(x), {2, 4}, {-inf, 1, 1000, 1000, 0, 0.69314718056, 1.098612288668, 1.38629436112}, 1e-11);
  const Tensor y = doubles({0.5, 1, 3, 2});
  expect_values(grad(sum(logcumsumexp(y)), y), {4}, {1.49674487833, 0.818993847014, 1.452204562713, 0.232056711943},
                1e-11);
  EXPECT_EQ(logcumsumexp(y.to(DType::bf16)).dtype(), DType::bf16);
}

TEST(Reduction, Differences) {
  expect_values(diff(from_vector<double>({1, 3, 3, 2, nan, 1, -1, 4}, {2, 4})), {2, 3}, {2, 0, -1, nan, -2, 5});
  expect_values(diff(test::matrix(), 1, 0), {1, 3}, {3, 3, 3});
  expect_values(diff(tensor({1, 4, 9, 16}), 2), {2}, {2, 2});
  expect_values(diff(tensor({true, false, false})), {2}, {1, 0});
  expect_values(diff(tensor({1}), 3), {0}, {});
}

TEST(Reduction, Kthvalue) {
  const Tensor x = from_vector<double>({3, 1, 2, nan, 5, 4}, {2, 3});
  const Indexed second = kthvalue(x, 2), last = kthvalue(x, 3, 1, true);
  expect_values(second.values, {2}, {2, 5});
  expect_values(second.indices, {2}, {2, 1});
  expect_values(last.values, {2, 1}, {3, nan});
  expect_values(last.indices, {2, 1}, {0, 0});
  expect_values(grad(sum(second.values), x), {2, 3}, {0, 0, 1, 0, 1, 0});
  expect_error([&] { kthvalue(x, 4); }, "kthvalue: k = 4 is out of range for tensor<2x3xf64>");
}

TEST(Reduction, WithoutNan) {
  const Tensor m = from_vector<double>({1, 3, 3, 2, nan, 1, -1, 4}, {2, 4}), means = nanmean(m, 1);
  expect_values(nansum(m, 1), {2}, {9, 4});
  expect_values(means, {2}, {2.25, 4. / 3}, 1e-15);
  expect_values(grad(sum(means), m), {2, 4}, {0.25, 0.25, 0.25, 0.25, 0, 1. / 3, 1. / 3, 1. / 3}, 1e-15);
  expect_values(nanmean(doubles({nan})), {}, {nan});
  expect_values(nansum(doubles({nan})), {}, {0});
  expect_values(nansum(tensor({1, 2})), {}, {3});
}

TEST(Manipulation, MovedDimensions) {
  const Tensor x = reshape(test::matrix(), {1, 2, 3});
  expect_values(movedim(x, {0, 2}, {2, 0}), {3, 2, 1}, {0, 3, 1, 4, 2, 5});
  expect_values(movedim(x, -1, 0), {3, 1, 2}, {0, 3, 1, 4, 2, 5});
  expect_error([&] { movedim(x, {0, 1}, 2); }, "movedim: 2 dimensions have 1 places");
  expect_values(unflatten(test::matrix(), 1, {3, -1}), {2, 3, 1}, {0, 1, 2, 3, 4, 5});
  expect_error([] { unflatten(test::matrix(), 1, {2, -1}); },
               "unflatten: dimension 1 of tensor<2x3xf32> does not have the shape [2, -1]");
}

TEST(Manipulation, Rot90) {
  const Tensor x = test::matrix();
  expect_values(rot90(x), {3, 2}, {2, 5, 1, 4, 0, 3});
  expect_values(rot90(x, 2), {2, 3}, {5, 4, 3, 2, 1, 0});
  expect_values(rot90(x, 3), {3, 2}, {3, 0, 4, 1, 5, 2});
  expect_values(rot90(x, -1), {3, 2}, {3, 0, 4, 1, 5, 2});
  expect_values(rot90(x, 1, 1, 0), {3, 2}, {3, 0, 4, 1, 5, 2});
  expect_values(rot90(x, 4), {2, 3}, {0, 1, 2, 3, 4, 5});
}

TEST(Manipulation, GridsAndWindows) {
  const auto grids = meshgrid({tensor({1, 2}), tensor({3, 4, 5})});
  expect_values(grids[0], {2, 3}, {1, 1, 1, 2, 2, 2});
  expect_values(grids[1], {2, 3}, {3, 4, 5, 3, 4, 5});
  const auto rows = unbind(test::matrix());
  ASSERT_EQ(rows.size(), 2u);
  expect_values(rows[1], {3}, {3, 4, 5});
  expect_values(unfold(arange(5), 0, 3, 2), {2, 3}, {0, 1, 2, 2, 3, 4});
  expect_values(unfold(reshape(arange(10), {5, 2}), 0, 2, 2), {2, 2, 2}, {0, 2, 1, 3, 4, 6, 5, 7});
  const Tensor x = doubles({1, 2, 3});
  expect_values(grad(sum(unfold(x, 0, 2, 1)), x), {3}, {1, 2, 1});
  expect_values(repeat(tensor({{1, 2}, {3, 4}}), {0, 2}, 0), {2, 2}, {3, 4, 3, 4});
  expect_values(repeat(tensor({{1, 2}, {3, 4}}), {0, 0}, 1), {2, 0}, {});
  expect_error([&] { repeat(x, {1, 2}, 0); }, "repeat: 2 numbers of repetitions for dimension 0 of tensor<3xf64>");
}

TEST(Manipulation, PadsWithElements) {
  const Tensor x = reshape(arange(12), {3, 4}), line = arange(5);
  const auto check = [&](PadMode mode, const Doubles& expected) {
    expect_values(pad(x, {{1, 2}, {2, 1}}, mode), {6, 7}, expected);
  };
  check(PadMode::reflect, {6,  5, 4, 5, 6,  7,  6,  2, 1, 0, 1, 2, 3, 2, 6, 5, 4, 5, 6, 7, 6,
                           10, 9, 8, 9, 10, 11, 10, 6, 5, 4, 5, 6, 7, 6, 2, 1, 0, 1, 2, 3, 2});
  check(PadMode::replicate, {0, 0, 0, 1, 2,  3,  3,  0, 0, 0, 1, 2,  3,  3,  4, 4, 4, 5, 6,  7,  7,
                             8, 8, 8, 9, 10, 11, 11, 8, 8, 8, 9, 10, 11, 11, 8, 8, 8, 9, 10, 11, 11});
  check(PadMode::circular, {10, 11, 8, 9, 10, 11, 8, 2, 3, 0, 1, 2, 3, 0, 6, 7, 4, 5, 6, 7, 4,
                            10, 11, 8, 9, 10, 11, 8, 2, 3, 0, 1, 2, 3, 0, 6, 7, 4, 5, 6, 7, 4});
  expect_values(pad(line, {{-1, 2}}, PadMode::replicate), {6}, {1, 2, 3, 4, 4, 4});
  expect_values(pad(line, {{2, -1}}, PadMode::reflect), {6}, {2, 1, 0, 1, 2, 3});
  expect_values(pad(line, {{2, -1}}, PadMode::circular), {6}, {2, 3, 0, 1, 2, 3});
  const Tensor y = doubles({1, 2, 3});
  expect_values(grad(sum(pad(y, {{2, 1}}, PadMode::reflect)), y), {3}, {1, 3, 2});
  expect_values(grad(sum(pad(y, {{2, 1}}, PadMode::replicate)), y), {3}, {3, 1, 2});
  expect_error([&] { pad(y, {{3, 0}}, PadMode::reflect); },
               "pad: dimension 0 of tensor<3xf64> has too few elements to add 3");
  expect_error([&] { pad(y, {{0, 4}}, PadMode::circular); },
               "pad: dimension 0 of tensor<3xf64> has too few elements to add 4");
}

TEST(Normalization, LocalResponseNorm) {
  const Tensor x = test::arbitrary({2, 5, 3}), y = local_response_norm(x, 2, {.alpha = 0.5, .k = 2});
  expect_values(
      y, {2, 5, 3},
      {-0.06909381909377, -0.2983639165557,  -0.4595207414284, -0.5360422482168, -0.5198018246122,  -0.4187546072049,
       -0.2496776071478,  -0.03331549866365, 0.1971771402101,  0.3944146984464,  0.5143638233269,   0.5378331973872,
       0.47041626166,     0.3277147689299,   0.1280732116784,  -0.1089534697617, -0.3297536409039,  -0.4776660285522,
       -0.5397748030064,  -0.5088266034017,  -0.3956372467774, -0.2173276877117, 0.003994119165107, 0.2325510731949,
       0.4198432630567,   0.5247522836121,   0.5327481031538,  0.4520599756835,  0.298835747486,    0.09216390571338},
      1e-11);
  expect_values(grad(sum(y), x), {2, 5, 3},
                {0.5819276039432, 0.5088976282425, 0.4388450629651, 0.4171127052814, 0.447395088521,  0.5046902058209,
                 0.548769742372,  0.5516830900456, 0.5127521904952, 0.4557264659184, 0.4189251553039, 0.4294131642681,
                 0.4646104179062, 0.5004835279553, 0.5369687566576, 0.5724884763254, 0.4958468129638, 0.4313984880778,
                 0.4188561534283, 0.4557945095189, 0.51371300194,   0.5523730813572, 0.5478816623698, 0.503865642734,
                 0.4474123631411, 0.4171450294702, 0.435559490231,  0.4693733054625, 0.5069781147698, 0.5411934115668},
                1e-11);
  const Tensor z = local_response_norm(x, 3, {.alpha = 0.5, .k = 2});
  expect_values(
      z, {2, 5, 3},
      {-0.06522548593794, -0.2845065571451,  -0.4521379466403, -0.5443433888623, -0.5374174833579,  -0.4309125139225,
       -0.2509249222425,  -0.03258756645847, 0.1904378851298,  0.3850942278399,  0.5161518224167,   0.553221696066,
       0.487352346859,    0.3392643580634,   0.1319251008318,  -0.1028086549177, -0.3157330239143,  -0.4726481217129,
       -0.5503900335036,  -0.5265256392975,  -0.4059711175343, -0.2174051812897, 0.003893517781417, 0.2246326813115,
       0.4114469754649,   0.5290676460462,   0.5493287138175,  0.4684405762107,  0.3091907699022,   0.09483872100472},
      1e-11);
  EXPECT_EQ(local_response_norm(x, 100).shape(), x.shape());
  expect_error([&] { local_response_norm(x, 0); }, "local_response_norm: the size must be positive, got 0");
}

TEST(Linalg, Bilinear) {
  const Tensor a = test::arbitrary({2, 3}), b = test::arbitrary({2, 2}, 1), weight = test::arbitrary({2, 3, 2}, 2);
  expect_values(bilinear(a, b, weight, test::arbitrary({2}, 3)), {2, 2},
                {-0.6167825481819, -0.4931407066605, 0.8739805806931, -0.1568108983053}, 1e-11);
  expect_error([&] { bilinear(b, a, weight); },
               "bilinear: the weight tensor<2x3x2xf64> does not fit tensor<2x2xf64> and tensor<2x3xf64>");
}

TEST(Linalg, Tensordot) {
  const Tensor a = reshape(arange(24, DType::f64), {2, 3, 4}), b = reshape(arange(24, DType::f64), {3, 4, 2});
  expect_values(tensordot(a, b), {2, 2}, {1012, 1078, 2596, 2806});
  expect_values(tensordot(a, b, {0, 2}, {2, 1}), {3, 3}, {254, 734, 1214, 366, 1102, 1838, 478, 1470, 2462});
  EXPECT_EQ(tensordot(a, b, 0).shape(), (Shape{2, 3, 4, 3, 4, 2}));
  expect_error([&] { tensordot(a, b, 0, 0); },
               "tensordot: dimension 0 of tensor<2x3x4xf64> does not fit dimension 0 of tensor<3x4x2xf64>");
}

TEST(Selection, Isin) {
  expect_values(isin(doubles({1, 2, nan, 5}), doubles({5, nan, 1})), {4}, {1, 0, 0, 1});
  expect_values(isin(tensor({{1, 2}, {3, 9}}), tensor({2, 9, 2})), {2, 2}, {0, 1, 0, 1});
  expect_values(isin(tensor({1, 2}), zeros({0}, DType::i32)), {2}, {0, 0});
}

TEST(Selection, Histc) {
  expect_values(histc(doubles({1, 2, 1, nan, 3, 4, -1}), 4, 0, 3), {4}, {0, 2, 1, 1});
  expect_values(histc(doubles({2, 2, 2}), 4), {4}, {0, 0, 3, 0});
  expect_values(histc(doubles({1, 2, 3, 5}), 4), {4}, {1, 1, 1, 1});
  expect_values(histc(zeros({0}), 2), {2}, {0, 0});
  expect_error([] { histc(ones({2}), 4, 1, 1); }, "histc: the lower bound 1 is not below 1");
}

TEST(Selection, Correlations) {
  const Tensor x = from_vector<double>({1, 2, 4, 3, -1, 0}, {2, 3});
  expect_values(cov(x), {2, 2}, {7. / 3, -11. / 6, -11. / 6, 13. / 3}, 1e-14);
  expect_values(corrcoef(x), {2, 2}, {1, -0.576556660197, -0.576556660197, 1}, 1e-11);
  expect_values(cov(x[0], 0), {}, {14. / 9}, 1e-14);
  expect_values(corrcoef(x[0]), {}, {1});
  expect_values(corrcoef(from_vector<double>({1, 1, 2, 3}, {2, 2})), {2, 2}, {nan, nan, nan, 1}, 1e-15);
  test::expect_gradient([](const std::vector<Tensor>& in) { return cov(in[0]); }, {test::arbitrary({3, 4})});
}

// The expressions of docs/library.md that stand for functions of PyTorch.
TEST(Functions, ByOtherNames) {
  const Tensor x = doubles({3, 1, 4, 1}), edges = doubles({1, 3});
  expect_values(searchsorted(edges, x, true), {4}, {2, 1, 2, 1});
  expect_values(kthvalue(x, (4 + 1) / 2).values, {}, {1});
  expect_values(median(x), {}, {2});
  expect_values(-topk(-x, 2).values, {2}, {1, 1});
  expect_values(sum(x != 0), {}, {4});
  expect_values(all(isclose(x, x + 1e-12)), {}, {1});
  expect_values(maximum(x, 2), {4}, {3, 2, 4, 2});
  const Tensor v = from_vector<double>({3, 4, 0, 2}, {2, 2}), g = from_vector<double>({5, 1}, {2, 1});
  expect_values(linear(eye(2, DType::f64), g * normalize(v, 1)), {2, 2}, {3, 0, 4, 1}, 1e-15);
  const Tensor log_q = log(doubles({0.5, 0.5})), p = doubles({0.25, 0.75});
  expect_values(kl_div(log_q, p, Reduction::sum) / 2, {}, {(0.25 * std::log(0.5) + 0.75 * std::log(1.5)) / 2}, 1e-15);
}

TEST(Patches, EqualPyTorch) {
  const Tensor image = reshape(arange(32, DType::f64), {1, 2, 4, 4});
  const UnfoldOptions options{.dilation = {1, 2}, .padding = {1, 0}, .stride = {2, 1}};
  const Tensor columns = unfold(image, {3, 2}, options);
  expect_values(columns, {1, 12, 4},
                {0, 0, 4,  5,  0, 0, 6,  7,  0,  1,  8,  9,  2,  3,  10, 11, 4,  5,  12, 13, 6,  7,  14, 15,
                 0, 0, 20, 21, 0, 0, 22, 23, 16, 17, 24, 25, 18, 19, 26, 27, 20, 21, 28, 29, 22, 23, 30, 31});
  expect_values(fold(columns, 4, {3, 2}, options), {1, 2, 4, 4},
                {0,  1,  2,  3,  8,  10, 12, 14, 8,  9,  10, 11, 12, 13, 14, 15,
                 16, 17, 18, 19, 40, 42, 44, 46, 24, 25, 26, 27, 28, 29, 30, 31});
  // The gradient of unfold is fold, and the other way round.
  const Tensor weights = test::arbitrary({1, 12, 4});
  expect_values(grad(sum(unfold(image, {3, 2}, options) * weights), image), {1, 2, 4, 4},
                fold(weights, 4, {3, 2}, options).to_vector<double>(), 1e-12);
  test::expect_gradient([&](const std::vector<Tensor>& in) { return fold(in[0], 4, {3, 2}, options); }, {weights});
  expect_error([&] { fold(columns, 4, 2, options); },
               "fold: tensor<1x12x4xf64> does not have 6 places of windows of 4 elements");
}

TEST(Random, Multinomial) {
  manual_seed(3);
  const Tensor weights = tensor({{0.0, 1.0, 3.0, 0.0}, {1.0, 1.0, 1.0, 1.0}});
  const Doubles with = multinomial(weights, 4000, true).to_vector<double>();
  Doubles counts(8);
  for (std::size_t i = 0; i < with.size(); ++i) ++counts[4 * (i / 4000) + static_cast<std::size_t>(with[i])];
  EXPECT_EQ(counts[0] + counts[3], 0);
  EXPECT_NEAR(counts[2], 3000, 150);
  for (std::size_t i = 4; i < 8; ++i) EXPECT_NEAR(counts[i], 1000, 150);
  const Doubles without = multinomial(weights, 2).to_vector<double>();
  EXPECT_EQ(without[0] + without[1], 3) << "both elements whose weight is not 0";
  EXPECT_NE(without[2], without[3]);
  double first_is_likely = 0;
  for (const double i : multinomial(broadcast_to(weights[0], {2000, 4}), 1).to_vector<double>())
    first_is_likely += i == 2;
  EXPECT_NEAR(first_is_likely, 1500, 100);
  expect_error([&] { multinomial(weights, 5); },
               "random::multinomial: cannot draw 5 different ones of 4 without replacement");
  Doubles order = randperm(10).to_vector<double>();
  std::ranges::sort(order);
  expect_values(arange(10), {10}, order);
}

TEST(Random, Distributions) {
  const random::Key key(5);
  const Tensor e = random::exponential(key, {20000}, DType::f64), g = random::gumbel(key, {20000}, DType::f64);
  EXPECT_NEAR(mean(e).item(), 1, 0.03);
  EXPECT_NEAR(var(e).item(), 1, 0.06);
  EXPECT_NEAR(mean(g).item(), 0.5772156649, 0.03);
  EXPECT_NEAR(var(g).item(), 1.6449340668, 0.08);
  const Tensor logits = test::arbitrary({50, 4}), soft = gumbel_softmax(key, logits, 0.5),
               hard = gumbel_softmax(key, logits, 0.5, true);
  expect_values(sum(soft, 1), {50}, Doubles(50, 1), 1e-12);
  expect_values(argmax(hard, 1), {50}, argmax(soft, 1).to_vector<double>());
  expect_values(max(hard, 1), {50}, Doubles(50, 1), 1e-12);
  const Tensor weights = test::arbitrary({50, 4}, 1);
  expect_values(grad(sum(hard * weights), logits), {50, 4}, grad(sum(soft * weights), logits).to_vector<double>(),
                1e-12);
}

TEST(Random, Dropouts) {
  const random::Key key(7);
  const Tensor x = full({40, 50, 3}, 2.0, DType::f64);
  const Doubles dropped = channel_dropout(key, x, 0.25).to_vector<double>();
  double kept = 0;
  for (std::size_t i = 0; i < dropped.size(); i += 3) {
    EXPECT_EQ(dropped[i], dropped[i + 1]);
    EXPECT_EQ(dropped[i], dropped[i + 2]);
    EXPECT_TRUE(dropped[i] == 0 || std::abs(dropped[i] - 2 / 0.75) < 1e-12);
    kept += dropped[i] != 0;
  }
  EXPECT_NEAR(kept, 1500, 80);
  const Tensor y = alpha_dropout(key, random::normal(random::Key(8), {40000}, DType::f64), 0.3);
  EXPECT_NEAR(mean(y).item(), 0, 0.03);
  EXPECT_NEAR(var(y).item(), 1, 0.04);
  expect_values(alpha_dropout(key, x, 0), {40, 50, 3}, x.to_vector<double>(), 1e-12);
}

TEST(Selection, MoreInCompiledFunctionsAndBatches) {
  const Tensor x = test::arbitrary({3, 6});
  const auto f = [](const Tensor& row) {
    return std::vector{cummax(row).values, logcumsumexp(row), rot90(unfold(row, 0, 2, 2)), histc(row, 3, -1, 1)};
  };
  const auto batched = compile([&](const Tensor& rows) { return vmap(f)(rows); })(x);
  for (int i = 0; i < 3; ++i) {
    const auto single = f(x[i]);
    for (std::size_t k = 0; k < single.size(); ++k)
      expect_values(batched[k][i], single[k].shape(), single[k].to_vector<double>(), 1e-12);
  }
}

}  // namespace
}  // namespace weft
