// Tests complex numbers in text: the lowering of operations, arguments and results, and rejected programs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/ir/boundary.h>
#include <weft/ir/ops.h>

#include "complex.h"

namespace weft::ir {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const Values abc = {{1, 2}, {-3, 0.5}, {2, -1}};

TEST(TextComplex, PartsAndConversions) {
  EXPECT_EQ(evaluate<double>(
                "%a = stablehlo.real %x : (TYPE) -> tensor<3xf64>\n%b = stablehlo.imag %x : (TYPE) -> tensor<3xf64>\n"
                "%r = stablehlo.complex %b, %a : TYPE",
                abc),
            (Values{{2, 1}, {0.5, -3}, {-1, 2}}));
  EXPECT_EQ(evaluate<double>("%a = stablehlo.convert %x : (TYPE) -> tensor<3xi32>\n"
                             "%r = stablehlo.convert %a : (tensor<3xi32>) -> TYPE",
                             abc),
            (Values{{1, 0}, {-3, 0}, {2, 0}}));
  EXPECT_EQ(evaluate<double>("%a = stablehlo.convert %x : (TYPE) -> tensor<3xcomplex<f32>>\n"
                             "%b = stablehlo.bitcast_convert %a : (tensor<3xcomplex<f32>>) -> tensor<3x2xui32>\n"
                             "%c = stablehlo.bitcast_convert %b : (tensor<3x2xui32>) -> tensor<3xcomplex<f32>>\n"
                             "%r = stablehlo.convert %c : (tensor<3xcomplex<f32>>) -> TYPE",
                             abc),
            abc);
  EXPECT_EQ(evaluate<double>("%a = stablehlo.bitcast_convert %x : (TYPE) -> tensor<3x8xi16>\n"
                             "%r = stablehlo.bitcast_convert %a : (tensor<3x8xi16>) -> TYPE",
                             abc),
            abc);
}

TEST(TextComplex, Constants) {
  const auto plus = [](const std::string& constant) {
    return evaluate<float>("%c = stablehlo.constant dense<" + constant + "> : TYPE\n%r = stablehlo.add %x, %c : TYPE",
                           {{0, 0}, {0, 0}});
  };
  EXPECT_EQ(plus("[(1.0, -2.0), (0x3F800000, 4)]"), (Values{{1, -2}, {1, 4}}));
  EXPECT_EQ(plus("(0.5, -1.0)"), (Values{{0.5, -1}, {0.5, -1}}));
  EXPECT_EQ(plus("\"0x0000803F000000400000404000008040\""), (Values{{1, 2}, {3, 4}}));
  EXPECT_EQ(plus("\"0x0000803F00000040\""), (Values{{1, 2}, {1, 2}}));
}

TEST(TextComplex, MovedElements) {
  EXPECT_EQ(evaluate<double>(
                "%a = stablehlo.reverse %x, dims = [0] : TYPE\n"
                "%b = stablehlo.slice %a [0:1] : (TYPE) -> tensor<1xcomplex<f64>>\n"
                "%c = stablehlo.slice %x [1:3] : (TYPE) -> tensor<2xcomplex<f64>>\n"
                "%r = stablehlo.concatenate %b, %c, dim = 0 : (tensor<1xcomplex<f64>>, tensor<2xcomplex<f64>>) -> TYPE",
                abc),
            (Values{abc[2], abc[1], abc[2]}));
  EXPECT_EQ(evaluate<double>(
                "%i = stablehlo.constant dense<[[2], [0], [1]]> : tensor<3x1xi32>\n"
                "%r = \"stablehlo.gather\"(%x, %i) {dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], "
                "start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>} : (TYPE, tensor<3x1xi32>) "
                "-> TYPE",
                abc),
            (Values{abc[2], abc[0], abc[1]}));
}

// Returns the names of the ops with regions in a graph.
std::vector<std::string_view> ops_with_regions(const Graph& graph) {
  std::vector<std::string_view> names;
  for (const Node* node : graph.nodes())
    if (!node->regions.empty()) names.push_back(node->op->name);
  return names;
}

std::string reduction(const std::string& op) {
  return "func.func @f(%x: tensor<3xcomplex<f64>>) -> tensor<complex<f64>> {\n"
         "%i = stablehlo.constant dense<(1.0, 0.0)> : tensor<complex<f64>>\n"
         "%r = stablehlo.reduce(%x init: %i) applies stablehlo." +
         op +
         " across dimensions = [0] : (tensor<3xcomplex<f64>>, tensor<complex<f64>>) -> tensor<complex<f64>>\n"
         "return %r : tensor<complex<f64>>\n}";
}

TEST(TextComplex, SumsAreOfEitherPartProductsOfBoth) {
  const auto sum = parse(reduction("add")), product = parse(reduction("multiply"));
  EXPECT_THAT(ops_with_regions(*sum), ElementsAre("reduce", "reduce"));
  EXPECT_THAT(ops_with_regions(*product), ElementsAre("reduce"));
  const auto of = [](const Graph& graph) {
    const auto results = interpret(graph, parts<double>(abc));
    return Number(results[0].data<double>()[0], results[1].data<double>()[0]);
  };
  EXPECT_EQ(of(*sum), Number(1, 1.5));
  EXPECT_EQ(of(*product), abc[0] * abc[1] * abc[2]);
}

TEST(TextComplex, SortCarriesThem) {
  EXPECT_EQ(evaluate<double>("%r = \"stablehlo.sort\"(%x) <{dimension = 0 : i64, is_stable = true}> ({\n"
                             "^bb0(%a: tensor<complex<f64>>, %b: tensor<complex<f64>>):\n"
                             "%c = stablehlo.imag %a : (tensor<complex<f64>>) -> tensor<f64>\n"
                             "%d = stablehlo.imag %b : (tensor<complex<f64>>) -> tensor<f64>\n"
                             "%e = stablehlo.compare LT, %c, %d : (tensor<f64>, tensor<f64>) -> tensor<i1>\n"
                             "stablehlo.return %e : tensor<i1>\n}) : (TYPE) -> TYPE",
                             abc),
            (Values{abc[2], abc[1], abc[0]}));
}

TEST(TextComplex, LoopsBranchesAndCallsCarryThem) {
  const auto graph = parse(R"(module {
    func.func @main(%x: tensor<complex<f64>>, %w: tensor<complex<f64>>) -> tensor<complex<f64>> {
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %r:2 = stablehlo.while(%i = %zero, %z = %x) : tensor<i32>, tensor<complex<f64>>
        cond {
          %n = stablehlo.constant dense<3> : tensor<i32>
          %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %p : tensor<i1>
        } do {
          %one = stablehlo.constant dense<1> : tensor<i32>
          %next = stablehlo.add %i, %one : tensor<i32>
          %y = func.call @times(%z, %w) : (tensor<complex<f64>>, tensor<complex<f64>>) -> tensor<complex<f64>>
          stablehlo.return %next, %y : tensor<i32>, tensor<complex<f64>>
        }
      %two = stablehlo.constant dense<2> : tensor<i32>
      %p = stablehlo.compare GT, %r#0, %two : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %s = "stablehlo.if"(%p) ({
        %y = stablehlo.negate %r#1 : tensor<complex<f64>>
        stablehlo.return %y : tensor<complex<f64>>
      }, {
        stablehlo.return %r#1 : tensor<complex<f64>>
      }) : (tensor<i1>) -> tensor<complex<f64>>
      return %s : tensor<complex<f64>>
    }
    func.func private @times(%a: tensor<complex<f64>>, %b: tensor<complex<f64>>) -> tensor<complex<f64>> {
      %r = stablehlo.multiply %a, %b : tensor<complex<f64>>
      return %r : tensor<complex<f64>>
    }
  })");
  std::vector<Array> inputs;
  for (const double x : {1.0, 2.0, 0.0, 1.0}) {
    inputs.emplace_back(Type(DType::f64, {}));
    inputs.back().data<double>()[0] = x;
  }
  const auto results = interpret(*graph, inputs);
  EXPECT_EQ(Number(results[0].data<double>()[0], results[1].data<double>()[0]),
            -Number(1, 2) * Number(0, 1) * Number(0, 1) * Number(0, 1));
}

