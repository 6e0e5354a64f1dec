// Random models with embedding tables: every exact schedule gives the bits of the same steps one after the other. PIPELINE_MODELS says how
// many models are tried.
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

#include <weft/runtime/parallel.h>
#include <weft/train/pipeline.h>
#include <weft/weft.h>

#include "tests/compiler/run.h"
#include "tests/tensor/check.h"

namespace weft {
namespace {

using embed::KeyedJaggedTensor;
using embed::TablePlacement;
using embed::TableSharding;

constexpr std::int64_t devices = 4;
const Mesh of_devices{{"data", devices}};

// The shape of a model: drawn from a seed, so that it can be built again.
struct RandomShape {
  std::vector<embed::EmbeddingBagConfig> tables;
  embed::ShardingPlan plan;
  std::int64_t features = 0, batch = 0, most_ids = 0;
  bool has_processor = false;  // weights of ids come from a trained parameter
  bool looks_up_twice = false;
  bool adds_gradients = false;  // of two losses, each with lookups of its own, before the optimizer's step
  int optimizer = 0;
};

class Draw {
 public:
  explicit Draw(unsigned seed) : random_(seed) {}
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random_() % static_cast<unsigned>(high - low + 1));
  }
  bool one_in(int n) { return between(1, n) == 1; }

 private:
  std::mt19937 random_;
};

TablePlacement random_placement(Draw& draw, bool is_dense) {
  if (is_dense) return {};
  switch (draw.between(0, 3)) {
    case 0: return {};
    case 1: return {TableSharding::table_wise, {draw.between(0, devices - 1)}};
    case 2: return {TableSharding::row_wise};
    default: return {TableSharding::column_wise, {draw.between(0, 1), draw.between(2, 3)}};
  }
}

RandomShape random_shape(unsigned seed) {
  Draw draw(seed);
  RandomShape shape{.tables = {}, .plan = {of_devices, {"data"}, {}}};
  shape.features = draw.between(1, 4);
  shape.batch = devices * draw.between(1, 3);
  shape.most_ids = draw.between(1, 4);
  for (std::int64_t t = draw.between(1, 4); t > 0; --t) {
    std::vector<std::string> names;
    for (std::int64_t f = 0; f < shape.features; ++f)
      if (draw.one_in(2)) names.push_back(concat("f", f));
    if (names.empty()) names = {"f0"};
    const bool is_dense = draw.one_in(5);
    shape.tables.push_back({.num_embeddings = draw.between(1, 30),
                            .embedding_dim = 4 * draw.between(1, 3),
                            .name = concat("t", t),
                            .feature_names = names,
                            .pooling = draw.one_in(3) ? embed::Pooling::mean : embed::Pooling::sum,
                            .sparse_update = !is_dense});
    shape.plan.tables.push_back(random_placement(draw, is_dense));
  }
  shape.has_processor = draw.one_in(4);
  shape.looks_up_twice = draw.one_in(4);
  shape.adds_gradients = draw.one_in(4);
  shape.optimizer = static_cast<int>(draw.between(0, 3));
  return shape;
}

struct RandomModel {
  embed::EmbeddingBagCollection tables;
  Parameter weights;
  nn::Linear hidden, out;

  explicit RandomModel(const RandomShape& shape)
      : tables(shape.tables, {.is_weighted = shape.has_processor, .bounds = IdBounds::ignore, .plan = shape.plan}),
        weights(rand({30})),
        hidden(columns(shape), 8),
        out(8, 1) {}
  static std::int64_t columns(const RandomShape& shape) {
    std::int64_t sum = 0;
    for (const auto& table : shape.tables) sum += table.embedding_dim * std::ssize(table.feature_names);
    return sum;
  }
  void fields(auto&& field) {
    field("tables", tables);
    field("weights", weights);
    field("hidden", hidden);
    field("out", out);
  }
};

std::unique_ptr<optim::Optimizer> optimizer_of(const RandomShape& shape, RandomModel& model) {
  switch (shape.optimizer) {
    case 0: return std::make_unique<optim::SGD>(model, optim::SGDOptions{.lr = 0.1});
    case 1: return std::make_unique<optim::Adagrad>(model, optim::AdagradOptions{.lr = 0.1});
    case 2: return std::make_unique<optim::RowWiseAdagrad>(model, optim::RowWiseAdagradOptions{.lr = 0.1});
    default: return std::make_unique<optim::Adam>(model, optim::AdamOptions{.lr = 0.1});
  }
}

