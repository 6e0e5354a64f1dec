// Tests regions that use values from outside, that compute in a wider dtype than that of the operands, and that end wrongly.
#include <tests/error_of.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/ir/interpreter.h>
#include <weft/ir/text/text.h>

namespace weft::ir {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Returns a function of %x: tensor<2x3xf32>, %c: tensor<f32> and %p: tensor<i32> with this body, which returns %r.
std::string program(const std::string& body, const std::string& result = "tensor<2xf32>") {
  return concat("func.func @main(%x: tensor<2x3xf32>, %c: tensor<f32>, %p: tensor<i32>) -> ", result,
                " {\n %zero = stablehlo.constant dense<0.0> : tensor<f32>\n"
                " %half = stablehlo.constant dense<0.5> : tensor<f32>\n",
                body, "\n return %r : ", result, "\n}");
}

Array run_main(const std::string& text, float c = 2) {
  const std::vector inputs{Array::of<float>({2, 3}, {1, 2, 3, -4, 5, -6}), Array::scalar<float>(c),
                           Array::scalar<std::int32_t>(0)};
  const auto graph = parse(text);
  EXPECT_EQ(print(*parse(print(*graph))), print(*graph));
  return interpret(*graph, inputs)[0];
}

std::string in_branch(const std::string& body, const std::string& type = "tensor<2xf32>") {
  return concat("%r = \"stablehlo.case\"(%p) ({\n", body, "\n stablehlo.return %s : ", type, "\n}, {\n", body,
                "\n stablehlo.return %s : ", type, "\n}) : (tensor<i32>) -> ", type);
}

std::string reduction_of(const std::string& outside, const std::string& name = "%s") {
  return concat(name,
                " = \"stablehlo.reduce\"(%x, %zero) <{dimensions = array<i64: 1>}> ({\n"
                " ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n"
                "  %t = stablehlo.multiply %b, ",
                outside,
                " : tensor<f32>\n"
                "  %u = stablehlo.add %a, %t : tensor<f32>\n"
                "  stablehlo.return %u : tensor<f32>\n"
                " }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>");
}

TEST(TextRegions, ConstantsFromOutsideABranch) {
  EXPECT_THAT(run_main(program(in_branch(reduction_of("%half")))).data<float>(), ElementsAre(3, -2.5f));
  const std::string nested =
      concat("%q = stablehlo.constant dense<true> : tensor<i1>\n",
             in_branch(concat("%s = \"stablehlo.if\"(%q) ({\n", reduction_of("%half", "%v"),
                              "\n stablehlo.return %v : tensor<2xf32>\n}, {\n", reduction_of("%half", "%v"),
                              "\n stablehlo.return %v : tensor<2xf32>\n}) "
                              ": (tensor<i1>) -> tensor<2xf32>")));
  EXPECT_THAT(run_main(program(nested)).data<float>(), ElementsAre(3, -2.5f));
}

TEST(TextRegions, ConstantsOfAnySize) {
  const Array y = run_main(program(R"(
    %table = stablehlo.constant dense<[1.0, 10.0, 100.0, 1000.0]> : tensor<4xf32>
    %r = "stablehlo.reduce"(%x, %zero) <{dimensions = array<i64: 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %t = stablehlo.slice %table [1:2] : (tensor<4xf32>) -> tensor<1xf32>
      %v = stablehlo.reshape %t : (tensor<1xf32>) -> tensor<f32>
      %w = stablehlo.multiply %v, %b : tensor<f32>
      %u = stablehlo.add %a, %w : tensor<f32>
      stablehlo.return %u : tensor<f32>
    }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>)"));
  EXPECT_THAT(y.data<float>(), ElementsAre(60, -50));
}

TEST(TextRegions, AReductionUsesAScalarFromOutside) {
  EXPECT_THAT(run_main(program(reduction_of("%c", "%r"))).data<float>(), ElementsAre(12, -10));
  EXPECT_THAT(run_main(program(in_branch(reduction_of("%c")))).data<float>(), ElementsAre(12, -10));
  const std::string loop = concat(
      "%q:2 = stablehlo.while(%v = %w, %k = %p) : tensor<2xf32>, tensor<i32> cond {\n"
      " %e = stablehlo.compare LT, %k, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
      " stablehlo.return %e : tensor<i1>\n} do {\n",
      reduction_of("%c"),
      "\n %l = stablehlo.add %k, %one : tensor<i32>\n"
      " stablehlo.return %s, %l : tensor<2xf32>, tensor<i32>\n}\n"
      "%r = stablehlo.add %q#0, %w : tensor<2xf32>");
  EXPECT_THAT(run_main(program("%one = stablehlo.constant dense<1> : tensor<i32>\n"
                               "%w = stablehlo.constant dense<0.0> : tensor<2xf32>\n" +
                               loop))
                  .data<float>(),
              ElementsAre(12, -10));
}

TEST(TextRegions, OfAWindow) {
  const Array y = run_main(program(R"(
    %r = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 1, 2>, padding = dense<[[0, 0], [1, 0]]> : tensor<2x2xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %t = stablehlo.multiply %b, %c : tensor<f32>
      %u = stablehlo.add %a, %t : tensor<f32>
      stablehlo.return %u : tensor<f32>
    }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>)",
                                   "tensor<2x3xf32>"));
  EXPECT_THAT(y.data<float>(), ElementsAre(2, 6, 10, -8, 2, -2));
}

