// Modes, backends, stances and budgets may change only speed and memory.
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/base/knobs.h>

#include "../error_of.h"
#include "../tensor/check.h"
#include "compile.h"

namespace weft {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

struct UpAndDown {
  nn::Linear up{16, 64}, down{64, 4};
  void fields(auto&& field) {
    field("up", up);
    field("down", down);
  }
};

class Modes : public Compile {
 protected:
  // Returns the losses and weights of some steps of a small network with everything that can be tuned: products with
  // and without epilogues, reductions after pointwise operations.
  static std::vector<float> train(CompileOptions options, Explanation* told = nullptr) {
    clear_graph_cache();
    manual_seed(5);
    UpAndDown model;
    optim::SGD optimizer(model, {.lr = 0.1});
    const auto step = compile(
        [&](const Tensor& inputs, const Tensor& targets) {
          const Tensor loss = nn::mse_loss(softmax(model.down(gelu(model.up(inputs))), 1), targets);
          optimizer.step(grad(loss, optimizer.parameters()));
          return loss;
        },
        options);
    std::vector<float> values;
    for (int i = 0; i < 4; ++i) values.push_back(step(randn({32, 16}), rand({32, 4})).item<float>());
    for (const auto& [name, value] : state_dict(model))
      for (const float number : value.to_vector<float>()) values.push_back(number);
    if (told) *told = step.explain();
    return values;
  }
};

TEST_F(Modes, ChangeNoBitInStrictModeAndLittleElse) {
  const auto check = [](auto equal) {
    const auto want = train({});
    for (const Mode mode : {Mode::reduce_overhead, Mode::max_autotune, Mode::max_autotune_no_replay}) {
      const auto got = train({.mode = mode});
      ASSERT_EQ(got.size(), want.size());
      for (std::size_t i = 0; i < want.size(); ++i) ASSERT_TRUE(equal(got[i], want[i])) << i;
    }
  };
  check([](float a, float b) { return std::abs(a - b) <= 1e-5F; });
  const knobs::Override<knobs::Switch> strict{knobs::strict, true};
  check([](float a, float b) { return a == b; });
}

TEST_F(Modes, AutotuneMeasuresAndRemembers) {
  LogOf log("autotuning");
  Explanation first, second;
  train({.mode = Mode::max_autotune_no_replay}, &first);
  EXPECT_THAT(log.text, HasSubstr("dot_general"));
  EXPECT_THAT(log.text, HasSubstr(" ms, "));
  ASSERT_EQ(first.programs.size(), 1u);
  EXPECT_FALSE(first.programs[0].choices.empty());
  train({.mode = Mode::max_autotune_no_replay}, &second);
  for (const std::string& line : second.programs[0].choices) EXPECT_THAT(line, HasSubstr(", known)"));
  const knobs::Override<knobs::Switch> strict{knobs::strict, true};
  train({.mode = Mode::max_autotune_no_replay}, &second);
  EXPECT_TRUE(second.programs[0].choices.empty()) << "other ways may round otherwise";
}

// One program for many sizes, in which the parts with known sizes are measured.
TEST_F(Modes, AutotuneLeavesSizesThatChangeOneProgram) {
  const Tensor left = test::arbitrary({160, 96}).to(DType::f32), right = test::arbitrary({96, 128}, 1).to(DType::f32);
  const auto body = [&](const Tensor& rows) { return tanh(matmul(rows, matmul(left, right))); };
  const auto standard = compile(body);
  for (const bool marked : {true, false}) {
    clear_graph_cache();
    const auto tuned = compile(body, {.mode = Mode::max_autotune});
    for (const std::int64_t n : {8, 1, 16, 5}) {
      const Tensor rows = test::arbitrary({n, 160}, 2).to(DType::f32);
      if (marked) mark_dynamic(rows, 0, {.name = "n"});
      test::expect_values(tuned(rows), {n, 128}, standard(rows).to_vector<double>(), 1e-4);
    }
    const Explanation e = tuned.explain();
    EXPECT_EQ(e.compiles, marked ? 1u : 2u);
    ASSERT_FALSE(e.programs.empty());
    EXPECT_THAT(e.programs.back().choices, testing::Contains(HasSubstr("dot_general")));
    EXPECT_EQ(e.sizes, "");
  }
}

TEST_F(Modes, ShapePaddingMeasuresProductsOfUnevenSizes) {
  const auto choices = [](std::int64_t size) {
    const auto body = [](const Tensor& a, const Tensor& b) { return matmul(a, b); };
    const auto step = compile(body, {.shape_padding = true}), want = compile(body);
    const Tensor a = randn({size, 64}), b = randn({64, size});
    EXPECT_LE(max(abs(step(a, b) - want(a, b))).item(), 1e-4);
    return step.explain().programs.at(0).choices;
  };
  EXPECT_THAT(choices(30),
              ElementsAre(AllOf(HasSubstr("standard "), HasSubstr("padded "), Not(HasSubstr("generated ")))));
  EXPECT_THAT(choices(32), ElementsAre()) << "nothing to fill up";
  const auto body = [](const Tensor& a) { return a; };
  EXPECT_THROW(compile(body, {.backend = "eager", .shape_padding = true}), Error);
}

TEST_F(Modes, ReduceOverheadKeepsAddresses) {
  const auto f = compile([](const Tensor& a) { return std::pair(a + 1, sum(a * a)); }, {.mode = Mode::reduce_overhead});
  const Tensor large = ones({1000});
  std::set<const std::byte*> addresses;
  const auto step = [&](int i) {
    const auto [next, total] = f(large);
    EXPECT_EQ(total.item(), 1000);
    addresses.insert(next.buffer()->bytes().data());
    const Tensor other = zeros({1000}) + i;  // belongs to another program
    sync();
  };
  for (int i = 0; i < 3; ++i) step(i);
  const auto before = device().stats().system_allocations;
  for (int i = 0; i < 20; ++i) step(i);
  EXPECT_EQ(addresses.size(), 1u);
  EXPECT_EQ(device().stats().system_allocations, before) << "a step that repeats asks the system for nothing";
  const auto [kept, total] = f(large);
  const auto [another, same] = f(large * 2);
  EXPECT_EQ(kept.to_vector<float>()[0], 2) << "what the user holds is not overwritten";
  EXPECT_EQ(another.to_vector<float>()[0], 3);
}

TEST_F(Modes, BackendsByOption) {
  const auto want = train({});
  for (const char* backend : {"standard", "eager", "interpreter"}) {
    const auto got = train({.backend = backend});
    for (std::size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(got[i], want[i], 1e-5) << backend;
  }
  const auto body = [](const Tensor& a) { return a + 1; };
  EXPECT_THROW(compile(body, {.backend = "inductor"}), Error);
  EXPECT_THROW(compile(body, {.mode = Mode::max_autotune, .backend = "eager"}), Error);
  EXPECT_THROW(compile(body, {.backend = "interpreter", .activation_memory_bytes = 1}), Error);
}

TEST_F(Modes, ABudgetForActivationsIsKeptBitForBit) {
  const knobs::Override<knobs::Switch> strict{knobs::strict, true};
  const auto run = [&](std::uint64_t budget, std::uint64_t* peak) {
    clear_graph_cache();
    manual_seed(3);
    std::vector<Parameter> weights;
    for (int i = 0; i < 8; ++i) weights.emplace_back(randn({64, 64}) * 0.1);
    const auto step = compile(
        [&](const Tensor& in) {
          Tensor h = in;
          for (const Parameter& weight : weights) h = h + tanh(matmul(gelu(matmul(h, weight)), weight)) * sigmoid(h);
          const Tensor loss = mean(h * h);
          std::vector<Tensor> wrt;
          for (const Parameter& weight : weights) wrt.push_back(weight);
          std::vector<Tensor> results = grad(loss, wrt);
          results.push_back(loss);
          return results;
        },
        {.activation_memory_bytes = budget});
    std::vector<float> values;
    for (const Tensor& result : step(randn({1024, 64})))
      for (const float number : result.to_vector<float>()) values.push_back(number);
    *peak = step.explain().programs[0].peak_bytes;
    return values;
  };
  std::uint64_t all = 0, half = 0, little = 0;
  const auto want = run(0, &all);
  EXPECT_EQ(run(3 << 20, &half), want);
  EXPECT_EQ(run(3 << 19, &little), want);
  EXPECT_LT(half, 0.8 * all);
  EXPECT_LE(little, half);
}

TEST_F(Modes, EagerStances) {
  const auto f = counted();
  {
    const StanceScope scope(Stance::eager_then_compile);
    f(x);
    EXPECT_EQ(counts(f), Counts(0, 0)) << "the first call runs as it is";
    f(x);
    EXPECT_EQ(counts(f), Counts(1, 1));
    f(x);
    EXPECT_EQ(runs, 2);
  }
  const StanceScope scope(Stance::eager_on_recompile);
  EXPECT_THAT(f(x).to_vector<float>(), ElementsAre(2, 3, 4));
  EXPECT_EQ(runs, 2) << "what is known is replayed";
  EXPECT_THAT(f(longer).to_vector<float>(), ElementsAre(2, 3, 4, 5));
  EXPECT_THAT(f(longer).to_vector<float>(), ElementsAre(2, 3, 4, 5));
  EXPECT_EQ(runs, 4);
  EXPECT_EQ(counts(f), Counts(1, 1));
}

// No stance prevents the use of an existing program: one for many sizes serves a new size without a compile.
TEST_F(Modes, StancesAreServedByAProgramForManySizes) {
  const auto f = counted();
  f(x);
  f(longer);
  std::int64_t n = 5;
  for (const Stance stance : {Stance::eager_on_recompile, Stance::fail_on_recompile}) {
    const StanceScope scope(stance);
    const Tensor a = ones({++n});
    runs = 0;
    for (int i = 0; i < 3; ++i) EXPECT_EQ(f(a).to_vector<float>(), std::vector<float>(n, 2));
    EXPECT_EQ(runs, 1) << "then it is replayed";
  }
  EXPECT_EQ(f.explain().compiles, 2u);
}

// A call of which only a part is known runs only once.
TEST_F(Modes, EagerBehindAGraphBreak) {
  Parameter total(zeros({3}));
  bool negates = false;
  const auto f = compile([&](const Tensor& a) {
    total = total + a;
    const double first = total.tensor().to_vector<float>()[0];
    total = negates ? -total.tensor() : total + first;
    return total + a;
  });
  f(x);
  negates = true;
  const StanceScope scope(Stance::eager_on_recompile);
  for (int i = 0; i < 2; ++i) f(x);
  EXPECT_THAT(total.tensor().to_vector<float>(), ElementsAre(2, 3, 4)) << "the sum and 1; negated; negated";
  EXPECT_THAT(f(x).to_vector<float>(), ElementsAre(-2, -3, -4));
  EXPECT_EQ(f.explain().compiles, 1u);
}

// A step that calls a compiled block and takes gradients through it.
TEST_F(Modes, CompiledFunctionsInsideOthersUnderEveryStance) {
  nn::Linear layer(16, 16);
  const Tensor in = full({4, 16}, 0.3);
  const auto values = [&](Stance stance, CompileOptions options) {
    const auto block = compile([](const nn::Linear& l, const Tensor& a) { return l(a); });
    const auto step = compile(
        [&layer, block](const Tensor& a) {
          const Tensor loss = mean(square(block(layer, a)));
          const std::vector<Tensor> gradients = grad(loss, std::vector{layer.weight.tensor(), layer.bias->tensor()});
          return std::pair(loss, sum(square(gradients[0])) + sum(gradients[1]));
        },
        options);
    const StanceScope scope(stance);
    std::vector<float> all;
    for (const Tensor& a : {in, full({3, 16}, 0.7), in}) {
      const auto [loss, gradient] = step(a);
      all.push_back(loss.item<float>());
      all.push_back(gradient.item<float>());
    }
    EXPECT_EQ(block.explain().calls, 0u) << "part of the step";
    return all;
  };
  const auto want = values(Stance::standard, {});
  const auto check = [&](Stance stance, const CompileOptions& options) {
    const auto got = values(stance, options);
    for (std::size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(got[i], want[i], 1e-5 * std::abs(want[i])) << i;
  };
  for (const Stance stance : {Stance::force_eager, Stance::eager_on_recompile, Stance::eager_then_compile})
    check(stance, {});
  check(Stance::standard, {.dynamic = Dynamic::off, .recompile_limit = 1, .limit_policy = LimitPolicy::interpret});
}

TEST_F(Modes, DisabledFunctionsStayOutOfTheGraph) {
  Parameter total(zeros({3}));
  bool compiling = true;
  const auto outside = disable([&](const Tensor& a) {
    compiling = is_compiling();
    return a * static_cast<float>(a.to_vector<float>()[0]) + total;
  });
  const auto f = compile([&](const Tensor& a) {
    total = total + a;
    const Tensor b = outside(a * 2);
    total = total + 1;
    return b + total;
  });
  for (int i = 1; i <= 3; ++i) {
    const float n = static_cast<float>(i);
    EXPECT_EQ(f(x).to_vector<float>()[0], 4 + (n + n - 1) + (n + n)) << i;
  }
  EXPECT_FALSE(compiling);
  const Explanation told = f.explain();
  ASSERT_EQ(told.breaks.size(), 1u);
  EXPECT_THAT(told.breaks[0].reason, HasSubstr("stays out of graphs"));
  EXPECT_EQ(told.breaks[0].count, 3u);
  ASSERT_EQ(told.programs[0].before.size(), 1u) << told;
  EXPECT_THAT(told.programs[0].before[0].ended_by, HasSubstr("stays out of graphs"));
  EXPECT_GT(told.programs[0].before[0].kernels, 0u);
  EXPECT_THAT(told.text(), HasSubstr("graph 0 before program 0: "));
  EXPECT_THAT(told.json(), HasSubstr("\"ended_by\": \"it calls a function that stays out of graphs"));
  const auto whole = compile([&](const Tensor& a) { return outside(a + 1); }, {.fullgraph = true});
  EXPECT_THROW(whole(x), GraphBreakError);
  EXPECT_EQ(disable([](int a) { return a + 1; })(1), 2) << "and alone it is what it was";
  const auto in_loop = compile([&](const Tensor& a) {
    return for_loop(2, std::vector{a},
                    [&](const Tensor&, const std::vector<Tensor>& s) { return std::vector{outside(s[0])}; })[0];
  });
  EXPECT_THROW(in_loop(x), Error);
}

TEST_F(Modes, TheLimitIsAWarningWhateverIsLogged) {
  LogOf log("");
  const auto f = compile([](const Tensor& a) { return a + 1; }, {.recompile_limit = 1, .name = "limited"});
  for (int n = 1; n < 5; ++n) f(ones({n}));
  EXPECT_THAT(log.text,
              HasSubstr("limited: its recompile_limit of 1 programs is exceeded: the least recently used one"));
  EXPECT_EQ(std::ranges::count(log.text, '\n'), 1) << log.text;
}

TEST_F(Modes, ExplainTellsKernelsAndFusions) {
  LogOf log("fusion,guards");
  const Explanation told = explain([](const Tensor& a) {
    return std::pair(softmax(a * 2, 0) + 1, sum(matmul(reshape(a, {3, 1}), reshape(a, {1, 3})) * 2, 0));
  })(x);
  ASSERT_EQ(told.programs.size(), 1u);
  const Explanation::Program& program = told.programs[0];
  EXPECT_EQ(program.launches.size(), program.kernels);
  EXPECT_GT(program.moved_bytes, 0);
  EXPECT_GT(program.flops, 0);
  EXPECT_FALSE(program.phases.empty());
  EXPECT_TRUE(std::ranges::any_of(program.fusions, [](const auto& f) { return f.refused.empty(); }));
  EXPECT_THAT(told.details(), HasSubstr("  fused "));
  EXPECT_THAT(told.details(), HasSubstr("  phase fuse: "));
  for (const char* key : {"\"fusions\"", "\"launches\"", "\"phases\"", "\"moved_bytes\"", "\"cache_miss\""})
    EXPECT_THAT(told.json(), HasSubstr(key));
  EXPECT_THAT(log.text, HasSubstr("argument"));
}

// A fullgraph function must not have a graph break inside another function either.
TEST_F(Modes, FullgraphHoldsInsideAnotherFunction) {
  const auto reads = [](const Tensor& a) { return a * sum(a).item(); };
  const auto inner = compile(reads, {.fullgraph = true, .name = "inner"});
  const auto refused = testing::AllOf(HasSubstr("inner: item reads tensor<f32>"), HasSubstr("modes_test.cpp:"),
                                      HasSubstr("under fullgraph"));
  const auto outer = compile([&](const Tensor& a) { return inner(a) + 1; }, {.name = "outer"});
  for (int i = 0; i < 2; ++i) EXPECT_THAT(error_of([&] { outer(x); }), refused);
  const auto around = compile([&](const Tensor& a) { return outer(a) * 2; }, {.name = "around"});
  EXPECT_THAT(error_of([&] { around(x); }), refused);
  const auto syncs = compile([](const Tensor& a) { return sync(), a + 1; }, {.fullgraph = true, .name = "syncs"});
  EXPECT_THAT(error_of([&] { compile([&](const Tensor& a) { return syncs(a * 2); })(x); }),
              HasSubstr("syncs: sync() launches what is recorded"));

  const auto whole = compile([](const Tensor& a) { return a * 2; }, {.fullgraph = true});
  const auto cut = compile([&](const Tensor& a) { return reads(whole(a)); });
  EXPECT_THAT(cut(x).to_vector<float>(), ElementsAre(24, 48, 72)) << "outside of it a value may be read";
}

}  // namespace
}  // namespace weft
