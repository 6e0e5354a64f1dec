// Special functions against numbers of PyTorch 2.14, those of the gamma function against mpmath, because PyTorch computes its derivatives to
// nine digits only.
#include "tests/tensor/check.h"

namespace weft {
namespace {

using test::Doubles;
using test::expect_error;
using test::expect_values;
using test::inf;
using test::nan;

void expect_near(const Tensor& x, const Doubles& expected, double tolerance) {
  const Doubles got = x.to_vector<double>();
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i)
    EXPECT_NEAR(got[i], expected[i], tolerance * std::max(1e-15, std::abs(expected[i])) + 1e-14) << "element " << i;
}

// Compares the values, the gradients, and the gradients of these.
void expect_special(Tensor (*f)(const Operand&), const Doubles& at, const Doubles& values, const Doubles& gradients,
                    const Doubles& second) {
  const Tensor x = from_vector(at, {at.size()}), y = f(x), dy = grad(sum(y), x);
  expect_near(y, values, 1e-12);
  expect_near(dy, gradients, 1e-11);
  expect_near(grad(sum(dy), x), second, 1e-10);
}

TEST(Special, ValuesAndDerivatives) {
  expect_special(lgamma, {0.1, 0.5, 1, 2, 3, 10.5, 100000, -0.5, -2.3},
                 {2.25271265173421, 0.5723649429247, 0, 0, 0.693147180559945, 13.9406252194038, 1051287.70897366,
                  1.26551212348465, 0.369566663455008},
                 {-10.4237549404111, -1.96351002602142, -0.577215664901533, 0.422784335098467, 0.922784335098467,
                  2.30300103429769, 11.5129204649619, 0.0364899739785765, 3.31732315756182},
                 {101.433299150793, 4.93480220054468, 1.64493406684823, 0.644934066848226, 0.394934066848226,
                  0.0999169560591267, 1.00000500001667e-05, 8.93480220054468, 14.7259121609613});
  expect_special(digamma, {0.1, 0.5, 1, 2, 3, 10.5, 100000, -0.5, -2.3},
                 {-10.4237549404111, -1.96351002602142, -0.577215664901533, 0.422784335098467, 0.922784335098467,
                  2.30300103429769, 11.5129204649619, 0.0364899739785765, 3.31732315756182},
                 {101.433299150793, 4.93480220054468, 1.64493406684823, 0.644934066848226, 0.394934066848226,
                  0.0999169560591267, 1.00000500001667e-05, 8.93480220054468, 14.7259121609613},
                 {-2001.86145737834, -16.8287966442343, -2.40411380631919, -0.404113806319189, -0.154113806319189,
                  -0.00997514424771517, -1.00001000005e-10, -0.82879664423432, 68.7137925292703});
  expect_special(
      [](const Operand& x) { return polygamma(1, x); }, {0.1, 0.5, 1, 2, 10.5, 100},
      {101.433299150793, 4.93480220054468, 1.64493406684823, 0.644934066848226, 0.0999169560591267, 0.0100501666633336},
      {-2001.86145737834, -16.8287966442343, -2.40411380631919, -0.404113806319189, -0.00997514424771517,
       -0.00010100499983335},
      {60004.5128767903, 97.4090910340024, 6.49393940226683, 0.493939402266829, 0.00199008623714435,
       2.03019999000133e-06});
  expect_special([](const Operand& x) { return polygamma(2, x); }, {0.1, 0.5, 1, 2, 10.5, 100},
                 {-2001.86145737834, -16.8287966442343, -2.40411380631919, -0.404113806319189, -0.00997514424771517,
                  -0.00010100499983335},
                 {60004.5128767903, 97.4090910340024, 6.49393940226683, 0.493939402266829, 0.00199008623714435,
                  2.03019999000133e-06},
                 {-2400015.6072032, -771.474249826667, -24.8862661234409, -0.886266123440878, -0.000595060119009407,
                  -6.120999930012e-08});
  expect_special([](const Operand& x) { return polygamma(3, x); }, {0.1, 0.5, 1, 2, 10.5, 100},
                 {60004.5128767903, 97.4090910340024, 6.49393940226683, 0.493939402266829, 0.00199008623714435,
                  2.03019999000133e-06},
                 {-2400015.6072032, -771.474249826667, -24.8862661234409, -0.886266123440878, -0.000595060119009407,
                  -6.120999930012e-08},
                 {120000069.307511, 7691.11354860244, 122.081167438134, 2.0811674381339, 0.000237047875076859,
                  2.460599944012e-09});
  expect_special(erfc, {-3, -0.5, 0, 0.3, 1, 5, 10, 100},
                 {1.999977909503, 1.52049987781305, 1, 0.671373240540873, 0.157299207050285, 1.53745979442803e-12,
                  2.08848758376254e-45, 0},
                 {-0.000139253051946748, -0.878782578935445, -1.12837916709551, -1.03126090961896, -0.415107497420595,
                  -1.56708665310173e-11, -4.19765623135442e-44, -0},
                 {-0.000835518311680487, -0.878782578935445, 0, 0.618756545771378, 0.830214994841189,
                  1.56708665310173e-10, 8.39531246270883e-43, 0});
  expect_special(
      erfinv, {-0.9, -0.5, 0, 0.1, 0.7, 0.99, 0.9999},
      {-1.16308715367667, -0.47693627620447, 0, 0.0888559904942577, 0.732869077959217, 1.82138636771845,
       2.75106390571208},
      {3.42804281145184, 1.11258481897195, 0.886226925452758, 0.893251725305187, 1.51636321733376, 24.4508764737464,
       1715.68959617631},
      {-27.3359850738271, -1.1807463499934, 0, 0.141796148788475, 3.37025588536179, 2177.81477863362, 16196012.753464});
  expect_special(ndtr, {-10, -1, 0, 2, 50}, {7.61985302416053e-24, 0.158655253931457, 0.5, 0.977249868051821, 1},
                 {7.69459862670636e-23, 0.241970724519143, 0.398942280401433, 0.053990966513188, 0},
                 {7.69459862670637e-22, 0.241970724519143, -0, -0.107981933026376, -0});
  expect_special(logit, {0.1, 0.5, 0.99}, {-2.19722457733622, 0, 4.59511985013459},
                 {11.1111111111111, 4, 101.010101010101}, {-98.7654320987654, 0, 9998.97969594937});
  expect_special(entr, {0.5, 1, 2}, {0.346573590279973, -0, -1.38629436111989},
                 {-0.306852819440055, -1, -1.69314718055995}, {-2, -1, -0.5});
  expect_special(sinc, {-1.5, 0.25, 1, 3.3},
                 {-0.212206590789194, 0.900316316157106, 3.89817183251938e-17, -0.0780357901212854},
                 {-0.141471060526129, -0.772838139882234, -1, -0.154469533991269},
                 {1.90576702169169, -2.70306075725886, 2, 0.863800277012172});
}

TEST(Special, AtTheEdges) {
  const auto doubles = [](const Doubles& values) { return from_vector(values, {values.size()}); };
  expect_values(erfinv(doubles({1, -1, 1.5})), {3}, {inf, -inf, nan});
  expect_values(logit(doubles({0, 1})), {2}, {-inf, inf});
  expect_values(entr(doubles({0, -1, nan, inf})), {4}, {0, -inf, nan, -inf});
  expect_values(sinc(doubles({0})), {1}, {1});
  expect_values(lgamma(doubles({0, -1, inf, nan})), {4}, {inf, inf, inf, nan});
  expect_values(digamma(doubles({-1, -2})), {2}, {nan, nan});
  expect_values(zeta(doubles({2, 3, 1, 0.5, 1.5}), doubles({1, 0.5, 2, 1, 7})), {5},
                {1.64493406684823, 8.41439832211716, inf, nan, 0.783887767518371}, 1e-13);
  const Tensor edge = tensor({1.0, 0.0}, DType::f64);
  expect_values(grad(sum(erfinv(edge)), edge), {2}, {inf, std::sqrt(M_PI) / 2}, 1e-15);
  expect_values(grad(sum(entr(edge)), edge), {2}, {-1, 0});
  expect_values(grad(sum(sinc(edge)), edge), {2}, {-1, 0}, 1e-15);
  expect_error([] { polygamma(-1, ones({2})); }, "polygamma: the order cannot be negative, got -1");
}

TEST(Special, ProductsWithLogarithms) {
  const Tensor x = from_vector<double>({0, 0, 0, 0, 2, 3, nan}, {7}),
               y = from_vector<double>({0, nan, -1, inf, 0, 2, 1}, {7});
  expect_values(xlogy(x, y), {7}, {0, nan, 0, 0, -inf, 3 * std::log(2), nan}, 1e-14);
  expect_values(xlog1py(x, y), {7}, {0, nan, 0, 0, 0, 3 * std::log(3), nan}, 1e-14);
  const auto gradients = grad(sum(xlogy(x, y)), {x, y});
  expect_values(gradients[0], {7}, {0, nan, 0, 0, -inf, std::log(2), 0}, 1e-14);
  expect_values(gradients[1], {7}, {0, nan, 0, 0, inf, 1.5, nan}, 1e-14);
  const Tensor zero = tensor({0.0}, DType::f64);
  expect_values(grad(sum(xlogy(zero, tensor({3.0}, DType::f64))), zero), {1}, {std::log(3)}, 1e-15);
}

TEST(Special, InOtherTypes) {
  EXPECT_EQ(lgamma(tensor({3})).dtype(), DType::f32);
  EXPECT_EQ(lgamma(tensor({3.0}, DType::bf16)).dtype(), DType::bf16);
  expect_values(lgamma(tensor({5, 1})), {2}, {std::log(24), 0}, 1e-5);
  const Tensor x = tensor({0.25f, 0.5f, 3.f, -0.5f}), y = lgamma(x), d = grad(sum(y), x);
  expect_values(d, {4}, {-4.2274535, -1.9635100, 0.9227843, 0.0364900}, 2e-5);
  expect_values(vmap([](const Tensor& v) { return erfc(v); })(x), {4}, {0.7236736, 0.4795001, 2.209050e-05, 1.5204999},
                1e-6);
  expect_values(jvp([](const Tensor& v) { return erfc(v); }, x, ones({4})).second, {4},
                {-1.0600141, -0.8787826, -1.392531e-4, -0.8787826}, 1e-6);
}

}  // namespace
}  // namespace weft
