// Constants in text.
#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/ir/ops.h>
#include <weft/ir/text/text.h>

namespace weft::ir {
namespace {

std::shared_ptr<Graph> constant_graph(const std::string& dense) {
  return parse("func.func @main() {\n%0 = stablehlo.constant " + dense + "\nreturn }");
}

template <class T>
std::vector<double> values(const std::string& dense) {
  const auto graph = constant_graph(dense);
  const Literal& literal = graph->nodes()[0]->attributes<ConstantAttributes>().value;
  EXPECT_EQ(literal.type.dtype(), dtype_of<T>);
  std::vector<double> result;
  for (std::int64_t i = 0; i < literal.type.elements(); ++i) result.push_back(static_cast<double>(literal.at<T>(i)));
  return result;
}

std::string literal_error(const std::string& dense) {
  try {
    constant_graph(dense);
  } catch (const Error& wrong) {
    return wrong.what();
  }
  return "none";
}

using testing::ElementsAre;
using testing::HasSubstr;
constexpr double positive_infinity = std::numeric_limits<double>::infinity();

TEST(TextLiteral, Lists) {
  EXPECT_THAT(values<float>("dense<1.5> : tensor<f32>"), ElementsAre(1.5));
  EXPECT_THAT(values<float>("dense<-2.0e+01> : tensor<3xf32>"), ElementsAre(-20, -20, -20));
  EXPECT_THAT(values<std::int32_t>("dense<[[1, -2], [3, 4]]> : tensor<2x2xi32>"), ElementsAre(1, -2, 3, 4));
  EXPECT_THAT(values<bool>("dense<[true, false]> : tensor<2xi1>"), ElementsAre(1, 0));
  EXPECT_THAT(values<double>("dense<> : tensor<0x3xf64>"), ElementsAre());
  EXPECT_THAT(values<double>("dense<[[], []]> : tensor<2x0xf64>"), ElementsAre());
  EXPECT_THAT(values<double>("dense<1.0> : tensor<0xf64>"), ElementsAre());
}

TEST(TextLiteral, BitPatterns) {
  EXPECT_THAT(values<float>("dense<[0xFF800000, 0x3F800000]> : tensor<2xf32>"), ElementsAre(-positive_infinity, 1));
  EXPECT_THAT(values<bfloat16>("dense<0xFF80> : tensor<bf16>"), ElementsAre(-positive_infinity));
  EXPECT_TRUE(std::isnan(values<float16>("dense<0x7E00> : tensor<f16>")[0]));
  EXPECT_THAT(values<double>("dense<0x3FF0000000000000> : tensor<f64>"), ElementsAre(1));
  EXPECT_THAT(values<std::int8_t>("dense<[0xFF, 200]> : tensor<2xi8>"), ElementsAre(-1, -56));
}

TEST(TextLiteral, HexadecimalBytes) {
  EXPECT_THAT(values<std::int16_t>("dense<\"0x0100FEFF\"> : tensor<2xi16>"), ElementsAre(1, -2));
  EXPECT_THAT(values<float>("dense<\"0x0000803F\"> : tensor<3xf32>"), ElementsAre(1, 1, 1));
  EXPECT_THAT(values<float>("dense<\"0x0000803F\"> : tensor<0xf32>"), testing::IsEmpty());
  EXPECT_THAT(values<bool>("dense<\"0x010001\"> : tensor<3xi1>"), ElementsAre(1, 0, 1));
  EXPECT_THAT(values<bool>("dense<\"0x0502\"> : tensor<10xi1>"), ElementsAre(1, 0, 1, 0, 0, 0, 0, 0, 0, 1));
}

TEST(TextLiteral, Resources) {
  const auto graph = parse(R"(
    func.func @main() {
      %0 = stablehlo.constant dense_resource<w> : tensor<2xi16>
      return
    }
    {-#
      dialect_resources: {
        builtin: {
          w: "0x040000000100FEFF"
        }
      }
    #-})");
  EXPECT_EQ(graph->nodes()[0]->attributes<ConstantAttributes>().value.at<std::int16_t>(1), -2);
}

TEST(TextLiteral, ExtremesAndRounding) {
  EXPECT_THAT(values<float>("dense<[1.0e+39, -1.0e+39, 1.0e-60, 0.1]> : tensor<4xf32>"),
              ElementsAre(positive_infinity, -positive_infinity, 0, 0.1f));
  EXPECT_THAT(values<float16>("dense<[1.0e+39, 65504.0, 0.1]> : tensor<3xf16>"),
              ElementsAre(positive_infinity, 65504, double{float16(0.1)}));
  EXPECT_THAT(values<std::uint64_t>("dense<18446744073709551615> : tensor<ui64>"), ElementsAre(18446744073709551615.0));
  EXPECT_THAT(values<std::int64_t>("dense<-9223372036854775808> : tensor<i64>"), ElementsAre(-9223372036854775808.0));
}

TEST(TextLiteral, Errors) {
  EXPECT_EQ(literal_error("dense<[1, 2, 3]> : tensor<2xi32>"),
            "2:36: expected ']' in a constant of type tensor<2xi32>, got ','");
  EXPECT_THAT(literal_error("dense<[1]> : tensor<2xi32>"), HasSubstr("expected ','"));
  EXPECT_THAT(literal_error("dense<[[1], [2]]> : tensor<2xi32>"), HasSubstr("expected an element"));
  EXPECT_THAT(literal_error("dense<> : tensor<2xi32>"), HasSubstr("expected the elements of tensor<2xi32>"));
  EXPECT_THAT(literal_error("dense<300> : tensor<ui8>"), HasSubstr("300 does not fit ui8"));
  EXPECT_THAT(literal_error("dense<-1> : tensor<ui8>"), HasSubstr("-1 does not fit ui8"));
  EXPECT_THAT(literal_error("dense<-129> : tensor<i8>"), HasSubstr("-129 does not fit i8"));
  EXPECT_THAT(literal_error("dense<1.5> : tensor<i32>"), HasSubstr("expected an integer"));
  EXPECT_THAT(literal_error("dense<true> : tensor<f32>"), HasSubstr("expected a number"));
  EXPECT_THAT(literal_error("dense<0x1FF80> : tensor<bf16>"), HasSubstr("does not fit bf16"));
  EXPECT_THAT(literal_error("dense<\"0x00\"> : tensor<2xi32>"), HasSubstr("expected 8 bytes for tensor<2xi32>, got 1"));
  EXPECT_THAT(literal_error("dense<\"0x0G\"> : tensor<i8>"), HasSubstr("expected hexadecimal digits"));
  EXPECT_THAT(literal_error("dense<\"0x012\"> : tensor<i8>"), HasSubstr("two digits for every byte"));
  EXPECT_THAT(literal_error("dense<[1, 2"), HasSubstr("expected dense<...> to end"));
  EXPECT_THAT(literal_error("dense_resource<w> : tensor<2xi16>"), HasSubstr("the text holds no resource w"));
}

// Checks that a printed constant reads back as the same bits.
template <class T>
void expect_round_trip(const std::vector<T>& elements) {
  Graph graph;
  const Type type(dtype_of<T>, {std::ssize(elements)});
  constant(graph, Literal{type, std::as_bytes(std::span(elements))});
  const std::string text = print(graph);
  EXPECT_TRUE(structurally_equal(*parse(text), graph)) << text;
}

TEST(TextLiteral, WritesWhatReadsBack) {
  std::vector<float> floats{0.0f,
                            -0.0f,
                            1.0f,
                            0.1f,
                            -0.99999994f,
                            1.0e-45f,
                            3.4028235e38f,
                            16777217.0f,
                            1e10f,
                            std::numeric_limits<float>::infinity(),
                            std::bit_cast<float>(0x7fc12345)};
  std::vector<double> doubles{0.1, 1e300, 5e-324, -1.0 / 3, 123456789.0, std::bit_cast<double>(0xfff8000000000001)};
  std::vector<float16> halves;
  std::vector<bfloat16> brains;
  for (int bits = 0; bits < 65536; bits += 321) {
    halves.push_back(float16::from_bits(static_cast<std::uint16_t>(bits)));
    brains.push_back(bfloat16::from_bits(static_cast<std::uint16_t>(bits)));
  }
  expect_round_trip(floats);
  expect_round_trip(doubles);
  expect_round_trip(halves);
  expect_round_trip(std::vector(halves.begin(), halves.begin() + 90));
  expect_round_trip(std::vector(brains.begin() + 80, brains.begin() + 170));
  expect_round_trip(std::vector<std::int64_t>{std::numeric_limits<std::int64_t>::min(), -1,
                                              std::numeric_limits<std::int64_t>::max()});
  expect_round_trip(std::vector<std::uint8_t>{0, 255});
  expect_round_trip(std::vector<std::int8_t>(300, -7));
}

// The bytes of a narrow float may have bits that the number does not have.
TEST(TextLiteral, IgnoresTheUpperBitsOfNarrowFloats) {
  const auto function = [](const char* bytes) {
    return concat("func.func @f() -> tensor<2xf6E2M3FN> { %0 = stablehlo.constant dense<\"", bytes,
                  "\"> : tensor<2xf6E2M3FN> return %0 : tensor<2xf6E2M3FN> }");
  };
  EXPECT_EQ(print(*parse(function("0xF0E8"))), print(*parse(function("0x3028"))));
}

TEST(TextLiteral, WritesMlirsDigits) {
  Graph graph;
  const Type scalar(DType::f32, {});
  for (const double v : {1.0, 0.1, 1e10, 16777216.0, -0.99999994}) constant(graph, scalar, v);
  const std::string text = print(graph);
  for (const char* digits : {"<1.000000e+00>", "<1.000000e-01>", "<1.000000e+10>", "<16777216.0>", "<-0.99999994>"})
    EXPECT_THAT(text, HasSubstr(digits));
}

}  // namespace
}  // namespace weft::ir
