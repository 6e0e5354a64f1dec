// compile(fn) with sizes that depend on each other: targets with one token more than the inputs, patches of images.
#include <tests/jit/compile.h>
#include <utility>
#include <vector>

#include <weft/base/knobs.h>

namespace weft {
namespace {

using testing::HasSubstr;

Tensor numbers(std::int64_t n) {
  Tensor a = remainder(arange(n), 5) * 1.0;
  sync();
  return a;
}

std::vector<float> shifted_product(std::int64_t n) {
  std::vector<float> expected;
  for (std::int64_t i = 0; i < n; ++i) expected.push_back(static_cast<float>(i % 5 * ((i + 1) % 5)));
  return expected;
}

class RelatedSizes : public testing::Test {
 protected:
  RelatedSizes() { clear_graph_cache(); }
};

// Returns all targets but the first.
constexpr auto next_of_each = [](const Tensor& a, const Tensor& b) { return slice(b, 0, 1, b.size(0)) * a; };

TEST_F(RelatedSizes, OneMoreIsFoundByTheSecondSize) {
  const auto f = compile(next_of_each);
  for (const std::int64_t n : {8, 5, 1, 2, 300, 8, 17})
    EXPECT_EQ(f(numbers(n), numbers(n + 1)).to_vector<float>(), shifted_product(n)) << n;
  EXPECT_EQ(f.explain().compiles, 2u);
}

TEST_F(RelatedSizes, MarkedOnesAreOneProgramFromTheFirst) {
  for (const bool named : {true, false}) {
    clear_graph_cache();
    const auto f = compile(next_of_each);
    for (const std::int64_t n : {8, 5, 1, 300}) {
      const Tensor a = numbers(n), b = numbers(n + 1);
      mark_dynamic(a, 0, {.name = named ? "tokens" : "", .min = 1, .max = 512});
      mark_dynamic(b, 0, {.name = named ? "targets" : "", .min = 2, .max = 513});
      EXPECT_EQ(f(a, b).to_vector<float>(), shifted_product(n)) << n;
    }
    EXPECT_EQ(f.explain().compiles, 1u);
  }
}

TEST_F(RelatedSizes, OnFindsThemToo) {
  const auto f = compile(next_of_each, {.dynamic = Dynamic::on});
  for (const std::int64_t n : {8, 5, 1, 300})
    EXPECT_EQ(f(numbers(n), numbers(n + 1)).to_vector<float>(), shifted_product(n)) << n;
  EXPECT_EQ(f.explain().compiles, 1u);
}

TEST_F(RelatedSizes, BesideABatchThatHasNothingToDoWithThem) {
  const auto f = compile([](const Tensor& a, const Tensor& b) { return slice(b, 1, 1, b.size(1)) * a; });
  const auto table = [](std::int64_t rows, std::int64_t n) { return broadcast_to(numbers(n), {rows, n}); };
  // Batch and length first grow by the same amount.
  for (const auto& [rows, n] : {std::pair{4, 12}, {8, 16}, {3, 16}, {4, 30}, {1, 1}}) {
    const Tensor a = table(rows, n), b = table(rows, n + 1);
    sync();
    mark_dynamic(a, 0, {.name = "batch"});
    mark_dynamic(b, 0, {.name = "batch"});
    mark_dynamic(a, 1, {.name = "tokens"});
    mark_dynamic(b, 1, {.name = "targets"});
    EXPECT_EQ(f(a, b)[0].to_vector<float>(), shifted_product(n));
  }
  EXPECT_EQ(f.explain().compiles, 1u);
}

TEST_F(RelatedSizes, MultiplesThatAreMarked) {
  const auto f = compile([](const Tensor& a, const Tensor& b) { return sum(reshape(b, {b.size(0) / 4, 4}), 1) + a; });
  for (const std::int64_t n : {8, 5, 1, 300}) {
    const Tensor a = numbers(n), b = numbers(4 * n);
    mark_dynamic(a, 0, {.name = "patches"});
    mark_dynamic(b, 0, {.name = "pixels"});
    EXPECT_EQ(f(a, b).size(0), n);
  }
  EXPECT_EQ(f.explain().compiles, 1u);
}

struct Words {
  nn::Embedding embed{7, 6};
  nn::Linear out{6, 7};
  void fields(auto&& field) {
    field("embed", embed);
    field("out", out);
  }
};

TEST_F(RelatedSizes, TrainAsProgramsOfFixedSizesDoBitForBit) {
  const knobs::Override strict{knobs::strict, true};
  const auto words = [](std::int64_t rows, std::int64_t n) {
    Tensor all = reshape(remainder(arange(rows * n), 7), {rows, n});
    sync();
    return all;
  };
  const auto train = [&](Dynamic dynamic) {
    clear_graph_cache();
    manual_seed(7);
    Words model;
    optim::AdamW adam(model, {.lr = 0.01});
    const auto step = compile(
        [&](const Tensor& inputs, const Tensor& targets) {
          const Tensor next = slice(targets, 1, 1, targets.size(1));
          const Tensor first = model.embed(slice(targets, 1, 0, 1));
          const Tensor loss = nn::cross_entropy(model.out(model.embed(inputs) + first), next);
          adam.step(grad(loss, adam.parameters()));
          return loss;
        },
        {.dynamic = dynamic});
    std::vector<double> losses;
    for (const auto& [rows, n] : {std::pair{4, 9}, {8, 5}, {1, 2}, {3, 17}, {4, 9}})
      losses.push_back(step(words(rows, n), words(rows, n + 1)).item());
    EXPECT_EQ(step.explain().compiles, dynamic == Dynamic::off ? 4u : 2u);
    return losses;
  };
  EXPECT_EQ(train(Dynamic::automatic), train(Dynamic::off));
}

// Coincidental relations between independent sizes do not become constraints.
TEST_F(RelatedSizes, NoneIsBelievedWithoutNeed) {
  const auto f = compile([](const Tensor& a, const Tensor& b) { return sum(a) + sum(b); });
  for (const auto& [n, m] : {std::pair{8, 9}, {5, 6}, {7, 20}, {20, 7}}) f(numbers(n), numbers(m));
  EXPECT_EQ(f.explain().compiles, 2u);
}

// The function also accepts longer targets.
TEST_F(RelatedSizes, AnotherRelationIsAnotherProgramThatSaysWhich) {
  const auto f = compile([](const Tensor& a, const Tensor& b) { return slice(b, 0, 1, a.size(0) + 1) * a; });
  for (const std::int64_t n : {8, 5, 3}) f(numbers(n), numbers(n + 1));
  EXPECT_EQ(f.explain().compiles, 2u);
  for (const std::int64_t n : {8, 5, 3, 12})
    EXPECT_EQ(f(numbers(n), numbers(n + 4)).to_vector<float>(), shifted_product(n)) << n;
  EXPECT_EQ(f.explain().compiles, 3u);
  EXPECT_THAT(f.explain().recompiles.back(),
              HasSubstr("until now dimension 0 of argument 1 was dimension 0 of argument 0 + 1; one program serves "
                        "all sizes from now on"));
  const auto g = compile([](const Tensor& a, const Tensor& b) { return sum(a) * sum(b); });
  for (const std::int64_t n : {8, 5}) g(numbers(n), numbers(2 * n));
  g(numbers(7), numbers(15));
  EXPECT_THAT(g.explain().recompiles.back(),
              HasSubstr("dimension 0 of argument 1 was 2 times dimension 0 of argument 0"));
}

}  // namespace
}  // namespace weft
