// Objects captured by reference that are destroyed or moved between calls: the function is recorded again, and
// destroyed objects are never accessed.
#include <memory>
#include <tests/error_of.h>
#include <tests/jit/compile.h>
#include <vector>

namespace weft {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Weighted {
  Parameter weight{full({3}, 2, DType::f32)};
  Tensor operator()(const Tensor& x) const { return x * weight; }
  void fields(auto&& field) { field("weight", weight); }
};

TEST_F(Compile, RecordsAgainWhenACapturedParameterIsAnotherOne) {
  auto weight = std::make_unique<Parameter>(full({3}, 2, DType::f32));
  const auto f = compile([&](const Tensor& a) { return a * weight->tensor(); }, {.name = "f"});
  EXPECT_THAT(f(x).to_vector<float>(), ElementsAre(2, 4, 6));
  EXPECT_THAT(f(x).to_vector<float>(), ElementsAre(2, 4, 6));
  EXPECT_EQ(counts(f), Counts(1, 1));

  weight = std::make_unique<Parameter>(full({3}, 5, DType::f32));
  EXPECT_THAT(f(x).to_vector<float>(), ElementsAre(5, 10, 15));
  EXPECT_EQ(counts(f), Counts(2, 1));
  EXPECT_THAT(f(y).to_vector<float>(), ElementsAre(50, 100, 150));
  EXPECT_EQ(counts(f), Counts(2, 1)) << "what was recorded last is replayed";
}

TEST_F(Compile, RecordsAgainWhenWrittenParametersAreOthers) {
  auto total = std::make_unique<Parameter>(zeros({3}));
  const auto f = compile([&](const Tensor& a) { *total = a + 1; });
  f(x);
  f(x);
  total = std::make_unique<Parameter>(zeros({3}));
  f(y);
  EXPECT_THAT(total->tensor().to_vector<float>(), ElementsAre(11, 21, 31));
}

TEST_F(Compile, RecordsAgainWhenAListOfModulesHasGrown) {
  std::vector<nn::Linear> layers;
  layers.emplace_back(3, 3);
  const auto f = compile([&](const Tensor& a) { return layers[0](a); });
  const auto want = f(x).to_vector<float>();
  EXPECT_EQ(f(x).to_vector<float>(), want);
  for (int i = 0; i < 10; ++i) layers.emplace_back(3, 3);
  EXPECT_EQ(f(x).to_vector<float>(), want);
  EXPECT_EQ(counts(f), Counts(2, 1));
  layers[0].weight = layers[0].weight.tensor() * 0;
  EXPECT_NE(f(x).to_vector<float>(), want) << "the layer where it is now is read";
}

TEST_F(Compile, RecordsAgainWhenACapturedScalarOrFlagIsAnotherOne) {
  auto rate = std::make_unique<Scalar>(2.);
  auto negates = std::make_unique<Flag>(false);
  const auto f = compile([&](const Tensor& a) { return a * (*negates ? -1 : 1) * *rate; });
  EXPECT_THAT(f(x).to_vector<float>(), ElementsAre(2, 4, 6));
  rate = std::make_unique<Scalar>(3.);
  EXPECT_THAT(f(x).to_vector<float>(), ElementsAre(3, 6, 9));
  negates = std::make_unique<Flag>(true);
  EXPECT_THAT(f(x).to_vector<float>(), ElementsAre(-3, -6, -9));
  *rate = 4;
  EXPECT_THAT(f(x).to_vector<float>(), ElementsAre(-4, -8, -12));
  EXPECT_EQ(counts(f).first, 3u);
}

TEST_F(Compile, RecordsAgainWhenACapturedGeneratorIsAnotherOne) {
  auto generator = std::make_unique<random::Generator>(random::Generator{.seed = 1});
  const auto f = compile([&](const Tensor& a) { return a + random::uniform(generator->next(), {3}); });
  const auto first = f(x).to_vector<float>();
  EXPECT_NE(f(x).to_vector<float>(), first);
  generator = std::make_unique<random::Generator>(random::Generator{.seed = 1});
  EXPECT_EQ(f(x).to_vector<float>(), first);
  EXPECT_EQ(generator->calls, 1u);
}

TEST_F(Compile, AGeneratorOfTheFunctionItselfIsRecordedInEveryCall) {
  const auto f = compile([](const Tensor& a) {
    random::Generator generator{.seed = 7};
    return a + random::uniform(generator.next(), {3});
  });
  const auto first = f(x).to_vector<float>();
  EXPECT_EQ(f(x).to_vector<float>(), first);
}

TEST_F(Compile, ScalarsOfTheFunctionItselfAreReplayed) {
  const auto f = compile([](const Tensor& a) {
    const Scalar three = 3.;
    const Flag adds = true;
    return adds ? a + three : a;
  });
  EXPECT_THAT(f(x).to_vector<float>(), ElementsAre(4, 5, 6));
  EXPECT_THAT(f(x).to_vector<float>(), ElementsAre(4, 5, 6));
  EXPECT_EQ(counts(f).first, 1u);
}

TEST_F(Compile, TheReasonIsThatSomethingCapturedIsGone) {
  const LogOf log("recompiles");
  auto weight = std::make_unique<Parameter>(full({3}, 2, DType::f32));
  const auto f = compile([&](const Tensor& a) { return a * weight->tensor(); }, {.name = "f"});
  f(x);
  weight = std::make_unique<Parameter>(full({3}, 5, DType::f32));
  f(x);
  EXPECT_THAT(log.text, HasSubstr("a captured Parameter, Scalar, Flag or generator was destroyed or moved"));
}

TEST_F(Compile, PinnedRefusesToReplayWhatIsGone) {
  auto weight = std::make_unique<Parameter>(full({3}, 2, DType::f32));
  const auto f = compile([&](const Tensor& a) { return a * weight->tensor(); }, {.name = "f"});
  f(x);
  const auto pinned = f.pinned();
  EXPECT_THAT(pinned(y).to_vector<float>(), ElementsAre(20, 40, 60));
  weight = std::make_unique<Parameter>(full({3}, 5, DType::f32));
  EXPECT_THAT(error_of([&] { pinned(y); }),
              HasSubstr("f: pinned: a captured Parameter, Scalar, Flag or generator was destroyed or moved"));
}

TEST_F(Compile, AModelIsHeldByReference) {
  Weighted model;
  const auto f = compile(model);
  EXPECT_THAT(f(x).to_vector<float>(), ElementsAre(2, 4, 6));
  model.weight = full({3}, 5, DType::f32);
  EXPECT_THAT(f(x).to_vector<float>(), ElementsAre(5, 10, 15));
  EXPECT_EQ(counts(f).first, 1u);

  const Weighted& constant = model;
  EXPECT_THAT(compile(constant)(x).to_vector<float>(), ElementsAre(5, 10, 15));
  EXPECT_EQ(explain(model)(x).recorded, 1u);
}

TEST_F(Compile, ATemporaryModelIsOwned) {
  const auto f = compile(Weighted());
  EXPECT_THAT(f(x).to_vector<float>(), ElementsAre(2, 4, 6));
  EXPECT_THAT(f(y).to_vector<float>(), ElementsAre(20, 40, 60));
  const auto explained = explain(Weighted());
  EXPECT_EQ(explained(x).recorded, 1u);
}

}  // namespace
}  // namespace weft
