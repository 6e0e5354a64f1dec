#include <weft/compiler/thunks/fft_bodies.h>

#include <cmath>
#include <numbers>
#include <vector>

#include <weft/ir/builder.h>

namespace weft::compiler {

namespace {

using ir::Value;

struct ComplexValue {
  Value re, im;
};
using ComplexValues = std::vector<ComplexValue>;

ComplexValue operator+(ComplexValue a, ComplexValue b) { return {a.re + b.re, a.im + b.im}; }
ComplexValue operator-(ComplexValue a, ComplexValue b) { return {a.re - b.re, a.im - b.im}; }
ComplexValue times(ComplexValue a, ComplexValue b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }

// Multiplies by exp(-2 pi i k / n).
ComplexValue turned_by(ComplexValue a, int k, int n) {
  k %= n;
  if (k == 0) return a;
  if (4 * k == n) return {a.im, -a.re};
  if (2 * k == n) return {-a.re, -a.im};
  if (4 * k == 3 * n) return {-a.im, a.re};
  const double angle = 2 * std::numbers::pi * k / n, c = std::cos(angle), s = std::sin(angle);
  if (8 * k == n) return {(a.re + a.im) * c, (a.im - a.re) * c};
  if (8 * k == 3 * n) return {(a.im - a.re) * s, (a.re + a.im) * -s};
  return {a.re * c + a.im * s, a.im * c - a.re * s};
}

// Sums pairs j, n - j first, which share their cosines, and whose sines differ in sign.
ComplexValues odd_transform(const ComplexValues& x) {
  const int n = static_cast<int>(x.size()), half = n / 2;
  ComplexValues sums, differences, y(n);
  for (int j = 1; j <= half; ++j) {
    sums.push_back(x[j] + x[n - j]);
    differences.push_back(x[j] - x[n - j]);
  }
  y[0] = x[0];
  for (const ComplexValue& sum : sums) y[0] = y[0] + sum;
  for (int k = 1; k <= half; ++k) {
    ComplexValue even = x[0], odd;
    for (int j = 1; j <= half; ++j) {
      const double angle = 2 * std::numbers::pi * (j * k % n) / n, c = std::cos(angle), s = std::sin(angle);
      const ComplexValue &sum = sums[j - 1], &difference = differences[j - 1];
      even = {even.re + sum.re * c, even.im + sum.im * c};
      const ComplexValue term{difference.im * s, difference.re * -s};
      odd = j == 1 ? term : odd + term;
    }
    y[k] = even + odd;
    y[n - k] = even - odd;
  }
  return y;
}

ComplexValues transform(const ComplexValues& x) {
  const int n = static_cast<int>(x.size());
  if (n == 1) return x;
  if (n % 2 != 0) return odd_transform(x);
  ComplexValues even, odd, y(n);
  for (int j = 0; j < n; ++j) (j % 2 == 0 ? even : odd).push_back(x[j]);
  even = transform(even);
  odd = transform(odd);
  for (int k = 0; k < n / 2; ++k) {
    const ComplexValue other = turned_by(odd[k], k, n);
    y[k] = even[k] + other;
    y[k + n / 2] = even[k] - other;
  }
  return y;
}

}  // namespace

std::shared_ptr<const ir::Graph> butterfly(int radix, int turned, DType dtype) {
  const std::vector<Type> inputs(2 * radix + 2 * turned, Type(dtype, {}));
  return ir::make_graph(inputs, [&](ir::Graph&, std::span<const Value> in) {
    ComplexValues x;
    for (int j = 0; j < radix; ++j) x.push_back({in[j], in[radix + j]});
    ComplexValues y = transform(x);
    for (int k = 0; k < turned; ++k) {
      ComplexValue& turn = y[radix - turned + k];
      turn = times(turn, {in[2 * radix + k], in[2 * radix + turned + k]});
    }
    std::vector<Value> outputs;
    for (const ComplexValue& number : y) outputs.push_back(number.re);
    for (const ComplexValue& number : y) outputs.push_back(number.im);
    return outputs;
  });
}

std::shared_ptr<const ir::Graph> mirrored_butterfly(bool halves, DType dtype) {
  const std::vector<Type> inputs(6, Type(dtype, {}));
  return ir::make_graph(inputs, [&](ir::Graph&, std::span<const Value> in) {
    ComplexValue s{in[0] + in[1], in[2] - in[3]};
    ComplexValue d = times({in[0] - in[1], in[2] + in[3]}, {in[4], in[5]});
    if (halves) {
      s = {s.re * 0.5, s.im * 0.5};
      d = {d.re * 0.5, d.im * 0.5};
    }
    return std::vector{s.re + d.re, s.re - d.re, s.im + d.im, d.im - s.im};
  });
}

std::shared_ptr<const ir::Graph> sum_and_difference(DType dtype) {
  const std::vector<Type> inputs(2, Type(dtype, {}));
  return ir::make_graph(
      inputs, [](ir::Graph&, std::span<const Value> in) { return std::vector{in[0] + in[1], in[0] - in[1]}; });
}

std::shared_ptr<const ir::Graph> complex_product(DType dtype) {
  const std::vector<Type> inputs(4, Type(dtype, {}));
  return ir::make_graph(inputs, [](ir::Graph&, std::span<const Value> in) {
    const ComplexValue product = times({in[0], in[1]}, {in[2], in[3]});
    return std::vector{product.re, product.im};
  });
}

}  // namespace weft::compiler
