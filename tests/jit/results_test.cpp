// Arguments and results of compiled functions other than tensors: numbers and texts among the results, empty results,
// numbers of pinned calls, numbers that are written.
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tests/error_of.h>
#include <tests/jit/compile.h>
#include <utility>
#include <vector>

namespace weft {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

enum class Phase { begin, end };

struct Report {
  Tensor loss;
  int samples = 0;
  double rate = 0;
  bool is_last = false;
  Phase phase = Phase::begin;
  std::string text;
  void fields(auto&& field) {
    field("loss", loss);
    field("samples", samples);
    field("rate", rate);
    field("is_last", is_last);
    field("phase", phase);
    field("text", text);
  }
};

TEST_F(Compile, ReturnsNumbersAndTextsAsTheyWereRecorded) {
  const auto f = compile([&](const Tensor& a, int samples) {
    ++runs;
    return Report{sum(a), samples, 0.5, true, Phase::end, "a text of many characters"};
  });
  for (const int samples : {3, 5}) {
    for (int i = 0; i < 3; ++i) {
      const Report report = f(i == 0 ? x : y, samples);
      EXPECT_EQ(report.loss.item(), i == 0 ? 6 : 60);
      EXPECT_EQ(report.samples, samples);
      EXPECT_EQ(report.rate, 0.5);
      EXPECT_TRUE(report.is_last);
      EXPECT_EQ(report.phase, Phase::end);
      EXPECT_EQ(report.text, "a text of many characters");
    }
  }
  EXPECT_EQ(runs, 2);
  EXPECT_THAT(
      f.explain().programs[0].frozen,
      ElementsAre("the returned value samples, 5, is fixed", "the returned value rate, 0.5, is fixed",
                  "the returned value is_last, true, is fixed", "the returned value phase, enumerator 1, is fixed",
                  "the returned value text, \"a text of many characters\", is fixed"));
}

TEST_F(Compile, ReturnsPairsAndMapsWithNumbers) {
  const auto pair = compile([](const Tensor& a, double rate) { return std::pair{a * 2, rate}; });
  for (const double rate : {0.5, 0.5, 0.25}) {
    const auto [doubled, same] = pair(x, rate);
    EXPECT_THAT(doubled.to_vector<float>(), ElementsAre(2, 4, 6));
    EXPECT_EQ(same, rate);
  }
  const auto map = compile([](const Tensor& a) { return std::map<std::string, Tensor>{{"sum", sum(a)}}; });
  for (int i = 0; i < 2; ++i) EXPECT_EQ(map(x).at("sum").item(), 6);
  const auto number = compile([](const Tensor& a) { return a.size(0); });
  EXPECT_EQ(number(x), 3);
  EXPECT_EQ(number(x), 3);
  EXPECT_EQ(number(longer), 4);
}

// Keys are structure, and part of the names of the values.
TEST_F(Compile, KeysOfMapsAreNoValues) {
  using Named = std::map<std::string, Tensor>;
  using Counted = std::map<std::string, std::pair<Tensor, int>>;
  const auto f = compile([](const Named& a) {
    Counted all;
    for (const auto& [name, value] : a) all[name] = {value + value, static_cast<int>(value.size(0))};
    return all;
  });
  EXPECT_THAT(f(Named{{"left", x}}).at("left").first.to_vector<float>(), ElementsAre(2, 4, 6));
  const auto program = f.explain().programs.at(0);
  EXPECT_THAT(program.frozen, ElementsAre("the returned value left.1, 3, is fixed"));
  EXPECT_THAT(program.arguments, ElementsAre("0: 1 elements", "0.left: tensor<3xf32>"));
  const Counted right = f(Named{{"right", x}});
  EXPECT_EQ(right.at("right").second, 3);
  EXPECT_EQ(f(Named{{"left", y}}).at("left").first.to_vector<float>().at(0), 20);
  EXPECT_EQ(counts(f), Counts(2, 1)) << "another key, the same program";

  const auto ranks = compile([](const Tensor& a, int n) { return std::map<int, Tensor>{{n, a + a}}; },
                             {.check_replays = true, .name = "ranks"});
  EXPECT_THAT(ranks(x, -7).at(-7).to_vector<float>(), ElementsAre(2, 4, 6));
  EXPECT_THAT(ranks.explain().programs.at(0).frozen, IsEmpty());
  int key = 0;
  const auto changing = compile([&](const Tensor& a) { return std::map<int, Tensor>{{++key, a + a}}; },
                                {.check_replays = true, .name = "changing"});
  changing(x);
  EXPECT_THAT(error_of([&] { changing(x); }), HasSubstr("the function returns 2 instead of 1"));
}

TEST_F(Compile, ANumberThatComesFromATensorIsThatOfTheCall) {
  const auto f = compile([](const Tensor& a) { return std::pair{a * 2, sum(a).item()}; });
  EXPECT_EQ(f(x).second, 6);
  EXPECT_EQ(f(y).second, 60);
}

TEST_F(Compile, CheckingReplaysFindsAReturnedNumberThatChanges) {
  int calls = 0;
  const auto f =
      compile([&](const Tensor& a) { return std::pair{a * 2, ++calls}; }, {.check_replays = true, .name = "f"});
  EXPECT_EQ(f(x).second, 1);
  EXPECT_THAT(error_of([&] { f(x); }),
              HasSubstr("f: a replay would have been wrong: the function returns 2 instead of 1"));
}

TEST_F(Compile, ReturnsEmptyLists) {
  Parameter total(zeros({3}));
  const auto updates = compile([&](const Tensor& a) {
    total = total + a;
    return std::vector<Tensor>{};
  });
  for (int i = 0; i < 3; ++i) EXPECT_THAT(updates(x), IsEmpty());
  EXPECT_THAT(total.tensor().to_vector<float>(), ElementsAre(3, 6, 9));
  EXPECT_EQ(counts(updates), Counts(1, 1));

  const auto nothing = compile([](const Tensor& a, int n) { return std::vector<Tensor>(n, a); });
  EXPECT_THAT(nothing(x, 0), IsEmpty());
  EXPECT_THAT(nothing(x, 0), IsEmpty());
  EXPECT_EQ(nothing(x, 2).size(), 2u);
  EXPECT_FALSE(compile([](const Tensor&) { return std::optional<Tensor>(); })(x));
}

TEST_F(Compile, PinnedRefusesOtherNumbersAndOtherObjects) {
  const auto scaled = compile([](const Tensor& a, double by) { return a * by; }, {.name = "f"});
  scaled(x, 2.);
  const auto pinned = scaled.pinned();
  EXPECT_THAT(pinned(y, 2.).to_vector<float>(), ElementsAre(20, 40, 60));
  EXPECT_THAT(error_of([&] { pinned(x, 5.); }),
              HasSubstr("f: pinned: argument 1 is 5 instead of 2: numbers must equal those of the pinned call"));

  EXPECT_THAT(error_of([&] { pinned(longer, 2.); }),
              HasSubstr("f: pinned: argument 0 is tensor<4xf32> instead of tensor<3xf32>: a handle serves one type and "
                        "size: call the function and pin it for each of them"));

  const auto bound = compile([](const Tensor& a, Scalar by) { return a * by; });
  bound(x, 2.);
  EXPECT_THAT(bound.pinned()(x, 5.).to_vector<float>(), ElementsAre(5, 10, 15));

  const auto read = compile([](const Parameter& by, const Tensor& a) { return a * by; }, {.name = "f"});
  const Parameter two(full({3}, 2, DType::f32)), five(full({3}, 5, DType::f32));
  read(two, x);
  const auto pinned_two = read.pinned();
  EXPECT_THAT(pinned_two(two, y).to_vector<float>(), ElementsAre(20, 40, 60));
  EXPECT_THAT(error_of([&] { pinned_two(five, x); }), HasSubstr("it must be the same object as in the pinned call"));
}

// Calls that must not compile.
static_assert(jit::writes_plain_values<int&> && jit::writes_plain_values<std::string&> &&
              jit::writes_plain_values<Phase&> && jit::writes_plain_values<std::vector<int>&> &&
              jit::writes_plain_values<std::pair<Tensor, int>&> && jit::writes_plain_values<int*> &&
              jit::writes_plain_values<Shape&>);
static_assert(!jit::writes_plain_values<int> && !jit::writes_plain_values<const int&> &&
              !jit::writes_plain_values<const char*> && !jit::writes_plain_values<Tensor&> &&
              !jit::writes_plain_values<Parameter&> && !jit::writes_plain_values<Scalar&> &&
              !jit::writes_plain_values<Flag&> && !jit::writes_plain_values<Report&> &&
              !jit::writes_plain_values<std::vector<Tensor>&> &&
              !jit::writes_plain_values<std::map<std::string, Tensor>&> &&
              !jit::writes_plain_values<std::unique_ptr<nn::Linear>&> && !jit::writes_plain_values<const int*>);
static_assert(std::same_as<jit::HeldAsGiven<int&>, const int&> &&
              std::same_as<jit::HeldAsGiven<nn::Linear&>, nn::Linear&>);
static_assert(jit::is_owned<Tensor> && jit::is_owned<std::string> && jit::is_owned<std::vector<Tensor>> &&
              jit::is_owned<std::optional<Tensor>> && jit::is_owned<std::array<int, 2>>);
static_assert(!jit::is_owned<std::shared_ptr<Tensor>> && !jit::is_owned<Tensor*> && !jit::is_owned<const char*> &&
              !jit::is_owned<std::string_view> && !jit::is_owned<std::span<Tensor>>);

TEST_F(Compile, GenericFunctionsTakeNumbersAsConstants) {
  const auto f = compile([](const auto& a, auto& by, auto shift) {
    static_assert(std::is_const_v<std::remove_reference_t<decltype(by)>>);
    return a * by + shift;
  });
  int two = 2;
  EXPECT_THAT(f(x, two, 1).template to_vector<float>(), ElementsAre(3, 5, 7));
  EXPECT_THAT(f(x, two, 1).template to_vector<float>(), ElementsAre(3, 5, 7));
}

TEST(Results, StructsOfTheLibraryComeAndGo) {
  manual_seed(1);
  nn::LSTM lstm(3, 4);
  nn::GRU gru(3, 4);
  const Tensor x = random::normal(random::Key(2), {2, 5, 3});
  const auto start = [] { return nn::LSTM::State{{ones({2, 4})}, {zeros({2, 4})}}; };
  const auto step = compile([&](const nn::LSTM::State& state) { return lstm(x, state); });
  const auto recurrent = compile([&](const Tensor& input) { return gru(input); });
  const auto best = compile([](const TopK& found) { return topk(found.values, 2); });
  const auto cumulative = compile([](const Tensor& xs) {
    return scan({{zeros({})}}, {{xs}}, [](const auto& at, const auto& row) {
      const Tensor sum = at[0] + row[0];
      return std::pair(std::vector{sum}, std::vector{sum});
    });
  });
  const auto clipped =
      compile([](const optim::Clipped& gradients) { return optim::clip_grad_norm(gradients.gradients, 1.0); });
  const auto normalized = compile([&](const ChannelStatistics& statistics) { return batch_norm(x, statistics); });
  const auto statistics = compile([](const Tensor& of) { return channel_statistics(of); });
  const auto attention = compile([](const Tensor& of, const AttentionOptions& options) {
    return scaled_dot_product_attention(of, of, of, options);
  });
  const auto loss = compile([](const Tensor& logits, const Tensor& labels, const CrossEntropyOptions& options) {
    return cross_entropy(logits, labels, options);
  });
  for (int i = 0; i < 2; ++i) {
    const nn::LSTM::Output out = step(step(start()).state), plain = lstm(x, lstm(x, start()).state);
    EXPECT_EQ(out.values.to_vector<float>(), plain.values.to_vector<float>());
    EXPECT_EQ(recurrent(x).state[0].to_vector<float>(), gru(x).state[0].to_vector<float>());
    EXPECT_THAT(best(topk(tensor({3, 1, 2}), 3)).indices.to_vector<int>(), ElementsAre(0, 1));
    EXPECT_THAT(cumulative(tensor({1.f, 2.f, 3.f})).stacked[0].to_vector<float>(), ElementsAre(1, 3, 6));
    EXPECT_EQ(clipped(optim::Clipped{{tensor({3.f, 4.f})}, {}}).norm.item(), 5);
    EXPECT_EQ(normalized(statistics(x)).to_vector<float>(), batch_norm(x, channel_statistics(x)).to_vector<float>());
    for (const Tensor& mask : {tril(ones({5, 5}, DType::boolean)), triu(ones({5, 5}, DType::boolean)), Tensor()})
      for (const auto scale : {std::optional<double>(), std::optional(0.25)})
        EXPECT_EQ(attention(x, {.scale = scale, .mask = mask}).to_vector<float>(),
                  scaled_dot_product_attention(x, x, x, {.scale = scale, .mask = mask}).to_vector<float>());
    for (const int ignored : {-100, 1})
      EXPECT_EQ(loss(x[0], tensor({0, 1, 2, 1, 0}), {.ignore_index = ignored}).item(),
                cross_entropy(x[0], tensor({0, 1, 2, 1, 0}), {.ignore_index = ignored}).item());
  }
  // The content of a mask is an input; its presence, and the numbers, are part of the program.
  EXPECT_EQ(attention.explain().recorded, 4u);
  EXPECT_EQ(loss.explain().recorded, 2u);
  EXPECT_EQ(step.explain().compiles, 1u);
}

}  // namespace
}  // namespace weft
