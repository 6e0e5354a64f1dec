// compile(fn) with changing sizes: the number of compiles, that the values equal those of the uncompiled function, and
// the errors for sizes that violate their declaration.
#include <cmath>
#include <limits>
#include <string>
#include <tests/error_of.h>
#include <tests/jit/compile.h>

#include <weft/base/knobs.h>

namespace weft {
namespace {

using testing::HasSubstr;

struct Net {
  nn::Linear in{6, 16}, out{16, 4};
  void fields(auto&& field) {
    field("in", in);
    field("out", out);
  }
  Tensor operator()(const Tensor& x) const { return out(relu(in(x))); }
};

Tensor images(std::int64_t n) {
  Tensor x = random::normal(random::Key(static_cast<std::uint64_t>(n)), {n, 6});
  sync();
  return x;
}
Tensor labels(std::int64_t n) {
  Tensor y = remainder(arange(n), 4);
  sync();
  return y;
}

class DynamicSizes : public testing::Test {
 protected:
  DynamicSizes() {
    clear_graph_cache();
    manual_seed(0);
  }
  Net net;
  optim::AdamW optimizer{net, {.lr = 0.01}};
  auto train_step(CompileOptions options = {}) {
    return compile(
        [this](const Tensor& x, const Tensor& y) {
          const Tensor loss = nn::cross_entropy(net(x), y);
          optimizer.step(grad(loss, optimizer.parameters()));
          return loss;
        },
        std::move(options));
  }
};

TEST_F(DynamicSizes, ABatchOfOneAfterBatchesOfEightCompilesNothing) {
  const auto step = train_step({.name = "step"});
  const Tensor x8 = images(8), y8 = labels(8);
  mark_dynamic(x8, 0, {.name = "batch", .min = 1, .max = 512});
  mark_dynamic(y8, 0, {.name = "batch"});
  for (int i = 0; i < 3; ++i) step(x8, y8);
  EXPECT_EQ(counts(step), Counts(1, 1));
  for (const std::int64_t n : {1, 7, 512, 8, 1}) step(images(n), labels(n));
  EXPECT_EQ(step.explain().compiles, 1u);
  EXPECT_EQ(step.explain().recorded, 4u) << "once for each size";
}

// A path of a function that only large sizes take is also one program for all of them from the first on.
TEST_F(DynamicSizes, EachOfAFunctionsWaysIsOneProgram) {
  for (const bool marked : {true, false}) {
    clear_graph_cache();
    const auto function = compile([](const Tensor& a) { return a.size(0) > 16 ? abs(a) : a * 2; },
                                  {.dynamic = marked ? Dynamic::automatic : Dynamic::on});
    for (const std::int64_t n : {8, 5, 24, 16, 40, 17, 8, 100}) {
      const Tensor a = images(n);
      if (marked) mark_dynamic(a, 0, {.min = 1});
      std::vector<float> expected = a.to_vector<float>();
      for (float& x : expected) x = n > 16 ? std::abs(x) : x * 2;
      EXPECT_EQ(function(a).to_vector<float>(), expected);
    }
    EXPECT_EQ(function.explain().compiles, 2u) << (marked ? "marked" : "on");
  }
}

TEST_F(DynamicSizes, TheSecondSizeMakesAProgramForAll) {
  const auto step = train_step();
  for (const std::int64_t n : {8, 5, 1, 32, 2, 8}) step(images(n), labels(n));
  EXPECT_EQ(step.explain().compiles, 2u);
  const auto fixed = compile([](const Tensor& a) { return a * 2 + 1; }, {.dynamic = Dynamic::off});
  for (const std::int64_t n : {3, 4, 5, 3, 4, 5}) fixed(images(n));
  EXPECT_EQ(fixed.explain().compiles, 3u);
}

// The number of rounds of the sums depends on the size.
TEST_F(DynamicSizes, RunningSumsOfAllSizesAreOneProgram) {
  for (const bool marked : {true, false}) {
    clear_graph_cache();
    const auto sums = compile([](const Tensor& a) { return std::pair(cumsum(a, 0), cumsum(transpose(a), 1)); });
    const auto slopes = compile([](const Tensor& a) { return grad(sum(square(cumsum(a, 0))), a); });
    for (const std::int64_t n : {5, 7, 9, 6, 30, 1, 12, 2, 3, 40, 0, 1000}) {
      const Tensor a = full({n, 2}, 3, DType::f32);
      sync();
      if (marked) mark_dynamic(a, 0, {.max = 1000});
      const auto [down, across] = sums(a);
      std::vector<float> once, expected, expected_slopes;
      for (std::int64_t i = 1; i <= n; ++i) once.push_back(static_cast<float>(3 * i));
      for (const float x : once) expected.insert(expected.end(), {x, x});
      EXPECT_EQ(down.to_vector<float>(), expected);
      once.insert(once.end(), once.begin(), once.end());
      EXPECT_EQ(across.to_vector<float>(), once);
      for (std::int64_t i = 0; i < n; ++i) {
        const auto slope = static_cast<float>(3 * (n * (n + 1) - i * (i + 1)));
        expected_slopes.insert(expected_slopes.end(), {slope, slope});
      }
      EXPECT_EQ(slopes(a).to_vector<float>(), expected_slopes);
    }
    EXPECT_EQ(sums.explain().compiles, marked ? 1u : 2u);
    EXPECT_EQ(slopes.explain().compiles, marked ? 1u : 2u);
  }
}

TEST_F(DynamicSizes, ASizeOfZeroMakesAProgramForAllAsAnyOther) {
  const auto rows = compile([this](const Tensor& x) { return net(x); });
  const auto columns = compile([this](const Tensor& x) { return relu(net.in(transpose(x))); });
  for (const std::int64_t n : {5, 0, 3, 1}) {
    EXPECT_EQ(rows(ones({n, 6})).shape(), Shape({n, 4}));
    const Tensor made = columns(ones({6, n}));
    const std::vector<float> want = relu(net.in(ones({1, 6}))).to_vector<float>();
    // Products with different numbers of rows need not be bitwise equal: not every processor adds in the same order. Each is a sum of
    // seven numbers below one half, which may cancel.
    constexpr double bound = 7 * 7 * 0.5 * std::numeric_limits<float>::epsilon();
    for (std::int64_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < want.size(); ++j) EXPECT_NEAR(made[i].to_vector<float>()[j], want[j], bound);
  }
  EXPECT_EQ(rows.explain().compiles, 2u);
  EXPECT_EQ(columns.explain().compiles, 2u);
  const auto update =
      compile([](const Tensor& w, const Tensor& x, const Tensor& y) { return w + matmul(transpose(x), y); });
  for (const auto& [n, m] : {std::pair{5, 3}, {0, 4}, {4, 0}, {3, 5}})
    EXPECT_EQ(update(ones({m}), ones({n, m}), ones({n})).to_vector<float>(), std::vector(m, 1 + float(n)));
}

TEST_F(DynamicSizes, TrainsAsProgramsOfFixedSizesDoBitForBit) {
  const knobs::Override strict{knobs::strict, true};
  const auto train = [](Dynamic dynamic) {
    clear_graph_cache();
    manual_seed(7);
    Net model;
    optim::AdamW adam(model, {.lr = 0.01});
    const auto step = compile(
        [&](const Tensor& x, const Tensor& y) {
          const Tensor loss = nn::cross_entropy(model(x), y);
          adam.step(grad(loss, adam.parameters()));
          return loss;
        },
        {.dynamic = dynamic});
    std::vector<double> losses;
    for (const std::int64_t n : {8, 3, 1, 16, 5, 8, 31}) losses.push_back(step(images(n), labels(n)).item());
    return losses;
  };
  EXPECT_EQ(train(Dynamic::automatic), train(Dynamic::off));
}

TEST_F(DynamicSizes, OnFindsWhichSizesAreFree) {
  const auto step = train_step({.dynamic = Dynamic::on});
  for (const std::int64_t n : {8, 3, 1, 16}) step(images(n), labels(n));
  EXPECT_EQ(step.explain().compiles, 1u);
}

TEST_F(DynamicSizes, ExplainTellsTheWorkOfEverySize) {
  const auto works = [&](Dynamic dynamic) {
    clear_graph_cache();
    const auto f = compile([&](const Tensor& x) { return softmax(net(x)); }, {.dynamic = dynamic});
    std::vector<std::pair<double, double>> totals;
    for (const std::int64_t n : {300, 400, 500}) {
      f(images(n));
      const Explanation told = f.explain();
      const Explanation::Program& last = told.programs.front();
      double flops = 0, bytes = 0;
      for (const Explanation::Kernel& kernel : last.launches) flops += kernel.flops, bytes += kernel.bytes;
      EXPECT_EQ(last.flops, flops);
      EXPECT_EQ(last.moved_bytes, bytes);
      totals.emplace_back(last.flops, last.moved_bytes);
    }
    return totals;
  };
  EXPECT_EQ(works(Dynamic::on), works(Dynamic::off));
}

TEST_F(DynamicSizes, WhatTheHostDoesWithSizesIsDoneForEachOfThem) {
  const auto f = compile([](const Tensor& a) {
    const std::int64_t n = a.size(0);
    const Tensor halves = reshape(a, {2, n / 2, 6});
    return n > 10 ? sum(halves, 0) * static_cast<double>(n) : sum(halves, 0);
  });
  for (const std::int64_t n : {4, 6, 8, 12, 16, 20, 4, 12}) {
    const Tensor a = images(n);
    const auto want = (sum(reshape(a, {2, n / 2, 6}), 0) * (n > 10 ? static_cast<double>(n) : 1.0)).to_vector<float>();
    EXPECT_EQ(f(a).to_vector<float>(), want) << n;
  }
}

constexpr auto violation = [](const auto& call) { return error_of<ConstraintViolationError>(call); };

TEST_F(DynamicSizes, ViolationsNameTensorDimensionAndRange) {
  const auto f = compile([](const Tensor& a, const Tensor& b) { return sum(a, 1) * 2 + sum(b) * 0; }, {.name = "f"});
  const Tensor a = images(8), b = images(4);
  mark_dynamic(a, 0, {.name = "batch", .min = 2, .max = 16, .multiple_of = 2});
  mark_dynamic(b, 0, {.name = "other"});
  f(a, b);
  EXPECT_THAT(violation([&] { f(images(18), b); }),
              testing::AllOf(HasSubstr("f: dimension 0 of argument 0, tensor<18x6xf32>, is not batch in [2, 16], a "
                                       "multiple of 2, as declared at "),
                             HasSubstr("dynamic_test.cpp:")));
  EXPECT_THAT(violation([&] { f(images(7), b); }), HasSubstr("is not batch"));
  EXPECT_EQ(violation([&] { f(images(12), b); }), "");
  EXPECT_THAT(violation([&] { mark_dynamic(a, 0, {.min = 9}); }),
              HasSubstr("mark_dynamic: dimension 0 of tensor<8x6xf32>"));
  EXPECT_THROW(mark_dynamic(a, 2), Error);
  EXPECT_THROW(mark_dynamic(a, 0, {.min = 3, .max = 2}), Error);
}

TEST_F(DynamicSizes, SizesOfOneNameAreEqual) {
  const auto f = compile([](const Tensor& a, const Tensor& b) { return sum(a) + sum(b); }, {.name = "f"});
  const Tensor a = images(8), b = images(8);
  mark_dynamic(a, 0, {.name = "batch"});
  mark_dynamic(b, 0, {.name = "batch"});
  f(a, b);
  EXPECT_THAT(violation([&] { f(images(4), images(5)); }), HasSubstr("and must be equal"));
}

TEST_F(DynamicSizes, TheOperationThatFixesASizeIsNamed) {
  const auto f = compile([](const Tensor& a, const Tensor& b) { return a + b; }, {.name = "f"});
  const Tensor a = images(8), b = images(8);
  mark_dynamic(a, 0, {.name = "batch"});
  const std::string said = violation([&] { f(a, b); });
  EXPECT_THAT(said, HasSubstr("f: dimension 0 of argument 0 is batch ("));
  EXPECT_THAT(said, HasSubstr("but the function does not work with argument 0 as tensor<9x6xf32>: add: cannot "
                              "broadcast tensor<9x6xf32> with tensor<8x6xf32> ("));
  const auto g = compile([](const Tensor& x) { return reshape(x, {2, 4, 6}); }, {.name = "g"});
  EXPECT_THAT(violation([&] { g(a); }), HasSubstr("reshape"));
  const Tensor c = images(8);
  mark_dynamic(c, 0, {.name = "batch", .max = 8, .multiple_of = 8});
  EXPECT_EQ(violation([&] { compile([](const Tensor& x) { return x + 1; }, {.name = "h"})(c); }).substr(0, 2), "h:");
}

TEST_F(DynamicSizes, ASampleChangesNothing) {
  Parameter total(zeros({6}));
  int runs = 0;
  const auto f = compile([&](const Tensor& a) {
    ++runs;
    total = total + sum(a, 0);
    return total + rand({6});
  });
  const Tensor a = ones({3, 6});
  sync();
  mark_dynamic(a, 0);
  manual_seed(3);
  const auto first = f(a).to_vector<float>();
  EXPECT_EQ(runs, 2) << "once for another size, without effect";
  EXPECT_EQ(total.tensor().to_vector<float>(), std::vector<float>(6, 3));
  manual_seed(3);
  const Tensor plain = ones({6}) * 3 + rand({6});
  EXPECT_EQ(first, plain.to_vector<float>());
}

// Marked sizes stay dynamic before and after any read of a value.
TEST_F(DynamicSizes, MarkedSizesGoOnBehindAGraphBreak) {
  Parameter total(zeros({}));
  const auto recorded = [&](const Tensor& a) {
    const Tensor first = sum(a);
    return first.item() > 0 ? a * 2 + first : a;
  };
  const auto argument = [](const Tensor& a) { return a.to_vector<float>()[0] > 0 ? sqrt(a * 2) : a; };
  const auto launched = [](const Tensor& a) {
    const Tensor b = a * 2;
    sync();
    return sqrt(b);
  };
  const auto state = [&](const Tensor& a) {
    total = total + sum(a);
    return sqrt(a * total.tensor().item());
  };
  const auto check = [](auto function) {
    for (const Dynamic dynamic : {Dynamic::automatic, Dynamic::on}) {
      clear_graph_cache();
      const auto f = compile(function, {.dynamic = dynamic, .name = "f"});
      std::uint64_t compiled = 0;
      for (const std::int64_t n : {8, 5, 1, 7, 8, 300}) {
        const Tensor a = ones({n, 6});
        sync();
        if (dynamic == Dynamic::automatic) mark_dynamic(a, 0, {.name = "batch", .min = 1, .max = 512});
        EXPECT_EQ(f(a).size(0), n);
        if (n == 5) compiled = f.explain().compiles;
      }
      EXPECT_EQ(f.explain().compiles, compiled) << "from the third size on nothing is";
      EXPECT_LE(compiled, 2u);
      if (dynamic == Dynamic::on) continue;
      EXPECT_THAT(violation([&] { f(images(513)); }), HasSubstr("batch in [1, 512]"));
    }
  };
  check(recorded);
  check(argument);
  check(launched);
  check(state);
}

// Running the function for another size would show it a value that occurs in no call, and it may keep this value, for
// example in a history of losses. So the graph before the break is not sampled; a second size makes it dynamic.
TEST_F(DynamicSizes, TheGraphBeforeABreakIsOneProgramFromTheSecondSizeOn) {
  const auto f = compile([](const Tensor& a) { return sum(sqrt(a) * 3).item(); });
  for (const std::int64_t n : {8, 5, 1, 300}) {
    const Tensor a = ones({n, 6});
    sync();
    mark_dynamic(a, 0, {.name = "batch"});
    EXPECT_EQ(f(a), 18.0 * n);
  }
  EXPECT_EQ(f.explain().compiles, 2u);
}

// A function that wants one program per size does not use programs for many sizes that other functions compiled.
TEST_F(DynamicSizes, OffIsNotServedByAProgramForManySizes) {
  const auto work = [](const Tensor& a) { return sum(sqrt(a) * 2 + 1, 0); };
  const auto all = compile(work), each = compile(work, {.dynamic = Dynamic::off});
  for (const std::int64_t n : {3, 4, 5}) all(images(n));
  for (int i = 0; i < 2; ++i)
    for (const std::int64_t n : {3, 4, 5}) each(images(n));
  EXPECT_EQ(all.explain().compiles, 2u);
  EXPECT_EQ(each.explain().compiles, 3u);
  EXPECT_THAT(each.explain().text(), HasSubstr("dynamic off: a program for each size"));
}

}  // namespace
}  // namespace weft