TEST(TextRegions, OfAScatter) {
  const Array y = run_main(program(R"(
    %i = stablehlo.constant dense<[[1], [1]]> : tensor<2x1xi32>
    %v = stablehlo.constant dense<[[1.0, 2.0, 3.0], [10.0, 20.0, 30.0]]> : tensor<2x3xf32>
    %r = "stablehlo.scatter"(%x, %i, %v) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1],
        inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %t = stablehlo.multiply %b, %c : tensor<f32>
      %u = stablehlo.add %a, %t : tensor<f32>
      stablehlo.return %u : tensor<f32>
    }) : (tensor<2x3xf32>, tensor<2x1xi32>, tensor<2x3xf32>) -> tensor<2x3xf32>)",
                                   "tensor<2x3xf32>"));
  EXPECT_THAT(y.data<float>(), ElementsAre(1, 2, 3, 18, 49, 60));
}

TEST(TextRegions, OfASort) {
  const std::string text = program(R"(
    %r = "stablehlo.sort"(%x) <{dimension = 1 : i64}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.multiply %a, %c : tensor<f32>
      %t = stablehlo.multiply %b, %c : tensor<f32>
      %u = stablehlo.compare LT, %s, %t : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %u : tensor<i1>
    }) : (tensor<2x3xf32>) -> tensor<2x3xf32>)",
                                   "tensor<2x3xf32>");
  EXPECT_THAT(run_main(text, 1).data<float>(), ElementsAre(1, 2, 3, -6, -4, 5));
  EXPECT_THAT(run_main(text, -1).data<float>(), ElementsAre(3, 2, 1, 5, -4, -6));
}

TEST(TextRegions, OfAMap) {
  const Array y = run_main(program(R"(
    %r = "stablehlo.map"(%x) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%a: tensor<f32>):
      %u = stablehlo.multiply %a, %c : tensor<f32>
      stablehlo.return %u : tensor<f32>
    }) : (tensor<2x3xf32>) -> tensor<2x3xf32>)",
                                   "tensor<2x3xf32>"));
  EXPECT_THAT(y.data<float>(), ElementsAre(2, 4, 6, -8, 10, -12));
}

TEST(TextRegions, ComplexValuesFromOutside) {
  const auto graph = parse(R"(
    func.func @main(%x: tensor<2xcomplex<f32>>, %c: tensor<complex<f32>>) -> tensor<complex<f32>> {
      %zero = stablehlo.constant dense<(0.0, 0.0)> : tensor<complex<f32>>
      %r = "stablehlo.reduce"(%x, %zero) <{dimensions = array<i64: 0>}> ({
      ^bb0(%a: tensor<complex<f32>>, %b: tensor<complex<f32>>):
        %t = stablehlo.multiply %b, %c : tensor<complex<f32>>
        %u = stablehlo.add %a, %t : tensor<complex<f32>>
        stablehlo.return %u : tensor<complex<f32>>
      }) : (tensor<2xcomplex<f32>>, tensor<complex<f32>>) -> tensor<complex<f32>>
      return %r : tensor<complex<f32>>
    })");
  const std::vector inputs{Array::of<float>({2}, {1, 2}), Array::of<float>({2}, {3, 4}), Array::scalar<float>(0),
                           Array::scalar<float>(1)};
  const auto results = interpret(*graph, inputs);
  EXPECT_EQ(results[0].element(0), -7);
  EXPECT_EQ(results[1].element(0), 3);
}

