// Tables whose rows are in files against those in memory: the same bits, whatever comes and goes.
#include <filesystem>

#include <gtest/gtest.h>

#include <weft/base/file.h>
#include <weft/base/temporary_folder.h>
#include <weft/embed/stored_rows.h>

#include "tests/tensor/check.h"

namespace weft {
namespace {

using embed::EmbeddingBagCollection;
using embed::EmbeddingBagConfig;
using embed::KeyedJaggedTensor;
using embed::StoredEmbeddingBagCollection;
using embed::StoredFeatures;
using test::expect_error;

using Numbers = std::vector<std::int64_t>;

std::vector<EmbeddingBagConfig> configs(DType dtype = DType::f32) {
  std::vector<EmbeddingBagConfig> tables = {
      {.num_embeddings = 400, .embedding_dim = 8, .name = "users", .feature_names = {"user", "friend"}},
      {.num_embeddings = 100,
       .embedding_dim = 8,
       .name = "items",
       .feature_names = {"item"},
       .pooling = embed::Pooling::mean},
      {.num_embeddings = 300, .embedding_dim = 4, .name = "pages", .feature_names = {"page", "user"}}};
  for (EmbeddingBagConfig& table : tables) table.data_type = dtype;
  return tables;
}

// Ids of four features, most of them small, with empty bags.
KeyedJaggedTensor batch_of(std::int64_t number) {
  Numbers ids, lengths;
  std::uint64_t state = mix(17, number);
  const auto below = [&](std::int64_t bound) {
    state = mix(state, 5);
    return static_cast<std::int64_t>(state % static_cast<std::uint64_t>(bound));
  };
  for (const std::int64_t rows : {300, 400, 100, 300})
    for (int sample = 0; sample < 8; ++sample) {
      lengths.push_back(below(4));
      for (std::int64_t i = 0; i < lengths.back(); ++i) ids.push_back(below(3) == 0 ? below(rows) : below(20));
    }
  return {{"user", "friend", "item", "page"}, std::move(ids), lengths};
}

constexpr std::int64_t width = 8 + 8 + 8 + 4 + 4;

struct InMemory {
  explicit InMemory(DType dtype) : tables(configs(dtype)) {}
  EmbeddingBagCollection tables;
  nn::Linear out{width, 1};
  void fields(auto&& field) {
    field("tables", tables);
    field("out", out);
  }
};

struct Stored {
  explicit Stored(const std::filesystem::path& folder, double load_factor = 0.25, DType dtype = DType::f32)
      : tables(configs(dtype), {.folder = folder, .load_factor = load_factor}) {}
  StoredEmbeddingBagCollection tables;
  nn::Linear out{width, 1};
  void fields(auto&& field) {
    field("tables", tables);
    field("out", out);
  }
};

template <class Optimizer>
auto step_of(InMemory& model, Optimizer& optimizer) {
  return compile([&](const KeyedJaggedTensor& features) {
    const Tensor loss = mean(square(model.out(model.tables(features).values()) - 1.0));
    optimizer.step(grad(loss, optimizer.parameters()));
    return loss;
  });
}

template <class Optimizer>
auto step_of(Stored& model, Optimizer& optimizer) {
  return compile([&](const StoredFeatures& features) {
    const embed::KeyedTensor pooled = model.tables(model.tables.exchange(features));
    const Tensor loss = mean(square(model.out(pooled.values()) - 1.0));
    optimizer.step(grad(loss, optimizer.parameters()));
    return loss;
  });
}

std::vector<float> losses_in_memory(auto make_optimizer, int steps, DType dtype = DType::f32) {
  manual_seed(3);
  InMemory model(dtype);
  auto optimizer = make_optimizer(model);
  const auto step = step_of(model, optimizer);
  std::vector<float> losses;
  for (int i = 0; i < steps; ++i) losses.push_back(step(batch_of(i)).template item<float>());
  return losses;
}

std::vector<float> losses_stored(auto make_optimizer, int steps, const std::filesystem::path& folder, int workers,
                                 DType dtype = DType::f32) {
  manual_seed(3);
  Stored model(folder, 0.25, dtype);
  auto optimizer = make_optimizer(model);
  model.tables.keep(optimizer.state());
  const auto step = step_of(model, optimizer);
  data::Prefetch<StoredFeatures> batches([&](std::int64_t i) { return model.tables.prepare(batch_of(i)); },
                                         {.workers = workers, .ahead = 3, .end = steps});
  std::vector<float> losses;
  for (int i = 0; i < steps; ++i) losses.push_back(step(batches.next()).template item<float>());
  EXPECT_GT(model.tables.stats().rows_written, 0U);
  EXPECT_LT(model.tables.stats().misses, model.tables.stats().ids);
  return losses;
}

constexpr auto adagrad = [](auto& model) { return optim::Adagrad(model, {.lr = 0.1}); };
constexpr auto row_wise = [](auto& model) { return optim::RowWiseAdagrad(model, {.lr = 0.1}); };
constexpr auto sgd = [](auto& model) { return optim::SGD(model, {.lr = 0.1}); };
constexpr auto adam = [](auto& model) { return optim::Adam(model, {.lr = 0.01}); };

TEST(StoredTables, TrainToTheBitsOfTablesInMemory) {
  const auto check = [](auto make_optimizer, int workers) {
    const TemporaryFolder folder;
    EXPECT_EQ(losses_stored(make_optimizer, 40, folder.path(), workers), losses_in_memory(make_optimizer, 40));
  };
  check(sgd, 0);
  check(adagrad, 0);
  check(adagrad, 1);
  check(row_wise, 1);
  check(adam, 1);
}

constexpr auto rounded = [](auto make_optimizer) {
  return [make_optimizer](auto& model) {
    auto optimizer = make_optimizer(model);
    optimizer.round_stochastically(5);
    return optimizer;
  };
};

TEST(StoredTables, Of16BitsTrainToTheBitsOfTablesInMemory) {
  const auto check = [](auto make_optimizer, DType dtype) {
    const TemporaryFolder folder;
    const std::vector<float> losses = losses_in_memory(make_optimizer, 40, dtype);
    EXPECT_EQ(losses_stored(make_optimizer, 40, folder.path(), 1, dtype), losses);
    return losses;
  };
  for (const DType dtype : {DType::bf16, DType::f16}) {
    EXPECT_NE(check(row_wise, dtype), check(rounded(row_wise), dtype));
    check(rounded(sgd), dtype);
    check(rounded(adam), dtype);
  }
}

std::string error_of(auto&& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

// A model with everything that trains it.
struct Training {
  explicit Training(const std::filesystem::path& folder, double load_factor = 0.25) : model(folder, load_factor) {
    model.tables.keep(optimizer.state());
  }
  float train(std::int64_t batch) { return step(model.tables.prepare(batch_of(batch))).item<float>(); }
  std::pair<StateDict, StateDict> save() {
    std::pair<StateDict, StateDict> states;
    model.tables.save([&] { states = state(); });
    return states;
  }
  std::pair<StateDict, StateDict> state() { return {state_dict(model), state_dict(optimizer)}; }
  void load(const std::pair<StateDict, StateDict>& states) {
    load_state_dict(model, states.first);
    load_state_dict(optimizer, states.second);
  }

  Stored model;
  optim::Adagrad optimizer{model, {.lr = 0.1}};
  decltype(step_of(model, optimizer)) step = step_of(model, optimizer);
};

TEST(StoredTables, GoOnFromTheLastCheckpoint) {
  const std::vector<float> expected = losses_in_memory(adagrad, 40);
  const TemporaryFolder folder;
  std::pair<StateDict, StateDict> saved;
  {
    manual_seed(3);
    Training training(folder.path());
    for (int i = 0; i < 8; ++i) training.train(i);
    std::ignore = training.save();
    for (int i = 8; i < 20; ++i) EXPECT_EQ(training.train(i), expected[i]);
    saved = training.save();
    // Rows change after the checkpoint, in files as well, before the process ends.
    for (int i = 20; i < 35; ++i) EXPECT_EQ(training.train(i), expected[i]);
    EXPECT_GT(training.model.tables.stats().rows_written, 0U);
  }
  manual_seed(1234);
  Training training(folder.path());
  training.load(saved);
  for (int i = 20; i < 40; ++i) EXPECT_EQ(training.train(i), expected[i]);
}

TEST(StoredTables, AreReadAfterACheckpointThatNobodyConfirmed) {
  const std::vector<float> expected = losses_in_memory(adagrad, 12);
  const TemporaryFolder folder;
  std::pair<StateDict, StateDict> first, second;
  {
    manual_seed(3);
    Training training(folder.path());
    for (int i = 0; i < 4; ++i) training.train(i);
    first = training.save();
    for (int i = 4; i < 8; ++i) training.train(i);
    // The process ends when the checkpoint is complete, and the tables do not know it yet.
    EXPECT_EQ(error_of([&] {
                training.model.tables.save([&] {
                  second = training.state();
                  fail("killed");
                });
              }),
              "killed");
  }
  for (const auto& [saved, begin] : {std::pair(&first, 4), std::pair(&second, 8)}) {
    const TemporaryFolder copy;
    std::filesystem::copy(folder.path(), copy / "rows");
    Training training(copy / "rows");
    training.load(*saved);
    for (int i = begin; i < 12; ++i) EXPECT_EQ(training.train(i), expected[i]);
  }
}

TEST(StoredTables, CompileOnceForAnyNumberOfRows) {
  const TemporaryFolder folder;
  Training training(folder.path());
  for (int i = 0; i < 30; ++i) training.train(i);
  for (int again = 0; again < 2; ++again) training.train(29);  // all rows are here
  const KeyedJaggedTensor empty({"user", "friend", "item", "page"}, {}, Numbers(32, 0));
  training.step(training.model.tables.prepare(empty)).item<float>();
  EXPECT_THAT(training.step.explain().text(), testing::ContainsRegex("compiled [01] time"));
}

TEST(StoredTables, ForgetBatchesThatNoStepUses) {
  const std::vector<float> expected = losses_in_memory(adagrad, 12);
  const TemporaryFolder folder;
  manual_seed(3);
  Training training(folder.path());
  for (int i = 0; i < 6; ++i) EXPECT_EQ(training.train(i), expected[i]);
  const StoredFeatures left = training.model.tables.prepare(batch_of(100));
  const StoredFeatures next = training.model.tables.prepare(batch_of(6));
  EXPECT_THAT(error_of([&] { training.step(next).item<float>(); }),
              testing::HasSubstr("a batch that was prepared earlier has not been used"));
}

TEST(StoredTables, GoOnAfterBatchesWereDiscarded) {
  const std::vector<float> expected = losses_in_memory(adagrad, 12);
  const TemporaryFolder folder;
  manual_seed(3);
  Training training(folder.path());
  for (int i = 0; i < 6; ++i) EXPECT_EQ(training.train(i), expected[i]);
  for (int i = 100; i < 104; ++i) training.model.tables.prepare(batch_of(i));
  training.model.tables.discard_prepared();
  for (int i = 6; i < 12; ++i) EXPECT_EQ(training.train(i), expected[i]);
}

TEST(StoredTables, NameWhatIsWrong) {
  const TemporaryFolder folder;
  Training training(folder.path(), 0.05);
  EXPECT_THAT(error_of([&] { training.train(0); }),
              testing::MatchesRegex("stored tables: a batch needs [0-9]+ rows of width 8, and memory holds 25: raise "
                                    "load_factor, or make batches smaller"));
  const KeyedJaggedTensor bad({"user", "friend", "item", "page"}, {399, 400}, Numbers{0, 0, 1, 1, 0, 0, 0, 0});
  EXPECT_THAT(error_of([&] { training.model.tables.prepare(bad); }),
              testing::HasSubstr("id 400 of \"friend\", sample 1, is no row of its table, which has 400 rows"));
  expect_error(
      [&] {
        StoredEmbeddingBagCollection({{.num_embeddings = 4, .embedding_dim = 2, .name = "t", .feature_names = {"a"}}},
                                     {.folder = folder.path(), .load_factor = 0});
      },
      "StoredEmbeddingBagCollection: load_factor must lie in (0, 1], got 0");
  EmbeddingBagConfig made{.num_embeddings = 4, .embedding_dim = 2, .name = "t", .feature_names = {"a"}};
  made.init_fn = [](const Shape& shape, DType dtype) { return zeros(shape, dtype); };
  expect_error(
      [&] { StoredEmbeddingBagCollection({made}, {.folder = folder.path()}); },
      "StoredEmbeddingBagCollection: table \"t\" has an init_fn, which makes all rows at once; use weight_init_min "
      "and weight_init_max");
}

TEST(StoredTables, MustKnowTheStatesOfOptimizers) {
  const TemporaryFolder folder;
  Stored model(folder.path());
  expect_error(
      [&] { model.tables.prepare(batch_of(0)); },
      "StoredEmbeddingBagCollection.prepare: call keep(optimizer.state()) before the first batch, so that the state "
      "of a row goes where the row goes");
  model.tables.keep({});
  EXPECT_EQ(model.tables.prepare(batch_of(0)).batch(), 8);
}

TEST(StoredTables, RefuseFoldersThatTheyMustNotChange) {
  const TemporaryFolder folder;
  std::pair<StateDict, StateDict> first, unsaved;
  {
    Training training(folder.path());
    training.train(0);
    Training second(folder.path());
    EXPECT_THAT(error_of([&] { second.train(0); }), testing::HasSubstr("another process is writing to"));
    first = training.save();
    training.train(1);
    unsaved = training.state();
    std::ignore = training.save();
  }
  {
    Training training(folder.path());
    EXPECT_THAT(error_of([&] { training.train(0); }),
                testing::HasSubstr("has the rows of a checkpoint: load it before"));
  }
  {
    Training training(folder.path());
    training.load(unsaved);
    EXPECT_THAT(error_of([&] { training.train(0); }), testing::HasSubstr("was saved without its rows"));
  }
  {
    Training training(folder.path());
    training.load(first);
    EXPECT_THAT(
        error_of([&] { training.train(0); }),
        testing::HasSubstr("does not have the rows of this checkpoint: only the last checkpoint can be loaded"));
  }
  StoredEmbeddingBagCollection others({{.num_embeddings = 4, .embedding_dim = 2, .name = "t", .feature_names = {"a"}}},
                                      {.folder = folder.path()});
  others.keep({});
  EXPECT_THAT(error_of([&] { others.prepare(KeyedJaggedTensor({"a"}, {1}, Numbers{1})); }),
              testing::HasSubstr("not t [4, 2]; rows_2: 8 bytes: choose another folder"));
}

TEST(StoredTables, RefuseTheRowsOfAnotherRun) {
  const TemporaryFolder folder;
  std::pair<StateDict, StateDict> saved[2];
  for (int run = 0; run < 2; ++run) {
    manual_seed(3);
    Training training(folder / std::to_string(run));
    training.train(run);
    saved[run] = training.save();
  }
  for (int run = 0; run < 2; ++run) {
    Training training(folder / std::to_string(run));
    training.load(saved[1 - run]);
    EXPECT_THAT(error_of([&] { training.train(0); }), testing::HasSubstr("does not have the rows of this checkpoint"));
    training.load(saved[run]);
    training.train(0);
  }
}

TEST(StoredTables, AFullDiskStopsTrainingAndKeepsTheCheckpoint) {
  const std::vector<float> expected = losses_in_memory(adagrad, 12);
  const TemporaryFolder folder;
  std::pair<StateDict, StateDict> saved;
  {
    manual_seed(3);
    Training training(folder.path());
    for (int i = 0; i < 8; ++i) training.train(i);
    saved = training.save();
    detail::file_fault = [](const char* operation) { return std::string_view(operation) == "pwrite" ? ENOSPC : 0; };
    const std::string error = error_of([&] {
      for (int i = 8; i < 40; ++i) training.train(i);
    });
    detail::file_fault = nullptr;
    EXPECT_THAT(error, testing::HasSubstr("stored tables: cannot write to"));
    EXPECT_THAT(error, testing::HasSubstr("No space left on device"));
  }
  Training training(folder.path());
  training.load(saved);
  for (int i = 8; i < 12; ++i) EXPECT_EQ(training.train(i), expected[i]);
}

TEST(RowCache, RowsThatWereNotNeededForTheLongestTimeGo) {
  embed::RowCache cache(10, 3);
  const auto moved = [&](Numbers rows, std::int64_t batch) {
    Numbers moves;
    for (const embed::RowCache::Move& move : cache.place(rows, batch)) {
      moves.push_back(move.in);
      moves.push_back(move.out);
    }
    return moves;
  };
  EXPECT_EQ(moved({5, 6, 5, 7}, 0), (Numbers{5, -1, 6, -1, 7, -1}));
  EXPECT_EQ(moved({6}, 1), Numbers());
  EXPECT_EQ(moved({8}, 2), (Numbers{8, 5}));
  EXPECT_EQ(moved({9, 7}, 3), (Numbers{9, 6}));
  Numbers rows{7, 9, 7};
  cache.place(rows, 4);
  EXPECT_EQ(rows[0], rows[2]);
  EXPECT_EQ(cache.row(rows[1]), 9);
}

}  // namespace
}  // namespace weft
