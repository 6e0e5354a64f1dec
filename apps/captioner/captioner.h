// A model that describes what a picture shows: a ViT encoder (Dosovitskiy et al. 2021) and a GPT-2 decoder with cross-attention
// to all positions of the encoder, like Hugging Face's VisionEncoderDecoderModel of the two, without the pooler. Parameters:
// encoder.patch.weight [width, 3 patch^2] (that of the convolution, flattened), encoder.blocks.0.attention.qkv.weight, ...
#pragma once

#include <cstdint>
#include <vector>

#include <weft/nn/layers.h>
#include <weft/nn/transformer.h>

namespace weft::captioner {

struct CaptionerSizes {
  std::int64_t encoder_layers = 12, decoder_layers = 12, width = 768, heads = 12;
  std::int64_t image = 224, patch = 16;  // in pixels; the patch must divide the image
  std::int64_t vocabulary = 1024, context = 256;
  double dropout = 0;  // of embeddings and residuals

  // Returns the number of positions to which the decoder attends.
  std::int64_t places() const { return (image / patch) * (image / patch) + 1; }
};

class ImageEncoder : public Layer {
 public:
  explicit ImageEncoder(const CaptionerSizes& sizes);
  Tensor operator()(const Tensor& images) const;  // [batch, 3, image, image] to [batch, places, width]
  Tensor places(const Tensor& images) const;      // the input of the first block
  void fields(auto&& field) {
    field("patch", patch);
    field("class_token", class_token);
    field("position", position);
    field("blocks", blocks);
    field("norm", norm);
    field("dropout", dropout);
  }

  nn::Linear patch;
  Parameter class_token;  // [1, width]: the first position
  nn::Embedding position;
  std::vector<nn::TransformerBlock> blocks;
  nn::LayerNorm norm;
  nn::Dropout dropout;
  std::int64_t image_size, patch_size;
};

class DecoderBlock : public Layer {
 public:
  explicit DecoderBlock(const CaptionerSizes& sizes);
  Tensor operator()(const Tensor& x, const Tensor& memory) const;
  void fields(auto&& field) {
    field("norm1", norm1);
    field("attention", attention);
    field("norm2", norm2);
    field("cross", cross);
    field("norm3", norm3);
    field("mlp", mlp);
    field("dropout", dropout);
  }

  nn::LayerNorm norm1;
  nn::SelfAttention attention;
  nn::LayerNorm norm2;
  nn::CrossAttention cross;
  nn::LayerNorm norm3;
  nn::FeedForward mlp;
  nn::Dropout dropout;
};

// The word embedding is also the output layer. Padding needs no mask: it is at the end, where no earlier position attends to it,
// and its labels are ignored.
class CaptionDecoder : public Layer {
 public:
  explicit CaptionDecoder(const CaptionerSizes& sizes);
  // Maps tokens [batch, length], at most `context` long, and the output of the encoder to [batch, length, width].
  Tensor operator()(const Tensor& tokens, const Tensor& memory) const;
  Tensor words(const Tensor& tokens) const;   // the input of the first block
  Tensor logits(const Tensor& hidden) const;  // [..., vocabulary], f32
  void fields(auto&& field) {
    field("embed", embed);
    field("position", position);
    field("blocks", blocks);
    field("norm", norm);
    field("dropout", dropout);
  }

  nn::Embedding embed, position;
  std::vector<DecoderBlock> blocks;
  nn::LayerNorm norm;
  nn::Dropout dropout;
};

class Captioner : public Layer {
 public:
  // Sets GPT-2's initial weights; weights that add to the residual are divided by the square root of the number of additions.
  Captioner(const CaptionerSizes& sizes, std::uint64_t seed);

  // Returns the number of parameter elements of such a model, without creating one.
  static double parameter_count(const CaptionerSizes& sizes);

  // Returns the mean cross entropy of predicting the labels, without ignored ones. See CaptionBatch.
  Tensor loss(const Tensor& images, const Tensor& tokens, const Tensor& labels) const;
  // Returns the most likely token (i32 [batch]) after position `at` (rank 0) of each row of tokens [batch, length].
  Tensor next_token(const Tensor& memory, const Tensor& tokens, const Tensor& at) const;

  void fields(auto&& field) {
    field("encoder", encoder);
    field("decoder", decoder);
  }

  ImageEncoder encoder;
  CaptionDecoder decoder;
};

// Returns the loss of the decoder for a given output of the encoder.
Tensor caption_loss(const CaptionDecoder& decoder, const Tensor& memory, const Tensor& tokens, const Tensor& labels);

}  // namespace weft::captioner
