#include <weft/compiler/thunks/fft_passes.h>

#include <cmath>
#include <numbers>
#include <utility>

#include <weft/compiler/thunks/fft_bodies.h>

namespace weft::compiler {

ComplexNumber fft_root(std::int64_t m, std::int64_t n) {
  m %= n;
  if (4 * m % n == 0) {  // exactly
    constexpr ComplexNumber quarters[] = {{1, 0}, {0, -1}, {-1, 0}, {0, 1}};
    return quarters[4 * m / n];
  }
  if (2 * m > n) m -= n;  // small angles are more accurate
  const double angle = -2 * std::numbers::pi * static_cast<double>(m) / static_cast<double>(n);
  return {std::cos(angle), std::sin(angle)};
}

std::shared_ptr<const Routine> FftBodies::compiled(FftPass pass) {
  pass.contract = !context_.options.strict;
  pass.dtype = dtype_;
  const auto source = std::make_shared<const FftPass>(std::move(pass));
  auto routine = std::make_shared<Routine>(Routine{source.get(), source->key(), source});
  context_.routines.push_back(routine);
  return routine;
}

std::shared_ptr<const Routine> FftBodies::pass(int radix, int turned, bool turns_lanes) {
  std::shared_ptr<const Routine>& routine = passes_[{radix, turned, turns_lanes}];
  if (!routine)
    routine = compiled(
        {.radix = radix, .turned = turned, .turns_lanes = turns_lanes, .butterfly = butterfly(radix, turned, dtype_)});
  return routine;
}

std::shared_ptr<const Routine> FftBodies::mirrored_pass(bool turns_lanes, bool halves) {
  return compiled({.radix = 2,
                   .turned = 1,
                   .turns_lanes = turns_lanes,
                   .is_mirrored = true,
                   .halves = halves,
                   .butterfly = mirrored_butterfly(halves, dtype_)});
}

std::shared_ptr<const Body> FftBodies::product() {
  if (!product_) product_ = std::make_shared<const Body>(*complex_product(dtype_), context_);
  return product_;
}

std::shared_ptr<const Body> FftBodies::sum_and_difference() const {
  return std::make_shared<const Body>(*compiler::sum_and_difference(dtype_), context_);
}

}  // namespace weft::compiler
