#include <weft/compiler/thunks/fft_rows.h>

#include <cmath>
#include <cstring>
#include <vector>

#include <weft/compiler/thunks/fft_columns.h>
#include <weft/compiler/thunks/transpose_block.h>

namespace weft::compiler {

namespace {

// Takes a row as a matrix [a, b] and transforms its columns, turns them, and transforms the columns of the transposed matrix, which leaves
// the results in order.
class SplitTransform final : public RowTransform {
 public:
  SplitTransform(std::int64_t a, std::int64_t b, FftBodies& bodies)
      : a_(a), b_(b), width_(bodies.width()), first_(a, b, a * b, bodies), second_(b, a, 0, bodies) {}

  std::int64_t scratch_bytes() const override { return 4 * scratch_distance(a_ * b_ * width_); }
  void run(FftParts from, FftParts to, std::int64_t, std::byte* scratch) const override {
    const std::int64_t bytes = scratch_distance(a_ * b_ * width_);
    const FftParts one{scratch, scratch + bytes}, other = one.behind(2 * bytes);
    first_.run(from, one, other);
    transpose_matrix(one.re, other.re, a_, b_, b_, a_, width_);
    transpose_matrix(one.im, other.im, a_, b_, b_, a_, width_);
    second_.run(other, to, one);
  }

 private:
  std::int64_t a_, b_, width_;
  ColumnTransform first_, second_;
};

// Transforms several rows at once, which it transposes before and after.
class TogetherTransform final : public RowTransform {
 public:
  TogetherTransform(std::int64_t n, FftBodies& bodies) : n_(n), width_(bodies.width()), columns_(n, lanes, 0, bodies) {}

  std::int64_t rows_together() const override { return lanes; }
  std::int64_t scratch_bytes() const override { return 6 * scratch_distance(n_ * lanes * width_); }
  void run(FftParts from, FftParts to, std::int64_t rows, std::byte* scratch) const override {
    const std::int64_t bytes = scratch_distance(n_ * lanes * width_);
    const FftParts x{scratch, scratch + bytes}, y = x.behind(2 * bytes), spare = x.behind(4 * bytes);
    if (rows < lanes) std::memset(scratch, 0, 2 * bytes);
    transpose_matrix(from.re, x.re, rows, n_, n_, lanes, width_);
    transpose_matrix(from.im, x.im, rows, n_, n_, lanes, width_);
    columns_.run(x, y, spare);
    transpose_matrix(y.re, to.re, n_, rows, lanes, n_, width_);
    transpose_matrix(y.im, to.im, n_, rows, lanes, n_, width_);
  }

 private:
  static constexpr std::int64_t lanes = 16;
  std::int64_t n_, width_;
  ColumnTransform columns_;
};

// The transform of a power of two numbers, for constants.
std::vector<ComplexNumber> transformed(const std::vector<ComplexNumber>& x) {
  const std::int64_t n = std::ssize(x);
  if (n == 1) return x;
  std::vector<ComplexNumber> even, odd, y(n);
  for (std::int64_t j = 0; j < n; ++j) (j % 2 == 0 ? even : odd).push_back(x[j]);
  even = transformed(even);
  odd = transformed(odd);
  for (std::int64_t k = 0; k < n / 2; ++k) {
    const ComplexNumber other = odd[k] * fft_root(k, n);
    y[k] = even[k] + other;
    y[k + n / 2] = even[k] - other;
  }
  return y;
}

// Transforms rows whose length has a large prime factor. Uses j k = (j^2 + k^2 - (k - j)^2) / 2: multiplies by a chirp, convolves with a
// chirp, and multiplies by a chirp again. (Bluestein 1970)
class ChirpTransform final : public RowTransform {
 public:
  ChirpTransform(std::int64_t n, FftBodies& bodies) : n_(n), width_(bodies.width()), product_(bodies.product()) {
    while (m_ < 2 * n - 1) m_ *= 2;
    inner_ = row_transform(m_, bodies);
    const auto chirp = [&](std::int64_t j) { return fft_root(j * j % (2 * n), 2 * n); };
    chirp_ = FftFactors(n, bodies.dtype(), chirp);
    std::vector<ComplexNumber> kernel(m_);
    for (std::int64_t j = 0; j < n; ++j) kernel[j] = kernel[(m_ - j) % m_] = std::conj(chirp(j));
    kernel = transformed(kernel);
    spectrum_ = FftFactors(m_, bodies.dtype(), [&](auto k) { return kernel[k] / static_cast<double>(m_); });
  }

  std::int64_t rows_together() const override { return inner_->rows_together(); }
  std::int64_t scratch_bytes() const override {
    return 4 * scratch_distance(m_ * rows_together() * width_) + inner_->scratch_bytes();
  }
  void run(FftParts from, FftParts to, std::int64_t rows, std::byte* scratch) const override {
    const std::int64_t bytes = scratch_distance(m_ * rows_together() * width_), row = m_ * width_;
    const FftParts x{scratch, scratch + bytes}, y = x.behind(2 * bytes);
    std::byte* const rest = scratch + 4 * bytes;
    std::memset(scratch, 0, 2 * bytes);
    multiply(rows, n_, from, n_ * width_, chirp_, x, row);
    inner_->run(x, y, rows, rest);
    multiply(rows, m_, y, row, spectrum_, y, row);
    inner_->run({y.im, y.re}, {x.im, x.re}, rows, rest);  // backwards
    multiply(rows, n_, x, row, chirp_, to, n_ * width_);
  }

 private:
  void multiply(std::int64_t rows, std::int64_t count, FftParts x, std::int64_t from, const FftFactors& factors,
                FftParts to, std::int64_t into) const {
    std::byte* const buffers[] = {
        x.re, x.im, const_cast<std::byte*>(factors.re(0)), const_cast<std::byte*>(factors.im(0)), to.re, to.im};
    const std::int64_t outer[] = {from, from, 0, 0, into, into};
    const std::int64_t inner[] = {width_, width_, width_, width_, width_, width_};
    product_->apply(rows, count, buffers, outer, inner);
  }

  std::int64_t n_, m_ = 1, width_;
  std::shared_ptr<const Body> product_;
  std::unique_ptr<RowTransform> inner_;
  FftFactors chirp_, spectrum_;
};

// Returns the number of rows of the matrix that a row is split into; 0 if it is not split.
std::int64_t split_of(std::int64_t n) {
  constexpr std::int64_t fewest_lanes = 16;
  for (auto a = static_cast<std::int64_t>(std::sqrt(static_cast<double>(n))); a >= fewest_lanes; --a)
    if (n % a == 0) return a;
  return 0;
}

}  // namespace

bool splits_row(std::int64_t n) { return !fft_radices(n).empty() && split_of(n) != 0; }

std::unique_ptr<RowTransform> row_transform(std::int64_t n, FftBodies& bodies) {
  if (fft_radices(n).empty()) return std::make_unique<ChirpTransform>(n, bodies);
  if (const std::int64_t a = split_of(n)) return std::make_unique<SplitTransform>(a, n / a, bodies);
  return std::make_unique<TogetherTransform>(n, bodies);
}

}  // namespace weft::compiler
