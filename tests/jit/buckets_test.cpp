// compile(fn) with bucketed sizes: each bucket has its own program, compiled ahead of its first use.
#include <array>
#include <tests/jit/compile.h>
#include <utility>
#include <vector>

#include <weft/base/knobs.h>

namespace weft {
namespace {

using testing::HasSubstr;

const Bucketing lengths{4, 8, 16};

struct TokenModel {
  nn::Embedding embed{10, 6};
  nn::Linear out{6, 10};
  void fields(auto&& field) {
    field("embed", embed);
    field("out", out);
  }
};

Tensor token_row(std::int64_t length) {
  Tensor x = reshape(remainder(arange(2 * length), 10), {2, length});
  sync();
  return x;
}

class Buckets : public testing::Test {
 protected:
  Buckets() {
    clear_graph_cache();
    manual_seed(0);
  }
  TokenModel model;
  optim::AdamW optimizer{model, {.lr = 0.01}};
  auto train_step(CompileOptions options = {}) {
    return compile(
        [this](const Tensor& tokens, const Tensor& labels) {
          const Tensor loss = nn::cross_entropy(model.out(model.embed(tokens)), labels);
          optimizer.step(grad(loss, optimizer.parameters()));
          return loss;
        },
        std::move(options));
  }
  // Returns an argument with the marks that a data pipeline sets on padded tensors.
  static Tensor marked(std::int64_t length) {
    const Tensor tokens = token_row(length);
    mark_buckets(tokens, 1, lengths, "length");
    return tokens;
  }
};

TEST_F(Buckets, TheFirstBatchOfAnotherBucketCompilesNothing) {
  const auto step = train_step({.name = "step"});
  step(marked(8), marked(8));
  for (const std::int64_t length : {16, 4, 8, 4, 16}) step(token_row(length), token_row(length));
  EXPECT_EQ(counts(step), Counts(3, 1));  // recorded once per bucket
  EXPECT_EQ(step.explain().compiled_ahead, 2u);
  EXPECT_THAT(step.explain().text(), HasSubstr("compiled 1 time and 2 programs ahead in the background"));
}

TEST_F(Buckets, ALaterBucketIsNoRecompile) {
  const auto step = train_step();
  step(marked(4), marked(4));
  const StanceScope stance(Stance::fail_on_recompile);
  step(token_row(16), token_row(16));
  step(token_row(8), token_row(8));
}

TEST_F(Buckets, EachHasAProgramOfItsOwn) {
  const auto step = train_step();
  for (const std::int64_t length : {8, 16, 4}) step(marked(length), marked(length));
  const auto programs = step.explain().programs;
  ASSERT_EQ(programs.size(), 3u);
  const auto fixed = train_step({.dynamic = Dynamic::off});
  for (const std::int64_t length : {8, 16, 4}) fixed(token_row(length), token_row(length));
  const auto alone = fixed.explain().programs;
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(programs[i].peak_bytes, alone[i].peak_bytes);
}

TEST_F(Buckets, TrainAsProgramsOfFixedSizesDoBitForBit) {
  const auto train = [](bool ahead) {
    clear_graph_cache();
    manual_seed(7);
    TokenModel fresh;
    optim::AdamW adam(fresh, {.lr = 0.01});
    const auto step = compile(
        [&](const Tensor& tokens, const Tensor& labels) {
          const Tensor loss = nn::cross_entropy(dropout(fresh.out(fresh.embed(tokens)), 0.1), labels);
          adam.step(grad(loss, adam.parameters()));
          return loss;
        },
        {.dynamic = Dynamic::off});
    std::vector<double> losses;
    for (const std::int64_t length : {8, 4, 16, 8, 4})
      losses.push_back(step(ahead ? marked(length) : token_row(length), token_row(length)).item());
    return losses;
  };
  EXPECT_EQ(train(true), train(false));
}

TEST_F(Buckets, AnotherKindOfCallIsCompiledAheadToo) {
  const auto twice = compile([](const Tensor& x, bool negative) { return negative ? -x : x * 3.0; });
  twice(marked(4), false);
  twice(token_row(8), false);
  twice(token_row(4), true);
  twice(
      token_row(8),
      true);  // not yet known that this kind of call comes in buckets: the last one that is compiled when it is needed
  const std::uint64_t compiles = counts(twice).second;
  twice(token_row(16), true);
  EXPECT_EQ(counts(twice).second, compiles);
}

TEST_F(Buckets, WhatIsNoneIsAnErrorThatNamesThem) {
  const auto step = train_step({.name = "step"});
  step(marked(8), token_row(8));
  try {
    step(token_row(5), token_row(5));
    FAIL();
  } catch (const ConstraintViolationError& error) {
    EXPECT_THAT(error.what(), HasSubstr("length of 4, 8 or 16"));
    EXPECT_THAT(error.what(), HasSubstr("buckets_test.cpp"));
  }
  EXPECT_THROW(mark_buckets(token_row(5), 1, lengths), ConstraintViolationError);
}

// Lengths of four buckets, and a smaller last batch.
class BatchesOfBuckets : public Buckets {
 protected:
  static constexpr std::array<std::pair<int, int>, 14> calls{{{8, 4},
                                                              {8, 4},
                                                              {8, 8},
                                                              {8, 16},
                                                              {8, 32},
                                                              {3, 16},
                                                              {3, 4},
                                                              {3, 8},
                                                              {3, 32},
                                                              {8, 4},
                                                              {8, 16},
                                                              {1, 16},
                                                              {5, 32},
                                                              {2, 8}}};
  static Tensor batch(std::int64_t rows, std::int64_t length, bool dynamic) {
    Tensor x = reshape(remainder(arange(rows * length), 10), {rows, length});
    sync();
    mark_buckets(x, 1, {4, 8, 16, 32}, "length");
    if (dynamic) mark_dynamic(x, 0, {.name = "batch"});
    return x;
  }
};

TEST_F(BatchesOfBuckets, OneProgramForEachBucket) {
  const auto step = train_step();
  for (const auto& [rows, length] : calls) step(batch(rows, length, true), batch(rows, length, true));
  EXPECT_EQ(step.explain().compiles, 1u);
  EXPECT_EQ(step.explain().compiled_ahead, 3u);
}

TEST_F(BatchesOfBuckets, TheSecondSizeMakesAProgramForAllOfItsBucket) {
  const auto step = train_step();
  for (const auto& [rows, length] : calls) step(batch(rows, length, false), batch(rows, length, false));
  const Explanation told = step.explain();
  EXPECT_LE(told.compiles + told.compiled_ahead, 8u) << "the first size, and all others";
  EXPECT_THAT(told.recompiles.at(0),
              HasSubstr("one program serves all sizes of this bucket from now on; mark_dynamic"));
  for (const int rows : {4, 6, 9}) step(batch(rows, 16, false), batch(rows, 16, false));
  EXPECT_EQ(step.explain().compiles, told.compiles);
}

TEST_F(BatchesOfBuckets, ABudgetForActivationsKeepsEverySizeAlone) {
  const auto step = train_step({.activation_memory_bytes = 1 << 20});
  for (const int rows : {4, 6}) step(batch(rows, 8, false), batch(rows, 8, false));
  EXPECT_THAT(step.explain().recompiles.at(0),
              HasSubstr("a program for each size. For one program of each bucket leave it out"));
}

TEST_F(BatchesOfBuckets, TrainAsProgramsOfFixedSizesDoBitForBit) {
  const knobs::Override strict{knobs::strict, true};
  const auto train = [](Dynamic dynamic, bool is_marked) {
    clear_graph_cache();
    manual_seed(7);
    TokenModel fresh;
    optim::AdamW adam(fresh, {.lr = 0.01});
    const auto step = compile(
        [&](const Tensor& tokens, const Tensor& labels) {
          const Tensor loss = nn::cross_entropy(fresh.out(fresh.embed(tokens)), labels);
          adam.step(grad(loss, adam.parameters()));
          return loss;
        },
        {.dynamic = dynamic});
    std::vector<double> losses;
    for (const auto& [rows, length] : calls)
      losses.push_back(step(batch(rows, length, is_marked), batch(rows, length, is_marked)).item());
    return losses;
  };
  const auto want = train(Dynamic::off, false);
  EXPECT_EQ(train(Dynamic::automatic, false), want);
  EXPECT_EQ(train(Dynamic::automatic, true), want);
}

// A dynamic dimension with the name of a bucketed one has the size of the bucket.
TEST_F(BatchesOfBuckets, OfOneNameAreOneSize) {
  const auto f = compile([](const Tensor& a, const Tensor& b) { return a + b; });
  for (const std::int64_t length : {4, 8, 16}) {
    const Tensor a = token_row(length), b = token_row(length);
    mark_buckets(a, 1, lengths, "length");
    mark_dynamic(b, 1, {.name = "length"});
    f(a, b);
  }
  EXPECT_EQ(f.explain().compiles, 1u);
}

TEST_F(Buckets, TwoNamesAreCombined) {
  const auto both = compile([](const Tensor& a, const Tensor& b) { return sum(a) + sum(b); });
  const Tensor a = token_row(4), b = token_row(4);
  mark_buckets(a, 1, {4, 8}, "a");
  mark_buckets(b, 1, {4, 8}, "b");
  both(a, b);
  for (const std::int64_t of_a : {4, 8})
    for (const std::int64_t of_b : {8, 4}) both(token_row(of_a), token_row(of_b));
  EXPECT_EQ(counts(both), Counts(4, 1));
}

// A bucket for which recording fails is ignored until a call needs it.
TEST_F(Buckets, OneThatFailsFailsWhenItIsNeeded) {
  const Tensor eight = token_row(8);
  const auto add = compile([&](const Tensor& x) { return x + eight; });
  add(marked(8));
  EXPECT_THROW(add(token_row(4)), Error);
  add(token_row(8));
}

}  // namespace
}  // namespace weft