TEST(TextComplex, Contractions) {
  EXPECT_EQ(
      evaluate<double>(
          "%a = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0] : (TYPE, TYPE) -> tensor<complex<f64>>\n"
          "%r = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<complex<f64>>) -> TYPE",
          abc, {{1, 1}, {2, 0}, {0, -1}})[0],
      abc[0] * Number(1, 1) + abc[1] * Number(2, 0) + abc[2] * Number(0, -1));
}

TEST(TextComplex, ArgumentsAreMarked) {
  const auto graph =
      parse(R"(func.func @main(%a: tensor<f32>, %x: tensor<2xcomplex<f32>> {tf.aliasing_output = 1 : i32})
      -> (tensor<complex<f32>>, tensor<2xcomplex<f32>> {jax.result_info = "y"}) {
    %c = stablehlo.complex %a, %a : tensor<complex<f32>>
    return %c, %x : tensor<complex<f32>>, tensor<2xcomplex<f32>>
  })");
  const std::vector<Port> inputs = input_ports(*graph), outputs = output_ports(*graph);
  ASSERT_EQ(inputs.size(), 2u);
  EXPECT_FALSE(inputs[0].is_complex);
  EXPECT_TRUE(inputs[1].is_complex);
  EXPECT_EQ(concat(inputs[1]), "tensor<2xcomplex<f32>>");
  ASSERT_EQ(outputs.size(), 2u);
  EXPECT_EQ(outputs[1].first, 2u);
  EXPECT_THAT(graph->annotations->arguments[1],
              ElementsAre(Annotation{"tf.aliasing_output", "2 : i32"}, complex_part(false)));
  EXPECT_THAT(graph->annotations->arguments[2],
              ElementsAre(Annotation{"tf.aliasing_output", "3 : i32"}, complex_part(true)));
  const auto again = parse(print(*graph));
  EXPECT_TRUE(structurally_equal(*graph, *again));
  EXPECT_EQ(print(*graph), print(*again));
  EXPECT_TRUE(input_ports(*again)[1].is_complex);
}

