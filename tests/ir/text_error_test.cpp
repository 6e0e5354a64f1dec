// Tests which texts are rejected, and the error messages.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/ir/text/text.h>

namespace weft::ir {
namespace {

using testing::HasSubstr;

std::string parse_error(const std::string& text, const ParseLimits& limits = {}) {
  try {
    parse_module(text, limits);
  } catch (const Error& wrong) {
    return wrong.what();
  }
  return "none";
}

std::string error_in_main(const std::string& body) {
  return parse_error("func.func @main(%a: tensor<4xf32>, %i: tensor<i32>) {\n" + body + "\nreturn }");
}

TEST(TextError, NamesPlaceOperationAndWhatIsWrong) {
  EXPECT_EQ(error_in_main("  %0 = stablehlo.uniform_quantize %a : tensor<4xf32>"),
            "2:8: 'stablehlo.uniform_quantize': unsupported operation");
  EXPECT_EQ(error_in_main("%0 = stablehlo.add %a, %b : tensor<4xf32>"), "2:24: func.func @main: %b is not defined");
  EXPECT_EQ(error_in_main("%0 = stablehlo.add %a %a : tensor<4xf32>"), "2:23: stablehlo.add: expected ':', got '%a'");
  EXPECT_EQ(error_in_main("%0 = stablehlo.add %a, %a : tensor<4xf32"),
            "2:41: stablehlo.add: expected '>' after the element type");
  EXPECT_EQ(error_in_main("%0 = \"stablehlo.negate\"(%a) : (tensor<5xf32>) -> tensor<5xf32>"),
            "2:25: stablehlo.negate: %a is tensor<4xf32>, not tensor<5xf32>");
  EXPECT_EQ(error_in_main("%0 = stablehlo.add %a, %i : tensor<4xf32>"),
            "2:24: stablehlo.add: %i is tensor<i32>, not tensor<4xf32>");
  EXPECT_THAT(error_in_main("%0 = stablehlo.tanh %i : tensor<i32>"), HasSubstr("2:6: stablehlo.tanh: "));
  EXPECT_THAT(error_in_main("%0:2 = stablehlo.tanh %a : tensor<4xf32>"), HasSubstr("has 1 results"));
  EXPECT_EQ(error_in_main("%a = stablehlo.tanh %a : tensor<4xf32>"), "2:6: stablehlo.tanh: %a is defined twice");
}

TEST(TextError, MissingAndWrongAttributes) {
  EXPECT_EQ(error_in_main("%0 = \"stablehlo.iota\"() : () -> tensor<4xf32>"),
            "2:6: stablehlo.iota: expected the attribute iota_dimension");
  EXPECT_EQ(error_in_main("%0 = \"stablehlo.iota\"() <{iota_dimension = \"0\"}> : () -> tensor<4xf32>"),
            "2:44: stablehlo.iota: expected an integer for iota_dimension");
  EXPECT_THAT(error_in_main("%0 = stablehlo.compare XX, %a, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>"),
              HasSubstr("stablehlo.compare: expected one of EQ NE LT LE GT GE for comparison_direction"));
  EXPECT_THAT(error_in_main("%0 = stablehlo.transpose %a, dims = #p : (tensor<4xf32>) -> tensor<4xf32>"),
              HasSubstr("#p is not defined"));
  EXPECT_THAT(
      error_in_main(
          "%0 = stablehlo.transpose %a, dims = dense<0> : tensor<9999999xi64> : (tensor<4xf32>) -> tensor<4xf32>"),
      HasSubstr("expected at most 128 integers for permutation"));
  EXPECT_THAT(
      error_in_main(
          "%0 = \"stablehlo.reduce_precision\"(%a) <{exponent_bits = 4294967304 : i64, mantissa_bits = 1 : i32}> "
          ": (tensor<4xf32>) -> tensor<4xf32>"),
      HasSubstr("does not fit 32 bits"));
  EXPECT_THAT(error_in_main("%0 = stablehlo.reduce_precision %a, format = e8 : tensor<4xf32>"),
              HasSubstr("expected a format such as e8m7"));
}

TEST(TextError, Types) {
  EXPECT_THAT(parse_error("func.func @main(%a: tensor<4xcomplex<i32>>) { return }"),
              HasSubstr("a complex number has parts of f32 or f64, not i32"));
  EXPECT_THAT(parse_error("func.func @main(%a: tensor<?xf32>) { return }"), HasSubstr("dynamic shapes are not read"));
  EXPECT_THAT(parse_error("func.func @main(%a: !quant.any<i8:f32>) { return }"),
              HasSubstr("'!quant.any': unsupported type"));
  EXPECT_THAT(parse_error("func.func @main(%a: f32) { return }"), HasSubstr("expected a tensor type, got 'f32'"));
}

TEST(TextError, Functions) {
  EXPECT_EQ(parse_error("func.func @f() { call @f() : () -> () return }"), "1:1: func.func @f: calls itself");
  EXPECT_THAT(parse_error("func.func @f() { call @g() : () -> () return }"),
              HasSubstr("func.call: there is no function @g"));
  EXPECT_THAT(parse_error("func.func @f() { return } func.func @f() { return }"), HasSubstr("@f: defined twice"));
  EXPECT_THAT(parse_error("func.func @f() { call @g() : () -> () return } func.func private @g()"),
              HasSubstr("@g: has no body"));
  EXPECT_THAT(parse_error("func.func @f() { }"), HasSubstr("expected the region to end with func.return"));
  EXPECT_THAT(parse_error("func.func @f(%a: tensor<f32>) -> tensor<i32> { return %a : tensor<f32> }"),
              HasSubstr("the returned types differ from the result types"));
  EXPECT_THAT(
      parse_error(
          "func.func @f(%a: tensor<f32>) { call @g(%a) : (tensor<f32>) -> () return } func.func @g() { return }"),
      HasSubstr("do not fit the arguments of @g"));
  EXPECT_THAT(parse_error("func.func @f(%a: tensor<f32>, %a: tensor<f32>) { return }"),
              HasSubstr("%a is defined twice"));
}

TEST(TextError, AByteOrderMarkMeansNothing) {
  const std::string mark = "\xEF\xBB\xBF", program = "func.func @f() { return }\n";
  EXPECT_EQ(parse_error(mark + program), "none");
  EXPECT_EQ(parse_error(program + mark + "// the end of another file\n"), "none");
  EXPECT_EQ(parse_error(mark + "func.func @f() { & }"), "1:18: " + parse_error("func.func @f() { & }").substr(6));
  EXPECT_THAT(parse_error(mark + "&"), HasSubstr("1:1: unexpected character '&'"));
  EXPECT_THAT(parse_error("func.func @" + mark + "f() { return }"), HasSubstr("expected a name after @"));
}

TEST(TextError, Tokens) {
  EXPECT_EQ(parse_error("&"), "1:1: unexpected character '&'");
  EXPECT_EQ(parse_error("\x01"), "1:1: unexpected character U+0001");
  EXPECT_EQ(parse_error("func.func @f()\xC2\xA0{ return }"), "1:15: unexpected character U+00A0");
  EXPECT_EQ(parse_error("\xE2\x80\x9Cmain"), "1:1: unexpected character U+201C");
  EXPECT_EQ(parse_error("\xF0\x9F\x98\x80"), "1:1: unexpected character U+1F600");
  EXPECT_EQ(parse_error("\x93NUMPY"), "1:1: unexpected character (byte 0x93)");
  EXPECT_EQ(parse_error("\xE2\x80"), "1:1: unexpected character (byte 0xE2)");
  EXPECT_EQ(parse_error(std::string("\xFF\xFE\x66\0u\0", 6)), "1:1: the text is UTF-16; save it as UTF-8");
  EXPECT_THAT(parse_error("ML\xEFR\r"), HasSubstr("1:1: this is MLIR bytecode, not text"));
  EXPECT_EQ(parse_error("\x1F\x8B\x08"), "1:1: the file is compressed; unpack it with gunzip");
  EXPECT_EQ(parse_error("\x28\xB5\x2F\xFD"), "1:1: the file is compressed; unpack it with unzstd");
  EXPECT_EQ(parse_error("PK\x03\x04"), "1:1: this is a zip archive; unpack it with unzip");
  EXPECT_EQ(parse_error("module @\"a"), "1:9: expected the string to end on its line");
  EXPECT_EQ(parse_error("module {"), "1:9: expected a function or a module, got end of text");
  EXPECT_THAT(parse_error("module { " + std::string(100, 'x')), HasSubstr("xxx...'"));
}

TEST(TextError, ContractionsComputeWithNumbers) {
  EXPECT_THAT(error_in_main("%0 = \"stablehlo.dot_general\"(%a, %a) <{dot_dimension_numbers = #stablehlo.dot<>}> : "
                            "(tensor<4xf32>, tensor<4xf32>) -> !stablehlo.token"),
              HasSubstr("stablehlo.dot_general: computes with numbers, not with !stablehlo.token"));
}

TEST(TextError, LocationsMustResolve) {
  EXPECT_THAT(error_in_main("%0 = stablehlo.tanh %a : tensor<4xf32> loc(#x)"),
              HasSubstr("location: '#x' is not defined"));
  EXPECT_THAT(
      parse_error("#x = loc(#x)\nfunc.func @f(%a: tensor<f32>) { stablehlo.tanh %a : tensor<f32> loc(#x) return }"),
      HasSubstr("nested more than 256 deep"));
  EXPECT_THAT(error_in_main("%0 = stablehlo.tanh %a : tensor<4xf32> loc(fused<a)"), HasSubstr("unbalanced ')'"));
}

TEST(TextError, Limits) {
  const std::string nested(1000, '[');
  EXPECT_THAT(parse_error("#a = " + nested), HasSubstr("nested more than 256 deep"));
  EXPECT_THAT(parse_error("#a = loc(fused" + nested), HasSubstr("expected the closing bracket"));
  EXPECT_THAT(parse_error("module { }", {.bytes = 4}), HasSubstr("the text has 10 bytes, at most 4 are read"));
  EXPECT_THAT(parse_error("func.func @f(%a: tensor<70000x70000xf32>) { return }"),
              HasSubstr("a tensor has at most 2147483648 elements"));
  EXPECT_THAT(parse_error("func.func @f(%a: tensor<99999999999999999999xf32>) { return }"),
              HasSubstr("a dimension has at most"));
  EXPECT_THAT(parse_error("func.func @f(%a: tensor<1x1x1xf32>) { return }", {.rank = 2}),
              HasSubstr("at most 2 dimensions"));

  const std::string body = "%a: tensor<f32>) -> tensor<f32> { ";
  const std::string text = "func.func @f(" + body + "%0 = stablehlo.tanh %a : tensor<f32> return %0 : tensor<f32> }";
  EXPECT_EQ(parse_error(text, {.operations = 2}), "none");
  EXPECT_THAT(parse_error(text, {.operations = 1}), HasSubstr("more than 1 operations"));

  // Calls that double the number of operations at every level.
  std::string doubling = "func.func private @f0(" + body + "return %a : tensor<f32> }";
  for (int i = 1; i < 40; ++i) {
    const std::string callee = concat("call @f", i - 1, "(");
    doubling += concat("func.func ", i < 39 ? "private " : "", "@f", i, "(", body, "%0 = ", callee,
                       "%a) : (tensor<f32>) -> tensor<f32> %1 = ", callee,
                       "%0) : (tensor<f32>) -> tensor<f32> return %1 : tensor<f32> }");
  }
  EXPECT_THAT(parse_error(doubling, {.operations = 10000}), HasSubstr("more than 10000 operations, calls included"));
}

}  // namespace
}  // namespace weft::ir
