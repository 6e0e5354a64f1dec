// The transforms of a plan share factors, scratch memory, and the passes and bodies that are compiled for it.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <span>
#include <tuple>
#include <vector>

#include <weft/compiler/thunks/body.h>
#include <weft/compiler/thunks/native_context.h>

namespace weft::compiler {

using ComplexNumber = std::complex<double>;

// The real and the imaginary parts of an array.
struct FftParts {
  std::byte *re = nullptr, *im = nullptr;

  FftParts behind(std::int64_t bytes) const { return {re + bytes, im + bytes}; }
};

// Returns exp(-2 pi i m / n).
ComplexNumber fft_root(std::int64_t m, std::int64_t n);

// Constant factors, as elements of the dtype: the real parts, then the imaginary parts.
class FftFactors {
 public:
  FftFactors() = default;
  template <class At>
  FftFactors(std::int64_t count, DType dtype, At&& at)
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

// The passes and bodies of one plan, each compiled once.
class FftBodies {
 public:
  FftBodies(DType dtype, const NativeContext& context) : dtype_(dtype), context_(context) {}

  DType dtype() const { return dtype_; }
  std::int64_t width() const { return byte_size(dtype_); }
  // A butterfly of this radix.
  std::shared_ptr<const Routine> pass(int radix, int turned, bool turns_lanes);
  // A mirrored_butterfly.
  std::shared_ptr<const Routine> mirrored_pass(bool turns_lanes, bool halves);
  std::shared_ptr<const Body> product();
  std::shared_ptr<const Body> sum_and_difference() const;

 private:
  std::shared_ptr<const Routine> compiled(FftPass pass);

  DType dtype_;
  const NativeContext& context_;
  std::map<std::tuple<int, int, bool>, std::shared_ptr<const Routine>> passes_;
  std::shared_ptr<const Body> product_;
};

// Runs a pass. Strides are those of an FftFunction.
inline void run_pass(const Routine& pass, std::int64_t outer, std::int64_t inner, FftParts from, FftParts to,
                     const FftFactors& factors, std::span<const std::int64_t, 6> strides) {
  std::byte* const parts[] = {
      from.re, from.im, to.re, to.im, const_cast<std::byte*>(factors.re(0)), const_cast<std::byte*>(factors.im(0))};
  reinterpret_cast<FftFunction>(pass.address)(outer, inner, parts, strides.data());
}

// Returns the distance of arrays of this size in scratch memory. It is no multiple of 4096, at which loads wait for stores.
inline std::int64_t scratch_distance(std::int64_t bytes) { return (bytes + 511) / 512 * 512 + 320; }

}  // namespace weft::compiler
