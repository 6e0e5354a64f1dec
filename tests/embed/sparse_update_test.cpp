// Updates of the rows that a step looked up, against the same optimizers with a gradient of the whole table.
#include <random>

#include <gtest/gtest.h>

#include <weft/runtime/parallel.h>

#include "tests/tensor/check.h"

namespace weft {
namespace {

using embed::EmbeddingBagCollection;
using embed::EmbeddingBagConfig;
using embed::KeyedJaggedTensor;
using test::arbitrary;

using Numbers = std::vector<std::int64_t>;

constexpr std::int64_t table_rows = 12;

struct Model {
  EmbeddingBagCollection tables;
  Parameter factor{arbitrary({1, 13}, 9)};

  Tensor loss(const KeyedJaggedTensor& features) const {
    const Tensor pooled = tables(features).values();
    return sum(square(pooled * factor) + pooled);
  }
  void fields(auto&& field) {
    field("tables", tables);
    field("factor", factor);
  }
};

Model make_model(bool sparse, DType dtype = DType::f64) {
  std::vector<EmbeddingBagConfig> tables;
  for (const auto& [name, width, features] :
       {std::tuple<std::string, std::int64_t, std::vector<std::string>>{"x", 3, {"a", "b"}},
        {"y", 5, {"c"}},
        {"z", 2, {"a"}}})
    tables.push_back({.num_embeddings = table_rows,
                      .embedding_dim = width,
                      .name = name,
                      .feature_names = features,
                      .pooling = name == "y" ? embed::Pooling::mean : embed::Pooling::sum,
                      .data_type = dtype,
                      .init_fn = [](const Shape& shape, DType type) { return arbitrary(shape, 3).to(type); },
                      .sparse_update = sparse});
  return {EmbeddingBagCollection(std::move(tables))};
}

// Features with repeated ids, empty bags and, for one seed, no ids at all.
KeyedJaggedTensor random_features(int seed, std::int64_t batch = 4) {
  std::mt19937 random(seed);
  Numbers values, lengths;
  for (std::int64_t bag = 0; bag < 3 * batch; ++bag) {
    lengths.push_back(seed == 2 ? 0 : static_cast<std::int64_t>(random() % 4));
    for (std::int64_t i = 0; i < lengths.back(); ++i)
      values.push_back(static_cast<std::int64_t>(random() % table_rows / 2));
  }
  return {{"a", "b", "c"}, std::move(values), lengths};
}

template <class Optimizer>
std::vector<test::Doubles> trained(Optimizer& optimizer, Model& model, int steps) {
  const auto step = compile([&](const KeyedJaggedTensor& features) {
    const Tensor loss = model.loss(features);
    optimizer.step(grad(loss, optimizer.parameters()));
    return loss;
  });
  for (int i = 0; i < steps; ++i) step(random_features(i));
  EXPECT_EQ(step.explain().compiles, 1u) << step.explain();
  std::vector<test::Doubles> values;
  for (const NamedParameter& named : named_parameters(model))
    values.push_back(named.parameter->tensor().template to_vector<double>());
  for (const NamedParameter& named : optimizer.state())
    values.push_back(named.parameter->tensor().template to_vector<double>());
  return values;
}

void expect_near(const std::vector<test::Doubles>& got, const std::vector<test::Doubles>& want, double tolerance) {
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    ASSERT_EQ(got[i].size(), want[i].size());
    for (std::size_t k = 0; k < got[i].size(); ++k) EXPECT_NEAR(got[i][k], want[i][k], tolerance) << i << ", " << k;
  }
}

// A row without a gradient keeps its value under these optimizers, so all rows may be updated.
template <class Optimizer, class Options>
void expect_equals_update_of_all_rows(const Options& options, DType dtype = DType::f64, double tolerance = 1e-12) {
  Model sparse = make_model(true, dtype), dense = make_model(false, dtype);
  Optimizer sparse_optimizer(sparse, options), dense_optimizer(dense, options);
  expect_near(trained(sparse_optimizer, sparse, 20), trained(dense_optimizer, dense, 20), tolerance);
}

TEST(SparseUpdate, Sgd) { expect_equals_update_of_all_rows<optim::SGD>(optim::SGDOptions{.lr = 0.01}); }
TEST(SparseUpdate, Adagrad) { expect_equals_update_of_all_rows<optim::Adagrad>(optim::AdagradOptions{.lr = 0.05}); }
TEST(SparseUpdate, RowWiseAdagrad) {
  expect_equals_update_of_all_rows<optim::RowWiseAdagrad>(optim::RowWiseAdagradOptions{.lr = 0.05});
}
TEST(SparseUpdate, SinglePrecision) {
  expect_equals_update_of_all_rows<optim::Adagrad>(optim::AdagradOptions{.lr = 0.05}, DType::f32, 1e-5);
}
TEST(SparseUpdate, HalfPrecision) {
  expect_equals_update_of_all_rows<optim::SGD>(optim::SGDOptions{.lr = 0.001}, DType::bf16, 2e-2);
}

// The same with the rows that are not looked up put back after each step.
template <class Optimizer, class Options>
void expect_leaves_other_rows(const Options& options) {
  Model sparse = make_model(true), dense = make_model(false);
  Optimizer sparse_optimizer(sparse, options), dense_optimizer(dense, options);
  const auto got = trained(sparse_optimizer, sparse, 6);
  for (int i = 0; i < 6; ++i) {
    const KeyedJaggedTensor features = random_features(i);
    std::vector<NamedParameter> all = named_parameters(dense);
    for (const NamedParameter& state : dense_optimizer.state()) all.push_back(state);
    std::vector<Tensor> before;
    for (const NamedParameter& named : all) before.push_back(*named.parameter);
    const Tensor loss = dense.loss(features);
    const std::vector<Tensor> gradients = grad(loss, dense_optimizer.parameters());
    dense_optimizer.step(gradients);
    sync();
    // A row of a table that was looked up: a count of its ids that is not zero.
    const auto touched = [&](const std::string& name) {
      const bool is_y = name.find(".y.") != std::string::npos, is_z = name.find(".z.") != std::string::npos;
      std::vector<std::uint8_t> rows(table_rows);
      const Numbers ids = features.values().to_vector<std::int64_t>(),
                    offsets = features.offsets().to_vector<std::int64_t>();
      const std::int64_t batch = features.batch(), first = is_y ? 2 * batch : 0,
                         last = is_y   ? 3 * batch
                                : is_z ? batch
                                       : 2 * batch;
      for (std::int64_t at = offsets[first]; at < offsets[last]; ++at) rows[ids[at]] = 1;
      return from_vector(rows, {table_rows, 1}) == 1;
    };
    for (std::size_t p = 0; p < all.size(); ++p) {
      if (all[p].name.find("embedding_bags") == std::string::npos) continue;
      Tensor mask = touched(all[p].name);
      if (all[p].parameter->type().rank() == 1) mask = reshape(mask, {table_rows});
      *all[p].parameter = where(mask, *all[p].parameter, before[p]);
    }
    sync();
  }
  std::vector<test::Doubles> want;
  for (const NamedParameter& named : named_parameters(dense))
    want.push_back(named.parameter->tensor().to_vector<double>());
  for (const NamedParameter& named : dense_optimizer.state())
    want.push_back(named.parameter->tensor().to_vector<double>());
  expect_near(got, want, 1e-10);
}

TEST(SparseUpdate, AdamLeavesOtherRows) { expect_leaves_other_rows<optim::Adam>(optim::AdamOptions{.lr = 0.05}); }
TEST(SparseUpdate, AdamWLeavesOtherRows) {
  expect_leaves_other_rows<optim::AdamW>(optim::AdamWOptions{.lr = 0.05, .weight_decay = 0.1});
}
TEST(SparseUpdate, MomentumLeavesOtherRows) {
  expect_leaves_other_rows<optim::SGD>(optim::SGDOptions{.lr = 0.01, .momentum = 0.9});
}
TEST(SparseUpdate, PartialRowWiseAdamLeavesOtherRows) {
  expect_leaves_other_rows<optim::PartialRowWiseAdam>(
      optim::PartialRowWiseAdamOptions{.lr = 0.05, .weight_decay = 0.1});
}

// In a table of one row, norms are those of the row.
template <class Optimizer, class Options>
void expect_equals_update_of_one_row(const Options& options) {
  const auto train = [&](bool sparse) {
    EmbeddingBagCollection tables({{.num_embeddings = 1,
                                    .embedding_dim = 5,
                                    .name = "t",
                                    .feature_names = {"a"},
                                    .data_type = DType::f64,
                                    .init_fn = [](const Shape& shape, DType) { return arbitrary(shape, 3); },
                                    .sparse_update = sparse}});
    Optimizer optimizer(tables, options);
    for (int i = 0; i < 4; ++i) {
      const Tensor pooled = tables(KeyedJaggedTensor({"a"}, {0, 0, 0}, Numbers{1, 2})).values();
      optimizer.step(grad(sum(square(pooled * arbitrary({2, 5}, i))), optimizer.parameters()));
      sync();
    }
    return tables.weight("t").tensor().to_vector<double>();
  };
  expect_near({train(true)}, {train(false)}, 1e-12);
}

TEST(SparseUpdate, LambTakesNormsOfRows) {
  expect_equals_update_of_one_row<optim::LAMB>(optim::LAMBOptions{.lr = 0.1});
}
TEST(SparseUpdate, OtherOptimizers) {
  expect_equals_update_of_one_row<optim::Lion>(optim::LionOptions{.lr = 0.1});
  expect_equals_update_of_one_row<optim::RMSprop>(optim::RMSpropOptions{.lr = 0.1, .momentum = 0.5});
}

TEST(SparseUpdate, TwoLookupsInOneStepAreSummed) {
  const auto train = [](bool sparse) {
    Model model = make_model(sparse);
    optim::Adagrad optimizer(model, {.lr = 0.1});
    for (int i = 3; i < 6; ++i) {
      const Tensor loss = model.loss(random_features(i)) + model.loss(random_features(i + 10, 7)) * 0.5;
      optimizer.step(grad(loss, optimizer.parameters()));
      sync();
    }
    return model.tables.weight("x").tensor().to_vector<double>();
  };
  expect_near({train(true)}, {train(false)}, 1e-12);
}

TEST(SparseUpdate, GivesTheSameBitsForAnyNumberOfThreads) {
  const auto train = [](int threads) {
    const int before = runtime::thread_count();
    runtime::set_thread_count(threads);
    Model model = make_model(true, DType::f32);
    optim::RowWiseAdagrad optimizer(model, {.lr = 0.1});
    for (int i = 3; i < 6; ++i) {
      optimizer.step(grad(model.loss(random_features(i, 3000)), optimizer.parameters()));
      sync();
    }
    std::vector<float> values = model.tables.weight("x").tensor().to_vector<float>();
    runtime::set_thread_count(before);
    return values;
  };
  const std::vector<float> one = train(1);
  EXPECT_EQ(one, train(2));
  EXPECT_EQ(one, train(5));
}

TEST(SparseUpdate, RefusesAGradientThatIsNotOfLookups) {
  Model model = make_model(true);
  optim::SGD optimizer(model, {.lr = 0.1});
  const Tensor loss = model.loss(random_features(3)) + sum(square(model.tables.weight("y")));
  try {
    optimizer.step(grad(loss, optimizer.parameters()));
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("only rows that lookups have read can be updated"));
    EXPECT_THAT(error.what(), testing::HasSubstr("set sparse_update of the parameter to false"));
  }
}

TEST(SparseUpdate, BadIdsLeaveTheLaunchWithoutAnUpdate) {
  Model model = make_model(true);
  optim::SGD optimizer(model, {.lr = 0.1});
  const Tensor loss = model.loss(KeyedJaggedTensor({"a", "b", "c"}, {1, table_rows}, Numbers{1, 1, 0}));
  optimizer.step(grad(loss, optimizer.parameters()));
  EXPECT_THROW(loss.item(), Error);
}

}  // namespace
}  // namespace weft