// The branches use only the imaginary part, and a real number that is not part of a complex one.
TEST(TextComplex, BranchesTakeThePartsThatTheyUse) {
  const auto graph = parse(
      R"(func.func @main(%p: tensor<i1>, %z: tensor<complex<f32>>, %a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
    %r = "stablehlo.if"(%p) ({
      %y = stablehlo.imag %z : (tensor<complex<f32>>) -> tensor<f32>
      %n = stablehlo.negate %y : tensor<f32>
      stablehlo.return %n : tensor<f32>
    }, {
      %c = stablehlo.complex %b, %a : tensor<complex<f32>>
      %y = stablehlo.imag %c : (tensor<complex<f32>>) -> tensor<f32>
      stablehlo.return %y : tensor<f32>
    }) : (tensor<i1>) -> tensor<f32>
    return %r : tensor<f32>
  })");
  const Node& node = *graph->outputs()[0].node;
  EXPECT_THAT(node.operands, ElementsAre(graph->inputs()[0], graph->inputs()[2], graph->inputs()[3]));
  EXPECT_TRUE(structurally_equal(*graph, *parse(print(*graph))));
}

std::string complex_error(const std::string& body) {
  try {
    parse("func.func @main(%x: tensor<2xcomplex<f32>>, %y: tensor<2xf32>) {\n" + body + "\nreturn }");
  } catch (const Error& wrong) {
    return wrong.what();
  }
  return "none";
}

TEST(TextComplex, WhatIsWrongIsSaid) {
  EXPECT_THAT(complex_error("%0 = stablehlo.constant dense<[(1.0, 2.0), 3.0]> : tensor<2xcomplex<f32>>"),
              HasSubstr("2:44: expected '(' in a constant of type tensor<2xcomplex<f32>>, got '3.0'"));
  EXPECT_THAT(complex_error("%0 = stablehlo.constant dense<[(1.0, 2.0)]> : tensor<2xcomplex<f32>>"),
              HasSubstr("expected ','"));
  EXPECT_THAT(complex_error("%0 = stablehlo.constant dense<\"0x00000000\"> : tensor<2xcomplex<f32>>"),
              HasSubstr("expected 16 bytes"));
  EXPECT_THAT(complex_error("%0 = stablehlo.constant dense<0> : tensor<2xcomplex<i32>>"),
              HasSubstr("parts of f32 or f64, not i32"));
  EXPECT_THAT(complex_error(
                  "%0 = \"stablehlo.add\"(%x, %y) : (tensor<2xcomplex<f32>>, tensor<2xf32>) -> tensor<2xcomplex<f32>>"),
              HasSubstr("stablehlo.add: takes complex numbers, got tensor<2xf32>"));
  EXPECT_THAT(complex_error("%0 = stablehlo.floor %x : tensor<2xcomplex<f32>>"),
              HasSubstr("2:6: stablehlo.floor: takes no complex numbers"));
  EXPECT_THAT(
      complex_error(
          "%0 = stablehlo.compare LT, %x, %x : (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) -> tensor<2xi1>"),
      HasSubstr("no order"));
  EXPECT_THAT(complex_error("%0 = stablehlo.negate %x : (tensor<2xf32>) -> tensor<2xf32>"),
              HasSubstr("%x is tensor<2xcomplex<f32>>, not tensor<2xf32>"));
}

}  // namespace
}  // namespace weft::ir