TEST(TextRegions, WhatCannotComeFromOutsideIsNamed) {
  const std::string text = program(R"(
    %r = "stablehlo.reduce"(%x, %zero) <{dimensions = array<i64: 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %t = stablehlo.slice %x [0:1, 0:1] : (tensor<2x3xf32>) -> tensor<1x1xf32>
      %u = stablehlo.reshape %t : (tensor<1x1xf32>) -> tensor<f32>
      stablehlo.return %u : tensor<f32>
    }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>)");
  EXPECT_THAT(error_of([&] { parse(text); }), HasSubstr("stablehlo.reduce: the region uses %x from outside"));
}

// ---- wider regions

Array promoted(const std::string& op, const std::string& result, const std::vector<Array>& inputs) {
  return interpret(*parse(concat("func.func @main(%x: tensor<4xbf16>, %z: tensor<bf16>, %i: tensor<2x1xi32>, "
                                 "%v: tensor<2xbf16>) -> ",
                                 result, " { %r = ", op, " return %r : ", result, " }")),
                   inputs)[0];
}

const std::vector<Array>& bf16_inputs() {
  static const auto b = [](float x) { return bfloat16(x); };
  static const std::vector inputs{Array::of<bfloat16>({4}, {b(256), b(1), b(1), b(1)}), Array::scalar<bfloat16>(b(0)),
                                  Array::of<std::int32_t>({2, 1}, {0, 0}), Array::of<bfloat16>({2}, {b(1), b(2)})};
  return inputs;
}

constexpr const char* wide_sum = R"( ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %u = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %u : tensor<f32>
  }))";

TEST(TextRegions, AReductionInAWiderType) {
  const Array y = promoted(concat(R"("stablehlo.reduce"(%x, %z) <{dimensions = array<i64: 0>}>)", wide_sum,
                                  " : (tensor<4xbf16>, tensor<bf16>) -> tensor<f32>"),
                           "tensor<f32>", bf16_inputs());
  EXPECT_EQ(y.element(0), 259);  // bf16 represents 258 and 260, but not 259
}

TEST(TextRegions, AWindowInAWiderType) {
  const Array y = promoted(concat(R"("stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 2>}>)",
                                  wide_sum, " : (tensor<4xbf16>, tensor<bf16>) -> tensor<3xf32>"),
                           "tensor<3xf32>", bf16_inputs());
  EXPECT_THAT(y.data<float>(), ElementsAre(257, 2, 2));
}

TEST(TextRegions, AScatterInAWiderType) {
  const Array y = promoted(concat(R"("stablehlo.scatter"(%x, %i, %v) <{scatter_dimension_numbers = #stablehlo.scatter<
                inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}>)",
                                  wide_sum, " : (tensor<4xbf16>, tensor<2x1xi32>, tensor<2xbf16>) -> tensor<4xf32>"),
                           "tensor<4xf32>", bf16_inputs());
  EXPECT_THAT(y.data<float>(), ElementsAre(259, 1, 1, 1));
}

TEST(TextRegions, ASelectAndScatterInAWiderType) {
  const Array y = promoted(
      R"("stablehlo.select_and_scatter"(%x, %v, %z) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
  ^bb0(%a: tensor<bf16>, %b: tensor<bf16>):
    %u = stablehlo.compare GE, %a, %b : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
    stablehlo.return %u : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %u = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %u : tensor<f32>
  }) : (tensor<4xbf16>, tensor<2xbf16>, tensor<bf16>) -> tensor<4xf32>)",
      "tensor<4xf32>", bf16_inputs());
  EXPECT_THAT(y.data<float>(), ElementsAre(1, 0, 2, 0));
}

TEST(TextRegions, ANarrowerTypeIsRefused) {
  const std::string text = R"(func.func @main(%x: tensor<4xf32>, %z: tensor<f32>) -> tensor<bf16> {
    %r = "stablehlo.reduce"(%x, %z) <{dimensions = array<i64: 0>}> ({
    ^bb0(%a: tensor<bf16>, %b: tensor<bf16>):
      %u = stablehlo.add %a, %b : tensor<bf16>
      stablehlo.return %u : tensor<bf16>
    }) : (tensor<4xf32>, tensor<f32>) -> tensor<bf16>
    return %r : tensor<bf16>
  })";
  EXPECT_THAT(error_of([&] { parse(text); }), HasSubstr("reduce"));
}

// ---- how regions end

