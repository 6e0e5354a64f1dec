#include <apps/captioner/captioner.h>

#include <weft/tensor/creation.h>
#include <weft/tensor/elementwise.h>
#include <weft/tensor/indexing.h>
#include <weft/tensor/manipulation.h>
#include <weft/tensor/reduction.h>

namespace weft::captioner {

namespace {

constexpr double vit_epsilon = 1e-12;  // of the encoder's norms

// Converts [batch, 3, image, image] to [batch, patches, 3 patch^2], patches row by row.
Tensor patches_of(const Tensor& images, std::int64_t patch) {
  const std::int64_t batch = images.size(0), rows = images.size(2) / patch;
  const Tensor split = reshape(images, {batch, 3, rows, patch, rows, patch});
  return reshape(permute(split, {0, 2, 4, 1, 3, 5}), {batch, rows * rows, 3 * patch * patch});
}

}  // namespace

ImageEncoder::ImageEncoder(const CaptionerSizes& sizes)
    : patch(3 * sizes.patch * sizes.patch, sizes.width),
      class_token(zeros({1, sizes.width})),
      position(sizes.places(), sizes.width),
      norm(sizes.width, vit_epsilon),
      dropout(sizes.dropout),
      image_size(sizes.image),
      patch_size(sizes.patch) {
  require(image_size % patch_size == 0, "ImageEncoder: patches of ", patch_size, " pixels do not divide an image of ",
          image_size);
  const nn::TransformerBlockOptions options{
      .width = sizes.width, .heads = sizes.heads, .dropout = sizes.dropout, .norm_epsilon = vit_epsilon};
  for (std::int64_t i = 0; i < sizes.encoder_layers; ++i) blocks.emplace_back(options);
}

Tensor ImageEncoder::operator()(const Tensor& images) const {
  const Scope scope = enter();
  Tensor x = places(images);
  for (const nn::TransformerBlock& block : blocks) x = block(x);
  return norm(x);
}

Tensor ImageEncoder::places(const Tensor& images) const {
  require(images.rank() == 4 && images.size(1) == 3 && images.size(2) == image_size && images.size(3) == image_size,
          "ImageEncoder: images must be [batch, 3, ", image_size, ", ", image_size, "], got ", images.type());
  const Tensor embedded = patch(patches_of(images, patch_size)).to(float32);
  const Tensor first = broadcast_to(class_token, {images.size(0), 1, embedded.size(2)});
  return dropout(concatenate({first, embedded}, 1) + position.weight);
}

DecoderBlock::DecoderBlock(const CaptionerSizes& sizes)
    : norm1(sizes.width),
      attention(sizes.width, sizes.heads, true),
      norm2(sizes.width),
      cross(sizes.width, sizes.heads),
      norm3(sizes.width),
      mlp(sizes.width, true),
      dropout(sizes.dropout) {}

Tensor DecoderBlock::operator()(const Tensor& x, const Tensor& memory) const {
  const Scope scope = enter();
  const Tensor attended = x + dropout(attention(norm1(x)));
  const Tensor looked = attended + dropout(cross(norm2(attended), memory));
  return looked + dropout(mlp(norm3(looked)));
}

CaptionDecoder::CaptionDecoder(const CaptionerSizes& sizes)
    : embed(sizes.vocabulary, sizes.width),
      position(sizes.context, sizes.width),
      norm(sizes.width),
      dropout(sizes.dropout) {
  for (std::int64_t i = 0; i < sizes.decoder_layers; ++i) blocks.emplace_back(sizes);
}

Tensor CaptionDecoder::operator()(const Tensor& tokens, const Tensor& memory) const {
  const Scope scope = enter();
  Tensor x = words(tokens);
  for (const DecoderBlock& block : blocks) x = block(x, memory);
  return norm(x);
}

Tensor CaptionDecoder::words(const Tensor& tokens) const {
  const std::int64_t context = position.weight.type().size(0);
  require(tokens.rank() == 2 && tokens.size(1) <= context, "CaptionDecoder: tokens must be [batch, at most ", context,
          "], got ", tokens.type());
  // Gathers rows instead of slicing the table, so that one program serves captions of any length.
  return dropout(embed(tokens) + position(arange(tokens.size(1))));
}

Tensor CaptionDecoder::logits(const Tensor& hidden) const { return linear(hidden, embed.weight).to(float32); }

Captioner::Captioner(const CaptionerSizes& sizes, std::uint64_t seed) : encoder(sizes), decoder(sizes) {
  nn::initialize_transformer(named_parameters(*this), seed);
  for (nn::TransformerBlock& block : encoder.blocks)
    nn::lessen_residuals({&block.attention.proj, &block.mlp.down}, 2 * sizes.encoder_layers);
  for (DecoderBlock& block : decoder.blocks)
    nn::lessen_residuals({&block.attention.proj, &block.cross.proj, &block.mlp.down}, 3 * sizes.decoder_layers);
}

double Captioner::parameter_count(const CaptionerSizes& sizes) {
  const auto number = [](std::int64_t size) { return static_cast<double>(size); };
  const double width = number(sizes.width);
  const double block = nn::TransformerBlock::parameter_count(width);
  const double cross = 4 * width * width + 6 * width;  // query, key_value and proj; their biases and a norm
  const double patch = width * (3 * number(sizes.patch) * number(sizes.patch) + 1);
  const double rows =
      1 + number(sizes.places()) + number(sizes.vocabulary) + number(sizes.context) + 4;  // with the two final norms
  return patch + rows * width + number(sizes.encoder_layers) * block + number(sizes.decoder_layers) * (block + cross);
}

Tensor Captioner::loss(const Tensor& images, const Tensor& tokens, const Tensor& labels) const {
  return caption_loss(decoder, encoder(images), tokens, labels);
}

Tensor Captioner::next_token(const Tensor& memory, const Tensor& tokens, const Tensor& at) const {
  return argmax(decoder.logits(take(decoder(tokens, memory), at, 1)));
}

Tensor caption_loss(const CaptionDecoder& decoder, const Tensor& memory, const Tensor& tokens, const Tensor& labels) {
  return nn::cross_entropy(decoder.logits(decoder(tokens, memory)), labels);
}

}  // namespace weft::captioner
