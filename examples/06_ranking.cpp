// Trains a model with embedding tables: whether a user clicks, from what the user has seen. Every batch has another number of ids, and the
// step is compiled once; optimizers update only the rows that it looked up.
#include <iostream>
#include <random>

#include <weft/weft.h>

namespace nn = weft::nn;
namespace embed = weft::embed;
using weft::Tensor;

constexpr std::int64_t user_count = 500, item_count = 2000;

struct Ranker {
  embed::EmbeddingBagCollection tables{{
      {.num_embeddings = user_count, .embedding_dim = 16, .name = "users", .feature_names = {"user"}},
      {.num_embeddings = item_count,
       .embedding_dim = 16,
       .name = "items",
       .feature_names = {"seen", "bought"},
       .pooling = embed::Pooling::mean},
  }};
  nn::Linear hidden{48, 32}, out{32, 1};

  Tensor operator()(const embed::KeyedJaggedTensor& features) const {
    return weft::reshape(out(weft::relu(hidden(tables(features).values()))), {features.batch()});
  }

  void fields(auto&& field) {
    field("tables", tables);
    field("hidden", hidden);
    field("out", out);
  }
};

struct Batch {
  embed::KeyedJaggedTensor features;
  Tensor clicks;

  void fields(auto&& field) {
    field("features", features);
    field("clicks", clicks);
  }
};

// Whether a user clicks depends on a hidden number of the user and on hidden numbers of the items.
Batch make_batch(std::int64_t samples, std::mt19937& random) {
  const auto hidden = [](std::int64_t id) { return static_cast<float>(id * 7919 % 101) / 50 - 1; };
  const auto draw = [&](std::int64_t count) { return static_cast<std::int64_t>(random() % count); };
  std::vector<std::int64_t> ids[3], lengths[3], all_ids, all_lengths;
  std::vector<float> clicks;
  for (std::int64_t sample = 0; sample < samples; ++sample) {
    const std::int64_t user = draw(user_count), counts[] = {1, draw(6), draw(3)};
    float score = 0.7f * hidden(user);
    for (int key = 0; key < 3; ++key) {
      lengths[key].push_back(counts[key]);
      for (std::int64_t i = 0; i < counts[key]; ++i) {
        ids[key].push_back(key == 0 ? user : draw(item_count));
        if (key > 0) score += hidden(ids[key].back()) / static_cast<float>(counts[key]);
      }
    }
    clicks.push_back(score > 0 ? 1.f : 0.f);
  }
  for (int key = 0; key < 3; ++key) {
    all_ids.insert(all_ids.end(), ids[key].begin(), ids[key].end());
    all_lengths.insert(all_lengths.end(), lengths[key].begin(), lengths[key].end());
  }
  return {{{"user", "seen", "bought"}, std::move(all_ids), all_lengths}, weft::from_vector(clicks, {samples})};
}

int main() {
  weft::manual_seed(0);
  Ranker model;
  weft::optim::Adagrad optimizer(model, {.lr = 0.1});
  std::cout << weft::summary(model);

  const auto train = weft::compile(
      [&](const Batch& batch) {
        const Tensor loss = weft::binary_cross_entropy_with_logits(model(batch.features), batch.clicks);
        optimizer.step(weft::grad(loss, optimizer.parameters()));
        return loss;
      },
      {.fullgraph = true, .name = "train"});
  const auto accuracy = weft::compile(
      [&](const Batch& batch) { return weft::mean((model(batch.features) > 0) == (batch.clicks > 0.5)); });

  std::mt19937 random(0);
  for (int step = 0; step < 600; ++step) {
    const Tensor loss = train(make_batch(256, random));
    if (step % 100 == 0) std::cout << "step " << step << "  loss " << loss.item() << '\n';
  }
  const double right = accuracy(make_batch(4096, random)).item();
  const weft::Explanation told = train.explain();
  std::cout << "accuracy " << right << " after " << told.calls << " steps, compiled " << told.compiles << " time(s)\n";
  return right > 0.85 && told.compiles == 1 ? 0 : 1;
}
