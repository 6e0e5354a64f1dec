// The vision transformer of "Profiling a parallel ViT in JAX" for CIFAR-10: patches of 4 x 4, 65 tokens including the class
// token, no position embedding, layer norms before each branch.
#pragma once

#include <cstdint>
#include <vector>

#include <weft/nn/attention.h>
#include <weft/nn/convolution.h>
#include <weft/nn/layers.h>
#include <weft/tensor/sharding.h>

namespace weft::lab {

struct VitConfig {
  std::int64_t image = 32, channels = 3, patch = 4;
  std::int64_t width = 384, hidden = 1536, heads = 8, layers = 6, classes = 10;
  double dropout = 0.1;

  std::int64_t tokens() const { return (image / patch) * (image / patch) + 1; }
};

// How tensor parallelism divides the parameters: the rows of `up` and the columns of `down` along the axis model, so that a layer adds one
// partial sum.
const std::vector<ShardingPattern>& divided_layers();

class VitLayer : public Layer {
 public:
  explicit VitLayer(const VitConfig& config);
  Tensor operator()(const Tensor& x) const;  // [batch, tokens, width]
  void fields(auto&& field) {
    field("norm1", norm1);
    field("attention", attention);
    field("norm2", norm2);
    field("up", up);
    field("down", down);
    field("dropout", dropout);
  }

  nn::LayerNorm norm1;
  nn::MultiheadAttention attention;
  nn::LayerNorm norm2;
  nn::Linear up, down;
  nn::Dropout dropout;
};

class Vit : public Layer {
 public:
  explicit Vit(const VitConfig& config = {});
  Tensor operator()(const Tensor& images) const;  // [batch, channels, image, image] to logits [batch, classes]
  void fields(auto&& field) {
    field("patches", patches);
    field("class_token", class_token);
    field("dropout", dropout);
    field("layers", layers);
    field("norm", norm);
    field("head", head);
  }

  nn::Conv2d patches;
  Parameter class_token;
  nn::Dropout dropout;
  std::vector<VitLayer> layers;
  nn::LayerNorm norm;
  nn::Linear head;
};

}  // namespace weft::lab
