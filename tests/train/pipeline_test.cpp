// Steps that overlap give the bits of the same steps one after the other.
#include <weft/train/pipeline.h>

#include <filesystem>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/base/temporary_folder.h>
#include <weft/weft.h>

namespace weft {
namespace {

using embed::KeyedJaggedTensor;
using embed::ShardingPlan;
using embed::TableSharding;
using train::Schedule;
namespace schedule = train::schedule;

constexpr std::int64_t rows = 40, batch = 8;

struct Batch {
  KeyedJaggedTensor features;
  Tensor dense, labels;
  void fields(auto&& field) {
    field("features", features);
    field("dense", dense);
    field("labels", labels);
  }
};

Batch random_batch(int seed, const std::optional<ShardingPlan>& plan, std::int64_t samples = batch) {
  std::mt19937 random(seed);
  std::vector<std::int64_t> ids, lengths;
  for (std::int64_t bag = 0; bag < 3 * samples; ++bag) {
    lengths.push_back(bag % 4);  // batches with other numbers of ids have other programs
    for (std::int64_t i = 0; i < lengths.back(); ++i) ids.push_back(static_cast<std::int64_t>(random() % rows));
  }
  std::vector<float> dense, labels;
  for (std::int64_t i = 0; i < samples * 4; ++i) dense.push_back(static_cast<float>(random() % 100) / 50);
  for (std::int64_t i = 0; i < samples; ++i) labels.push_back(static_cast<float>(random() % 2));
  Batch made{
      {{"a", "b", "c"}, std::move(ids), lengths}, from_vector(dense, {samples, 4}), from_vector(labels, {samples, 1})};
  if (!plan) return made;
  return {made.features.sharded("data", plan->mesh), made.dense.sharded("data", plan->mesh),
          made.labels.sharded("data", plan->mesh)};
}

// A ranking model: tables, of which the pooled rows are multiplied with each other, and perceptrons.
struct RankingModel {
  explicit RankingModel(const std::optional<ShardingPlan>& plan)
      : tables({{.num_embeddings = rows, .embedding_dim = 8, .name = "x", .feature_names = {"a"}},
                {.num_embeddings = rows, .embedding_dim = 8, .name = "y", .feature_names = {"b", "c"}}},
               {.plan = plan}) {}
  embed::EmbeddingBagCollection tables;
  nn::Linear bottom{4, 8}, top{32, 1};

