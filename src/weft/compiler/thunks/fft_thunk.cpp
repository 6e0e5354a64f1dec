#include <weft/compiler/thunks/fft_thunk.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstring>
#include <map>
#include <memory>
#include <numbers>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include <weft/compiler/thunks/body.h>
#include <weft/compiler/thunks/fft_bodies.h>
#include <weft/compiler/thunks/transpose_block.h>
#include <weft/ir/composites.h>
#include <weft/runtime/parallel.h>
#include <weft/runtime/thread_scratch.h>

namespace weft::compiler {

using runtime::Slice;

namespace {

using ComplexNumber = std::complex<double>;

// The real and the imaginary parts of an array.
struct FftParts {
  std::byte *re = nullptr, *im = nullptr;

  FftParts behind(std::int64_t bytes) const { return {re + bytes, im + bytes}; }
};

// Returns exp(-2 pi i m / n).
ComplexNumber fft_root(std::int64_t m, std::int64_t n) {
  m %= n;
  if (2 * m > n) m -= n;  // small angles are more accurate
  const double angle = -2 * std::numbers::pi * static_cast<double>(m) / static_cast<double>(n);
  return {std::cos(angle), std::sin(angle)};
}

// Constant factors, as elements of the dtype: the real parts, then the imaginary parts.
class Factors {
 public:
  Factors() = default;
  template <class At>
  Factors(std::int64_t count, DType dtype, At&& at)
      : count_(count), width_(byte_size(dtype)), bytes_(2 * count * width_) {
    for (std::int64_t i = 0; i < count; ++i) {
      const ComplexNumber value = at(i);
      put(i, value.real());
      put(count + i, value.imag());
    }
  }
  const std::byte* re(std::int64_t i) const { return bytes_.data() + i * width_; }
  const std::byte* im(std::int64_t i) const { return bytes_.data() + (count_ + i) * width_; }

 private:
  void put(std::int64_t i, double value) {
    std::byte* const to = bytes_.data() + i * width_;
    const float narrow = static_cast<float>(value);
    width_ == 4 ? std::memcpy(to, &narrow, 4) : std::memcpy(to, &value, 8);
  }

  std::int64_t count_ = 0, width_ = 0;
  std::vector<std::byte> bytes_;
};

// The bodies of one plan, each compiled once.
class FftBodies {
 public:
  FftBodies(DType dtype, const NativeContext& context) : dtype_(dtype), context_(context) {}

  DType dtype() const { return dtype_; }
  std::int64_t width() const { return byte_size(dtype_); }
  std::shared_ptr<const Routine> pass(int radix, int turned, bool turns_lanes) {
    std::shared_ptr<Routine>& routine = passes_[{radix, turned, turns_lanes}];
    if (!routine) {
      const auto pass = std::make_shared<const FftPass>(FftPass{.radix = radix,
                                                                .turned = turned,
                                                                .turns_lanes = turns_lanes,
                                                                .contract = !context_.options.strict,
                                                                .dtype = dtype_,
                                                                .butterfly = butterfly(radix, turned, dtype_)});
      routine = std::make_shared<Routine>(Routine{pass.get(), pass->key(), pass});
      context_.routines.push_back(routine);
    }
    return routine;
  }
  std::shared_ptr<const Body> product() {
    if (!product_) product_ = std::make_shared<const Body>(*complex_product(dtype_), context_);
    return product_;
  }

