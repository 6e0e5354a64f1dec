// compile(fn): pinned handles, which check little, and check_replays, which checks everything.
#include <atomic>
#include <tests/jit/compile.h>
#include <thread>

#include <weft/base/diagnostics.h>
#include <weft/base/knobs.h>

namespace weft {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST_F(Compile, CapturedTensorsAreConstantsAndCheckingFindsChanges) {
  Tensor captured = x;
  double factor = 2;
  const auto plain = compile([&](const Tensor& a) { return (a + captured) * factor; });
  EXPECT_THAT(plain(x).to_vector<float>(), ElementsAre(4, 8, 12));
  EXPECT_THAT(plain.explain().programs[0].frozen, testing::SizeIs(2));
  const auto checked = compile([&](const Tensor& a) { return (a + captured) * factor; }, {.check_replays = true});
  for (int i = 0; i < 2; ++i) EXPECT_THAT(checked(x).to_vector<float>(), ElementsAre(4, 8, 12));
  const auto expect_found = [&](const char* what) {
    try {
      checked(x);
      ADD_FAILURE() << what;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr(what));
    }
  };
  factor = 3;
  expect_found("the number used at");
  checked(x);
  captured = y;
  expect_found("the captured tensor used at");
}

struct Scaled {
  Parameter weight{ones({3})};
  double scale = 2;  // a plain member, which replays do not read
  Tensor operator()(const Tensor& a) { return a * weight * scale; }
  void fields(auto&& field) { field("weight", weight); }
};

TEST_F(Compile, DebuggingTellsOnceWhichPlainMemberHasChanged) {
  std::vector<diagnostics::Event> told;
  const diagnostics::Sink sink([&](const diagnostics::Event& event) {
    if (event.kind == diagnostics::Kind::stale_capture) told.push_back(event);
  });
  const auto results = [&](bool debug) {
    const knobs::Override debugging{knobs::debug, debug};
    Scaled model;
    const auto f = compile(model, {.name = "f"});
    std::vector<float> first;
    for (int i = 0; i < 12; ++i) {
      if (i == 3) model.scale = 5;
      first.push_back(f(x).to_vector<float>()[0]);
    }
    return first;
  };
  EXPECT_THAT(results(false), testing::Each(2));
  EXPECT_THAT(told, testing::IsEmpty());
  EXPECT_THAT(results(true), ElementsAre(2, 2, 2, 2, 5, 5, 5, 5, 5, 5, 5, 5));
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].subject, "f");
  EXPECT_THAT(told[0].reason, HasSubstr("checked_replays_test.cpp:"));
  EXPECT_THAT(told[0].reason, HasSubstr("the number used at"));
}

// A plain variable changes what the function writes, reads or returns, which a replay would miss.
TEST_F(Compile, CheckingFindsWhatComesFromElsewhere) {
  const auto expect_found = [&](auto body, auto change, const std::vector<const char*>& said) {
    const auto f = compile(body, {.check_replays = true, .name = "f"});
    for (int i = 0; i < 3; ++i) f(x, y);
    change();
    try {
      f(x, y);
      ADD_FAILURE() << said[0];
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("f: a replay would have been wrong: "));
      for (const char* part : said) EXPECT_THAT(error.what(), HasSubstr(part));
    }
    f(x, y);
  };
  bool other = false;
  const auto change = [&] { other = true; };
  const auto check = [&](auto body, const std::vector<const char*>& said) {
    other = false;
    expect_found(body, change, said);
  };
  Parameter one(zeros({3})), two(zeros({3}));
  check(
      [&](const Tensor& a, const Tensor&) {
        (other ? two : one) = a * 2;
        return a + 1;
      },
      {"a different parameter is assigned the value made at ", "checked_replays_test.cpp:"});
  check(
      [&](const Tensor& a, const Tensor&) {
        const Tensor b = a * 2, c = a + 1;
        one = other ? c : b;
        two = other ? b : c;
      },
      {"the new value of a parameter is the value made at ", " now instead of the value made at "});
  check(
      [&](const Tensor& a, const Tensor& b) {
        one = a * 2;
        if (!other) two = b;
        return a * 2;
      },
      {"of the 2 parameters that a replay updates only 1 are updated now"});
  check(
      [&](const Tensor& a, const Tensor& b) {
        const Tensor c = a * 2, d = b + 1;
        return other ? std::pair(d, c) : std::pair(c, d);
      },
      {"result 0 is the value made at ", "checked_replays_test.cpp:", "a weft::Flag"});
  check([&](const Tensor& a, const Tensor& b) { return std::pair(a * b, other ? a : b); },
        {"result 1 is argument 0 now instead of argument 1"});
  check([&](const Tensor& a, const Tensor&) { return std::vector<Tensor>(other ? 2 : 1, a * 2); },
        {"the function returns 2 tensors now instead of 1"});
  const Scalar rate = 1, equal = 1;
  check([&](const Tensor& a, const Tensor&) { return a * (other ? equal : rate); },
        {"the number used at ", "now has a different source, such as another Scalar"});
  check([&](const Tensor& a, const Tensor&) { return other ? a * 1.0 : a * rate; },
        {"the number used at ", "now has a different source"});
  check([&](const Tensor& a, const Tensor&) { return a + (other ? two : one); },
        {"an input used at ", "instead of the parameter first used at "});
}

TEST_F(Compile, CheckingBelongsToTheCall) {
  const auto f = compile([](const Tensor& a, bool twice) { return twice ? a * 2 : a + 1; }, {.check_replays = true});
  f(x, true);
  f(x, false);
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (const bool twice : {true, false})
    threads.emplace_back([&, twice] {
      try {
        for (int i = 0; i < 200; ++i) wrong += sum(f(x, twice)).item() != (twice ? 12 : 9);
      } catch (const Error&) {
        wrong += 1000;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(Compile, PinnedReplaysWithoutLooking) {
  Parameter total(zeros({3}));
  const auto f = compile([&](const Tensor& a) {
    total = total + a;
    return sum(total);
  });
  EXPECT_THROW(f.pinned(), Error);
  f(x);
  const auto pinned = f.pinned();
  EXPECT_EQ(pinned(y).item(), 66);
  EXPECT_EQ(pinned(x).item(), 72);
  EXPECT_THROW(pinned(longer), Error) << "the device still checks the types";
  EXPECT_EQ(pinned(x).item(), 78);
}

TEST_F(Compile, PinnedTakesArgumentsOfTheSameStructureOnly) {
  const auto f =
      compile([](const std::vector<Tensor>& parts) { return parts[0] + parts[parts.size() - 1]; }, {.name = "f"});
  f(std::vector{x, y});
  const auto pinned = f.pinned();
  EXPECT_THAT(pinned(std::vector{y, y}).to_vector<float>(), ElementsAre(20, 40, 60));
  try {
    pinned(std::vector{x});
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "f: pinned: the arguments hold 2 leaves instead of 3");
  }
  try {
    pinned(std::vector{x, Tensor()});
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "f: pinned: argument 0.1 is undefined instead of tensor<3xf32>");
  }
}

}  // namespace
}  // namespace weft