  Tensor operator()(const Batch& x) const {
    const Tensor pooled = tables(x.features).values();
    const Tensor crossed = slice(pooled, 1, 0, 8) * slice(pooled, 1, 8, 16);
    return top(concatenate({pooled + pad(crossed, {{0, 0}, {0, 16}}), relu(bottom(x.dense))}, 1));
  }
  void fields(auto&& field) {
    field("tables", tables);
    field("bottom", bottom);
    field("top", top);
  }
};

struct TrainedRun {
  std::vector<float> losses, state;
  std::string told;
  friend bool operator==(const TrainedRun& a, const TrainedRun& b) {
    return a.losses == b.losses && a.state == b.state;
  }
};

// Trains with a schedule; without one, step by step. Batch 5 has another size.
TrainedRun train_with(const std::optional<ShardingPlan>& plan, const std::optional<Schedule>& with) {
  manual_seed(3);
  RankingModel model(plan);
  optim::Adagrad optimizer(model, {.lr = 0.1});
  const auto body = [&](const Batch& x) {
    const Tensor loss = binary_cross_entropy_with_logits(model(x), x.labels);
    optimizer.step(grad(loss, optimizer.parameters()));
    return loss;
  };
  const auto step = plan ? compile(plan->mesh, body) : compile(body);
  TrainedRun made;
  const auto keep = [&](const Tensor& loss) { made.losses.push_back(loss.item<float>()); };
  const auto batch_of = [&](int i) { return random_batch(i % 3, plan, i == 5 ? 2 * batch : batch); };
  if (with) {
    train::Pipeline pipeline(step, {.schedule = *with});
    for (int i = 0; i < 9; ++i) {
      optimizer.set_lr(0.1 / (1 + i));
      if (const auto loss = pipeline(batch_of(i))) keep(*loss);
    }
    while (const auto loss = pipeline.finish()) keep(*loss);
    made.told = pipeline.explain({.remedies = false});
  } else {
    for (int i = 0; i < 9; ++i) {
      optimizer.set_lr(0.1 / (1 + i));
      keep(step(batch_of(i)));
    }
  }
  for (const auto& parameters : {named_parameters(model), optimizer.state()})
    for (const NamedParameter& named : parameters) {
      const auto values = named.parameter->tensor().to(DType::f32).to_vector<float>();
      made.state.insert(made.state.end(), values.begin(), values.end());
    }
  return made;
}

const Mesh mesh{{"data", 4}};
const std::optional<ShardingPlan> plans[] = {
    std::nullopt,
    ShardingPlan{mesh, {"data"}, {{TableSharding::table_wise, {1}}, {TableSharding::row_wise}}},
    ShardingPlan{mesh, {"data"}, {{TableSharding::column_wise, {0, 2}}, {TableSharding::data_parallel}}},
};

TEST(Pipeline, ExactSchedulesGiveTheBitsOfStepsOneAfterTheOther) {
  for (const auto& plan : plans) {
    const TrainedRun want = train_with(plan, {});
    ASSERT_EQ(want.losses.size(), 9u);
    const std::pair<bool, bool> ahead[] = {{false, false}, {true, false}, {true, true}, {true, false}};  // ids, lookups
    const Schedule with[] = {schedule::base(), schedule::sparse_dist(), schedule::fused_sparse_dist(),
                             schedule::prefetch()};
    for (std::size_t i = 0; i < std::size(with); ++i) {
      const TrainedRun got = train_with(plan, with[i]);
      EXPECT_EQ(got.losses, want.losses) << got.told;
      EXPECT_TRUE(got == want) << got.told;
      EXPECT_EQ(got.told.find("while a step runs") != got.told.npos, plan && ahead[i].first) << got.told;
      EXPECT_EQ(got.told.find("for slice") != got.told.npos, plan && ahead[i].second) << got.told;
    }
  }
}

struct StoredModel {
  explicit StoredModel(const std::filesystem::path& folder)
      : tables({{.num_embeddings = rows, .embedding_dim = 8, .name = "x", .feature_names = {"a", "b", "c"}}},
               {.folder = folder, .load_factor = 0.8}) {}
  embed::StoredEmbeddingBagCollection tables;
  nn::Linear top{24, 1};
  void fields(auto&& field) {
    field("tables", tables);
    field("top", top);
  }
};

// The result of a step comes with the next batch, whose rows have been read by then.
TEST(Pipeline, PrefetchReturnsAResultOnceTheNextBatchIsMade) {
  const auto train_stored = [&](const Schedule& with) {
    const TemporaryFolder folder;
    manual_seed(3);
    StoredModel model(folder.path());
    optim::Adagrad optimizer(model, {.lr = 0.1});
    model.tables.keep(optimizer.state());
    const auto step = compile([&](const embed::StoredFeatures& features) {
      const Tensor loss = sum(square(model.top(model.tables(model.tables.exchange(features)).values()) - 1.f));
      optimizer.step(grad(loss, optimizer.parameters()));
      return loss;
    });
    train::Pipeline pipeline(step, {.schedule = with});
    TrainedRun made;
    for (int i = 0; i < 9; ++i) {
      optimizer.set_lr(0.1 / (1 + i));
      const auto loss = pipeline(model.tables.prepare(random_batch(i, {}).features));
      made.told += loss ? 'x' : '-';
      if (loss) made.losses.push_back(loss->item<float>());
    }
    while (const auto loss = pipeline.finish()) made.losses.push_back(loss->item<float>());
    EXPECT_GT(model.tables.stats().misses, static_cast<std::uint64_t>(rows));
    return made;
  };
  const TrainedRun base = train_stored(schedule::base()), prefetched = train_stored(schedule::prefetch());
  EXPECT_EQ(base.losses.size(), 9u);
  EXPECT_EQ(prefetched.losses, base.losses);
  EXPECT_EQ(base.told, "xxxxxxxxx");
  EXPECT_EQ(prefetched.told, "-xxxxxxxx");
}

struct WeightedModel {
  embed::EmbeddingBagCollection tables;
  Parameter weight_of_id = rand({rows});
  void fields(auto&& field) {
    field("tables", tables);
    field("weight_of_id", weight_of_id);
  }
};

// Weights of ids that a dense parameter gives: lookups need the update of this parameter, so only ids are exchanged ahead.
TEST(Pipeline, AFeatureProcessorCostsOverlapAndNothingElse) {
  const ShardingPlan plan{mesh, {"data"}, {{TableSharding::row_wise}}};
  const auto train_weighted = [&](bool pipelined) {
    manual_seed(3);
    WeightedModel model{embed::EmbeddingBagCollection(
        {{.num_embeddings = rows, .embedding_dim = 8, .name = "x", .feature_names = {"a"}}},
        {.is_weighted = true, .plan = plan})};
    optim::Adagrad optimizer(model, {.lr = 0.1});
    const auto step = compile(mesh, [&](const Tensor& ids, const Tensor& lengths, const Tensor& labels) {
      const auto features = KeyedJaggedTensor::from_tensors({"a"}, ids, lengths, take(model.weight_of_id, ids));
      const Tensor loss = sum(square(sum(model.tables(features).values(), {1}) - labels));
      optimizer.step(grad(loss, optimizer.parameters()));
      return loss;
    });
    TrainedRun made;
    const auto keep = [&](const Tensor& loss) { made.losses.push_back(loss.item<float>()); };
    train::Pipeline pipeline(step);
    for (int i = 0; i < 6; ++i) {
      std::vector<std::int64_t> ids;
      for (int k = 0; k < 2 * batch; ++k) ids.push_back((k * 7 + i * 3) % rows);
      const std::vector<std::int64_t> lengths(batch, 2);
      const Tensor x = from_vector(ids, {2 * batch}).sharded("data", mesh), n = from_vector(lengths, {batch}),
                   y = full({batch}, 0.1 * i).sharded("data", mesh);
      if (!pipelined)
        keep(step(x, n, y));
      else if (const auto loss = pipeline(x, n, y))
        keep(*loss);
    }
    while (const auto loss = pipeline.finish()) keep(*loss);
    made.told = pipeline.explain({.remedies = false});
    return made;
  };
  const TrainedRun want = train_weighted(false), got = train_weighted(true);
  EXPECT_EQ(got.losses, want.losses);
  EXPECT_NE(got.told.find("while a step runs"), got.told.npos) << got.told;
  EXPECT_EQ(got.told.find("for slice"), got.told.npos) << got.told;
}

TEST(Pipeline, ErrorsLeaveTheStepsBeforeThemComplete) {
  const auto plan = plans[1];
  manual_seed(3);
  RankingModel model(plan);
  optim::SGD optimizer(model, {.lr = 0.1});
  const auto step = compile(mesh, [&](const Batch& x) {
    const Tensor loss = binary_cross_entropy_with_logits(model(x), x.labels);
    optimizer.step(grad(loss, optimizer.parameters()));
    return loss;
  });
  train::Pipeline pipeline(step);
  int results = 0;
  for (int i = 0; i < 3; ++i) results += pipeline(random_batch(i, plan)) ? 1 : 0;
  Batch wrong = random_batch(3, plan);
  wrong.labels = zeros({batch + 4, 1}).sharded("data", mesh);
  EXPECT_THROW(pipeline(wrong), Error);
  for (int i = 4; i < 6; ++i) results += pipeline(random_batch(i, plan)) ? 1 : 0;
  while (pipeline.finish()) ++results;
  EXPECT_EQ(results, 5);
}

TEST(Pipeline, StaleTablesAreAskedForAndTold) {
  const TrainedRun want = train_with(plans[1], {}), got = train_with(plans[1], schedule::semi_sync());
  EXPECT_EQ(got.losses.size(), want.losses.size());
  EXPECT_EQ(got.losses[0], want.losses[0]);
  EXPECT_NE(got.losses, want.losses);
  EXPECT_NE(got.told.find("from tables that lack the update of the current step"), got.told.npos) << got.told;
  EXPECT_EQ(train_with(plans[1], schedule::stale("tables", 1)), got);
  EXPECT_THROW(schedule::stale("weights", 1), Error);
  EXPECT_THROW(schedule::stale("tables", 2), Error);
}

TEST(Pipeline, TellsWhatAStepWouldTakeWithoutTheWaitForAnother) {
  manual_seed(3);
  RankingModel model(plans[1]);
  optim::SGD optimizer(model, {.lr = 0.1});
  const auto step = compile(mesh, [&](const Batch& x) {
    const Tensor loss = binary_cross_entropy_with_logits(model(x), x.labels);
    optimizer.step(grad(loss, optimizer.parameters()));
    return loss;
  });
  const auto told_of = [&](const Schedule& with) {
    train::Pipeline pipeline(step, {.schedule = with});
    for (int i = 0; i < 2; ++i) (void)pipeline(random_batch(0, plans[1]));
    while (pipeline.finish()) continue;
    return pipeline.explain();
  };
  const std::string exact = told_of(schedule::fused_sparse_dist()), stale = told_of(schedule::semi_sync());
  EXPECT_NE(exact.find("the next step looks up after the update; with stale(\"tables\", 1): "), exact.npos) << exact;
  EXPECT_NE(exact.find("parameters and states: the next step uses them after the update; without this wait: "),
            exact.npos)
      << exact;
  EXPECT_EQ(stale.find("stale("), stale.npos) << stale;
}

TEST(Pipeline, ItsProgramsCountAsCompiled) {
  const auto compiles = [&](const std::optional<Schedule>& with) {
    const std::uint64_t before = metrics::pipeline_compiles.value();
    train_with(plans[1], with);
    return metrics::pipeline_compiles.value() - before;
  };
  EXPECT_EQ(compiles(schedule::base()), 0U);
  EXPECT_EQ(compiles(schedule::sparse_dist()), 3U) << "fill, steady and drain";
}

TEST(Pipeline, TheFastestExactScheduleThatFitsIsChosen) {
  const TrainedRun want = train_with(plans[1], {}), free = train_with(plans[1], schedule::exact()),
                   tight = train_with(plans[1], schedule::exact(1));
  EXPECT_EQ(free, want);
  EXPECT_EQ(tight, want);
  EXPECT_THAT(free.told, testing::HasSubstr("exchanges of the next one do"));
  EXPECT_THAT(free.told,
              testing::ContainsRegex("predicted: fused_sparse_dist takes [0-9.]+ ms and [^,]*, sparse_dist takes "));
  EXPECT_THAT(tight.told, testing::HasSubstr("steps run one after the other: this is predicted to be the fastest"));
  EXPECT_THAT(tight.told, testing::HasSubstr(", too much"));
}

}  // namespace
}  // namespace weft