 private:
  DType dtype_;
  const NativeContext& context_;
  std::map<std::tuple<int, int, bool>, std::shared_ptr<Routine>> passes_;
  std::shared_ptr<const Body> product_;
};

// Returns the radices of the passes of a transform of n numbers; empty if n has a large prime factor.
std::vector<int> fft_radices(std::int64_t n) {
  std::vector<int> radices;
  while (n > 1) {
    int radix = 0;
    for (const int r : {4, 2, 3, 5, 7, 11, 13})
      if (n % r == 0) {
        radix = r;
        break;
      }
    if (radix == 0) return {};
    radices.push_back(radix);
    n /= radix;
  }
  return radices;
}

// Transforms the columns of a matrix [n, lanes] in passes, after which the results are in order (Stockham's form). The lanes of vectors are
// columns, so a pass needs no exchange between lanes.
class ColumnTransform {
 public:
  // If `outer_length` is not 0, multiplies element k of column j by exp(-2 pi i j k / outer_length) in the end.
  ColumnTransform(std::int64_t n, std::int64_t lanes, std::int64_t outer_length, FftBodies& bodies) {
    const DType dtype = bodies.dtype();
    const std::int64_t width = bodies.width();
    std::int64_t length = n, stride = 1;
    for (const int r : fft_radices(n)) {
      const std::int64_t m = length / r, row = stride * lanes;
      const bool is_last = m == 1, turns_last = is_last && outer_length != 0;
      const int turned = turns_last ? r : is_last ? 0 : r - 1;
      Pass pass{.routine = bodies.pass(r, turned, turns_last), .outer = m, .inner = row};
      if (turns_last)
        pass.factors =
            Factors(n * lanes, dtype, [&](auto i) { return fft_root(i / lanes * (i % lanes), outer_length); });
      else
        pass.factors = Factors(m * turned, dtype, [&](auto i) { return fft_root((i / m + 1) * (i % m), length); });
      pass.strides = {m * row, row, row, r * row, turns_last ? row : m, turns_last ? 0 : 1};
      for (std::int64_t& stride_of : pass.strides) stride_of *= width;
      passes_.push_back(std::move(pass));
      length = m;
      stride *= r;
    }
  }

  // `to` and `spare` have the size of `from`; the three do not overlap.
  void run(FftParts from, FftParts to, FftParts spare) const {
    for (std::size_t i = 0; i < passes_.size(); ++i) {
      const FftParts next = (passes_.size() - i) % 2 == 1 ? to : spare;
      run(passes_[i], from, next);
      from = next;
    }
  }

 private:
  struct Pass {
    std::shared_ptr<const Routine> routine;
    std::int64_t outer, inner;
    Factors factors = {};
    std::array<std::int64_t, 6> strides = {};  // of an FftFunction
  };

  static void run(const Pass& p, FftParts from, FftParts to) {
    std::byte* const parts[] = {from.re,
                                from.im,
                                to.re,
                                to.im,
                                const_cast<std::byte*>(p.factors.re(0)),
                                const_cast<std::byte*>(p.factors.im(0))};
    reinterpret_cast<FftFunction>(p.routine->address)(p.outer, p.inner, parts, p.strides.data());
  }

