// The model against its formula, missing samples, and the evaluation of held-out days.
#include <apps/ranking/ranking_trainer.h>

#include <cmath>
#include <tests/error_of.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <apps/ranking/ranking_evaluation.h>
#include <weft/base/draws.h>
#include <weft/base/error.h>
#include <weft/base/file.h>
#include <weft/base/temporary_folder.h>

namespace weft::ranking {
namespace {

RankingConfig small_model(std::int64_t batch) {
  RankingConfig config;
  config.rows = "50";
  config.width = 3;
  config.bottom = "5";
  config.top = "4";
  config.batch = batch;
  config.warmup = 1;
  return config;
}

// A batch of the first samples of the planted rule; the others are missing.
RankingBatch batch_of(std::int64_t samples, const RankingConfig& config) {
  const GeneratedDays days(3, 0, 1, samples);
  BatchReader reader(days, {.batch = config.batch, .rows = config.table_rows(), .workers = 0, .repeat = false});
  return reader.next().value().tensors;
}

std::vector<double> layer(const std::vector<double>& x, const nn::Linear& linear, bool with_relu) {
  const std::vector<float> weight = linear.weight.tensor().to_vector<float>(),
                           bias = linear.bias->tensor().to_vector<float>();
  std::vector<double> y(bias.begin(), bias.end());
  for (std::size_t i = 0; i < y.size(); ++i) {
    for (std::size_t j = 0; j < x.size(); ++j) y[i] += weight[i * x.size() + j] * x[j];
    if (with_relu) y[i] = std::max(y[i], 0.0);
  }
  return y;
}

TEST(Dlrm, LogitsAreThoseOfTheFormula) {
  const RankingConfig config = small_model(6);
  Dlrm model(config, std::nullopt);
  const RankingBatch batch = batch_of(6, config);
  const std::vector<float> logits = model.logits(batch).to_vector<float>(), numbers = batch.numbers.to_vector<float>();
  const std::vector<std::int64_t> ids = batch.ids.values().to_vector<std::int64_t>();
  for (std::size_t s = 0; s < 6; ++s) {
    std::vector<double> x(numbers.begin() + 13 * s, numbers.begin() + 13 * (s + 1));
    for (const nn::Linear& linear : model.bottom.layers) x = layer(x, linear, true);
    std::vector<std::vector<double>> vectors{x};
    for (std::size_t i = 0; i < 26; ++i) {
      const std::vector<float> rows = model.tables->rows(id_feature(i)).to_vector<float>();
      const std::int64_t row = ids[i * 6 + s];
      vectors.emplace_back(rows.begin() + 3 * row, rows.begin() + 3 * (row + 1));
    }
    for (const auto& a : vectors)
      for (const auto& b : vectors) {
        double product = 0;
        for (int k = 0; k < 3; ++k) product += a[k] * b[k];
        x.push_back(product);
      }
    for (std::size_t i = 0; i < model.top.layers.size(); ++i)
      x = layer(x, model.top.layers[i], i + 1 < model.top.layers.size());
    ASSERT_EQ(x.size(), 1u);
    EXPECT_NEAR(logits[s], x[0], 1e-5) << s;
  }
  EXPECT_EQ(static_cast<double>(parameter_count(model)), Dlrm::parameter_count(config));
}

// A batch that is filled up trains like one that is not.
TEST(RankingTrainer, MissingSamplesChangeNothing) {
  constexpr double learning_rate = 0.01;
  std::vector<std::vector<float>> trained;
  for (const std::int64_t batch : {5, 8, 16}) {
    const RankingConfig config = small_model(batch);
    RankingTrainer trainer(config, {}, std::nullopt);
    double loss = 0;
    for (int step = 0; step < 4; ++step) {
      auto result = trainer.step(batch_of(5, config), learning_rate);
      loss = (result ? result : trainer.finish())->get();
    }
    trained.push_back({static_cast<float>(loss)});
    for (const auto& [part, state] : trainer.state())
      for (const auto& [name, tensor] : state)
        if (tensor.dtype() == DType::f32)
          for (const float value : tensor.to_vector<float>()) trained.back().push_back(value);
  }
  // A hundredth of a step. Sums over batches of other sizes are rounded otherwise, and Adam divides a gradient by its own size: of one of the
  // biases, it is 3e-9 and has an error of 1e-11.
  constexpr double bound = 0.01 * learning_rate;
  for (std::size_t i = 0; i < trained[0].size(); ++i) {
    ASSERT_NEAR(trained[1][i], trained[0][i], bound) << i;
    ASSERT_NEAR(trained[2][i], trained[0][i], bound) << i;
  }
}

// The logit of a sample is its first number; samples 0, 3, 6, ... are clicked.
TEST(Evaluation, OfTheFirstSamplesOrAll) {
  const TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 10; ++i) {
    CriteoSample sample{.clicked = i % 3 == 0};
    sample.numbers[0] = i;
    print_sample(sample, text);
  }
  write_file(folder / "day_0", text);
  const FileDays days({folder / "day_0"}, std::nullopt, false);
  const auto evaluated = [&](std::int64_t most, int stop_after = 100) {
    BatchReader batches(days, {.batch = 4, .rows = std::vector<std::int64_t>(26, 1), .repeat = false});
    return evaluate(
        batches, most,
        [](const RankingBatch& batch) {
          std::vector<float> logits;
          const std::vector<float> numbers = batch.numbers.to_vector<float>();
          for (std::size_t i = 0; i < numbers.size(); i += 13) logits.push_back(std::round(std::expm1(numbers[i])));
          return logits;
        },
        [&](const LoadedBatch&) { return stop_after-- > 0; });
  };
  const Evaluation all = evaluated(0).value();
  EXPECT_EQ(all.samples, 10);
  EXPECT_DOUBLE_EQ(all.click_share, 0.4);
  // There are 4 x 6 pairs; those are right in which the clicked sample is the later one: 0 of 0, 2 of 3, 4 of 6, 6 of 9.
  EXPECT_DOUBLE_EQ(all.auc.value(), 12.0 / 24);
  EXPECT_EQ(all.auc_of_rule, std::nullopt);
  double loss = 0;
  for (int i = 0; i < 10; ++i) loss += std::log1p(std::exp(i % 3 == 0 ? -i : i));
  EXPECT_NEAR(all.loss, loss / 10, 1e-6);
  const Evaluation first = evaluated(5).value();
  EXPECT_EQ(first.samples, 5);
  EXPECT_DOUBLE_EQ(first.auc.value(), 2.0 / 6);
  EXPECT_EQ(evaluated(1).value().auc, std::nullopt) << "all samples are clicked";
  EXPECT_FALSE(evaluated(0, 1)) << "stopped";
}

TEST(PlanOfTables, HasTheKindThatIsAskedFor) {
  const RankingConfig config = small_model(8);
  const Mesh mesh{{"data", 2}};
  EXPECT_EQ(plan_of_tables(config, mesh, "row_wise").plan.tables[25].sharding, embed::TableSharding::row_wise);
  EXPECT_EQ(plan_of_tables(config, mesh, "auto").plan.tables.size(), 26u);
  EXPECT_THAT(error_of([&] { plan_of_tables(config, mesh, "grid"); }),
              testing::StartsWith("sharding must be auto, data_parallel, table_wise, column_wise or row_wise"));
}

}  // namespace
}  // namespace weft::ranking
