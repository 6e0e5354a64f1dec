// compile(fn): limits, options and reports.
#include <algorithm>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <tests/jit/compile.h>
#include <vector>

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
  EXPECT_THAT(log.text, HasSubstr("compiles nothing by itself: argument 2 is true instead of false ("));
  EXPECT_THAT(log.text, HasSubstr("report_test.cpp:"));
}

TEST_F(Compile, TheLimitIsKept) {
  const auto shapes = [](const auto& f) {
    for (std::int64_t n = 1; n <= 4; ++n) EXPECT_EQ(sum(f(ones({n}))).item(), 3.0 * n);
  };
  const auto body = [](const Tensor& a) { return a * constant(3); };
  const auto evicts = compile(body, {.dynamic = Dynamic::off, .recompile_limit = 2});
  shapes(evicts);
  EXPECT_EQ(evicts.explain().programs.size(), 2u);
  EXPECT_EQ(evicts.explain().evicted, 2u);
  clear_graph_cache();
  const auto interprets =
      compile(body, {.dynamic = Dynamic::off, .recompile_limit = 2, .limit_policy = LimitPolicy::interpret});
  shapes(interprets);
  EXPECT_EQ(interprets.explain().compiles, 2u);
  clear_graph_cache();
  const auto throws = compile(body, {.recompile_limit = 1, .limit_policy = LimitPolicy::error, .name = "throws"});
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

TEST_F(Compile, TheLimitCountsProgramsThatAnotherFunctionHasCompiled) {
  const auto body = [](const Tensor& a) { return a * constant(3); };
  const auto sizes = [](const auto& f, std::int64_t most) {
    for (std::int64_t n = 1; n <= most; ++n) EXPECT_EQ(sum(f(ones({n}))).item(), 3.0 * n);
  };
  const auto limited = [&](LimitPolicy policy) {
    return compile(body, {.dynamic = Dynamic::off, .recompile_limit = 2, .limit_policy = policy});
  };
  sizes(compile(body, {.dynamic = Dynamic::off}), 4);
  const auto evicts = limited(LimitPolicy::evict);
  sizes(evicts, 4);
  EXPECT_EQ(evicts.explain().compiles, 0u);
  EXPECT_EQ(evicts.explain().programs.size(), 2u);
  const auto throws = limited(LimitPolicy::error);
  sizes(throws, 2);
  EXPECT_THROW(throws(longer), RecompileError);
  sizes(throws, 2);
  const auto interprets = limited(LimitPolicy::interpret);
  sizes(interprets, 4);
  EXPECT_EQ(interprets.explain().programs.size(), 2u);
}

// All graphs of a cut call are known when it runs again.
TEST_F(Compile, TheLimitLetsWhatIsCutRunAgain) {
  const auto f = compile(
      [](const Tensor& a) {
        const Tensor b = a * constant(3);
        return sum(b).item() > 0 ? b + 1 : b - 1;
      },
      {.dynamic = Dynamic::off, .recompile_limit = 1, .limit_policy = LimitPolicy::error});
  for (int i = 0; i < 3; ++i) EXPECT_THAT(f(x).to_vector<float>(), ElementsAre(4, 7, 10));
  EXPECT_THROW(f(longer), RecompileError);
  EXPECT_THAT(f(x).to_vector<float>(), ElementsAre(4, 7, 10));
}

TEST_F(Compile, Stances) {
  const auto f = counted();
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
                         {.dynamic = Dynamic::off, .recompile_limit = 2, .limit_policy = LimitPolicy::generalise});
  for (std::int64_t n = 1; n <= 6; ++n) EXPECT_EQ(sum(f(ones({n}))).item(), 4.0 * n);
  EXPECT_EQ(f.explain().compiles, 3u) << "two of their own, and one for all others";
  EXPECT_THAT(log.text, HasSubstr("recompile_limit of 2 programs is exceeded: sizes are symbols from now on"));
}

TEST_F(Compile, ContradictingOptions) {
  const auto body = [](const Tensor& a) { return a + 1; };
  EXPECT_THROW(compile(body, {.recompile_limit = 0}), Error);
  EXPECT_THROW(compile(body, {.fullgraph = true, .limit_policy = LimitPolicy::interpret}), Error);
}

