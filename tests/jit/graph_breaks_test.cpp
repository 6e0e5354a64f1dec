// compile(fn): values that are read inside the function, and other reasons to record every call.
#include <sstream>
#include <tests/jit/compile.h>

namespace weft {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST_F(Compile, ReadingAValueCutsTheGraph) {
  const auto f = compile(
      [&](const Tensor& a) {
        ++runs;
        const Tensor total = sum(a);
        if (total.item() > 10) return a - total;
        return a + total;
      },
      {.name = "f"});
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(f(x).to_vector<float>(), ElementsAre(7, 8, 9));
    EXPECT_THAT(f(y).to_vector<float>(), ElementsAre(-50, -40, -30));
  }
  EXPECT_EQ(runs, 4);
  const Explanation e = f.explain();
  ASSERT_EQ(e.breaks.size(), 1u) << e;
  EXPECT_THAT(e.breaks[0].reason, HasSubstr("item reads tensor<f32>"));
  EXPECT_THAT(e.breaks[0].place, HasSubstr("graph_breaks_test.cpp:"));
  EXPECT_EQ(e.breaks[0].count, 4u);
  EXPECT_GT(e.breaks[0].ms, 0);
  EXPECT_EQ(e.programs.size(), 1u) << "the others were replaced";
  EXPECT_THAT(e.text(), HasSubstr("graph break: item reads"));

  Parameter state(x);
  const auto whole = compile(
      [&](const Tensor& a) {
        state = state + a;
        return state * (sum(state).item() > 0 ? 1.0 : 2.0);
      },
      {.fullgraph = true, .name = "whole"});
  try {
    whole(x);
    FAIL();
  } catch (const GraphBreakError& error) {
    EXPECT_THAT(error.what(), HasSubstr("whole: item reads tensor<f32>, made at "));
    EXPECT_THAT(error.what(), HasSubstr("where, cond or while_loop"));
  }
  EXPECT_THAT(state.tensor().to_vector<float>(), ElementsAre(1, 2, 3)) << "as it was before the call";
}

TEST_F(Compile, PrintingCutsTheGraphWhereTheValueIsMade) {
  std::ostringstream printed;
  const auto f = compile([&](const Tensor& a) {
    printed << a * 2;
    return a + 1;
  });
  f(x);
  const Explanation e = f.explain();
  ASSERT_EQ(e.breaks.size(), 1u) << e;
  EXPECT_THAT(e.breaks[0].reason, HasSubstr("printing reads tensor<3xf32>"));
  EXPECT_THAT(e.breaks[0].place, HasSubstr("graph_breaks_test.cpp:"));
  EXPECT_THAT(printed.str(), HasSubstr("4"));
}

TEST_F(Compile, WhatAReplayCouldNotDoIsRecordedInEveryCall) {
  Tensor kept;
  const auto keeps = compile([&](const Tensor& a) {
    kept = a * 2;
    return a + 1;
  });
  for (int i = 0; i < 2; ++i) {
    keeps(x);
    EXPECT_THAT(kept.to_vector<float>(), ElementsAre(2, 4, 6));
    keeps(y);
    EXPECT_THAT(kept.to_vector<float>(), ElementsAre(20, 40, 60));
  }
  EXPECT_EQ(counts(keeps), Counts(4, 1));
  EXPECT_THAT(keeps.explain().programs[0].rerecorded_because, HasSubstr("keeps a tensor of type tensor<3xf32>"));

  Scalar rate = 8;
  const auto halves = compile([&](const Tensor& a) {
    rate = rate / 2;
    return a * rate;
  });
  EXPECT_THAT(halves(x).to_vector<float>(), ElementsAre(4, 8, 12));
  EXPECT_THAT(halves(x).to_vector<float>(), ElementsAre(2, 4, 6));

  const auto folds = compile([&](const Tensor& a) {
    return a + random::uniform(random::fold_in(random::default_generator().next(), 3), {3});
  });
  EXPECT_NE(folds(x).to_vector<float>(), folds(x).to_vector<float>());
  const auto both = compile([&](const Tensor& a) {
    const random::Key key = random::default_generator().next();
    return a + random::uniform(key, {3}) + random::uniform(random::fold_in(key, 3), {3});
  });
  both(x);
  EXPECT_THAT(both.explain().programs[0].rerecorded_because, HasSubstr("random keys"));
  const auto keyed = compile([](const Tensor& a, random::Key key) { return a + random::uniform(key, {3}); });
  const random::Key one(1), two(2);
  EXPECT_EQ(keyed(x, one).to_vector<float>(), (x + random::uniform(one, {3})).to_vector<float>());
  const std::uint64_t compiled = counts(keyed).second;
  EXPECT_EQ(keyed(x, two).to_vector<float>(), (x + random::uniform(two, {3})).to_vector<float>());
  EXPECT_EQ(counts(keyed).second, compiled) << "another key is no other program";

  Parameter frozen(x), trained(y);
  const auto chooses = compile([&] {
    Tensor total = trained;
    if (frozen.requires_grad) total = total + frozen;
    return sum(total);
  });
  EXPECT_EQ(chooses().item(), 66);
  frozen.requires_grad = false;
  EXPECT_EQ(chooses().item(), 60);
}

}  // namespace
}  // namespace weft