// Every operation with regions, with its regions in place of @. What they should return does not matter, because all of these
// ends are wrong.
constexpr const char* with_regions[] = {
    R"(%r = "stablehlo.map"(%x) <{dimensions = array<i64: 0>}> (@{^bb0(%a: tensor<f32>): $}) : (tensor<4xf32>) -> tensor<4xf32>)",
    R"(%r = "stablehlo.reduce"(%x, %z) <{dimensions = array<i64: 0>}> (@{^bb0(%a: tensor<f32>, %b: tensor<f32>): $}) : (tensor<4xf32>, tensor<f32>) -> tensor<f32>)",
    R"(%r = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 2>}> (@{^bb0(%a: tensor<f32>, %b: tensor<f32>): $}) : (tensor<4xf32>, tensor<f32>) -> tensor<3xf32>)",
    R"(%r = "stablehlo.sort"(%x) <{dimension = 0 : i64}> (@{^bb0(%a: tensor<f32>, %b: tensor<f32>): $}) : (tensor<4xf32>) -> tensor<4xf32>)",
    R"(%r = "stablehlo.scatter"(%x, %i, %x) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> (@{^bb0(%a: tensor<f32>, %b: tensor<f32>): $}) : (tensor<4xf32>, tensor<4x1xi32>, tensor<4xf32>) -> tensor<4xf32>)",
    R"(%r = "stablehlo.select_and_scatter"(%x, %x, %z) <{window_dimensions = array<i64: 1>}> (@{^bb0(%a: tensor<f32>, %b: tensor<f32>): $}, {^bb0(%a: tensor<f32>, %b: tensor<f32>): $}) : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>)",
    R"(%r = "stablehlo.while"(%x) (@{^bb0(%a: tensor<4xf32>): $}, {^bb0(%a: tensor<4xf32>): $}) : (tensor<4xf32>) -> tensor<4xf32>)",
    R"(%r = "stablehlo.if"(%p) (@{$}, {$}) : (tensor<i1>) -> tensor<4xf32>)",
    R"(%r = "stablehlo.case"(%n) (@{$}, {$}) : (tensor<i32>) -> tensor<4xf32>)",
    R"(%r = "stablehlo.all_reduce"(%x) <{replica_groups = dense<0> : tensor<1x1xi64>}> (@{^bb0(%a: tensor<f32>, %b: tensor<f32>): $}) : (tensor<4xf32>) -> tensor<4xf32>)",
    R"(%r = "stablehlo.reduce_scatter"(%x) <{scatter_dimension = 0 : i64, replica_groups = dense<0> : tensor<1x1xi64>}> (@{^bb0(%a: tensor<f32>, %b: tensor<f32>): $}) : (tensor<4xf32>) -> tensor<4xf32>)",
    R"(%r:2 = "chlo.scan"(%x, %z) <{dimension = 0 : i64, operandSegmentSizes = array<i32: 1, 1>}> (@{^bb0(%a: tensor<f32>, %b: tensor<f32>): $}) : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<f32>))",
};
constexpr const char* wrong_ends[] = {
    "",
    "stablehlo.return",
    "stablehlo.return %p : tensor<i1> stablehlo.return %p : tensor<i1>",
    "%k = stablehlo.constant dense<0> : tensor<7xui8> stablehlo.return %k : tensor<7xui8>",
    "%k = stablehlo.constant dense<0> : tensor<7xui8> stablehlo.return %k, %k, %k : tensor<7xui8>, tensor<7xui8>, "
    "tensor<7xui8>",
    "%k = stablehlo.constant dense<0> : tensor<7xui8>",
    "return",
    "stablehlo.return %unknown : tensor<f32>",
};

TEST(TextRegions, EveryWrongEndIsAnError) {
  for (const std::string op : with_regions)
    for (const std::string end : wrong_ends)
      for (const char* const first : {"", "{}, "}) {
        std::string text = concat(
            "func.func @main(%x: tensor<4xf32>, %z: tensor<f32>, %i: tensor<4x1xi32>, %p: tensor<i1>, "
            "%n: tensor<i32>) {\n",
            op, "\n return\n}");
        text.replace(text.find('@', text.find("%r")), 1, first);
        for (std::size_t at; (at = text.find('$')) != text.npos;) text.replace(at, 1, end);
        EXPECT_THAT(error_of([&] { parse(text); }), HasSubstr(": ")) << text;
      }
}

}  // namespace
}  // namespace weft::ir
