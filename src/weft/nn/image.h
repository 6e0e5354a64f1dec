// Modules that change the resolution of images, with PyTorch's names. They have no parameters.
#pragma once

#include <cstdint>
#include <utility>

#include <weft/tensor/image.h>
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
