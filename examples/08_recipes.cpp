// The recipes of docs/recipes.md, which repeats these lines: tools/check-docs compares both.
#include <cmath>
#include <iostream>
#include <thread>
#include <vector>

#include <weft/weft.h>

namespace nn = weft::nn;
namespace optim = weft::optim;
namespace embed = weft::embed;
using weft::Tensor;

namespace {

struct Mlp {
  nn::Linear backbone{4, 16}, head{16, 3};
  Tensor operator()(const Tensor& x) const { return head(weft::relu(backbone(x))); }
  void fields(auto&& field) {
    field("backbone", backbone);
    field("head", head);
  }
};

Tensor features() { return weft::randn({8, 4}); }
Tensor classes() { return weft::randint(0, 3, {8}); }

void check(bool holds, const char* what) {
  if (holds) return;
  std::cerr << "failed: " << what << '\n';
  std::exit(1);
}

void groups_and_freezing() {
  Mlp model;
  optim::AdamW optimizer(model, {.lr = 1e-3},
                         {{.names = "backbone.*", .lr_factor = 0.1}, {.names = "*.bias", .decay_factor = 0}});
  auto train_step = weft::compile([&](const Tensor& x, const Tensor& y) {
    const Tensor loss = nn::cross_entropy(model(x), y);
    optimizer.step(weft::grad(loss, optimizer.parameters()));
    return loss;
  });
  optimizer.groups()[0].frozen = true;  // train the head alone
  train_step(features(), classes());
  optimizer.groups()[0].frozen = false;  // from here on, all layers
  train_step(features(), classes());
  check(optimizer.parameters().size() == 4, "all parameters train again");
}

void gradient_accumulation() {
  Mlp model;
  optim::SGD optimizer(model, {.lr = 0.1});
  const std::int64_t parts = 4;
  auto train_step = weft::compile([&](const Tensor& x, const Tensor& y) {  // x [parts, batch, 4], y [parts, batch]
    std::vector<Tensor> first{weft::zeros({})};
    for (const weft::Parameter* p : optimizer.parameters()) first.push_back(weft::zeros_like(*p));
    const auto sums = weft::scan(first, std::vector{x, y}, [&](const auto& before, const auto& part) {
      const Tensor loss = nn::cross_entropy(model(part[0]), part[1]);
      const auto gradients = weft::grad(loss, optimizer.parameters());
      std::vector<Tensor> after{before[0] + loss};
      for (std::size_t i = 0; i < gradients.size(); ++i) after.push_back(before[i + 1] + gradients[i]);
      return std::pair(after, std::vector<Tensor>());
    });
    std::vector<Tensor> means;
    for (std::size_t i = 1; i < sums.values.size(); ++i) means.push_back(sums.values[i] / weft::constant(parts));
    optimizer.step(means);
    return sums.values[0] / weft::constant(parts);
  });
  const Tensor x = weft::randn({parts, 2, 4}), y = weft::randint(0, 3, {parts, 2});
  const double before = train_step(x, y).item(), after = train_step(x, y).item();
  check(after < before, "accumulated gradients reduce the loss");
}

void averages() {
  Mlp model;
  optim::AdamW optimizer(model, {.lr = 1e-3});
  optim::EMA ema(model, {.decay = 0.99});
  auto train_step = weft::compile([&](const Tensor& x, const Tensor& y) {
    const Tensor loss = nn::cross_entropy(model(x), y);
    optimizer.step(weft::grad(loss, optimizer.parameters()));
    ema.update();
    return loss;
  });
  train_step(features(), classes());
  {
    const auto averaged = ema.apply();  // the model has the averages until the end of this scope
    std::cout << "loss of the averages: " << nn::cross_entropy(model(features()), classes()).item() << '\n';
  }
}

void sparse_updates() {
  embed::EmbeddingBagCollection tables{{
      {.num_embeddings = 100'000, .embedding_dim = 16, .name = "items", .feature_names = {"seen"}},
  }};
  optim::Adagrad optimizer(tables, {.lr = 0.1});  // updates only the rows that a step looks up, in place
  auto train_step = weft::compile([&](const embed::KeyedJaggedTensor& features, const Tensor& targets) {
    const Tensor loss = weft::mse_loss(weft::sum(tables(features).values(), -1), targets);
    optimizer.step(weft::grad(loss, optimizer.parameters()));
    return loss;
  });
  // Two samples: the first has seen items 3 and 70,000, the second item 5.
  const embed::KeyedJaggedTensor features({"seen"}, {3, 70'000, 5}, std::vector<std::int64_t>{2, 1});
  const Tensor targets = weft::tensor({1.f, 2.f});
  const double before = train_step(features, targets).item(), after = train_step(features, targets).item();
  check(after < before, "the rows are trained");
}

void threads() {
  Mlp model;
  weft::sync();  // other threads see only what this one has launched: the initial weights
  const auto predict = weft::compile([&](const Tensor& x) { return weft::argmax(model(x)); });
  std::vector<std::thread> workers;
  for (int worker = 0; worker < 2; ++worker)
    workers.emplace_back([&predict, worker] {
      weft::manual_seed(worker);  // every thread has its own generator and its own recording
      const Tensor best = predict(features());
      check(best.size(0) == 8, "every thread gets its result");
    });
  for (std::thread& worker : workers) worker.join();
}

// Causal attention whose keys and values of earlier positions are kept: 4 heads of queries share 2 heads of keys.
struct CachedAttention {
  nn::Linear query{32, 32}, key{32, 16}, value{32, 16}, out{32, 32};
  nn::RotaryEmbedding rotary;

  struct Cache {
    Tensor keys = weft::zeros({1, 2, 0, 8}), values = weft::zeros({1, 2, 0, 8});
    void fields(auto&& field) {
      field("keys", keys);
      field("values", values);
    }
  };

  Tensor operator()(const Tensor& x, Cache& cache) const {  // x [1, time, 32]: the new positions
    const auto heads = [&](const Tensor& y) {
      return weft::transpose(weft::reshape(y, {1, x.size(1), y.size(2) / 8, 8}), 1, 2);
    };
    const Tensor positions = weft::arange(x.size(1)) + cache.keys.size(2);
    cache.keys = weft::concatenate({cache.keys, rotary(heads(key(x)), positions)}, 2);
    cache.values = weft::concatenate({cache.values, heads(value(x))}, 2);
    const Tensor mixed = weft::scaled_dot_product_attention(rotary(heads(query(x)), positions), cache.keys,
                                                            cache.values, {.causal = true, .enable_gqa = true});
    return out(weft::reshape(weft::transpose(mixed, 1, 2), x.shape()));
  }
  void fields(auto&& field) {
    field("query", query);
    field("key", key);
    field("value", value);
    field("out", out);
  }
};

struct Writer {
  nn::Embedding tokens{50, 32};
  CachedAttention attention;
  Tensor operator()(const Tensor& ids, CachedAttention::Cache& cache) const {
    const Tensor x = tokens(ids);
    return weft::linear(x + attention(x, cache), tokens.weight);  // the embedding is also the output layer
  }
  void fields(auto&& field) {
    field("tokens", tokens);
    field("attention", attention);
  }
};

void generation() {
  const Writer model;
  const auto next = weft::compile([&](const Tensor& ids, CachedAttention::Cache cache) {
    const Tensor logits = model(ids, cache);
    return std::pair(weft::argmax(weft::slice(logits, 1, -1)), cache);  // the best token after the last one
  });
  Tensor ids = weft::tensor({{7, 3, 42}});  // the prompt; then one token at a time
  CachedAttention::Cache cache;
  std::vector<Tensor> written;
  for (int i = 0; i < 8; ++i) {
    std::tie(ids, cache) = next(ids, cache);
    written.push_back(ids);  // nothing waits for the device until the tokens are read
  }
  const Tensor text = weft::concatenate(written, 1);
  check(text.size(1) == 8 && cache.keys.size(2) == 10, "the cache has grown");

  // The same tokens, computed without a cache.
  Tensor all = weft::tensor({{7, 3, 42}});
  for (int i = 0; i < 8; ++i) {
    CachedAttention::Cache empty;
    all = weft::concatenate({all, weft::argmax(weft::slice(model(all, empty), 1, -1))}, 1);
  }
  check(weft::slice(all, 1, 3).to_vector<int>() == text.to_vector<int>(), "the cache changes no token");
}

struct Tied {
  nn::Embedding tokens{50, 32};
  Tensor operator()(const Tensor& ids) const {
    return weft::linear(tokens(ids), tokens.weight);  // one Parameter in both places
  }
  void fields(auto&& field) { field("tokens", tokens); }
};

void tied_weights() {
  Tied model;
  check(weft::parameters(model).size() == 1, "the weight is one parameter");
  check(model(weft::tensor({1, 2})).size(1) == 50, "its logits are of all tokens");
}

}  // namespace

int main() {
  groups_and_freezing();
  gradient_accumulation();
  averages();
  sparse_updates();
  threads();
  generation();
  tied_weights();
}
