// compile(fn) with aliases: among the arguments, between arguments and captured tensors, in parameters, in results.
#include <tests/jit/compile.h>
#include <tests/tensor/check.h>
#include <vector>

namespace weft {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Both {
  Tensor given, first, second;
  void fields(auto&& field) {
    field("given", given);
    field("first", first);
    field("second", second);
  }
};

class Aliases : public Compile {
 protected:
  using Floats = std::vector<float>;
};

TEST_F(Aliases, GradientByATensorThatIsGivenTwice) {
  const auto function = [](const Tensor& a, const Tensor& b) { return grad(sum(a * a * b), a); };
  EXPECT_EQ(function(x, x).to_vector<float>(), Floats({3, 12, 27}));
  clear_graph_cache();
  const auto starts_apart = compile(function), starts_alike = compile(function);
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(starts_apart(x, y).to_vector<float>(), Floats({20, 80, 180}));
    EXPECT_EQ(starts_apart(y, y).to_vector<float>(), Floats({300, 1200, 2700}));
  }
  EXPECT_EQ(counts(starts_apart), Counts(2, 2));
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(starts_alike(x, x).to_vector<float>(), Floats({3, 12, 27}));
    EXPECT_EQ(starts_alike(x, y).to_vector<float>(), Floats({20, 80, 180}));
  }
  EXPECT_THAT(starts_apart.explain().recompiles,
              ElementsAre(HasSubstr(
                  "argument 0 and argument 1 are the same tensor: a gradient with respect to one includes the other")));
}

TEST_F(Aliases, GradientByAParameterThatIsAnArgumentToo) {
  Parameter weight(x);
  const auto f = compile([&](const Tensor& a) { return grad(sum(a * weight), weight); });
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(f(y).to_vector<float>(), Floats({10, 20, 30}));
    EXPECT_EQ(f(weight).to_vector<float>(), Floats({2, 4, 6}));
  }
  weight = y;  // the parameter has another value now, so its old tensor is an ordinary tensor
  EXPECT_EQ(f(x).to_vector<float>(), Floats({1, 2, 3}));
  EXPECT_EQ(f(weight).to_vector<float>(), Floats({20, 40, 60}));
}

TEST_F(Aliases, GradientByACapturedTensorThatIsAnArgumentToo) {
  const Tensor captured = tensor({1.f, 2.f, 3.f});
  const auto f = compile([=](const Tensor& a) { return grad(sum(a * captured), a); });
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(f(captured).to_vector<float>(), Floats({2, 4, 6}));
    EXPECT_EQ(f(y).to_vector<float>(), Floats({1, 2, 3}));
  }
}

TEST_F(Aliases, WithoutGradientsByThemOneProgramServesAll) {
  const auto f = compile([](const Tensor& a, const Tensor& b) { return a * b + a; });
  EXPECT_EQ(f(x, y).to_vector<float>(), Floats({11, 42, 93}));
  EXPECT_EQ(f(x, x).to_vector<float>(), Floats({2, 6, 12}));
  EXPECT_EQ(counts(f), Counts(1, 1));
  const auto starts_alike = compile([](const Tensor& a, const Tensor& b) { return a * b - a; });
  EXPECT_EQ(starts_alike(x, x).to_vector<float>(), Floats({0, 2, 6}));
  EXPECT_EQ(starts_alike(x, y).to_vector<float>(), Floats({9, 38, 87}));
  EXPECT_EQ(counts(starts_alike), Counts(1, 1));
  const auto checked = compile([](const Tensor& a, const Tensor& b) { return a * b + a; }, {.check_replays = true});
  checked(x, y);
  EXPECT_EQ(checked(x, x).to_vector<float>(), Floats({2, 6, 12}));
}

TEST_F(Aliases, AHandleIsForWhatWasOneTensorInThePinnedCall) {
  const auto f = compile([](const Tensor& a, const Tensor& b) { return grad(sum(a * b), a); });
  f(x, y);
  const auto pinned = f.pinned();
  EXPECT_EQ(pinned(y, x).to_vector<float>(), Floats({1, 2, 3}));
  try {
    pinned(x, x);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("pinned: other arguments are one and the same tensor"));
  }
}

TEST_F(Aliases, AParameterGivesBackWhatItWasGiven) {
  Parameter weight(tensor({7.f, 8.f, 9.f}));
  const auto f = compile([&](const Tensor& a) {
    weight = a;
    return weight * 2;
  });
  EXPECT_EQ(f(x).to_vector<float>(), Floats({2, 4, 6}));
  EXPECT_EQ(f(y).to_vector<float>(), Floats({20, 40, 60}));
  EXPECT_EQ(f(x).to_vector<float>(), Floats({2, 4, 6}));
  EXPECT_EQ(weight.tensor().to_vector<float>(), Floats({1, 2, 3}));
}

TEST_F(Aliases, ACopyOfAParameterIsAnotherOne) {
  Parameter online(x), target = online, assigned;
  assigned = online;
  const auto by_online = [&] { return grad(sum(online * target * assigned), online); };
  EXPECT_EQ(by_online().to_vector<float>(), Floats({1, 4, 9}));
  EXPECT_EQ(compile(by_online)().to_vector<float>(), Floats({1, 4, 9}));
}

TEST_F(Aliases, ParametersThatWereGivenOneTensorAreThatTensor) {
  Parameter first(y), second(y);
  const auto step = [&](const Tensor& a) {
    first = a;
    second = a;
    return grad(sum(first * second), first);
  };
  const auto compiled = compile(step);
  const auto both = [&] { return grad(sum(first * second), first); };
  const auto compiled_both = compile(both);
  EXPECT_EQ(compiled_both().to_vector<float>(), Floats({20, 40, 60}));
  for (int round = 0; round < 3; ++round) {
    const Tensor a = x + round;
    sync();
    const Floats want = (a * 2).to_vector<float>();
    EXPECT_EQ(compiled(a).to_vector<float>(), want);
    EXPECT_EQ(both().to_vector<float>(), want);
    EXPECT_EQ(compiled_both().to_vector<float>(), want);
    second = a + 0;
    EXPECT_EQ(compiled_both().to_vector<float>(), a.to_vector<float>());
  }
}

TEST_F(Aliases, ResultsAreTheTensorsThatTheFunctionReturned) {
  const auto f = compile([](const Tensor& a) {
    const Tensor b = a + 1;
    return Both{a, b, b};
  });
  for (int round = 0; round < 2; ++round) {
    const Both both = f(y);
    EXPECT_EQ(&both.given.impl(), &y.impl());
    EXPECT_EQ(&both.first.impl(), &both.second.impl());
    EXPECT_EQ(both.first.to_vector<float>(), Floats({11, 21, 31}));
  }
}

}  // namespace
}  // namespace weft
