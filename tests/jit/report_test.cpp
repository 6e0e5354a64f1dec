// compile(fn): its limits, its options and what it reports.
#include <string>
#include <tests/jit/compile.h>

namespace weft {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST_F(Compile, EveryDifferenceFromTheNearestIsSaid) {
  const LogOf log("recompiles");
  const auto f =
      compile([](const Tensor& a, const Tensor& b, bool twice) { return twice ? (a + b) * 2 : a + b; }, {.name = "f"});
  f(x, y, false);
  f(longer, longer.to(DType::f64), true);
  EXPECT_THAT(log.text, HasSubstr("argument 0 is tensor<4xf32> instead of tensor<3xf32>, first used at "));
  EXPECT_THAT(log.text, HasSubstr("argument 1 is tensor<4xf64> instead of tensor<3xf32>"));
  EXPECT_THAT(log.text, HasSubstr("argument 2 is true instead of false; take it as a weft::Scalar"));
  EXPECT_THAT(log.text, HasSubstr("report_test.cpp:"));
}

TEST_F(Compile, TheLimitIsKept) {
  const auto shapes = [](const auto& f) {
    for (std::int64_t n = 1; n <= 4; ++n) EXPECT_EQ(sum(f(ones({n}))).item(), 3.0 * static_cast<double>(n));
  };
  const auto body = [](const Tensor& a) { return a * constant(3); };
  const auto evicts = compile(body, {.recompile_limit = 2, .dynamic = Dynamic::off});
  shapes(evicts);
  EXPECT_EQ(evicts.explain().programs.size(), 2u);
  EXPECT_EQ(evicts.explain().evicted, 2u);
  clear_graph_cache();
  const auto interprets =
      compile(body, {.recompile_limit = 2, .limit_policy = LimitPolicy::interpret, .dynamic = Dynamic::off});
  shapes(interprets);
  EXPECT_EQ(interprets.explain().compiles, 2u);
  clear_graph_cache();
  const auto throws = compile(body, {.name = "throws", .recompile_limit = 1, .limit_policy = LimitPolicy::error});
  const Tensor two = ones({2}), one = ones({1});
  sync();
  throws(two);
  try {
    throws(one);
    FAIL();
  } catch (const RecompileError& error) {
    EXPECT_THAT(error.what(), HasSubstr("recompile_limit of 1"));
    EXPECT_THAT(error.what(), HasSubstr("tensor<1xf32> instead of tensor<2xf32>"));
  }
  EXPECT_EQ(sum(throws(two)).item(), 6) << "what is known still runs";
}

TEST_F(Compile, Stances) {
  int runs = 0;
  const auto f = compile([&](const Tensor& a) {
    ++runs;
    return a + 1;
  });
  f(x);
  {
    const StanceScope scope(Stance::force_eager);
    EXPECT_THAT(f(x).to_vector<float>(), ElementsAre(2, 3, 4));
    EXPECT_EQ(runs, 2);
  }
  {
    const StanceScope scope(Stance::fail_on_recompile);
    EXPECT_THAT(f(x).to_vector<float>(), ElementsAre(2, 3, 4));
    EXPECT_EQ(runs, 2);
    EXPECT_THROW(f(longer), RecompileError);
  }
  EXPECT_THAT(f(longer).to_vector<float>(), ElementsAre(2, 3, 4, 5));
}

TEST_F(Compile, ExplainsItself) {
  const Explanation told = explain([](const Tensor& a) { return softmax(a * 2, 0); })(x);
  EXPECT_THAT(told.function, HasSubstr("report_test.cpp:"));
  ASSERT_EQ(told.programs.size(), 1u);
  EXPECT_THAT(told.programs[0].arguments, ElementsAre("0: tensor<3xf32>"));
  EXPECT_GT(told.programs[0].nodes, 0u);
  EXPECT_GT(told.programs[0].peak_bytes, 0u);
  EXPECT_THAT(told.json(), HasSubstr("\"graph_breaks\": []"));
}

TEST_F(Compile, AtTheLimitSizesBecomeSymbols) {
  const LogOf log("warnings");
  const auto f = compile([](const Tensor& a) { return a * constant(3) + 1; },
                         {.recompile_limit = 2, .limit_policy = LimitPolicy::generalise, .dynamic = Dynamic::off});
  for (std::int64_t n = 1; n <= 6; ++n) EXPECT_EQ(sum(f(ones({n}))).item(), 4.0 * static_cast<double>(n));
  EXPECT_EQ(f.explain().compiles, 3u) << "two of their own, and one for all others";
  EXPECT_THAT(log.text, HasSubstr("recompile_limit of 2 programs is passed: sizes are symbols from now on"));
}

TEST_F(Compile, ContradictingOptions) {
  const auto body = [](const Tensor& a) { return a + 1; };
  EXPECT_THROW(compile(body, {.recompile_limit = 0}), Error);
  EXPECT_THROW(compile(body, {.fullgraph = true, .limit_policy = LimitPolicy::interpret}), Error);
}

TEST_F(Compile, NumbersAreReportedAsWhatTheyAre) {
  enum class Mode : std::uint8_t { train, test };
  const LogOf log("recompiles");
  const auto f =
      compile([](const Tensor& a, int i, float r, Mode, const std::string& s) { return a * i + r + double(s.size()); });
  f(x, 1 << 30, 0.5f, Mode::train, "add");
  f(x, -(1 << 30), 1e-30f, Mode::test, "sub");
  EXPECT_THAT(log.text, HasSubstr("argument 1 is -1073741824 instead of 1073741824"));
  EXPECT_THAT(log.text, HasSubstr("argument 2 is 1e-30 instead of 0.5"));
  EXPECT_THAT(log.text, HasSubstr("argument 3 is enumerator 1 instead of enumerator 0"));
  EXPECT_THAT(log.text, HasSubstr("argument 4 is \"sub\" instead of \"add\""));
}

}  // namespace
}  // namespace weft
