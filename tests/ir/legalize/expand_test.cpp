// Tests operations of StableHLO and JAX that are expanded into several ops of weft.
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/ir/interpreter.h>
#include <weft/ir/text/text.h>

namespace weft::ir {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

std::vector<Array> run_text(const std::string& text, std::vector<Array> inputs) {
  return interpret(*parse(text), inputs);
}

Array bitcast(const Array& x, Type type) {
  return run_text(concat("func.func @main(%x: ", x.type(), ") -> ", type, " { %0 = stablehlo.bitcast_convert %x : (",
                         x.type(), ") -> ", type, " return %0 : ", type, " }"),
                  {x})[0];
}

TEST(TextExpand, BitcastSplitsWideElements) {
  const Array x = Array::of<std::uint32_t>({2}, {0x04030201, 0xff000080});
  const Array bytes = bitcast(x, Type(DType::u8, {2, 4}));
  EXPECT_THAT(bytes.data<std::uint8_t>(), ElementsAre(1, 2, 3, 4, 0x80, 0, 0, 0xff));
  EXPECT_THAT(bitcast(x, Type(DType::i16, {2, 2})).data<std::int16_t>(), ElementsAre(0x201, 0x403, 0x80, -256));
  EXPECT_THAT(bitcast(bytes, Type(DType::u32, {2})).data<std::uint32_t>(), ElementsAre(0x04030201, 0xff000080));
  const Array one = bitcast(Array::scalar<double>(1), Type(DType::f32, {2}));
  EXPECT_THAT(one.data<float>(), ElementsAre(0, 1.875f));
  EXPECT_EQ(bitcast(one, Type(DType::f64, {})).element(0), 1);
  EXPECT_EQ(bitcast(Array(Type(DType::i64, {0})), Type(DType::i8, {0, 8})).size(), 0);
}

TEST(TextExpand, BitcastOfBooleansIsOfBits) {
  std::vector<bool> bits(64, false);
  bits[0] = bits[2] = bits[63] = true;
  Array x(Type(DType::boolean, {64}));
  std::ranges::copy(bits, x.data<bool>().begin());
  const Array word = bitcast(x, Type(DType::u64, {}));
  EXPECT_THAT(word.data<std::uint64_t>(), ElementsAre(0x8000000000000005u));
  EXPECT_EQ(bitcast(word, x.type()), x);
  EXPECT_EQ(bitcast(x, x.type()), x);
}

TEST(TextExpand, BitcastOfNarrowDtypes) {
  const Array bytes = Array::of<std::uint8_t>({2}, {0x38, 0xf5});
  const Array floats = bitcast(bytes, Type(DType::f8E4M3FN, {2}));
  EXPECT_EQ(floats.element(0), 1);
  EXPECT_EQ(bitcast(floats, bytes.type()), bytes);
  EXPECT_THAT(bitcast(floats, Type(DType::i8, {2})).data<std::int8_t>(), ElementsAre(0x38, -11));
  const Array halves = bitcast(bytes, Type(DType::i4, {2, 2}));
  EXPECT_EQ(halves.element(0), -8);
  EXPECT_EQ(halves.element(1), 3);
  EXPECT_EQ(halves.element(2), 5);
  EXPECT_EQ(halves.element(3), -1);
  EXPECT_EQ(bitcast(halves, bytes.type()), bytes);
  const Array fours = bitcast(halves, Type(DType::f4E2M1FN, {2, 2}));
  EXPECT_EQ(fours.element(1), 1.5);
  EXPECT_EQ(bitcast(fours, bytes.type()), bytes);
}

TEST(TextExpand, BitcastOfComplexNumbersIsOfTheirParts) {
  const auto results = run_text(R"(
func.func @main(%x: tensor<complex<f64>>) -> (tensor<2xcomplex<f32>>, tensor<complex<f64>>) {
  %0 = stablehlo.bitcast_convert %x : (tensor<complex<f64>>) -> tensor<2xcomplex<f32>>
  %1 = stablehlo.bitcast_convert %0 : (tensor<2xcomplex<f32>>) -> tensor<complex<f64>>
  return %0, %1 : tensor<2xcomplex<f32>>, tensor<complex<f64>>
})",
                                {Array::scalar<double>(1), Array::scalar<double>(-2)});
  EXPECT_THAT(results[0].data<float>(), ElementsAre(0, 0));
  EXPECT_THAT(results[1].data<float>(), ElementsAre(1.875f, -2));
  EXPECT_EQ(results[2].element(0), 1);
  EXPECT_EQ(results[3].element(0), -2);
}

TEST(TextExpand, ABooleanForAComplexNumberIsOfItsRealPart) {
  const auto results = run_text(R"(
func.func @main(%x: tensor<2xcomplex<f32>>) -> tensor<2xi1> {
  %0 = stablehlo.convert %x : (tensor<2xcomplex<f32>>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
})",
                                {Array::of<float>({2}, {0, 1}), Array::of<float>({2}, {1, 0})});
  EXPECT_THAT(results[0].data<bool>(), ElementsAre(false, true));
}

