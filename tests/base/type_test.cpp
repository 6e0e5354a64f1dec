#include <weft/base/type.h>

#include <array>
#include <sstream>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft {
namespace {

std::string text(Type t) {
  std::ostringstream out;
  out << t;
  return out.str();
}

TEST(Type, EqualTypesAreOne) {
  const std::vector<Dim> dims = {2, 3};
  EXPECT_EQ(Type(DType::f32, {2, 3}), Type(DType::f32, dims));
  EXPECT_NE(Type(DType::f32, {2, 3}), Type(DType::f32, {3, 2}));
  EXPECT_NE(Type(DType::f32, {2, 3}), Type(DType::f64, {2, 3}));
  EXPECT_NE(Type(DType::f32, {2}), Type(DType::f32, {2, 1}));
  EXPECT_NE(Type(DType::f32, {}), Type());
  EXPECT_EQ(Type(DType::f32, {2, 3}).hash(), Type(DType::f32, {2, 3}).hash());
  EXPECT_EQ(Type(DType::f32, {2, 3}).with(DType::i8), Type(DType::i8, {2, 3}));
}

TEST(Type, EqualTypesAreOneAcrossThreads) {
  std::array<std::vector<Type>, 4> types;
  std::vector<std::thread> threads;
  for (auto& mine : types) {
    threads.emplace_back([&mine] {
      for (int i = 0; i < 1000; ++i) mine.emplace_back(DType::i32, std::vector<Dim>{i, i % 7});
    });
  }
  for (auto& thread : threads) thread.join();
  for (const auto& mine : types) EXPECT_EQ(mine, types[0]);
}

TEST(Type, KnowsItsSize) {
  const Type t(DType::bf16, {2, 3, 4});
  EXPECT_EQ(t.rank(), 3);
  EXPECT_EQ(t.elements(), 24);
  EXPECT_EQ(t.bytes(), 48);
  EXPECT_EQ(t.size(1), 3);
  EXPECT_EQ(Type(DType::f32, {}).elements(), 1);
  EXPECT_EQ(Type(DType::f32, {5, 0, 3}).elements(), 0);
  EXPECT_EQ(Type(DType::f32, {5, 0, 3}).bytes(), 0);
}

TEST(Type, SymbolicShapesHaveNoSize) {
  const Type t(DType::f32, {Dim::symbol("batch"), 4});
  EXPECT_FALSE(t.is_static());
  EXPECT_THROW(static_cast<void>(t.elements()), Error);
  EXPECT_FALSE(Type(DType::f32, {Dim::symbol("batch"), 0}).is_static());
  EXPECT_EQ(text(t), "tensor<?x4xf32>");
}

TEST(Type, PrintsAsStableHlo) {
  EXPECT_EQ(text(Type(DType::f32, {16, 256})), "tensor<16x256xf32>");
  EXPECT_EQ(text(Type(DType::boolean, {})), "tensor<i1>");
  EXPECT_EQ(text(Type()), "none");
}

TEST(Type, LimitsAreSaid) {
  EXPECT_THROW(Type(DType::f32, std::vector<Dim>(33, 1)), Error);
  EXPECT_NO_THROW(Type(DType::f32, std::vector<Dim>(32, 1)));
  EXPECT_THROW(Type(DType::f32, {std::int64_t{1} << 40, std::int64_t{1} << 20}), Error);
}

TEST(Type, StridesAreRowMajor) {
  std::array<std::int64_t, 3> strides{};
  row_major_strides(Type(DType::f32, {2, 3, 4}).dims(), strides);
  EXPECT_THAT(strides, testing::ElementsAre(12, 4, 1));
}

}  // namespace
}  // namespace weft
