#include <weft/compiler/thunks/fft_real.h>

#include <array>
#include <cstring>

#include <weft/compiler/thunks/fft_columns.h>
#include <weft/compiler/thunks/transpose_block.h>

namespace weft::compiler {

namespace {

// Goes between the transform of m complex numbers and the first m + 1 results of the transform of the 2 m real numbers that they consist
// of.
class HalfSpectrum {
 public:
  // In columns, element k of each of `lanes` columns is in row k of a matrix; otherwise elements of a row are neighbours.
  HalfSpectrum(std::int64_t m, bool is_inverse, bool in_columns, FftBodies& bodies)
      : m_(m),
        width_(bodies.width()),
        is_inverse_(is_inverse),
        pass_(bodies.mirrored_pass(!in_columns, !is_inverse)),
        ends_(bodies.sum_and_difference()),
        factors_(m / 2, bodies.dtype(), [&](std::int64_t i) {
          const ComplexNumber root = fft_root(i + 1, 2 * m);
          return is_inverse ? ComplexNumber(0, 1) * std::conj(root) : ComplexNumber(0, -1) * root;
        }) {}

  void run_rows(FftParts from, FftParts to, std::int64_t rows) const {
    const std::int64_t from_row = row(is_inverse_ ? m_ + 1 : m_), to_row = row(is_inverse_ ? m_ : m_ + 1);
    run_ends(from, to, 1, rows, from_row, to_row);
    const std::array strides{row(m_ - 2), from_row, row(m_ - 2), to_row, std::int64_t{0}, std::int64_t{0}};
    run_pass(*pass_, rows, m_ / 2, from.behind(row(1)), to.behind(row(1)), factors_, strides);
  }
  void run_columns(FftParts from, FftParts to, std::int64_t lanes) const {
    run_ends(from, to, lanes, lanes, width_, width_);
    const std::int64_t one = row(lanes), apart = (m_ - 2) * one;
    run_pass(*pass_, m_ / 2, lanes, from.behind(one), to.behind(one), factors_,
             std::array{apart, one, apart, one, std::int64_t{0}, width_});
  }

 private:
  std::int64_t row(std::int64_t elements) const { return elements * width_; }

  // Writes what belongs to elements 0 and m, which are sum and difference of the parts of the complex number, and real.
  void run_ends(FftParts from, FftParts to, std::int64_t lanes, std::int64_t count, std::int64_t from_next,
                std::int64_t to_next) const {
    const std::int64_t end = row(m_ * lanes);
    std::byte* const forward[] = {from.re, from.im, to.re, to.re + end};
    std::byte* const back[] = {from.re, from.re + end, to.re, to.im};
    const std::int64_t outer[] = {0, 0, 0, 0}, inner[] = {from_next, from_next, to_next, to_next};
    ends_->apply(1, count, is_inverse_ ? back : forward, outer, inner);
    if (is_inverse_) return;
    for (std::byte* const im : {to.im, to.im + end})
      if (lanes == count)
        std::memset(im, 0, row(lanes));
      else
        for (std::int64_t i = 0; i < count; ++i) std::memset(im + i * to_next, 0, width_);
  }

  std::int64_t m_, width_;
  bool is_inverse_;
  std::shared_ptr<const Routine> pass_;
  std::shared_ptr<const Body> ends_;
  FftFactors factors_;
};

// Takes the numbers of a row in pairs, as complex numbers.
class PairedTransform final : public RowTransform {
 public:
  PairedTransform(std::int64_t n, bool is_inverse, FftBodies& bodies)
      : m_(n / 2),
        width_(bodies.width()),
        is_inverse_(is_inverse),
        inner_(row_transform(m_, bodies)),
        half_(m_, is_inverse, false, bodies) {}

