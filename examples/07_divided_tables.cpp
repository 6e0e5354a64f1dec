// Trains embedding tables that are divided among eight logical devices. A planner says where they lie, the exchanges follow from that, and part
// of the next step is computed while the current one runs. The losses are those of one device.
#include <cmath>
#include <iostream>
#include <random>

#include <weft/train/pipeline.h>
#include <weft/weft.h>

namespace embed = weft::embed;
using weft::Mesh, weft::Tensor;

constexpr std::int64_t batch_size = 256;

std::vector<embed::EmbeddingBagConfig> tables() {
  return {{.num_embeddings = 40'000, .embedding_dim = 32, .name = "users", .feature_names = {"user"}},
          {.num_embeddings = 9'000, .embedding_dim = 32, .name = "items", .feature_names = {"seen"}},
          {.num_embeddings = 50, .embedding_dim = 32, .name = "countries", .feature_names = {"country"}}};
}

struct Ranker {
  embed::EmbeddingBagCollection tables;
  weft::nn::Linear out{96, 1};

  Tensor operator()(const embed::KeyedJaggedTensor& features) const { return out(tables(features).values()); }
  void fields(auto&& field) {
    field("tables", tables);
    field("out", out);
  }
};

// Returns ids of users, of items that they have seen, and of countries, with clicks that depend on the user.
std::pair<embed::KeyedJaggedTensor, Tensor> make_batch(std::mt19937& random) {
  std::vector<std::int64_t> ids, lengths;
  std::vector<float> clicks;
  const std::int64_t rows[] = {40'000, 9'000, 50}, counts[] = {1, 5, 1};
  for (int key = 0; key < 3; ++key)
    for (std::int64_t sample = 0; sample < batch_size; ++sample) {
      lengths.push_back(counts[key]);
      for (std::int64_t i = 0; i < counts[key]; ++i) ids.push_back(static_cast<std::int64_t>(random() % rows[key]));
      if (key == 0) clicks.push_back(ids.back() % 3 == 0 ? 1.f : 0.f);
    }
  return {{{"user", "seen", "country"}, std::move(ids), lengths}, weft::from_vector(clicks, {batch_size, 1})};
}

// Returns the sum of the losses of 40 steps.
double train(const std::optional<embed::ShardingPlan>& plan) {
  weft::manual_seed(0);
  Ranker model{embed::EmbeddingBagCollection(tables(), {.plan = plan})};
  weft::optim::Adagrad optimizer(model, {.lr = 0.2});
  const auto step = weft::compile(
      [&](const embed::KeyedJaggedTensor& features, const Tensor& clicks) {
        const Tensor loss = weft::binary_cross_entropy_with_logits(model(features), clicks);
        optimizer.step(weft::grad(loss, optimizer.parameters()));
        return loss;
      },
      {.mesh = plan ? std::optional(plan->mesh) : std::nullopt});
  weft::train::Pipeline pipeline(step);
  std::mt19937 random(0);
  double sum = 0;
  for (int i = 0; i < 40; ++i) {
    auto [features, clicks] = make_batch(random);
    if (plan) features = features.sharded("data", plan->mesh), clicks = clicks.sharded("data", plan->mesh);
    if (const auto loss = pipeline(features, clicks)) sum += loss->item();
  }
  while (const auto loss = pipeline.finish()) sum += loss->item();
  if (plan) std::cout << step.explain({.remedies = false}).devices() << '\n' << pipeline.explain();
  return sum;
}

int main() {
  const Mesh mesh{{"data", 8}};
  const embed::TablePlan plan =
      embed::plan_tables(tables(), mesh, {"data"}, {.batch = batch_size, .ids_per_bag = {{"seen", 5}}});
  std::cout << plan;
  const double one = train(std::nullopt), eight = train(plan.plan);
  std::cout << "losses: " << one << " on one device, " << eight << " on eight\n";
  return std::abs(one - eight) < 1e-4 * one ? 0 : 1;
}