struct Sample {
  Tensor image;
  std::map<std::string, Tensor> more;
  std::optional<Tensor> mask;
  std::string mode;
  bool flipped = false;
  void fields(auto&& field) {
    field("image", image);
    field("more", more);
    field("mask", mask);
    field("mode", mode);
    field("flipped", flipped);
  }
};

// Returns the lines that are logged while a function is called.
std::string said_of(const auto& calls) {
  const LogOf log("recompiles");
  calls();
  std::string ours;
  std::istringstream lines(log.text);
  for (std::string line; std::getline(lines, line);)
    if (!line.starts_with("sync: ")) ours += line + '\n';
  return ours;
}

TEST_F(Compile, ArgumentsOfAnotherStructureAreComparedByPath) {
  const auto f = compile([](const Sample& s) {
    Tensor total = s.mask ? s.image * *s.mask : s.image;
    for (const auto& [name, value] : s.more) total = total + value;
    return total;
  });
  const Sample plain{.image = x, .more = {}, .mask = {}, .mode = "a", .flipped = false};
  f(plain);
  Sample other = plain;
  other.more = {{"left", y}};
  std::string said = said_of([&] { f(other); });
  EXPECT_THAT(said, HasSubstr("argument 0.more is 1 elements instead of 0 elements ("));
  other = plain;
  other.mask = y;
  said = said_of([&] { f(other); });
  EXPECT_THAT(said, HasSubstr("argument 0.mask is tensor<3xf32> instead of nothing ("));
  other.mask.reset();
  other.mode = "another one";
  said = said_of([&] { f(other); });
  EXPECT_THAT(said, HasSubstr("recorded again, not compiled"));
  EXPECT_THAT(said, HasSubstr("ms: argument 0.mode is \"another one\" instead of \"a\"\n"));
  const auto all = compile([](const auto&... each) { return (each + ...); });
  all(x, y);
  said = said_of([&] { all(x, y, x * 2); });
  EXPECT_THAT(said, HasSubstr("argument 2 is new: tensor<3xf32> ("));
}

TEST_F(Compile, KeysOfMapsAreNames) {
  using Named = std::map<std::string, Tensor>;
  const auto f = compile([](const Named& a) { return a.begin()->second + 1; });
  f(Named{{"left", x}});
  const std::string said = said_of([&] { f(Named{{"right", x}}); });
  EXPECT_THAT(said, HasSubstr("argument 0.right is new: tensor<3xf32>; and argument 0.left is left out\n"));
}

TEST_F(Compile, WhatBecomesOfSizesIsSaid) {
  const auto twice = [&](CompileOptions options, auto body) {
    clear_graph_cache();
    const auto f = compile(body, std::move(options));
    f(x);
    const std::string said = said_of([&] { f(longer); });
    EXPECT_THAT(f.explain().recompiles, testing::Contains(HasSubstr("tensor<4xf32> instead of tensor<3xf32>")));
    return std::pair(said, f.explain());
  };
  const auto body = [](const Tensor& a) { return a * constant(3) + 1; };
  {
    const auto [said, told] = twice({}, body);
    EXPECT_THAT(said, HasSubstr("one program serves all sizes from now on; mark_dynamic of dimension 0 of argument 0 "
                                "before the first call saves this compile ("));
    EXPECT_EQ(told.sizes, "");
  }
  const auto alone = [&](CompileOptions options, const char* why) {
    const auto [said, told] = twice(std::move(options), body);
    EXPECT_THAT(said, HasSubstr(why));
    EXPECT_THAT(said, testing::Not(HasSubstr("one program serves all sizes")));
    EXPECT_THAT(told.sizes, HasSubstr(why));
    EXPECT_THAT(told.text(), HasSubstr(concat("sizes: ", why)));
    EXPECT_THAT(told.json(), HasSubstr(why));
  };
  alone({.activation_memory_bytes = 1 << 20}, "activation_memory_bytes needs a program for each size");
  alone({.dynamic = Dynamic::off}, "dynamic off: a program for each size");
}

