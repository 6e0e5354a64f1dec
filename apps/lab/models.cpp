#include <apps/lab/models.h>

#include <memory>

#include <weft/optim/adam.h>
#include <weft/record/sync.h>
#include <weft/tensor/activation.h>
#include <weft/tensor/elementwise.h>
#include <weft/tensor/gradient.h>
#include <weft/tensor/linalg.h>
#include <weft/tensor/loss.h>
#include <weft/tensor/manipulation.h>
#include <weft/tensor/random.h>

namespace weft::lab {

BertLayer::BertLayer(const BertConfig& config)
    : attention(config.width, config.heads),
      norm1(config.width, 1e-12),
      up(config.width, 4 * config.width),
      down(4 * config.width, config.width),
      norm2(config.width, 1e-12),
      dropout(config.dropout) {}

Tensor BertLayer::operator()(const Tensor& x) const {
  const Scope scope = enter();
  const Tensor attended = norm1(x + dropout(attention(x)));
  return norm2(attended + dropout(down(gelu(up(attended)))));
}

Bert::Bert(const BertConfig& config)
    : words(config.vocabulary, config.width),
      positions(most_tokens, config.width),
      norm(config.width, 1e-12),
      dropout(config.dropout),
      transform(config.width, config.width),
      transform_norm(config.width, 1e-12) {
  for (std::int64_t i = 0; i < config.layers; ++i) layers.emplace_back(config);
  for (Parameter* embedding : {&words.weight, &positions.weight}) *embedding = 0.02 * embedding->tensor();
}

Tensor Bert::logits(const Tensor& tokens) const {
  Tensor x = words(tokens) + slice(positions.weight.tensor(), 0, 0, tokens.size(1));
  x = dropout(norm(x));
  for (const BertLayer& layer : layers) x = layer(x);
  return linear(transform_norm(gelu(transform(x))), words.weight);
}

namespace {

// A model that is trained repeatedly on one batch.
template <class Model>
struct BatchTraining {
  template <class... Arguments>
  explicit BatchTraining(const Arguments&... arguments) : model(arguments...), optimizer(model, {.lr = 1e-4}) {}
  Model model;
  optim::AdamW optimizer;
};

Workload bert(const std::string& name, const BertConfig& config, std::int64_t batch, std::int64_t tokens) {
  const auto training = std::make_shared<BatchTraining<Bert>>(config);
  const Tensor words = random::integers(random::Key(1), {batch, tokens}, 0, config.vocabulary);
  const Tensor labels = random::integers(random::Key(2), {batch, tokens}, 0, config.vocabulary);
  sync();
  return {concat(name, ": ", config.layers, " layers, ", config.heads, " heads, width ", config.width, ", ", batch,
                 " x ", tokens, " tokens"),
          [=] {
            const Tensor loss = nn::cross_entropy(training->model.logits(words), labels);
            training->optimizer.step(grad(loss, training->optimizer.parameters()));
            return loss;
          }};
}

struct Mlp {
  explicit Mlp(std::int64_t width) : up(784, width), middle(width, width), down(width, 10) {}
  Tensor operator()(const Tensor& x) const { return down(relu(middle(relu(up(x))))); }
  void fields(auto&& field) {
    field("up", up);
    field("middle", middle);
    field("down", down);
  }
  nn::Linear up, middle, down;
};

Workload mlp(std::int64_t width, std::int64_t batch) {
  const auto training = std::make_shared<BatchTraining<Mlp>>(width);
  const Tensor images = random::normal(random::Key(1), {batch, 784});
  const Tensor labels = random::integers(random::Key(2), {batch}, 0, 10);
  sync();
  return {concat("mlp: 784-", width, "-", width, "-10, batch ", batch), [=] {
            const Tensor loss = nn::cross_entropy(training->model(images), labels);
            training->optimizer.step(grad(loss, training->optimizer.parameters()));
            return loss;
          }};
}

}  // namespace

Workload make_workload(const std::string& model, std::int64_t width, std::int64_t batch, std::int64_t tokens) {
  if (model == "mlp") return mlp(width ? width : 512, batch * tokens);
  const std::int64_t layers = model == "bert-large" ? 24 : 12, heads = model == "bert-large" ? 16 : 12;
  require(width % heads == 0, "lab: ", heads, " heads do not divide the width ", width);
  return bert(model, {.layers = layers, .heads = heads, .width = width ? width : 16 * heads, .vocabulary = 2048}, batch,
              tokens);
}

}  // namespace weft::lab
