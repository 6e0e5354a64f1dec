// Operations of early versions of StableHLO, compared with values by hand.
#include <weft/ir/legalize/deprecated.h>

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/base/error.h>
#include <weft/ir/interpreter.h>
#include <weft/ir/text/text.h>

namespace weft::ir {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::ThrowsMessage;

std::vector<float> floats_of(const Array& array) {
  const auto elements = array.data<float>();
  return {elements.begin(), elements.end()};
}

// Runs one operation, in whichever form, on inputs %a and %b.
std::vector<Array> run_operation(const std::string& operation, const std::string& a, const std::string& b,
                                 const std::string& result, const std::vector<Array>& inputs) {
  return interpret(*parse(concat("func.func @main(%a: ", a, ", %b: ", b, ") -> ", result, " {\n  %0 = ", operation,
                                 "\n  return %0 : ", result, "\n}")),
                   inputs);
}

const Array matrix = Array::of<float>({2, 3}, {1, 2, 3, 4, 5, 6}), other = Array::of<float>({3, 2}, {1, 2, 3, 4, 5, 6});
const Array vector = Array::of<float>({3}, {1, 0, -1});

TEST(TextDeprecated, Dot) {
  const auto dot = [](const std::string& a, const std::string& b, const std::string& result, const Array& x,
                      const Array& y) {
    return run_operation(
        concat("stablehlo.dot %a, %b, precision = [DEFAULT, HIGHEST] : (", a, ", ", b, ") -> ", result), a, b, result,
        {x, y})[0];
  };
  EXPECT_THAT(floats_of(dot("tensor<2x3xf32>", "tensor<3x2xf32>", "tensor<2x2xf32>", matrix, other)),
              ElementsAre(22, 28, 49, 64));
  EXPECT_THAT(floats_of(dot("tensor<2x3xf32>", "tensor<3xf32>", "tensor<2xf32>", matrix, vector)), ElementsAre(-2, -2));
  EXPECT_THAT(floats_of(dot("tensor<3xf32>", "tensor<3x2xf32>", "tensor<2xf32>", vector, other)), ElementsAre(-4, -4));
  EXPECT_THAT(floats_of(dot("tensor<3xf32>", "tensor<3xf32>", "tensor<f32>", vector, vector)), ElementsAre(2));
  EXPECT_THAT([&] { dot("tensor<3xf32>", "tensor<3x2xf32>", "tensor<3xf32>", vector, other); },
              ThrowsMessage<Error>(HasSubstr("stablehlo.dot: has the result type tensor<2xf32>, not tensor<3xf32>")));
  EXPECT_THAT([&] { dot("tensor<2x3xf32>", "tensor<2x3xf32>", "tensor<2x2xf32>", matrix, matrix); },
              ThrowsMessage<Error>(HasSubstr("stablehlo.dot: 'b' in 'ab,bc->ac' is 3 and 2")));
}

TEST(TextDeprecated, DotOfNarrowIntegers) {
  const auto sums = run_operation("\"stablehlo.dot\"(%a, %b) : (tensor<2xi8>, tensor<2xi8>) -> tensor<i32>",
                                  "tensor<2xi8>", "tensor<2xi8>", "tensor<i32>",
                                  {Array::of<std::int8_t>({2}, {100, 100}), Array::of<std::int8_t>({2}, {100, 100})});
  EXPECT_EQ(sums[0], Array::scalar<std::int32_t>(20000));
}

TEST(TextDeprecated, DotOfComplexNumbers) {
  const auto parts = run_operation(
      "stablehlo.dot %a, %b : (tensor<1xcomplex<f32>>, tensor<1xcomplex<f32>>) -> tensor<complex<f32>>",
      "tensor<1xcomplex<f32>>", "tensor<1xcomplex<f32>>", "tensor<complex<f32>>",
      {Array::of<float>({1}, {1}), Array::of<float>({1}, {2}), Array::of<float>({1}, {3}), Array::of<float>({1}, {4})});
  EXPECT_THAT(floats_of(parts[0]), ElementsAre(-5));
  EXPECT_THAT(floats_of(parts[1]), ElementsAre(10));
}

TEST(TextDeprecated, Einsum) {
  const auto einsum = [](const std::string& equation, const std::string& result) {
    return run_operation(
        concat("stablehlo.einsum %a, %b, config = \"", equation, "\" : (tensor<2x3xf32>, tensor<3x2xf32>) -> ", result),
        "tensor<2x3xf32>", "tensor<3x2xf32>", result, {matrix, other})[0];
  };
  EXPECT_THAT(floats_of(einsum("ab,bc->ca", "tensor<2x2xf32>")), ElementsAre(22, 49, 28, 64));
  EXPECT_THAT(floats_of(einsum("ab,ba->a", "tensor<2xf32>")), ElementsAre(22, 64));
  EXPECT_THAT(floats_of(einsum("ab,cd->", "tensor<f32>")), ElementsAre(441));
  EXPECT_THAT(floats_of(einsum("...b,bc->...c", "tensor<2x2xf32>")), ElementsAre(22, 28, 49, 64));
  EXPECT_THAT([&] { einsum("ab,bc->d", "tensor<f32>"); },
              ThrowsMessage<Error>(HasSubstr("stablehlo.einsum: the result of 'ab,bc->d' cannot have 'd'")));
  EXPECT_THAT([&] { einsum("...b,bc->c", "tensor<f32>"); },
              ThrowsMessage<Error>(HasSubstr("stablehlo.einsum: the result of '...b,bc->c' lacks the ellipsis")));
  EXPECT_THAT(
      [&] {
        run_operation("\"stablehlo.einsum\"(%a, %a) : (tensor<f32>, tensor<f32>) -> tensor<f32>", "tensor<f32>",
                      "tensor<f32>", "tensor<f32>", {});
      },
      ThrowsMessage<Error>(HasSubstr("2:8: stablehlo.einsum: expected the attribute einsum_config")));
  const auto sums =
      run_operation("stablehlo.unary_einsum %a, config = \"ab->b\" : (tensor<2x3xf32>) -> tensor<3xf32>",
                    "tensor<2x3xf32>", "tensor<f32>", "tensor<3xf32>", {matrix, Array::of<float>({}, {0})});
  EXPECT_THAT(floats_of(sums[0]), ElementsAre(5, 7, 9));
}

TEST(TextDeprecated, TorchIndexSelect) {
  const Array x = Array::of<float>({2, 3, 2}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  const auto select = [&](int dimension, int common, const std::string& result, const Array& indices) {
    return run_operation(concat("\"stablehlo.torch_index_select\"(%a, %b) <{batch_dims = ", common, " : i64, dim = ",
                                dimension, " : i64}> : (tensor<2x3x2xf32>, tensor<2x2xi32>) -> ", result),
                         "tensor<2x3x2xf32>", "tensor<2x2xi32>", result, {x, indices})[0];
  };
  EXPECT_THAT(floats_of(select(1, 1, "tensor<2x2x2xf32>", Array::of<std::int32_t>({2, 2}, {2, 0, 1, 1}))),
              ElementsAre(4, 5, 0, 1, 8, 9, 8, 9));
  EXPECT_THAT(floats_of(select(2, 0, "tensor<2x3x2x2xf32>", Array::of<std::int32_t>({2, 2}, {0, 0, 1, 9}))),
              ElementsAreArray({0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11}));
  EXPECT_THAT(floats_of(select(0, 0, "tensor<2x2x3x2xf32>", Array::of<std::int32_t>({2, 2}, {1, 0, 0, 1}))),
              ElementsAreArray({6, 7, 8, 9, 10, 11, 0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}));
  EXPECT_THAT([&] { select(3, 0, "tensor<2x2xf32>", Array::of<std::int32_t>({2, 2}, {0, 0, 0, 0})); },
              ThrowsMessage<Error>(HasSubstr("there is no dimension 3 in tensor<2x3x2xf32>")));
  EXPECT_THAT([&] { select(0, 1, "tensor<2x2xf32>", Array::of<std::int32_t>({2, 2}, {0, 0, 0, 0})); },
              ThrowsMessage<Error>(HasSubstr("cannot have 1 dimensions in common before them")));
}

TEST(TextDeprecated, Broadcast) {
  const auto rows =
      run_operation("stablehlo.broadcast %a, sizes = [2, 1] : (tensor<3xf32>) -> tensor<2x1x3xf32>", "tensor<3xf32>",
                    "tensor<f32>", "tensor<2x1x3xf32>", {vector, Array::of<float>({}, {0})});
  EXPECT_THAT(floats_of(rows[0]), ElementsAre(1, 0, -1, 1, 0, -1));
  EXPECT_THAT(
      [] {
        run_operation("stablehlo.broadcast %a, sizes = [-1] : (tensor<3xf32>) -> tensor<1x3xf32>", "tensor<3xf32>",
                      "tensor<f32>", "tensor<1x3xf32>", {});
      },
      ThrowsMessage<Error>(HasSubstr("stablehlo.broadcast: a dimension of size -1 cannot exist")));
}

}  // namespace
}  // namespace weft::ir