  std::int64_t rows_together() const override { return inner_->rows_together(); }
  std::int64_t scratch_bytes() const override { return 4 * bytes() + inner_->scratch_bytes(); }
  void run(FftParts from, FftParts to, std::int64_t rows, std::byte* scratch) const override {
    const FftParts x{scratch, scratch + bytes()}, y = x.behind(2 * bytes());
    std::byte* const rest = scratch + 4 * bytes();
    const std::int64_t pairs = rows * m_, parts = bytes() / width_;
    if (is_inverse_) {
      half_.run_rows(from, x, rows);
      // The inverse transform is the transform of numbers whose parts are swapped.
      inner_->run({x.im, x.re}, {y.im, y.re}, rows, rest);
      transpose_matrix(y.re, to.re, 2, pairs, parts, 2, width_);
    } else {
      transpose_matrix(from.re, x.re, pairs, 2, 2, parts, width_);
      inner_->run(x, y, rows, rest);
      half_.run_rows(y, to, rows);
    }
  }

 private:
  std::int64_t bytes() const { return scratch_distance(m_ * rows_together() * width_); }

  std::int64_t m_, width_;
  bool is_inverse_;
  std::unique_ptr<RowTransform> inner_;
  HalfSpectrum half_;
};

// Transforms several rows at once, as the columns of a matrix. Its even rows are the real parts of complex numbers, its odd rows the
// imaginary parts.
class PairedColumns final : public RowTransform {
 public:
  PairedColumns(std::int64_t n, bool is_inverse, FftBodies& bodies)
      : m_(n / 2),
        width_(bodies.width()),
        is_inverse_(is_inverse),
        columns_(
            m_, lanes, 0,
            is_inverse ? ColumnTransform::Distances{lanes, 2 * lanes} : ColumnTransform::Distances{2 * lanes, lanes},
            bodies),
        half_(m_, is_inverse, true, bodies) {}

  std::int64_t rows_together() const override { return lanes; }
  std::int64_t scratch_bytes() const override { return 6 * bytes(); }
  void run(FftParts from, FftParts to, std::int64_t rows, std::byte* scratch) const override {
    const FftParts x{scratch, scratch + bytes()}, y = x.behind(2 * bytes()), z = x.behind(4 * bytes());
    const std::int64_t n = 2 * m_;
    if (rows < lanes) std::memset(scratch, 0, 2 * bytes());
    const FftParts pairs{x.re, x.re + lanes * width_};  // x as n rows, the next to each other
    if (is_inverse_) {
      transpose_matrix(from.re, x.re, rows, m_ + 1, m_ + 1, lanes, width_);
      transpose_matrix(from.im, x.im, rows, m_ + 1, m_ + 1, lanes, width_);
      half_.run_columns(x, y, lanes);
      columns_.run({y.im, y.re}, {pairs.im, pairs.re}, {z.im, z.re}, {x.im, x.re});
      transpose_matrix(x.re, to.re, n, rows, lanes, n, width_);
    } else {
      transpose_matrix(from.re, x.re, rows, n, n, lanes, width_);
      columns_.run(pairs, y, z);
      half_.run_columns(y, z, lanes);
      transpose_matrix(z.re, to.re, m_ + 1, rows, lanes, m_ + 1, width_);
      transpose_matrix(z.im, to.im, m_ + 1, rows, lanes, m_ + 1, width_);
    }
  }

 private:
  static constexpr std::int64_t lanes = 16;
  std::int64_t bytes() const { return scratch_distance((m_ + 1) * lanes * width_); }

  std::int64_t m_, width_;
  bool is_inverse_;
  ColumnTransform columns_;
  HalfSpectrum half_;
};

}  // namespace

std::unique_ptr<RowTransform> real_row_transform(std::int64_t n, bool is_inverse, FftBodies& bodies) {
  if (fft_radices(n / 2).empty() || splits_row(n / 2)) return std::make_unique<PairedTransform>(n, is_inverse, bodies);
  return std::make_unique<PairedColumns>(n, is_inverse, bodies);
}

}  // namespace weft::compiler
