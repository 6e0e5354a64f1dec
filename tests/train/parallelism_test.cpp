#include <weft/train/parallelism.h>

#include <tests/error_of.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/tensor/creation.h>

namespace weft::train {
namespace {

using testing::HasSubstr;

TEST(Parallelism, ReadsMeshes) {
  EXPECT_EQ(parse_mesh("data=4,model=2"), (Mesh{{"data", 4}, {"model", 2}}));
  for (const char* text : {"", "data", "data=", "data=-1", "data=2x", "=2", "data=4,,model=2"})
    EXPECT_THAT(error_of([&] { parse_mesh(text); }), HasSubstr("mesh")) << text;
}

TEST(Parallelism, ABatchThatDoesNotDivideIsReplicated) {
  const Parallelism two{.mesh = Mesh{{"data", 2}}};
  EXPECT_EQ(concat(*sharding_of(divide_rows(tensor({1, 2, 3, 4}), two))), "[{\"data\"}]");
  EXPECT_EQ(concat(*sharding_of(divide_rows(tensor({1, 2, 3}), two))), "[{}]");
  EXPECT_FALSE(sharding_of(divide_rows(tensor({1, 2, 3, 4}), {})));
}

}  // namespace
}  // namespace weft::train
