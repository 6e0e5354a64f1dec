// Tests operations that are read as others: shapes given as operands, chlo.scan, stablehlo.map.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/ir/interpreter.h>
#include <weft/ir/text/text.h>

namespace weft::ir {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;
using I32 = std::int32_t;

// Returns the single result of a function for these arguments.
Array result_of(const std::string& text, const std::vector<Array>& inputs = {}) {
  return interpret(*parse(text), inputs).at(0);
}

TEST(TextDynamic, ShapesThatAreConstants) {
  EXPECT_EQ(result_of(R"(func.func @f(%x: tensor<1x4xi32>) -> tensor<2x2xi32> {
      %one = stablehlo.constant dense<1> : tensor<2xi64>
      %shape = stablehlo.add %one, %one : tensor<2xi64>
      %0 = stablehlo.dynamic_reshape %x, %shape : (tensor<1x4xi32>, tensor<2xi64>) -> tensor<2x2xi32>
      return %0 : tensor<2x2xi32> })",
                      {Array::of<I32>({1, 4}, {1, 2, 3, 4})}),
            Array::of<I32>({2, 2}, {1, 2, 3, 4}));
  EXPECT_EQ(result_of(R"(func.func @f(%x: tensor<2x1xi32>) -> tensor<2x2xi32> {
      %shape = stablehlo.constant dense<2> : tensor<2xi32>
      %0 = stablehlo.dynamic_broadcast_in_dim %x, %shape, dims = [0, 1] : (tensor<2x1xi32>, tensor<2xi32>) -> tensor<2x2xi32>
      return %0 : tensor<2x2xi32> })",
                      {Array::of<I32>({2, 1}, {1, 2})}),
            Array::of<I32>({2, 2}, {1, 1, 2, 2}));
  EXPECT_EQ(result_of(R"(func.func @f() -> tensor<2x2xi32> {
      %shape = stablehlo.constant dense<2> : tensor<2xi32>
      %0 = stablehlo.dynamic_iota %shape, dim = 1 : (tensor<2xi32>) -> tensor<2x2xi32>
      return %0 : tensor<2x2xi32> })"),
            Array::of<I32>({2, 2}, {0, 1, 0, 1}));
  EXPECT_EQ(result_of(R"(func.func @f(%x: tensor<2xi32>, %v: tensor<i32>) -> tensor<6xi32> {
      %low = stablehlo.constant dense<1> : tensor<1xi64>
      %high = stablehlo.constant dense<2> : tensor<1xi64>
      %0 = stablehlo.dynamic_pad %x, %v, %low, %high, %low : (tensor<2xi32>, tensor<i32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<6xi32>
      return %0 : tensor<6xi32> })",
                      {Array::of<I32>({2}, {1, 2}), Array::scalar<I32>(9)}),
            Array::of<I32>({6}, {9, 1, 9, 2, 9, 9}));
  EXPECT_EQ(result_of(R"(func.func @f(%x: tensor<5xi32>) -> tensor<2xi32> {
      %start = stablehlo.constant dense<1> : tensor<1xi64>
      %limit = stablehlo.constant dense<4> : tensor<1xi64>
      %step = stablehlo.constant dense<2> : tensor<1xi64>
      %0 = stablehlo.real_dynamic_slice %x, %start, %limit, %step : (tensor<5xi32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xi32>
      return %0 : tensor<2xi32> })",
                      {Array::of<I32>({5}, {0, 1, 2, 3, 4})}),
            Array::of<I32>({2}, {1, 3}));
  EXPECT_EQ(result_of(R"(func.func @f(%x: tensor<3x2xi32>, %i: tensor<2xi32>) -> tensor<2x2xi32> {
      %sizes = stablehlo.constant dense<[1, 2]> : tensor<2xi64>
      %0 = "stablehlo.dynamic_gather"(%x, %i, %sizes) {
        dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>
      } : (tensor<3x2xi32>, tensor<2xi32>, tensor<2xi64>) -> tensor<2x2xi32>
      return %0 : tensor<2x2xi32> })",
                      {Array::of<I32>({3, 2}, {1, 2, 3, 4, 5, 6}), Array::of<I32>({2}, {2, 0})}),
            Array::of<I32>({2, 2}, {5, 6, 1, 2}));
  EXPECT_EQ(result_of(R"(func.func @f(%x: tensor<1x1x3xf32>, %w: tensor<1x1x2xf32>) -> tensor<1x1x4xf32> {
      %pad = stablehlo.constant dense<1> : tensor<1x2xi64>
      %0 = "stablehlo.dynamic_conv"(%x, %w, %pad) {
        dimension_numbers = #stablehlo.conv<[b, f, 0]x[o, i, 0]->[b, f, 0]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64
      } : (tensor<1x1x3xf32>, tensor<1x1x2xf32>, tensor<1x2xi64>) -> tensor<1x1x4xf32>
      return %0 : tensor<1x1x4xf32> })",
                      {Array::of<float>({1, 1, 3}, {1, 2, 3}), Array::of<float>({1, 1, 2}, {1, 10})}),
            Array::of<float>({1, 1, 4}, {10, 21, 32, 3}));
  EXPECT_EQ(result_of(R"(func.func @f(%x: tensor<2x3xi64>) -> tensor<i32> {
      %0 = stablehlo.get_dimension_size %x, dim = 1 : (tensor<2x3xi64>) -> tensor<i32>
      return %0 : tensor<i32> })",
                      {Array(Type(DType::i64, {2, 3}))}),
            Array::scalar<I32>(3));
}

