#include <apps/lab/vit.h>

#include <weft/tensor/activation.h>
#include <weft/tensor/creation.h>
#include <weft/tensor/elementwise.h>
#include <weft/tensor/indexing.h>
#include <weft/tensor/manipulation.h>

namespace weft::lab {

const std::vector<ShardingPattern>& divided_layers() {
  static const std::vector<ShardingPattern> patterns{
      {"*.up.weight", {"model", ""}}, {"*.up.bias", "model"}, {"*.down.weight", {"", "model"}}};
  return patterns;
}

VitLayer::VitLayer(const VitConfig& config)
    : norm1(config.width),
      attention(config.width, config.heads),
      norm2(config.width),
      up(config.width, config.hidden),
      down(config.hidden, config.width),
      dropout(config.dropout) {}

Tensor VitLayer::operator()(const Tensor& x) const {
  const Scope scope = enter();
  const Tensor attended = x + dropout(attention(norm1(x)));
  return attended + dropout(down(dropout(gelu(up(norm2(attended))))));
}

Vit::Vit(const VitConfig& config)
    : patches(config.channels, config.width, config.patch, {.stride = config.patch}),
      class_token(zeros({1, 1, config.width})),
      dropout(config.dropout),
      norm(config.width),
      head(config.width, config.classes) {
  for (std::int64_t i = 0; i < config.layers; ++i) layers.emplace_back(config);
}

Tensor Vit::operator()(const Tensor& images) const {
  const std::int64_t batch = images.size(0), width = class_token.type().size(2);
  const Tensor embedded = transpose(reshape(patches(images), {batch, width, -1}), 1, 2);
  Tensor x = dropout(concatenate({broadcast_to(class_token.tensor(), {batch, 1, width}), embedded}, 1));
  for (const VitLayer& layer : layers) x = layer(x);
  return head(reshape(slice(norm(x), 1, 0, 1), {batch, width}));
}

}  // namespace weft::lab