// If no program can serve several sizes, the report says so.
TEST_F(Compile, SizesThatHaveNoProgramInCommonAreReported) {
  const auto f = compile([](const Tensor& a) {
    return for_loop(2, std::vector{a}, [](const Tensor&, const std::vector<Tensor>& s) {
      return std::vector{s[0] * sum(ones({s[0].size(0) * 7919 % 13 + 2}))};
    })[0];
  });
  std::string said;
  for (std::int64_t n = 3; n < 12; ++n) {
    const Tensor a = ones({n});
    sync();
    said = said_of([&] { f(a); });
  }
  EXPECT_THAT(said, HasSubstr("recompile: the function of "));
  EXPECT_THAT(said, HasSubstr("every size gets its own program, because "));
  EXPECT_THAT(said, HasSubstr("mark_buckets"));
  EXPECT_THAT(f.explain().sizes, HasSubstr("every size gets its own program, because "));
}

TEST_F(Compile, ValuesAreNotBlamedForCompiles) {
  const auto f = compile([](const Tensor& a, double by, bool) { return a * by; });
  f(x, 2, false);
  std::string said = said_of([&] { f(x.to(DType::f64), 3, true); });
  EXPECT_THAT(said, HasSubstr("recompile: the function of "));
  EXPECT_THAT(said, HasSubstr("argument 0 is tensor<3xf64> instead of tensor<3xf32>, first used at "));
  EXPECT_THAT(said, HasSubstr("recorded again for, which compiles nothing by itself: argument 1 is 3 instead of 2: as "
                              "a weft::Scalar or a Tensor it is an input, and replayed; and argument 2 is true instead "
                              "of false ("));
  nn::Linear first(3, 3), second(3, 3);
  const auto block = compile([](const nn::Linear& linear, const Tensor& a) { return linear(a); });
  const Tensor in = ones({1, 3});
  block(first, in);
  said = said_of([&] { block(second, in); });
  EXPECT_THAT(said, HasSubstr("recorded again, not compiled"));
  EXPECT_THAT(said, HasSubstr("argument 0.weight and 1 more are from another instance of the same type, which the same "
                              "program serves\n"));
}

