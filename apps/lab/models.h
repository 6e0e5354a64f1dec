// The models of the lab's experiments.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <weft/nn/attention.h>
#include <weft/nn/layers.h>

namespace weft::lab {

struct BertConfig {
  std::int64_t layers, heads, width, vocabulary;
  double dropout = 0.1;
};

class BertLayer : public Layer {
 public:
  explicit BertLayer(const BertConfig& config);
  Tensor operator()(const Tensor& x) const;  // [batch, time, width]; normalised after each residual
  void fields(auto&& field) {
    field("attention", attention);
    field("norm1", norm1);
    field("up", up);
    field("down", down);
    field("norm2", norm2);
    field("dropout", dropout);
  }

  nn::MultiheadAttention attention;
  nn::LayerNorm norm1;
  nn::Linear up, down;
  nn::LayerNorm norm2;
  nn::Dropout dropout;
};

// BERT with a masked-token head that uses the embedding as the output layer.
class Bert : public Layer {
 public:
  static constexpr std::int64_t most_tokens = 512;

  explicit Bert(const BertConfig& config);
  Tensor logits(const Tensor& tokens) const;  // [batch, time] to [batch, time, vocabulary]
  void fields(auto&& field) {
    field("words", words);
    field("positions", positions);
    field("norm", norm);
    field("layers", layers);
    field("transform", transform);
    field("transform_norm", transform_norm);
  }

  nn::Embedding words, positions;
  nn::LayerNorm norm;
  nn::Dropout dropout;
  std::vector<BertLayer> layers;
  nn::Linear transform;
  nn::LayerNorm transform_norm;
};

// Records a training step, without a sync, and returns the loss. Keeps the model alive.
using TrainingStep = std::function<Tensor()>;

struct Workload {
  std::string description;  // bert-large: 24 layers, width 256, ...
  TrainingStep step;
};

// Makes bert-base, bert-large or mlp. `width` 0: the smallest width for which a step with the narrowest kernels takes longer than
// recording it.
Workload make_workload(const std::string& model, std::int64_t width, std::int64_t batch, std::int64_t tokens);

}  // namespace weft::lab