TEST(TextDynamic, ShapesThatAreData) {
  // The type of the result determines the shape.
  EXPECT_EQ(result_of(R"(func.func @f(%x: tensor<4xi32>, %s: tensor<1xi32>) -> tensor<4xi32> {
      %0 = stablehlo.dynamic_reshape %x, %s : (tensor<4xi32>, tensor<1xi32>) -> tensor<4xi32>
      return %0 : tensor<4xi32> })",
                      {Array::of<I32>({4}, {1, 2, 3, 4}), Array::of<I32>({1}, {4})}),
            Array::of<I32>({4}, {1, 2, 3, 4}));
  EXPECT_THAT(
      [] {
        parse(R"(func.func @f(%x: tensor<2xi32>, %v: tensor<i32>, %p: tensor<1xi64>) -> tensor<2xi32> {
      %0 = stablehlo.dynamic_pad %x, %v, %p, %p, %p : (tensor<2xi32>, tensor<i32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xi32>
      return %0 : tensor<2xi32> })");
      },
      ThrowsMessage<UnsupportedError>(HasSubstr("2:42: stablehlo.dynamic_pad: edge_padding_low is not constant")));
  EXPECT_THAT(
      [] {
        parse(R"(func.func @f(%x: tensor<4xi32>) -> tensor<4xi32> {
      %s = stablehlo.constant dense<[2, 2]> : tensor<2xi32>
      %0 = stablehlo.dynamic_reshape %x, %s : (tensor<4xi32>, tensor<2xi32>) -> tensor<4xi32>
      return %0 : tensor<4xi32> })");
      },
      ThrowsMessage<Error>(HasSubstr("the requested shape is not that of tensor<4xi32>")));
}

// Sums along a dimension of any length, with a body that uses a value from outside.
std::string scanned(std::string_view type, std::string_view carry, int dimension, std::string_view attributes = "") {
  return concat("func.func @f(%x: ", type, ", %i: ", carry, ", %k: ", carry, ") -> (", type, ", ", carry, ") {\n",
                "%0:2 = chlo.scan(%x) inits(%i) dimension=", dimension, ' ', attributes, " {\n^bb0(%e: ", carry,
                ", %c: ", carry, "):\n%1 = stablehlo.multiply %e, %k : ", carry,
                "\n%2 = stablehlo.add %1, %c : ", carry, "\nstablehlo.return %2, %2 : ", carry, ", ", carry, "\n} : (",
                type, ", ", carry, ") -> (", type, ", ", carry, ")\nreturn %0#0, %0#1 : ", type, ", ", carry, "\n}");
}

TEST(TextScan, CarriesAlongADimension) {
  const auto run = [](const std::string& text, const std::vector<Array>& inputs) {
    return interpret(*parse(text), inputs);
  };
  auto results = run(scanned("tensor<3xi32>", "tensor<i32>", 0),
                     {Array::of<I32>({3}, {1, 2, 3}), Array::scalar<I32>(5), Array::scalar<I32>(10)});
  EXPECT_EQ(results[0], Array::of<I32>({3}, {15, 35, 65}));
  EXPECT_EQ(results[1], Array::scalar<I32>(65));
  results = run(scanned("tensor<2x2xi32>", "tensor<2xi32>", 1, "attributes {is_reverse = true}"),
                {Array::of<I32>({2, 2}, {1, 2, 3, 4}), Array::of<I32>({2}, {0, 1}), Array::of<I32>({2}, {1, 1})});
  EXPECT_EQ(results[0], Array::of<I32>({2, 2}, {3, 2, 8, 5}));
  EXPECT_EQ(results[1], Array::of<I32>({2}, {3, 8}));
  results = run(scanned("tensor<0xi32>", "tensor<i32>", 0),
                {Array(Type(DType::i32, {0})), Array::scalar<I32>(5), Array::scalar<I32>(10)});
  EXPECT_EQ(results[1], Array::scalar<I32>(5));
}

TEST(TextScan, RefusesWhatDoesNotFit) {
  EXPECT_THAT([] { parse(scanned("tensor<3xi32>", "tensor<i32>", 1)); },
              ThrowsMessage<Error>(HasSubstr("chlo.scan: dimension 1 is not one of tensor<3xi32>")));
  EXPECT_THAT([] { parse(scanned("tensor<3x2xi32>", "tensor<i32>", 0)); },
              ThrowsMessage<Error>(HasSubstr("the body's arguments are not the slices and carries")));
}

TEST(TextMap, AppliesTheBodyToEveryElement) {
  EXPECT_EQ(result_of(R"(func.func @f(%x: tensor<2x2xi32>, %y: tensor<2x2xi32>) -> tensor<2x2xi1> {
      %0 = "stablehlo.map"(%x, %y) ({
        ^bb0(%a: tensor<i32>, %b: tensor<i32>):
          %c = stablehlo.constant dense<2> : tensor<i32>
          %1 = stablehlo.multiply %a, %c : tensor<i32>
          %2 = stablehlo.compare LT, %1, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %2 : tensor<i1>
      }) {dimensions = array<i64: 0, 1>} : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi1>
      return %0 : tensor<2x2xi1> })",
                      {Array::of<I32>({2, 2}, {1, 2, 3, 4}), Array::of<I32>({2, 2}, {3, 4, 7, 0})}),
            Array::of<bool>({2, 2}, {true, false, true, false}));
}

}  // namespace
}  // namespace weft::ir
