// compile(fn): what a function can observe of being run for samples.
#include <tests/error_of.h>
#include <tests/jit/compile.h>
#include <vector>

namespace weft {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Samples : public Compile {
 protected:
  static Tensor marked(std::int64_t n) {
    Tensor a = arange(2 * n).to(DType::f32);
    a = reshape(a, {n, 2});
    sync();
    mark_dynamic(a, 0, {.name = "batch"});
    return a;
  }
};

// The call itself runs first, and does not run again if it takes a different path.
TEST_F(Samples, TheFunctionRunsOnceForTheCallAndOnceForAnotherSize) {
  std::vector<std::int64_t> sizes;
  const auto f = compile([&](const Tensor& a) {
    sizes.push_back(a.size(0));
    return a.size(0) > 16 ? abs(a) : a * 2;
  });
  f(marked(8));
  f(marked(40));
  ASSERT_EQ(sizes.size(), 4u);
  EXPECT_EQ(sizes[0], 8);
  EXPECT_EQ(sizes[2], 40);
}

// The function reads a value only for other sizes: it then sees the value of a call with such a batch.
TEST_F(Samples, ARead) {
  std::vector<float> seen;
  Parameter total(zeros({2}));
  random::Generator generator{.seed = 3};
  const auto f = compile([&](const Tensor& a) {
    total = total + sum(a, 0) + random::uniform(generator.next(), {2}) * 0;
    if (a.size(0) != 3) {
      seen = a.to_vector<float>();
      total = total * 2;
      seen.push_back(sum(total.tensor()).item<float>());
    }
    return total + 1;
  });
  const Tensor three = marked(3);
  EXPECT_THAT(f(three).to_vector<float>(), ElementsAre(7, 10));
  EXPECT_THAT(seen, ElementsAre(0, 1, 2, 3, 4, 5, 0, 1, 32)) << "four rows, the first once more";
  EXPECT_THAT(total.tensor().to_vector<float>(), ElementsAre(6, 9)) << "of the call alone";
  EXPECT_EQ(generator.calls, 1u);
  EXPECT_THAT(f(three).to_vector<float>(), ElementsAre(13, 19));
}

TEST_F(Samples, AFunctionOutsideOfTheGraph) {
  std::vector<float> seen;
  const auto outside = disable([&](const Tensor& a) {
    seen.push_back(sum(a).item<float>());
    return a * 3;
  });
  const auto f = compile([&](const Tensor& a) { return a.size(0) == 3 ? a * 2 : outside(a * 2); });
  EXPECT_EQ(sum(f(marked(3))).item(), 30);
  EXPECT_THAT(seen, ElementsAre(32));
}

// A function that would change captured state permanently is not sampled.
TEST_F(Samples, AFunctionThatChangesWhatItCaptured) {
  Scalar rate = 8;
  const auto halves = compile([&](const Tensor& a) {
    rate = rate / 2;
    return sum(a) * rate;
  });
  EXPECT_EQ(halves(marked(2)).item(), 24);
  EXPECT_EQ(halves(marked(3)).item(), 30);

  Tensor hidden = zeros({2});
  const auto cell = compile([&](const Tensor& a) {
    hidden = hidden + sum(a, 0);
    return hidden * 2;
  });
  EXPECT_THAT(cell(marked(2)).to_vector<float>(), ElementsAre(4, 8));
  EXPECT_THAT(cell(marked(3)).to_vector<float>(), ElementsAre(16, 26));
}

TEST_F(Samples, StateThatTheFirstCallMakes) {
  std::vector<Parameter> state;
  const auto f = compile([&](const Tensor& a) {
    if (state.empty()) state.emplace_back(zeros({2}));
    state[0] = state[0] + sum(a, 0);
    return state[0] * 2;
  });
  EXPECT_THAT(f(marked(2)).to_vector<float>(), ElementsAre(4, 8));
  EXPECT_THAT(f(marked(3)).to_vector<float>(), ElementsAre(16, 26));
}

// The number is that of the call, not of the sample.
TEST_F(Samples, NumbersAmongTheResults) {
  const auto f = compile([](const Tensor& a) { return std::pair(a * 2, a.size(0)); });
  const auto [doubled, rows] = f(marked(3));
  EXPECT_EQ(rows, 3);
  EXPECT_EQ(doubled.size(0), 3);
}

TEST_F(Samples, AnArgumentThatTheFunctionReplaces) {
  const auto f = compile([](Tensor& a) {
    a = a * 2;
    return sum(a);
  });
  Tensor given = marked(3);
  EXPECT_EQ(f(given).item(), 30);
  const auto moves = compile([](Tensor& a) { return std::exchange(a, Tensor()) * 2; });
  given = marked(3);
  EXPECT_EQ(sum(moves(given)).item(), 30);
}

// If the function catches everything, an operation that rejects other sizes is still noticed. It is not an error,
// because the function handles it.
TEST_F(Samples, SizesThatAFunctionThatCatchesEverythingDoesNotWorkWith) {
  const auto caught = [](const auto& f) {
    return [f](const auto&... a) {
      try {
        return f(a...);
      } catch (...) {
        return zeros({});
      }
    };
  };
  const Tensor fixed = ones({3, 2});
  const auto add = compile(caught([&](const Tensor& a) { return sum(a + fixed); }), {.name = "f"});
  const LogOf log("recompiles");
  EXPECT_EQ(add(marked(3)).item(), 21);
  EXPECT_EQ(add(marked(4)).item(), 0);
  EXPECT_THAT(log.text, HasSubstr("f: other sizes are not tried: add refuses what it is called with ("));
  EXPECT_THAT(log.text, HasSubstr("samples_test.cpp:"));
  for (const Dynamic dynamic : {Dynamic::automatic, Dynamic::on}) {
    clear_graph_cache();
    const auto shifted =
        compile(caught([](const Tensor& a, const Tensor& b) { return sum(a * slice(b, 0, 1)); }), {.dynamic = dynamic});
    for (const std::int64_t n : {5, 8, 3}) {
      const Tensor a = ones({n}), b = ones({n + 1});
      sync();
      if (dynamic == Dynamic::automatic) {
        mark_dynamic(a, 0, {.name = "a", .min = 1});
        mark_dynamic(b, 0, {.name = "b", .min = 1});
      }
      EXPECT_EQ(shifted(a, b).item(), static_cast<double>(n));
    }
    EXPECT_EQ(shifted.explain().compiles, 1u);
  }
}

TEST_F(Samples, AFunctionThatLivesOnExceptions) {
  const auto f = compile([](const Tensor& a) {
    try {
      return sum(matmul(a, a));
    } catch (const Error&) {
      return sum(a);
    }
  });
  for (const std::int64_t n : {3, 2, 4})
    EXPECT_EQ(f(marked(n)).item(), n == 2 ? 22 : static_cast<double>(n * (2 * n - 1)));
}

// In a noexcept function, an operation that rejects other sizes would end the process, so the function is not sampled.
TEST_F(Samples, SizesThatANoexceptFunctionDoesNotWorkWith) {
  const Tensor fixed = ones({3, 2});
  const auto f = compile([&](const Tensor& a) noexcept { return a + fixed; }, {.dynamic = Dynamic::on});
  EXPECT_EQ(sum(f(ones({3, 2}))).item(), 12);
  const auto linked = compile([](const Tensor& a, const Tensor& b) noexcept { return sum(a * narrow(b, 0, 1, 3)); });
  const Tensor a = ones({3, 2}), b = ones({4, 2});
  sync();
  mark_dynamic(a, 0, {.name = "a"});
  mark_dynamic(b, 0, {.name = "b"});
  EXPECT_EQ(linked(a, b).item(), 6);
}

}  // namespace
}  // namespace weft
