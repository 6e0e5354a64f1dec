// Trains a byte-level GPT (a decoder-only transformer with pre-norm blocks) until it knows a short text by heart, and lets it
// write the text.
//   03_gpt [FILE [STEPS]]    trains on another text, for another number of steps
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include <weft/weft.h>

namespace nn = weft::nn;
using weft::Tensor;

struct Config {
  std::int64_t vocabulary = 256, context = 64, width = 64, heads = 4, layers = 2;
};

struct Attention {
  std::int64_t heads;
  nn::Linear qkv, out;

  explicit Attention(const Config& c) : heads(c.heads), qkv(c.width, 3 * c.width), out(c.width, c.width) {}

  Tensor operator()(const Tensor& x) const {
    const auto batch = x.size(0), time = x.size(1), width = x.size(2);
    const auto split_heads = [&](const Tensor& t) {  // [batch, heads, time, width / heads]
      return weft::transpose(weft::reshape(t, {batch, time, heads, width / heads}), 1, 2);
    };
    const auto parts = weft::chunk(qkv(x), 3, -1);
    const Tensor mixed = weft::scaled_dot_product_attention(split_heads(parts[0]), split_heads(parts[1]),
                                                            split_heads(parts[2]), {.causal = true});
    return out(weft::reshape(weft::transpose(mixed, 1, 2), {batch, time, width}));
  }

  void fields(auto&& field) {
    field("qkv", qkv);
    field("out", out);
  }
};

struct Block {
  nn::LayerNorm norm1, norm2;
  Attention attention;
  nn::Linear up, down;

  explicit Block(const Config& c)
      : norm1(c.width), norm2(c.width), attention(c), up(c.width, 4 * c.width), down(4 * c.width, c.width) {}

  Tensor operator()(Tensor x) const {
    x = x + attention(norm1(x));
    return x + down(weft::gelu(up(norm2(x)), true));
  }

  void fields(auto&& field) {
    field("norm1", norm1);
    field("attention", attention);
    field("norm2", norm2);
    field("up", up);
    field("down", down);
  }
};

struct Gpt {
  Config config;
  nn::Embedding tokens, positions;
  std::vector<Block> blocks;
  nn::LayerNorm norm;

  explicit Gpt(const Config& c)
      : config(c),
        tokens(c.vocabulary, c.width),
        positions(c.context, c.width),
        blocks(c.layers, Block(c)),
        norm(c.width) {
    for (weft::Parameter* p : weft::parameters(*this)) {
      if (p->type().rank() == 2) *p = nn::init::normal(p->shape(), 0, 0.05);
    }
  }

  // Maps tokens [batch, time] to the logits [batch, time, vocabulary] of the next tokens.
  Tensor operator()(const Tensor& ids) const {
    Tensor x = tokens(ids) + positions(weft::arange(ids.size(1)));
    for (const Block& block : blocks) x = block(x);
    return weft::linear(norm(x), tokens.weight);  // the input embedding is also the output layer
  }

  void fields(auto&& field) {
    field("tokens", tokens);
    field("positions", positions);
    field("blocks", blocks);
    field("norm", norm);
  }
};

// Returns `count` pieces of the text at random positions, and the same pieces shifted by one byte.
std::pair<Tensor, Tensor> batch(const Tensor& text, std::int64_t count, std::int64_t length) {
  const Tensor starts = weft::randint(0, text.size(0) - length, {count, 1});
  const Tensor places = starts + weft::arange(length);
  return {weft::take(text, places), weft::take(text, places + 1)};
}

// Continues the prompt with the most likely byte, `count` times. The window has a fixed size, so that one program serves all
// steps.
std::string continue_text(const Gpt& model, std::string text, int count) {
  const std::size_t context = model.config.context;
  for (int i = 0; i < count; ++i) {
    const std::size_t last = std::min(text.size(), context);
    std::vector<std::uint8_t> window(context, ' ');
    std::copy(text.end() - last, text.end(), window.begin());
    const Tensor logits = model(weft::from_vector(window, {1, model.config.context}))[0];
    const Tensor next = weft::argmax(weft::take(logits, weft::tensor(static_cast<int>(last) - 1)));
    text += static_cast<char>(next.item<int>());
  }
  return text;
}

int main(int argc, char** argv) {
  std::string text =
      "the quick brown fox jumps over the lazy dog while seven wizards quietly judge my boxing and praise its form. ";
  if (argc > 1) {
    std::ifstream file(argv[1], std::ios::binary);
    text.assign(std::istreambuf_iterator<char>(file), {});
  } else {
    text += text;
  }
  const int steps = argc > 2 ? std::atoi(argv[2]) : 150;

  weft::manual_seed(1);
  const Tensor bytes = weft::from_vector(std::vector<std::uint8_t>(text.begin(), text.end()), {std::ssize(text)});
  Gpt model{Config{}};
  weft::optim::AdamW optimizer(model, {.weight_decay = 0.1, .decays = weft::optim::is_matrix});
  const weft::optim::CosineSchedule schedule{.peak = 3e-3, .warmup = 20, .total = steps, .floor = 3e-4};
  std::cout << weft::parameter_count(model) << " parameters\n";
  const auto train_step = weft::compile([&] {
    const auto [inputs, targets] = batch(bytes, 8, model.config.context);
    const Tensor loss = nn::cross_entropy(model(inputs), targets);
    optimizer.step(weft::optim::clip_grad_norm(weft::grad(loss, optimizer.parameters()), 1.0).gradients);
    return loss;
  });
  for (int step = 0; step < steps; ++step) {
    optimizer.set_lr(schedule(step));
    const Tensor loss = train_step();
    if (step % 25 == 0 || step + 1 == steps) std::cout << "step " << step << "  loss " << loss.item() << std::endl;
  }

  const std::string written = continue_text(model, text.substr(0, 9), 60);
  std::cout << written << '\n';
  return argc > 1 || text.starts_with(written) ? 0 : 1;
}
