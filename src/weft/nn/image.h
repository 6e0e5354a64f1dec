// Modules that change the resolution or the size of images, with PyTorch's names. They have no parameters.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <weft/tensor/image.h>
#include <weft/tensor/manipulation.h>
#include <weft/tensor/module.h>

namespace weft::nn {

class Upsample : public Layer {
 public:
  explicit Upsample(InterpolateOptions with) : options(std::move(with)) {}
  Tensor operator()(const Operand& x) const {
    const Scope scope = enter();
    return interpolate(x, options);
  }
  void fields(auto&&) {}

  InterpolateOptions options;
};

// Adds zeros, or elements of x, before and after each of the last dimensions: Pad({{1, 1}, {2, 2}}, PadMode::reflect).
class Pad : public Layer {
 public:
  using Widths = std::vector<std::pair<std::int64_t, std::int64_t>>;
  explicit Pad(Widths by, std::optional<PadMode> with = {}) : widths(std::move(by)), mode(with) {}
  Tensor operator()(const Operand& x) const {
    const Scope scope = enter();
    return mode ? pad(x, widths, *mode) : pad(x, widths);
  }
  void fields(auto&&) {}

  Widths widths;
  std::optional<PadMode> mode;
};

class PixelShuffle : public Layer {
 public:
  explicit PixelShuffle(std::int64_t by) : factor(by) {}
  Tensor operator()(const Operand& x) const {
    const Scope scope = enter();
    return pixel_shuffle(x, factor);
  }
  void fields(auto&&) {}

  std::int64_t factor;
};

class PixelUnshuffle : public Layer {
 public:
  explicit PixelUnshuffle(std::int64_t by) : factor(by) {}
  Tensor operator()(const Operand& x) const {
    const Scope scope = enter();
    return pixel_unshuffle(x, factor);
  }
  void fields(auto&&) {}

  std::int64_t factor;
};

}  // namespace weft::nn