TEST_F(Compile, StateThatChangedIsNamedWithItsPlace) {
  Flag twice;
  Scalar limit = 0;
  Parameter state(zeros({3}));
  const auto f = compile([&](const Tensor& a, const Scalar& by) {
    const Tensor b = a + state;
    return (twice ? b * 2 : b * 3) * (limit > 1 ? 4 : 5) * (by > 1 ? 6 : 7);
  });
  f(x, 0);
  const auto place = testing::ContainsRegex("after .*report_test.cpp:[0-9]+");
  twice = true;
  std::string said = said_of([&] { f(x, 0); });
  EXPECT_THAT(said, HasSubstr("a Flag that the function reads on the host, after "));
  EXPECT_THAT(said, place);
  EXPECT_THAT(said, HasSubstr(", is true instead of false: each of its values is recorded once\n"));
  limit = 2;
  said = said_of([&] { f(x, 0); });
  EXPECT_THAT(said, HasSubstr("a Scalar that the function reads on the host, after "));
  EXPECT_THAT(said, place);
  EXPECT_THAT(said, HasSubstr(", is 2 instead of 0: given to an operation unread it is an input, and replayed\n"));
  said = said_of([&] { f(x, 2); });
  EXPECT_THAT(said, HasSubstr("argument 1, a Scalar, that the function reads"));
  state.reset(zeros({1}));
  said = said_of([&] { f(x, 2); });
  EXPECT_THAT(said, testing::ContainsRegex("a parameter of the function, first used at .*report_test.cpp:[0-9]+"));
  EXPECT_THAT(said,
              HasSubstr(", is tensor<1xf32> instead of tensor<3xf32>: something assigned a value of another type"));
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

// The first compile of a function is not a recompile, whatever was compiled before.
TEST_F(Compile, AFirstCompileIsNoRecompile) {
  const LogOf log("recompiles");
  compile([](const Tensor& a) { return exp(a) * 2; })(x);
  compile([](const Tensor& a) { return sqrt(a) + 1; })(x);
  EXPECT_EQ(log.text, "");
}

struct Layers {
  std::vector<nn::Linear> all;
  explicit Layers(int depth) {
    for (int i = 0; i < depth; ++i) all.emplace_back(6, 6);
  }
  void fields(auto&& field) { field("layers", all); }
};

// Repeated layers are compiled once; the report says so, and names them.
TEST_F(Compile, ExplainTellsWhatLayersShare) {
  const Layers net(5);
  const auto f = compile([&](const Tensor& a) {
    Tensor at = a;
    for (const nn::Linear& layer : net.all) at = softmax(layer(at));
    return at;
  });
  f(ones({4, 6}));
  const Explanation told = f.explain();
  const auto& shared = told.programs.at(0).shared;
  ASSERT_FALSE(shared.empty());
  EXPECT_THAT(shared, testing::Contains(testing::Field(&compiler::SharedCode::calls, testing::Ge(4))));
  EXPECT_THAT(told.details(), HasSubstr(concat("the code of ", shared[0].name, " is made once and called ",
                                               shared[0].calls, " times at ")));
  EXPECT_THAT(told.details(), HasSubstr("report_test.cpp:"));
  EXPECT_THAT(told.json(), HasSubstr("\"shared\""));
}

struct Stage {
  nn::Conv2d first{8, 8, {3, 3}, {.padding = {1, 1}}}, second{8, 8, {3, 3}, {.padding = {1, 1}}};
  nn::BatchNorm after_first{8}, after_second{8};
  nn::Dropout dropout{0.1};
  Tensor operator()(const Tensor& x) const {
    return relu(x + dropout(after_second(second(relu(after_first(first(x)))))));
  }
  void fields(auto&& field) {
    field("first", first);
    field("second", second);
    field("after_first", after_first);
    field("after_second", after_second);
    field("dropout", dropout);
  }
};

struct Residual {
  std::vector<Stage> stages = std::vector<Stage>(3);
  nn::Linear head{8, 10};
  Tensor operator()(const Tensor& x) const {
    Tensor at = x;
    for (const Stage& stage : stages) at = stage(at);
    return head(mean(at, {2, 3}));
  }
  void fields(auto&& field) {
    field("stages", stages);
    field("head", head);
  }
};

TEST_F(Compile, TheShortTextOfAResidualNetworkFitsOnAPage) {
  Residual net;
  optim::AdamW optimizer(net, {.lr = 1e-3});
  const auto step = compile([&](const Tensor& images, const Tensor& labels) {
    const Tensor loss = nn::cross_entropy(net(images), labels);
    optimizer.step(grad(loss, optimizer.parameters()));
    return loss;
  });
  const Tensor images = ones({2, 8, 6, 6}), labels = full({2}, 3, DType::i32);
  for (int i = 0; i < 2; ++i) step(images, labels);
  const Explanation told = step.explain();
  const std::string text = told.text();
  EXPECT_LE(std::ranges::count(text, '\n'), 40) << text;
  EXPECT_GE(std::ranges::count(told.details(), '\n'), 100);
  for (const char* part : {"kernels: ", "largest: ", "fused: ", "compiling took ", "training is true in stages.0.",
                           "requires_grad is true in ", "replayed 1 time\n", "details()"})
    EXPECT_THAT(text, HasSubstr(part));
  // A flag is reported with its name and its owner.
  set_training(net.stages[1].dropout, false);
  step(images, labels);
  EXPECT_THAT(step.explain().recompiles.at(0), HasSubstr("training of stages.1.dropout, a Flag"));
}

TEST_F(Compile, TheShortTextCountsEqualLines) {
  Residual net;
  optim::SGD optimizer(net, {.lr = 0.1, .momentum = 0.9});
  const auto step = compile([&](const Tensor& images, const Tensor& labels) {
    const Tensor loss = nn::cross_entropy(net(images), labels);
    optimizer.step(grad(loss, optimizer.parameters()));
    return loss;
  });
  step(ones({2, 8, 6, 6}), full({2}, 3, DType::i32));
  const Explanation told = step.explain();
  std::istringstream lines(told.text());
  std::map<std::string, int> times;
  for (std::string line; std::getline(lines, line);) EXPECT_EQ(++times[line], 1) << line;
  const std::size_t frozen = told.programs.at(0).frozen.size();  // a momentum of each parameter, all made by one line
  ASSERT_GT(frozen, 3u);
  EXPECT_THAT(told.text(), HasSubstr(concat("; ", frozen, " times\n")));
}

}  // namespace
}  // namespace weft
