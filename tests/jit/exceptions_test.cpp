// compile(fn) for functions that are noexcept, or that catch every exception: they compile like any other function, and
// errors of compile() itself reach the caller.
#include <cmath>
#include <string>
#include <tests/error_of.h>
#include <tests/jit/compile.h>
#include <vector>

namespace weft {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using Floats = std::vector<float>;

class Exceptions : public Compile {
 protected:
  // Calls `check` with wrappers of a function: unchanged, noexcept, catching everything, and recording what it caught.
  // The result shows whether something was caught.
  void for_each_kind(const auto& check) {
    const auto one = [&](const char* kind, const auto& wrap) {
      const testing::ScopedTrace trace(__FILE__, __LINE__, kind);
      clear_graph_cache();
      manual_seed(0);
      runs = 0;
      check(wrap);
    };
    one("plain", [](const auto& f) { return f; });
    one("noexcept", [](const auto& f) { return [f](const Tensor& a) noexcept { return f(a); }; });
    one("catches", [](const auto& f) {
      return [f](const Tensor& a) -> decltype(f(a)) {
        try {
          return f(a);
        } catch (...) {
          return {a * -1};
        }
      };
    });
    one("notes", [this](const auto& f) {
      return [this, f](const Tensor& a) -> decltype(f(a)) {
        try {
          return f(a);
        } catch (const std::exception& error) {
          caught.emplace_back(error.what());
          return {a * -1};
        }
      };
    });
    EXPECT_THAT(caught, IsEmpty()) << "nothing passes through the function";
  }
  // Returns a function that computes the sum and its double, and reads the sum.
  auto reading() {
    return [this](const Tensor& a) {
      ++runs;
      const Tensor total = sum(a);
      seen.push_back(total.item<float>());
      return total * (seen.back() > 0 ? 2 : -2);
    };
  }
  static Tensor some(std::int64_t n) {
    Tensor a = ones({n, 2});
    sync();
    return a;
  }
  static Tensor marked(std::int64_t n) {
    Tensor a = some(n);
    mark_dynamic(a, 0, {.name = "batch", .min = 1, .max = 512});
    return a;
  }

  std::vector<std::string> caught;
  Floats seen;  // by the functions, like a history of losses
};

TEST_F(Exceptions, OneSize) {
  for_each_kind([&](const auto& wrap) {
    const auto f = compile(wrap([&](const Tensor& a) { return ++runs, sum(a) * 2; }));
    for (int i = 0; i < 3; ++i) EXPECT_EQ(f(some(3)).template item<float>(), 12);
    EXPECT_EQ(counts(f), Counts(1, 1));
    EXPECT_EQ(runs, 1);
  });
}

TEST_F(Exceptions, SizesThatChange) {
  for_each_kind([&](const auto& wrap) {
    const auto f = compile(wrap([](const Tensor& a) { return sum(sqrt(a) * 2); }));
    for (const int n : {8, 5, 3, 8, 1}) EXPECT_EQ(f(some(n)).template item<float>(), 4.F * static_cast<float>(n));
    EXPECT_EQ(f.explain().compiles, 2u);
  });
}

TEST_F(Exceptions, MarkedSizes) {
  for_each_kind([&](const auto& wrap) {
    const auto f = compile(wrap([&](const Tensor& a) { return ++runs, sum(sqrt(a) * 2); }));
    for (const int n : {8, 5, 3, 8, 1}) EXPECT_EQ(f(marked(n)).template item<float>(), 4.F * static_cast<float>(n));
    EXPECT_LE(f.explain().compiles, 2u);
    EXPECT_LE(runs, 5);
  });
}

// The values that the function reads are the same as without compile().
TEST_F(Exceptions, AReadSeesValuesOfTheCallsAlone) {
  for (const Dynamic dynamic : {Dynamic::automatic, Dynamic::on, Dynamic::off})
    for (const bool is_marked : {false, true}) {
      if (is_marked && dynamic != Dynamic::automatic) continue;
      const std::size_t programs = dynamic == Dynamic::off ? 4 : 2;  // the second size makes a program for all sizes
      for_each_kind([&](const auto& wrap) {
        seen.clear();
        const auto f = compile(wrap(reading()), {.dynamic = dynamic});
        Floats totals;
        for (const int n : {8, 5, 1, 8, 300}) {
          totals.push_back(2.F * static_cast<float>(n));
          EXPECT_EQ(f(is_marked ? marked(n) : some(n)).template item<float>(), 2 * totals.back());
        }
        EXPECT_EQ(seen, totals);
        EXPECT_EQ(runs, 5);
        EXPECT_EQ(f.explain().compiles, programs);
      });
    }
}

TEST_F(Exceptions, AReadInAFunctionOfBuckets) {
  const Bucketing sizes{4, 8, 16};
  for_each_kind([&](const auto& wrap) {
    seen.clear();
    const auto reads = compile(wrap(reading()));
    const auto plain = compile(wrap([](const Tensor& a) { return sum(sqrt(a) * 3); }));
    for (const int n : {8, 4, 16, 8}) {
      const Tensor a = some(n);
      mark_buckets(a, 0, sizes, "length");
      EXPECT_EQ(reads(a).template item<float>(), 4.F * static_cast<float>(n));
      EXPECT_EQ(plain(a).template item<float>(), 6.F * static_cast<float>(n));
    }
    EXPECT_THAT(seen, ElementsAre(16, 8, 32, 16));
  });
}

TEST_F(Exceptions, AReadBeforeItIsKnownWhetherAliasesMatter) {
  const auto slope = [](const Tensor& a, const Tensor& b, Floats& values) {
    values.push_back(sum(a).item<float>());
    return grad(sum(a * a * b), a);
  };
  for_each_kind([&](const auto& wrap) {
    Floats values;
    const Tensor other = y * 1;
    const auto f = compile(wrap([&](const Tensor& a) { return slope(a, a, values) + slope(a, other, values) * 0; }));
    const auto twice = compile([&](const Tensor& a, const Tensor& b) noexcept { return slope(a, b, values); });
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(f(x).template to_vector<float>(), Floats({3, 12, 27}));
      EXPECT_EQ(twice(x, x).template to_vector<float>(), Floats({3, 12, 27}));
      EXPECT_EQ(twice(x, y).template to_vector<float>(), Floats({20, 80, 180}));
    }
    EXPECT_EQ(values, Floats(8, 6));
  });
}

