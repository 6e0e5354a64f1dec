// Tensors on meshes: how they are moved there, and that functions of sharded tensors give the elements that functions of
// whole tensors give.
#include <weft/tensor/sharding.h>

#include <tests/error_of.h>
#include <tests/tensor/meshes.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/ir/text/shardy.h>
#include <weft/ir/text/text.h>
#include <weft/record/session.h>
#include <weft/weft.h>

namespace weft {
namespace {

using test::counted;
using test::four;
using test::grid;
using testing::HasSubstr;

std::vector<float> first_numbers(std::int64_t n) {
  std::vector<float> numbers(n);
  for (std::int64_t i = 0; i < n; ++i) numbers[i] = static_cast<float>(i);
  return numbers;
}

std::string text_of(const Tensor& x) {
  const auto sharding = sharding_of(x);
  return sharding ? concat(*sharding) : "one device";
}

struct SetMesh {
  explicit SetMesh(const Mesh& mesh) { set_mesh(mesh); }
  ~SetMesh() { record::session.mesh = nullptr; }
};

TEST(ShardedTensor, HasTheElementsOfTheWhole) {
  const std::vector<float> numbers = first_numbers(72);
  const Tensor whole = from_bytes(std::as_bytes(std::span(numbers)), Type(DType::f32, {6, 12}));
  EXPECT_EQ(text_of(whole), "one device");
  for (const PartitionSpec& spec :
       std::vector<PartitionSpec>{"x", {"", "x"}, {"y", "x"}, {"x,y"}, {"", "y,x"}, {"", ""}}) {
    const Tensor sharded = whole.sharded(spec, grid);
    EXPECT_EQ(sharded.to_vector<float>(), first_numbers(72)) << text_of(sharded);
  }
  EXPECT_EQ(text_of(whole.sharded({"y", "x"}, grid)), "[{\"y\"}, {\"x\"}]");
}

TEST(ShardedTensor, FunctionsOfItGiveTheElementsOfTheWhole) {
  const Tensor a = counted({8, 6}), b = counted({6, 12}) / 8;  // no product is rounded
  const Tensor product = matmul(a, b), sums = sum(exp(b / 10), {1}), scaled = product * 2 - 1;
  const Tensor sharded_a = a.sharded("x", grid), sharded_b = b.sharded({"", "y"}, grid);
  const Tensor sharded_product = matmul(sharded_a, sharded_b);
  EXPECT_EQ(sharded_product.to_vector<float>(), product.to_vector<float>());
  EXPECT_EQ((sharded_product * 2 - 1).to_vector<float>(), scaled.to_vector<float>());
  EXPECT_EQ(text_of(sharded_product), "[{\"x\"}, {\"y\"}]");
  const Tensor sharded_sums = sum(exp(sharded_b / 10), {1});
  for (int i = 0; i < 6; ++i) EXPECT_NEAR(sharded_sums.to_vector<float>()[i], sums.to_vector<float>()[i], 1e-4);
}

TEST(ShardedTensor, IsMadeFromARecordedOne) {
  const Tensor x = counted({8});
  const Tensor y = (x.sharded("x", four) + 1).sharded({""}, four);
  EXPECT_EQ(y.to_vector<float>(), (x + 1).to_vector<float>());
  EXPECT_EQ(text_of(y), "[{}]");
  const Tensor g = grad(sum(square(x.sharded("x", four))), {x})[0];
  EXPECT_EQ(g.to_vector<float>(), (x * 2).to_vector<float>());
}

TEST(ShardedTensor, ExportsNameItsMesh) {
  const Tensor x = tensor({1.f, 2.f, 3.f, 4.f}).sharded("x", grid);
  const std::string text = export_stablehlo(
      [](const std::vector<Tensor>& in) { return std::vector{(in[0] * 2).sharded({""}, grid)}; }, std::array{x});
  EXPECT_THAT(text, HasSubstr("sdy.mesh @mesh = <[\"x\"=2, \"y\"=3]>"));
  const auto graph = ir::parse(text);
  const auto declared = ir::declared_shardings(*graph);
  ASSERT_TRUE(declared);
  EXPECT_EQ(declared->mesh, grid);
  EXPECT_EQ(concat(*declared->inputs[0]), "[{\"x\"}]");
}

TEST(ShardedTensor, TheMeshOfTheThreadServesAsDefault) {
  EXPECT_THAT(error_of([] { (void)ones({8}).sharded("x"); }), HasSubstr("there is no mesh"));
  const SetMesh mesh(four);
  const Tensor x = ones({8}).sharded("x");
  EXPECT_EQ(text_of(x), "[{\"x\"}]");
  EXPECT_EQ(text_of(ones({3}) + 1), "[{}]") << "programs run on the mesh";
}

TEST(ShardedTensor, ErrorsNameTheCulprit) {
  const Tensor x = tensor({1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  EXPECT_THAT(error_of([&] { (void)x.sharded("x", four); }), HasSubstr("10"));
  EXPECT_THAT(error_of([&] { (void)x.sharded("x", four); }), HasSubstr("12"));
  EXPECT_THAT(error_of([&] { (void)x.sharded("data", four); }), HasSubstr("data"));
  EXPECT_THAT(error_of([&] { (void)x.sharded({"", "x"}, four); }), HasSubstr("2 dimensions are given for"));
  EXPECT_THAT(error_of([&] { (void)x.sharded({"x,x"}, grid); }), HasSubstr("twice"));
  const Mesh two{{"x", 2}};
  const Tensor y = tensor({1, 2, 3, 4, 5, 6, 7, 8});
  const auto mixed = [&] { (void)(y.sharded("x", four) + y.sharded("x", two)); };
  EXPECT_THAT(error_of(mixed), HasSubstr("add: a tensor is on the mesh (x=2), and the program runs on the mesh (x=4)"));
  sync();  // nothing is held, so the recording is dropped
}

TEST(ShardedParameter, KeepsItsSharding) {
  Parameter p(ones({8, 4}));
  shard(p, {"x"}, four);
  p = p * 3;
  EXPECT_EQ(text_of(p.tensor()), "[{\"x\"}, {}]");
  p = counted({8, 4});  // as when a checkpoint is loaded
  p = p + 1;
  EXPECT_EQ(text_of(p.tensor()), "[{\"x\"}, {}]");
  EXPECT_EQ(p.tensor().to_vector<float>(), (counted({8, 4}) + 1).to_vector<float>());
}

struct Pair {
  Parameter up{ones({8, 4})}, down{ones({4, 8})}, bias{ones({3})};
  void fields(auto&& field) {
    field("up", up);
    field("down", down);
    field("bias", bias);
  }
};

TEST(Shard, TakesPatterns) {
  Pair model;
  shard(model, {{"up", "x"}, {"*n", {"", "x"}}}, four);
  EXPECT_EQ(text_of(model.up), "[{\"x\"}, {}]");
  EXPECT_EQ(text_of(model.down), "[{}, {\"x\"}]");
  EXPECT_EQ(text_of(model.bias), "[{}]");
  EXPECT_THAT(error_of([&] { shard(model, {{"left", "x"}}, four); }), HasSubstr("no parameter's name matches left"));
  EXPECT_THAT(error_of([&] { shard(model, {{"*", PartitionSpec{}}, {"up", "x"}}, four); }),
              HasSubstr("matched by an earlier pattern, such as up by *"));
  EXPECT_THAT(error_of([&] { shard(model, {{"bias", "x"}}, four); }), HasSubstr("shard: bias"));
}

TEST(Shard, ZeroSplitsWhatDivides) {
  Pair model;
  shard(model, {{"up", {"", "x"}}}, grid);
  shard(model, zero::over("y"), grid);
  EXPECT_EQ(text_of(model.up), "[{}, {\"x\"}]") << "8 and 2 do not divide by 3";
  EXPECT_EQ(text_of(model.bias), "[{\"y\"}]");
  shard(model, zero::over("x"), grid);
  EXPECT_EQ(text_of(model.up), "[{}, {\"x\"}]") << "it is split along x already";
  EXPECT_EQ(text_of(model.down), "[{\"x\"}, {}]");
}

}  // namespace
}  // namespace weft
