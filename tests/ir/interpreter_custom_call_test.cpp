// Tests the checks that programs may contain.
#include <cmath>
#include <tests/ir/evaluate.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/ir/interpreter.h>
#include <weft/ir/ops.h>

namespace weft::ir {
namespace {

using ::testing::HasSubstr;

// Returns whether the check of that name accepts `computed` for `expected`.
bool accepts(std::string_view target, const Array& computed, const Array& expected) {
  try {
    evaluate_all({computed, expected}, [&](Graph& graph, auto in) {
      const CustomCallAttributes attributes{.target = target};
      graph.append(ops::custom_call, std::array{in[0], in[1]}, &attributes);
      return std::vector<Value>();
    });
    return true;
  } catch (const Error& wrong) {
    EXPECT_THAT(wrong.what(), HasSubstr(std::string(target) + ": element 0 of tensor<f32> is "));
    return false;
  }
}

bool accepts(std::string_view target, float computed, float expected) {
  return accepts(target, Array::scalar<float>(computed), Array::scalar<float>(expected));
}

TEST(InterpreterCustomCall, Equal) {
  EXPECT_TRUE(accepts("check.expect_eq", 1.5f, 1.5f));
  EXPECT_TRUE(accepts("check.expect_eq", -0.0f, -0.0f));
  EXPECT_FALSE(accepts("check.expect_eq", 0.0f, -0.0f));
  EXPECT_TRUE(accepts("check.expect_eq", NAN, NAN));
  EXPECT_FALSE(accepts("check.expect_eq", 1.0f, std::nextafter(1.0f, 2.0f)));
  EXPECT_FALSE(accepts("check.expect_eq", NAN, 1));
}

TEST(InterpreterCustomCall, CloseIsThreeUnitsInTheLastPlace) {
  float x = 1;
  for (int i = 0; i < 3; ++i) x = std::nextafter(x, 0.0f);
  EXPECT_TRUE(accepts("check.expect_close", x, 1));
  EXPECT_FALSE(accepts("check.expect_close", std::nextafter(x, 0.0f), 1));
  EXPECT_TRUE(accepts("check.expect_close", 1e-45f, -1e-45f));
  EXPECT_FALSE(accepts("check.expect_close", INFINITY, 3.4028235e38f));
  EXPECT_TRUE(accepts("check.expect_close", -INFINITY, -INFINITY));
}

TEST(InterpreterCustomCall, AlmostEqualIsAbsolute) {
  EXPECT_TRUE(accepts("check.expect_almost_eq", 1.0005f, 1));
  EXPECT_FALSE(accepts("check.expect_almost_eq", 1.002f, 1));
}

TEST(InterpreterCustomCall, NamesAnUnknownTarget) {
  Graph graph;
  const CustomCallAttributes attributes{.target = "who"};
  const Node& node = graph.append(ops::custom_call, {}, &attributes);
  EXPECT_THAT([&] { interpret_node(node, {}); },
              ::testing::ThrowsMessage<Error>("custom_call @who: weft has no such function; only a C++ program that "
                                              "registers it with weft::custom_op can run it"));
}

}  // namespace
}  // namespace weft::ir
