// A model that says what a picture shows: a ViT encoder (Dosovitskiy et al. 2021) and a GPT-2 decoder that looks at all of the
// encoder's places with cross-attention, as Hugging Face's VisionEncoderDecoderModel of the two, the pooler left out.
// Parameters: encoder.patch.weight [width, 3 patch^2] (the convolution's, flattened), encoder.blocks.0.attention.qkv.weight, ...
#pragma once

#include <cstdint>
#include <vector>

#include <weft/nn/layers.h>
#include <weft/nn/transformer.h>

namespace weft::captioner {

struct CaptionerSizes {
  std::int64_t encoder_layers = 12, decoder_layers = 12, width = 768, heads = 12;
  std::int64_t image = 224, patch = 16;  // pixels; the patch divides the image
  std::int64_t vocabulary = 1024, context = 256;
  double dropout = 0;  // of embeddings and residuals

  std::int64_t places() const { return (image / patch) * (image / patch) + 1; }  // that the decoder looks at
};

class ImageEncoder : public Layer {
 public:
  explicit ImageEncoder(const CaptionerSizes& sizes);
  Tensor operator()(const Tensor& images) const;  // [batch, 3, image, image] to [batch, places, width]
  Tensor places(const Tensor& images) const;      // what the first block sees
  void fields(auto&& field) {
    field("patch", patch);
    field("class_token", class_token);
    field("position", position);
    field("blocks", blocks);
    field("norm", norm);
    field("dropout", dropout);
  }

  nn::Linear patch;
  Parameter class_token;  // [1, width]: the first place
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

// The embedding of the words is the output layer too. There is no mask for padding: it stands at the end, where no place before it
// looks, and its labels are ignored.
class CaptionDecoder : public Layer {
 public:
  explicit CaptionDecoder(const CaptionerSizes& sizes);
  // Tokens [batch, length], of at most the context, and what the encoder made of the pictures; [batch, length, width].
  Tensor operator()(const Tensor& tokens, const Tensor& memory) const;
  Tensor words(const Tensor& tokens) const;   // what the first block sees
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
  // With GPT-2's initial weights, less where a block adds to the residual, by the root of how many do.
  Captioner(const CaptionerSizes& sizes, std::uint64_t seed);

  // How many numbers the parameters of such a model are, without making one.
  static double parameter_count(const CaptionerSizes& sizes);

  // The mean cross entropy of predicting the labels, ignored ones left out. See CaptionBatch.
  Tensor loss(const Tensor& images, const Tensor& tokens, const Tensor& labels) const;
  // The likeliest token (i32 [batch]) behind place `at` (rank 0) of each row of tokens [batch, length].
  Tensor next_token(const Tensor& memory, const Tensor& tokens, const Tensor& at) const;

  void fields(auto&& field) {
    field("encoder", encoder);
    field("decoder", decoder);
  }

  ImageEncoder encoder;
  CaptionDecoder decoder;
};

// The loss of the decoder alone.
Tensor caption_loss(const CaptionDecoder& decoder, const Tensor& memory, const Tensor& tokens, const Tensor& labels);

}  // namespace weft::captioner