// The function finishes, with the values that it read, and then the call throws.
TEST_F(Exceptions, WhatMustBeOneGraphIsRefusedByTheCall) {
  for_each_kind([&](const auto& wrap) {
    seen.clear();
    Parameter state(x * 1);
    random::Generator generator{.seed = 3};
    const auto f = compile(wrap([&](const Tensor& a) {
                             state = state + a + random::uniform(generator.next(), {3}) * 0;
                             const float total = sum(state).item<float>();
                             seen.push_back(total);
                             state = state * total;
                             seen.push_back(sum(state).item<float>());
                             return state + 1;
                           }),
                           {.fullgraph = true, .name = "f"});
    for (int i = 0; i < 2; ++i) {
      EXPECT_THROW(f(x), GraphBreakError);
      EXPECT_THAT(error_of([&] { f(x); }), AllOf(HasSubstr("f: item reads tensor<f32>, made at "),
                                                 HasSubstr("exceptions_test.cpp:"), HasSubstr("under fullgraph")));
      EXPECT_EQ(state.tensor().to_vector<float>(), Floats({1, 2, 3})) << "as it was before the call";
      EXPECT_EQ(generator.calls, 0u);
    }
    EXPECT_THAT(seen, ElementsAre(12, 144, 12, 144, 12, 144, 12, 144));
    EXPECT_EQ(x.to_vector<float>(), Floats({1, 2, 3}));
  });
}

TEST_F(Exceptions, SyncAndFunctionsOutsideOfTheGraphAreRefusedToo) {
  const auto outside = disable([](const Tensor& a) { return a * a.to_vector<float>()[1]; });
  for_each_kind([&](const auto& wrap) {
    Tensor last;
    const auto syncs = compile(wrap([](const Tensor& a) {
                                 const Tensor b = a * 2;
                                 sync();
                                 return b + 1;
                               }),
                               {.fullgraph = true, .name = "syncs"});
    EXPECT_THAT(error_of([&] { syncs(x); }), HasSubstr("syncs: sync() launches what is recorded"));
    const auto leaves = compile(wrap([&](const Tensor& a) {
                                  seen = outside(a + 1).to_vector<float>();
                                  return a + 1;
                                }),
                                {.fullgraph = true, .name = "leaves"});
    EXPECT_THAT(error_of([&] { leaves(x); }), HasSubstr("stays out of graphs"));
    EXPECT_EQ(seen, Floats({6, 9, 12}));
  });
}

TEST_F(Exceptions, OneThatIsCalledInsideIsRefusedByTheCallOutside) {
  for_each_kind([&](const auto& wrap) {
    seen.clear();
    const auto inner = compile(wrap(reading()), {.fullgraph = true, .name = "inner"});
    const auto outer = compile(wrap([&](const Tensor& a) { return inner(a) + 1; }), {.name = "outer"});
    for (int i = 0; i < 2; ++i)
      EXPECT_THAT(error_of([&] { outer(x); }), AllOf(HasSubstr("inner: item reads"), HasSubstr("under fullgraph")));
    EXPECT_THAT(seen, ElementsAre(6, 6));
    const auto reads = compile(wrap(reading()));
    const auto around = compile(wrap([&](const Tensor& a) { return reads(a) + 1; }));
    EXPECT_EQ(around(x).template item<float>(), 13);
  });
}

