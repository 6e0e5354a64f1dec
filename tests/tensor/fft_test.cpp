// Complex tensors and Fourier transforms.
#include <cmath>
#include <complex>
#include <numbers>

#include "tests/tensor/check.h"

namespace weft {
namespace {

using test::arbitrary;
using test::Doubles;
using test::expect_error;
using test::expect_gradient;
using test::expect_values;

using Numbers = std::vector<std::complex<double>>;

Numbers numbers(const Complex& z) {
  const Doubles re = z.real.to_vector<double>(), im = z.imag.to_vector<double>();
  Numbers all;
  for (std::size_t i = 0; i < re.size(); ++i) all.emplace_back(re[i], im[i]);
  return all;
}
void expect_near(const Numbers& x, const Numbers& y, double tolerance) {
  ASSERT_EQ(x.size(), y.size());
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(std::abs(x[i] - y[i]), 0, tolerance) << "element " << i;
}
// The definition, on rows of n numbers.
Numbers transform(const Numbers& x, std::int64_t n, int sign) {
  Numbers y(x.size());
  for (std::size_t row = 0; row < x.size(); row += n)
    for (std::int64_t k = 0; k < n; ++k)
      for (std::int64_t i = 0; i < n; ++i)
        y[row + k] += x[row + i] * std::polar(1.0, sign * 2 * std::numbers::pi * static_cast<double>(i * k % n) /
                                                       static_cast<double>(n));
  return y;
}
Complex some(const Shape& shape) { return complex(arbitrary(shape, 1), arbitrary(shape, 2)); }

TEST(ComplexTensor, ArithmeticEqualsTheStandardLibrary) {
  const Complex a = some({7}), b = complex(arbitrary({7}, 3), arbitrary({7}, 4));
  const Numbers x = numbers(a), y = numbers(b);
  const auto each = [&](const auto& f) {
    Numbers all;
    for (std::size_t i = 0; i < x.size(); ++i) all.push_back(f(x[i], y[i]));
    return all;
  };
  expect_near(numbers(a + b), each([](auto u, auto v) { return u + v; }), 1e-14);
  expect_near(numbers(a - b), each([](auto u, auto v) { return u - v; }), 1e-14);
  expect_near(numbers(a * b), each([](auto u, auto v) { return u * v; }), 1e-14);
  expect_near(numbers(a / b), each([](auto u, auto v) { return u / v; }), 1e-13);
  expect_near(numbers(-a * 2.0 / 4.0), each([](auto u, auto) { return -u / 2.0; }), 1e-14);
  expect_near(numbers(conj(a)), each([](auto u, auto) { return std::conj(u); }), 0);
  expect_near(numbers(exp(a)), each([](auto u, auto) { return std::exp(u); }), 1e-14);
  expect_near(numbers(log(a)), each([](auto u, auto) { return std::log(u); }), 1e-14);
  expect_near(numbers(sqrt(a)), each([](auto u, auto) { return std::sqrt(u); }), 1e-14);
  expect_near(numbers(polar(abs(a), angle(a))), x, 1e-14);
  expect_values(abs(complex(tensor(3e30), tensor(4e30))), {}, {5e30}, 1e25);
  const Complex square = some({3, 3}), vector = some({3});
  Numbers product(3);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) product[i] += numbers(square)[3 * i + j] * numbers(vector)[j];
  expect_near(numbers(matmul(square, vector)), product, 1e-14);
  expect_near(numbers(1.0 - a), each([](auto u, auto) { return 1.0 - u; }), 1e-14);
  expect_near(numbers(1.0 / a), each([](auto u, auto) { return 1.0 / u; }), 1e-13);
  expect_near(numbers(a + b.real), each([](auto u, auto v) { return u + v.real(); }), 1e-14);
  // Parts broadcast, and so do operands.
  EXPECT_EQ((complex(1.0, zeros({2, 1})) + complex(zeros({3}), 0.0)).real.shape(), Shape({2, 3}));
  EXPECT_EQ(complex(ones({2}, DType::bf16), 1).imag.dtype(), DType::f32);
}

TEST(Fft, EqualsTheDefinition) {
  for (const std::int64_t n : {1, 2, 3, 4, 5, 8, 12, 67, 100}) {
    SCOPED_TRACE(n);
    const Complex z = some({2, n});
    const Numbers x = numbers(z);
    expect_near(numbers(fft::fft(z)), transform(x, n, -1), 1e-11);
    Numbers back = transform(x, n, 1);
    for (auto& value : back) value /= static_cast<double>(n);
    expect_near(numbers(fft::ifft(z)), back, 1e-12);
    // Another axis, and real numbers.
    const Complex first = fft::fft({transpose(z.real), transpose(z.imag)}, {}, 0);
    expect_near(numbers({transpose(first.real), transpose(first.imag)}), transform(x, n, -1), 1e-11);
    const Complex half = fft::rfft(z.real), whole = fft::fft(complex(z.real, 0.0));
    EXPECT_EQ(half.real.shape(), Shape({2, n / 2 + 1}));
    expect_near(numbers(half), numbers({narrow(whole.real, -1, 0, n / 2 + 1), narrow(whole.imag, -1, 0, n / 2 + 1)}),
                1e-12);
    expect_values(fft::irfft(half, n), {2, n}, z.real.to_vector<double>(), 1e-12);
  }
}

TEST(Fft, SizesNormsAndSeveralAxes) {
  const Complex z = some({3, 4, 6});
  const Numbers x = numbers(z);
  for (const fft::Norm norm : {fft::Norm::backward, fft::Norm::forward, fft::Norm::ortho}) {
    expect_near(numbers(fft::ifftn(fft::fftn(z, {}, norm), {}, norm)), x, 1e-12);
    expect_near(numbers(fft::ifft(fft::fft(z, {}, 1, norm), {}, 1, norm)), x, 1e-12);
    expect_values(fft::irfftn(fft::rfftn(z.real, {}, norm), {}, {}, norm), {3, 4, 6}, z.real.to_vector<double>(),
                  1e-12);
    expect_values(fft::irfftn(fft::rfftn(z.real, {2, 0}, norm), {2, 0}, 3, norm), {3, 4, 6}, z.real.to_vector<double>(),
                  1e-12);
  }
  // Parseval: a transform with norm ortho keeps lengths, and the others are multiples of it.
  const auto energy = [](const Complex& u) { return (sum(square(u.real)) + sum(square(u.imag))).item(); };
  EXPECT_NEAR(energy(fft::fft2(z, fft::Norm::ortho)), energy(z), 1e-10);
  EXPECT_NEAR(energy(fft::fft2(z)), 24 * energy(z), 1e-9);
  EXPECT_NEAR(energy(fft::fft2(z, fft::Norm::forward)), energy(z) / 24, 1e-10);
  const Complex both = fft::fft(fft::fft(z, {}, -1), {}, -2);
  expect_near(numbers(fft::fft2(z)), numbers(both), 1e-11);
  expect_near(numbers(fft::ifft2(both)), x, 1e-12);
  expect_values(fft::irfft2(fft::rfft2(z.real)), {3, 4, 6}, z.real.to_vector<double>(), 1e-12);
  // Cut and padded.
  const Tensor five = arbitrary({5});
  expect_near(numbers(fft::rfft(five, 8)), numbers(fft::rfft(pad(five, {{0, 3}}))), 1e-12);
  expect_near(numbers(fft::rfft(five, 4)), numbers(fft::rfft(narrow(five, 0, 0, 4))), 1e-12);
  expect_values(fft::irfft(fft::rfft(five), 5), {5}, five.to_vector<double>(), 1e-12);
  expect_values(fft::irfft(fft::rfft(ones({6}))), {6}, {1, 1, 1, 1, 1, 1}, 1e-6);
}

TEST(Fft, Frequencies) {
  expect_values(fft::fftfreq(5), {5}, {0, 0.2, 0.4, -0.4, -0.2}, 1e-7);
  expect_values(fft::fftfreq(4, 0.5), {4}, {0, 0.5, -1, -0.5}, 1e-7);
  expect_values(fft::rfftfreq(5), {3}, {0, 0.2, 0.4}, 1e-7);
  expect_values(fft::fftshift(arange(5)), {5}, {3, 4, 0, 1, 2});
  expect_values(fft::ifftshift(fft::fftshift(arange(5))), {5}, {0, 1, 2, 3, 4});
  expect_values(fft::fftshift(tensor({{0, 1}, {2, 3}}), 1), {2, 2}, {1, 0, 3, 2});
}

TEST(Fft, Gradients) {
  using Tensors = std::vector<Tensor>;
  const Tensor re = arbitrary({2, 6}, 1), im = arbitrary({2, 6}, 2);
  const auto power = [](const Complex& z) { return square(z.real) - z.imag; };
  expect_gradient([&](const Tensors& x) { return power(fft::fft({x[0], x[1]})); }, {re, im}, 1e-5);
  expect_gradient([&](const Tensors& x) { return power(fft::rfft(x[0], 5)); }, {re}, 1e-5);
  expect_gradient([&](const Tensors& x) { return power(fft::rfft(x[0])); }, {re}, 1e-5);
  expect_gradient([&](const Tensors& x) { return fft::irfft({x[0], x[1]}); }, {re, im}, 1e-5);
  expect_gradient([&](const Tensors& x) { return fft::irfft({x[0], x[1]}, 11); }, {re, im}, 1e-5);
  expect_gradient([&](const Tensors& x) { return power(fft::fft2({x[0], x[1]})); }, {re, im}, 1e-5);
  expect_gradient([&](const Tensors& x) { return power(fft::ifft2({x[0], x[1]})); }, {re, im}, 1e-5);
  expect_gradient([&](const Tensors& x) { return power(fft::fft(complex(x[0], 0.0))); }, {re}, 1e-5);
  expect_gradient(
      [&](const Tensors& x) { return abs(Complex{x[0], x[1]} * Complex{x[1], x[0]} / Complex{x[1] + 2, x[0]}); },
      {re, im}, 1e-5);
}

TEST(ComplexTensor, Gradients) {
  using Tensors = std::vector<Tensor>;
  const std::vector parts{arbitrary({5}, 1), arbitrary({5}, 2), arbitrary({5}, 3), arbitrary({5}, 4)};
  const auto expect = [&](const std::function<Complex(const Complex&, const Complex&)>& f) {
    test::expect_gradient(
        [&](const Tensors& x) {
          const Complex z = f({x[0], x[1]}, {x[2], x[3]});
          return z.real * 3.0 - z.imag;
        },
        parts, 1e-5);
  };
  expect([](const Complex& a, const Complex& b) { return a * b + a - conj(b); });
  expect([](const Complex& a, const Complex& b) { return a / b; });
  expect([](const Complex& a, const Complex& b) { return exp(a) * abs(b); });
  expect([](const Complex& a, const Complex& b) { return log(a) * sqrt(b); });
  expect([](const Complex& a, const Complex& b) { return polar(angle(a), abs(b)); });
  // Also the second one.
  test::expect_gradient(
      [&](const Tensors& x) { return grad(sum((Complex{x[0], x[1]} / Complex{x[2], x[3]}).real), x[2]); }, parts, 1e-4);
  const Tensor zero = zeros({}, DType::f64);
  test::expect_values(grad(abs(Complex{zero, zero}), zero), {}, {0});
}

TEST(Fft, WithinCompiledFunctionsAndBatches) {
  auto filter = compile([](const Complex& z, const Tensor& gain) { return fft::ifft(fft::fft(z) * gain); });
  const Complex z = some({3, 8}), filtered = filter(z, ones({8}, DType::f64));
  expect_near(numbers(filtered), numbers(z), 1e-12);
  const Complex batch = vmap([](const Tensor& row) { return fft::rfft(row); })(z.real);
  expect_near(numbers(batch), numbers(fft::rfft(z.real)), 1e-12);
  const Complex pictures = some({3, 6, 10});
  const Complex both = vmap([](const Complex& picture) { return fft::fft2(picture); })(pictures);
  expect_near(numbers(both), numbers(fft::fft2(pictures)), 1e-12);
  const Tensor back = vmap([](const Complex& picture) { return fft::irfft2(picture); })(pictures);
  expect_values(back, {3, 6, 18}, fft::irfft2(pictures).to_vector<double>(), 1e-12);
}

TEST(Fft, MistakesAreNamed) {
  expect_error([] { fft::rfft(tensor(1.0)); }, "fft::rfft: expected rank 1 or more, got tensor<f32>");
  expect_error([] { fft::rfft(ones({4}), 0); },
               "fft::rfft: the number of elements along axis 0 must be positive, got 0");
  expect_error([] { fft::fft(complex(ones({4}), 0.0), {}, 2); }, "fft::fft: dimension 2 is out of range for rank 1");
}

}  // namespace
}  // namespace weft
