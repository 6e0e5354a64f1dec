// compile(fn): how many specialisations are kept, and that known calls are replayed.
#include <tests/jit/compile.h>
#include <vector>

namespace weft {
namespace {

using testing::IsEmpty;

class Kept : public Compile {
 protected:
  // Returns the number of calls that were recorded while `calls` ran.
  template <class F>
  static std::uint64_t recorded(const F& f, auto calls) {
    const std::uint64_t before = f.explain().recorded;
    calls();
    return f.explain().recorded - before;
  }
};

TEST_F(Kept, HundredsOfSizesOfOneProgram) {
  for (const LimitPolicy policy :
       {LimitPolicy::evict, LimitPolicy::error, LimitPolicy::interpret, LimitPolicy::generalise}) {
    clear_graph_cache();
    const LogOf log("warnings");
    const auto f = compile([](const Tensor& a) { return sum(a * constant(3)); }, {.limit_policy = policy});
    const auto all = [&] {
      for (std::int64_t n = 1; n <= 300; ++n) EXPECT_EQ(f(ones({n})).item(), 3.0 * n);
    };
    EXPECT_EQ(recorded(f, all), 300u);
    EXPECT_EQ(recorded(f, all), 0u);
    const Explanation told = f.explain();
    EXPECT_EQ(told.compiles, 2u);
    EXPECT_EQ(told.evicted, 0u);
    EXPECT_THAT(log.text, IsEmpty());
  }
}

TEST_F(Kept, InstancesOfASharedBlock) {
  std::vector<nn::Linear> blocks;
  for (int i = 0; i < 100; ++i) blocks.emplace_back(4, 4);
  const LogOf log("warnings");
  const auto f = compile([](const nn::Linear& block, const Tensor& a) { return block(a); });
  const Tensor in = ones({2, 4});
  sync();
  const auto all = [&] {
    for (const nn::Linear& block : blocks) f(block, in);
  };
  EXPECT_EQ(recorded(f, all), 100u);
  EXPECT_EQ(recorded(f, all), 0u);
  EXPECT_EQ(f.explain().compiles, 1u);
  for (const nn::Linear& block : blocks) EXPECT_EQ(f(block, in).to_vector<float>(), block(in).to_vector<float>());
  EXPECT_THAT(log.text, IsEmpty());
}

TEST_F(Kept, ValuesThatAlternateAreReplayed) {
  Flag twice;
  const auto flag = compile([&](const Tensor& a) { return twice ? a * 2 : a * 3; });
  Scalar limit = 0;
  const auto scalar = compile([&](const Tensor& a) { return limit > 1 ? a * 4 : a * 5; });
  const auto boolean = compile([](const Tensor& a, bool is_six) { return is_six ? a * 6 : a * 7; });
  const auto number = compile([](const Tensor& a, double by) { return a * by; });
  const auto text = compile([](const Tensor& a, const std::string& by) { return by == "eight" ? a * 8 : a * 9; });
  for (int i = 0; i < 10; ++i) {
    const bool even = i % 2 == 0;
    twice = even;
    limit = even ? 2 : 0;
    EXPECT_EQ(flag(x).to_vector<float>()[1], even ? 4 : 6);
    EXPECT_EQ(scalar(x).to_vector<float>()[1], even ? 8 : 10);
    EXPECT_EQ(boolean(x, even).to_vector<float>()[1], even ? 12 : 14);
    EXPECT_EQ(number(x, even ? 10 : 11).to_vector<float>()[1], even ? 20 : 22);
    EXPECT_EQ(text(x, even ? "eight" : "nine").to_vector<float>()[1], even ? 16 : 18);
  }
  for (const std::uint64_t recorded : {flag.explain().recorded, scalar.explain().recorded, boolean.explain().recorded,
                                       number.explain().recorded, text.explain().recorded})
    EXPECT_EQ(recorded, 2u);
}

// A counter must neither fill memory nor evict other specialisations.
TEST_F(Kept, ANumberThatIsAlwaysAnotherIsForgotten) {
  const auto f = compile([](const Tensor& a, int n) { return a * n; });
  f(longer, -1);
  for (int n = 0; n < 2000; ++n) f(x, n);
  EXPECT_LE(f.explain().programs.size(), 100u);
  EXPECT_EQ(recorded(f, [&] { f(longer, -1); }), 0u);
  EXPECT_EQ(recorded(f, [&] { f(x, 1999); }), 0u) << "the last ones are known";
  EXPECT_EQ(f.explain().evicted, 0u);
  Scalar counter = 0;
  const auto reads = compile([&](const Tensor& a) { return a * (counter.value() + 1); });
  for (int n = 0; n < 2000; ++n) {
    counter = n;
    reads(x);
  }
  EXPECT_LE(reads.explain().programs.size(), 100u);
}

TEST_F(Kept, SizesAreBoundedToo) {
  const auto f = compile([](const Tensor& a) { return a * constant(3); });
  for (std::int64_t n = 1; n <= 1500; ++n) f(ones({n}));
  EXPECT_EQ(f.explain().programs.size(), 1024u);
  EXPECT_EQ(recorded(f, [&] { f(ones({1500})); }), 0u);
  EXPECT_EQ(recorded(f, [&] { f(ones({1})); }), 1u) << "the least recently used one has left";
}

TEST_F(Kept, AForgottenProgramLeavesWithAllThatReplaysIt) {
  const auto f =
      compile([](const Tensor& a, double by) { return a * by; }, {.dynamic = Dynamic::off, .recompile_limit = 2});
  for (const double by : {1.0, 2.0, 3.0}) f(x, by);
  f(longer, 1.0);
  f(x, 1.0);
  f(ones({5}), 1.0);
  EXPECT_EQ(f.explain().evicted, 1u);
  EXPECT_EQ(recorded(f,
                     [&] {
                       for (const double by : {1.0, 2.0, 3.0}) f(x, by);
                     }),
            0u)
      << "used after the other";
  EXPECT_EQ(recorded(f, [&] { f(longer, 1.0); }), 1u);
}

// Guards also check the types of captured parameters.
TEST_F(Kept, CapturedParametersOfOtherTypesAlternate) {
  Parameter state(zeros({3}));
  const auto f = compile([&](const Tensor& a) { return sum(state) + a; });
  for (int i = 0; i < 6; ++i) {
    state.reset(ones({i % 2 == 0 ? 3 : 4}));
    EXPECT_EQ(f(x).to_vector<float>()[0], i % 2 == 0 ? 4 : 5);
  }
  EXPECT_EQ(f.explain().recorded, 2u);
}

}  // namespace
}  // namespace weft