TEST(TextExpand, BitcastRefusesOtherShapes) {
  const Array x = Array::of<std::uint32_t>({2}, {1, 2});
  for (const Type type :
       {Type(DType::u8, {2, 3}), Type(DType::u8, {4, 2}), Type(DType::u8, {8}), Type(DType::u64, {2})})
    EXPECT_THAT([&] { bitcast(x, type); },
                ThrowsMessage<Error>(HasSubstr("stablehlo.bitcast_convert: cannot produce")));
}

TEST(TextExpand, ProductsOfSeveralDtypes) {
  const auto results =
      run_text(R"(
func.func @main(%f: tensor<2xf32>, %h: tensor<2xbf16>, %u: tensor<2xui8>, %i: tensor<2xi8>)
    -> (tensor<f32>, tensor<i32>, tensor<i32>, tensor<bf16>) {
  %0 = stablehlo.dot_general %f, %h, contracting_dims = [0] x [0] : (tensor<2xf32>, tensor<2xbf16>) -> tensor<f32>
  %1 = stablehlo.dot_general %u, %u, contracting_dims = [0] x [0] : (tensor<2xui8>, tensor<2xui8>) -> tensor<i32>
  %2 = stablehlo.dot_general %u, %i, contracting_dims = [0] x [0] : (tensor<2xui8>, tensor<2xi8>) -> tensor<i32>
  %3 = stablehlo.dot_general %f, %f, contracting_dims = [0] x [0] : (tensor<2xf32>, tensor<2xf32>) -> tensor<bf16>
  return %0, %1, %2, %3 : tensor<f32>, tensor<i32>, tensor<i32>, tensor<bf16>
})",
               {Array::of<float>({2}, {1.00390625f, 2}), Array::of<bfloat16>({2}, {bfloat16(2.0f), bfloat16(3.0f)}),
                Array::of<std::uint8_t>({2}, {255, 2}), Array::of<std::int8_t>({2}, {-100, 3})});
  EXPECT_EQ(results[0].element(0), 8.0078125);
  EXPECT_EQ(results[1].element(0), 65029);
  EXPECT_EQ(results[2].element(0), -25494);
  EXPECT_EQ(results[3].element(0), 5);
}

constexpr const char* approx_top_k = R"(
func.func @greater(%a: tensor<f32>, %b: tensor<f32>, %i: tensor<i32>, %j: tensor<i32>) -> tensor<i1> {
  %0 = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
  stablehlo.return %0 : tensor<i1>
}
func.func public @main(%x: tensor<4x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xi32>) {
  %0 = stablehlo.iota dim = 0 : tensor<4x2xi32>
  %c = stablehlo.constant dense<-1> : tensor<i32>
  %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %1:2 = stablehlo.custom_call @ApproxTopK(%x, %0, %cst, %c) {backend_config = "", called_computations = [@greater],
    mhlo.backend_config = {is_fallback = true, recall_target = 0.95 : f32, reduction_dim = 0 : i64, top_k = 2 : i64},
    operand_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<[1, 0]> : tensor<2xindex>, dense<> : tensor<0xindex>,
                       dense<> : tensor<0xindex>],
    result_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>]}
    : (tensor<4x2xf32>, tensor<4x2xi32>, tensor<f32>, tensor<i32>) -> (tensor<2x2xf32>, tensor<2x2xi32>)
  return %1#0, %1#1 : tensor<2x2xf32>, tensor<2x2xi32>
})";

TEST(TextExpand, ApproxTopKIsExact) {
  const auto results = run_text(approx_top_k, {Array::of<float>({4, 2}, {1, 8, 4, 5, 3, 6, 2, 7})});
  EXPECT_THAT(results[0].data<float>(), ElementsAre(4, 8, 3, 7));
  EXPECT_THAT(results[1].data<std::int32_t>(), ElementsAre(1, 0, 2, 3));
}

// As with aggregate_to_topk=False of jax.lax.approx_max_k.
TEST(TextExpand, ApproxTopKMayReturnMoreThanAskedFor) {
  std::string text = approx_top_k;
  text.replace(text.find("top_k = 2"), 9, "top_k = 1");
  const auto results = run_text(text.c_str(), {Array::of<float>({4, 2}, {1, 8, 4, 5, 3, 6, 2, 7})});
  EXPECT_THAT(results[0].data<float>(), ElementsAre(4, 8, 3, 7));
}

TEST(TextExpand, ApproxTopKOfTooMany) {
  std::string text = approx_top_k;
  for (std::size_t at = text.find("2x2x"); at != text.npos; at = text.find("2x2x", at)) text.replace(at, 4, "5x2x");
  EXPECT_THAT([&] { parse(text); }, ThrowsMessage<Error>(HasSubstr("k = 5 is not within dimension 0")));
  text.replace(text.find("reduction_dim"), 13, "another_field");
  EXPECT_THAT([&] { parse(text); }, ThrowsMessage<Error>(HasSubstr("expected mhlo.backend_config with reduction_dim")));
}

TEST(TextExpand, MeshesMayCarryAttributes) {
  const auto graph = parse(R"(module {
  sdy.mesh @mesh = <["d"=1]> {stablehlo.mesh = {axes = [{name = "d", size = 1 : i64}]}}
  func.func @main(%x: tensor<f32>) -> tensor<f32> { return %x : tensor<f32> }
})");
  EXPECT_EQ(graph->inputs().size(), 1u);
}

}  // namespace
}  // namespace weft::ir