  std::vector<Pass> passes_;
};

// Returns the distance of arrays of this size in scratch memory. It is no multiple of 4096, at which loads wait for stores.
std::int64_t scratch_distance(std::int64_t bytes) { return (bytes + 511) / 512 * 512 + 320; }

// Transforms rows that follow each other in memory.
class RowTransform {
 public:
  virtual ~RowTransform() = default;
  virtual std::int64_t rows_together() const { return 1; }
  virtual std::int64_t scratch_bytes() const = 0;
  // `rows` is at most rows_together().
  virtual void run(FftParts from, FftParts to, std::int64_t rows, std::byte* scratch) const = 0;
};

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

std::unique_ptr<RowTransform> row_transform(std::int64_t n, FftBodies& bodies);

// Transforms rows whose length has a large prime factor. Uses j k = (j^2 + k^2 - (k - j)^2) / 2: multiplies by a chirp, convolves with a
// chirp, and multiplies by a chirp again. (Bluestein 1970)
class ChirpTransform final : public RowTransform {
 public:
  ChirpTransform(std::int64_t n, FftBodies& bodies) : n_(n), width_(bodies.width()), product_(bodies.product()) {
    while (m_ < 2 * n - 1) m_ *= 2;
    inner_ = row_transform(m_, bodies);
    const auto chirp = [&](std::int64_t j) { return fft_root(j * j % (2 * n), 2 * n); };
    chirp_ = Factors(n, bodies.dtype(), chirp);
    std::vector<ComplexNumber> kernel(m_);
    for (std::int64_t j = 0; j < n; ++j) kernel[j] = kernel[(m_ - j) % m_] = std::conj(chirp(j));
    kernel = transformed(kernel);
    spectrum_ = Factors(m_, bodies.dtype(), [&](auto k) { return kernel[k] / static_cast<double>(m_); });
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
  void multiply(std::int64_t rows, std::int64_t count, FftParts x, std::int64_t from, const Factors& factors,
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
  Factors chirp_, spectrum_;
};

std::unique_ptr<RowTransform> row_transform(std::int64_t n, FftBodies& bodies) {
  if (fft_radices(n).empty()) return std::make_unique<ChirpTransform>(n, bodies);
  constexpr std::int64_t fewest_lanes = 16;
  for (auto a = static_cast<std::int64_t>(std::sqrt(static_cast<double>(n))); a >= fewest_lanes; --a)
    if (n % a == 0) return std::make_unique<SplitTransform>(a, n / a, bodies);
  return std::make_unique<TogetherTransform>(n, bodies);
}

struct FftPlan {
  std::int64_t rows, n, width;
  bool is_inverse, is_complex;
  std::unique_ptr<RowTransform> transform;
};

class FftThunk final : public runtime::Thunk {
 public:
  FftThunk(std::shared_ptr<const FftPlan> plan, std::span<const Slice> from, std::span<const Slice> to)
      : plan_(std::move(plan)), reads_(from.begin(), from.end()), writes_(to.begin(), to.end()) {}

  void run(const runtime::Launch& launch) const override {
    const FftPlan& p = *plan_;
    const std::int64_t together = p.transform->rows_together(), row = p.n * p.width, block = together * row;
    const std::int64_t no_parts = p.is_complex ? 0 : (block + 63) / 64 * 64;
    const std::int64_t grain = std::max<std::int64_t>(1, 4096 / (p.n * together));
    runtime::parallel_for((p.rows + together - 1) / together, grain, [&](std::int64_t begin, std::int64_t end) {
      std::byte* const scratch = runtime::scratch_of_this_thread(p.transform->scratch_bytes() + no_parts);
      std::memset(scratch, 0, no_parts);
      for (std::int64_t b = begin; b < end; ++b) {
        FftParts from{launch.at(reads_[0]) + b * block, scratch};
        if (p.is_complex) from.im = launch.at(reads_[1]) + b * block;
        FftParts to = FftParts{launch.at(writes_[0]), launch.at(writes_[1])}.behind(b * block);
        // The inverse transform is the transform of numbers whose parts are swapped.
        if (p.is_inverse) {
          std::swap(from.re, from.im);
          std::swap(to.re, to.im);
        }
        p.transform->run(from, to, std::min(together, p.rows - b * together), scratch + no_parts);
      }
    });
  }

 private:
  std::shared_ptr<const FftPlan> plan_;
  std::vector<Slice> reads_, writes_;
};

}  // namespace

Unit fft_unit(const ir::Node& node, const NativeContext& context) {
  const Type x = node.operand(0).type();
  FftBodies bodies(x.dtype(), context);
  const std::int64_t n = x.size(1);
  const auto plan = std::make_shared<const FftPlan>(
      FftPlan{.rows = x.size(0),
              .n = n,
              .width = bodies.width(),
              .is_inverse = node.attributes<ir::CompositeAttributes>().name == ir::inverse_fourier,
              .is_complex = node.operands.size() == 2,
              .transform = row_transform(n, bodies)});
  Unit unit = unit_of(node);
  unit.info.category = "fft";
  unit.flops = static_cast<std::int64_t>(5.0 * static_cast<double>(x.elements()) * std::log2(static_cast<double>(n)));
  unit.thunk().make = [plan](std::span<const Slice> from, std::span<const Slice> to, const Slice&) {
    return std::make_unique<FftThunk>(plan, from, to);
  };
  return unit;
}

}  // namespace weft::compiler