struct Outcome {
  std::vector<std::uint32_t> losses;  // their bits: some models diverge, and NaN does not equal itself
  std::vector<std::byte> state;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

Outcome train_random(const RandomShape& shape, const std::optional<train::Schedule>& schedule) {
  manual_seed(1);
  RandomModel model(shape);
  const auto optimizer = optimizer_of(shape, model);
  std::vector<std::string> keys;
  for (std::int64_t f = 0; f < shape.features; ++f) keys.push_back(concat("f", f));
  const auto step = compile(of_devices, [&](const KeyedJaggedTensor& given, const Tensor& ids, const Tensor& lengths) {
    const KeyedJaggedTensor features =
        shape.has_processor ? KeyedJaggedTensor::from_tensors(keys, ids, lengths, take(model.weights, ids)) : given;
    const auto loss_to = [&](float target) {
      Tensor pooled = model.tables(features).values();
      if (shape.looks_up_twice) pooled = pooled * 0.5 + square(model.tables(features).values());
      return sum(square(model.out(relu(model.hidden(pooled))) - target));
    };
    Tensor loss = loss_to(1);
    std::vector<Tensor> gradients = grad(loss, optimizer->parameters());
    if (shape.adds_gradients) {
      const Tensor other = loss_to(2);
      const std::vector<Tensor> more = grad(other, optimizer->parameters());
      for (std::size_t i = 0; i < gradients.size(); ++i) gradients[i] = gradients[i] + more[i];
      loss = loss + other;
    }
    optimizer->step(gradients);
    return loss;
  });
  Outcome made;
  const auto keep = [&](const Tensor& loss) {
    made.losses.push_back(std::bit_cast<std::uint32_t>(loss.item<float>()));
  };
  std::mt19937 random(5);
  std::vector<std::int64_t> lengths;
  for (std::int64_t bag = 0; bag < shape.features * shape.batch; ++bag) lengths.push_back(bag % (shape.most_ids + 1));
  const auto total = std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
  const auto feed = [&](auto&& to) {
    for (int i = 0; i < 5; ++i) {
      std::vector<std::int64_t> ids(total);
      for (std::int64_t& id : ids) id = static_cast<std::int64_t>(random() % 30);  // some are no rows
      const KeyedJaggedTensor features(keys, ids, lengths);
      to(features.sharded("data", of_devices), from_vector(ids, {total}), from_vector(lengths, {std::ssize(lengths)}));
    }
  };
  if (schedule) {
    train::Pipeline pipeline(step, {.schedule = *schedule});
    feed([&](auto&&... batch) {
      if (const auto loss = pipeline(batch...)) keep(*loss);
    });
    while (const auto loss = pipeline.finish()) keep(*loss);
  } else {
    feed([&](auto&&... batch) { keep(step(batch...)); });
  }
  for (const auto& all : {named_parameters(model), optimizer->state()})
    for (const NamedParameter& named : all) {
      const auto bytes = named.parameter->tensor().bytes();
      made.state.insert(made.state.end(), bytes.begin(), bytes.end());
    }
  return made;
}

TEST(RandomPipelines, ExactSchedulesGiveTheBitsOfStepsOneAfterTheOther) {
  const char* const wanted = std::getenv("PIPELINE_MODELS");
  const unsigned models = wanted ? static_cast<unsigned>(std::strtoul(wanted, nullptr, 10)) : 20;
  for (unsigned seed = 0; seed < models; ++seed) {
    const RandomShape shape = random_shape(seed);
    const Outcome want = train_random(shape, {});
    for (const int threads : {1, 2}) {
      const test::Threads with(threads);
      const std::pair<const char*, train::Schedule> schedules[] = {
          {"base", train::schedule::base()},
          {"sparse_dist", train::schedule::sparse_dist()},
          {"fused_sparse_dist", train::schedule::fused_sparse_dist()},
          {"prefetch", train::schedule::prefetch()},
          {"exact", train::schedule::exact()}};
      for (const auto& [name, schedule] : schedules)
        EXPECT_TRUE(train_random(shape, schedule) == want)
            << "model " << seed << ", schedule " << name << ", threads " << threads;
    }
  }
}

}  // namespace
}  // namespace weft