// Each call needs one graph before its read and one after it.
TEST_F(Exceptions, TheLimitByEachPolicy) {
  for (const LimitPolicy policy :
       {LimitPolicy::error, LimitPolicy::evict, LimitPolicy::interpret, LimitPolicy::generalise})
    for_each_kind([&](const auto& wrap) {
      seen.clear();
      Parameter total(zeros({}));
      const auto f = compile(wrap([&](const Tensor& a) {
                               ++runs;
                               total = total + sum(a);
                               seen.push_back(total.tensor().item<float>());
                               total = total + 1;
                               return a * 2;
                             }),
                             {.dynamic = Dynamic::off, .recompile_limit = 1, .limit_policy = policy, .name = "f"});
      f(some(1));
      const bool fails = policy == LimitPolicy::error;
      for (const int n : {2, 3}) {
        const float before = total.tensor().item<float>();
        const std::string said = error_of([&] { f(some(n)); });
        EXPECT_EQ(said.empty(), !fails) << said;
        EXPECT_THAT(said, HasSubstr(fails ? "f: its recompile_limit of 1" : ""));
        const float added = fails ? 0.F : 2.F * static_cast<float>(n) + 1;
        EXPECT_EQ(total.tensor().item<float>(), before + added) << "once";
        EXPECT_EQ(seen.back(), before + 2.F * static_cast<float>(n));
      }
      EXPECT_EQ(runs, 3);
      EXPECT_EQ(f(some(1)).template to_vector<float>(), Floats({2, 2})) << "what is known still runs";
    });
}

TEST_F(Exceptions, AStanceThatForbidsToCompile) {
  for_each_kind([&](const auto& wrap) {
    seen.clear();
    const auto f = compile(wrap(reading()), {.name = "f"});
    const StanceScope stance(Stance::fail_on_recompile);
    for (int i = 0; i < 2; ++i) {
      EXPECT_THROW(f(x), RecompileError);
      EXPECT_THAT(error_of([&] { f(x); }), HasSubstr("f: the stance is fail_on_recompile"));
    }
    EXPECT_THAT(seen, ElementsAre(6, 6, 6, 6));
    const StanceScope standard(Stance::standard);
    EXPECT_EQ(f(x).template item<float>(), 12);
    const StanceScope again(Stance::fail_on_recompile);
    EXPECT_EQ(f(x).template item<float>(), 12) << "what is known still runs";
  });
}

// After a failed call, the state is bitwise equal to that before the call.
TEST_F(Exceptions, AnOptimizerGoesBackToWhereItWas) {
  const auto train = [&](const auto& wrap, bool fails, const std::string& backend) {
    manual_seed(1);
    nn::Linear layer(2, 3);
    optim::AdamW optimizer(layer, {.lr = 0.1});
    bool looks = false;
    const auto step = compile(wrap([&](const Tensor& a) {
                                const Tensor loss = mean(square(layer(dropout(a, 0.25))));
                                optimizer.step(grad(loss, optimizer.parameters()));
                                if (looks) seen.push_back(sum(layer.weight.tensor()).item<float>());
                                return loss;
                              }),
                              {.dynamic = Dynamic::off, .backend = backend});
    Floats losses;
    for (int i = 0; i < 4; ++i) {
      if (fails) {
        const StanceScope stance(Stance::fail_on_recompile);
        looks = true;
        EXPECT_THROW(step(some(i + 40)), RecompileError);
        EXPECT_TRUE(std::isfinite(seen.back()));
        looks = false;
      }
      losses.push_back(step(some(4)).template item<float>());
    }
    for (const auto& [name, value] : state_dict(layer))
      for (const float number : value.template to_vector<float>()) losses.push_back(number);
    return losses;
  };
  for (const char* backend : {"standard", "eager"})
    for_each_kind([&](const auto& wrap) { EXPECT_EQ(train(wrap, true, backend), train(wrap, false, backend)); });
}

// The reason for the rejection takes precedence over the user's own exception; without a rejection, the user's
// exception is thrown.
TEST_F(Exceptions, OfTwoErrorsTheFirst) {
  const auto fails = [](const Tensor& a) {
    const Tensor total = sum(a);
    require(total.item() > 100, "mine");
    return total;
  };
  EXPECT_THAT(error_of([&] { compile(fails, {.fullgraph = true})(x); }), HasSubstr("under fullgraph"));
  EXPECT_EQ(error_of([&] { compile(fails)(x); }), "mine");
}

}  // namespace
}  // namespace weft
