// Convolutions and pools that passes replace by sums and folds of slices give what the interpreter does.
#include <algorithm>

#include <gtest/gtest.h>

#include <weft/ir/interpreter.h>
#include <weft/ir/text/text.h>

#include "arrays.h"
#include "run.h"

namespace weft {
namespace {

using ir::Array;

void expect_as_interpreted(const std::string& text) {
  const auto graph = ir::parse(text);
  std::vector<Array> inputs;
  for (const ir::Value v : graph->inputs()) inputs.push_back(test::random_array(v.type(), inputs.size() + 1));
  const std::vector<Array> got = test::run_compiled(*graph, inputs), want = ir::interpret(*graph, inputs);
  SCOPED_TRACE(text);
  for (std::size_t i = 0; i < want.size(); ++i) test::expect_near(got[i], want[i]);
}

struct Convolution {
  std::string x, kernel, y, layout, window;
  int groups = 1;
};

TEST(ExpandedWindows, ConvolveEachChannelOnItsOwn) {
  for (const std::string dtype : {"f32", "f64", "bf16"})
    for (const Convolution& c : std::vector<Convolution>{
             {"3x1x50", "1x1x7", "3x1x50", "[b, f, 0]x[o, i, 0]->[b, f, 0]", "pad = [[2, 4]]"},
             {"3x50x1", "7x1x1", "15x3x1", "[b, 0, f]x[0, i, o]->[0, b, f]", "stride = [3]"},
             {"2x1x40", "1x1x5", "2x1x32", "[b, f, 0]x[o, i, 0]->[b, f, 0]", "rhs_dilate = [2]"},
             {"2x1x20", "1x1x3", "2x1x39", "[b, f, 0]x[o, i, 0]->[b, f, 0]", "lhs_dilate = [2], pad = [[1, 1]]"},
             {"2x1x20", "1x1x4", "2x1x13", "[b, f, 0]x[o, i, 0]->[b, f, 0]", "pad = [[-2, -2]], reverse = [true]"},
             {"2x30x9", "4x1x9", "2x30x9", "[b, 0, f]x[0, i, o]->[b, 0, f]", "pad = [[3, 0]]", 9},
             {"2x9x30", "9x1x4", "9x2x30", "[b, f, 0]x[o, i, 0]->[f, b, 0]", "pad = [[3, 0]]", 9},
             {"2x1x19x23", "1x1x3x5", "2x1x19x23", "[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]", "pad = [[1, 1], [2, 2]]"},
             {"2x19x23x1", "5x3x1x1", "2x1x10x12", "[b, 1, 0, f]x[0, 1, i, o]->[b, f, 1, 0]",
              "stride = [2, 2], pad = [[2, 2], [1, 1]], reverse = [true, false]"}})
      expect_as_interpreted(
          concat("func.func @main(%x: tensor<", c.x, "x", dtype, ">, %k: tensor<", c.kernel, "x", dtype,
                 ">) -> tensor<", c.y, "x", dtype, "> {\n  %0 = stablehlo.convolution(%x, %k) dim_numbers = ", c.layout,
                 ", window = {", c.window, "} {batch_group_count = 1 : i64, feature_group_count = ", c.groups,
                 " : i64} : (tensor<", c.x, "x", dtype, ">, tensor<", c.kernel, "x", dtype, ">) -> tensor<", c.y, "x",
                 dtype, ">\n  return %0 : tensor<", c.y, "x", dtype, ">\n}"));
}

TEST(ExpandedWindows, FoldTheElementsOfAWindow) {
  struct Pool {
    const char *x, *y, *size, *strides, *padding;
  };
  for (const char* op : {"add", "maximum"})
    for (const Pool& p : std::vector<Pool>{{"3x5x8x8", "3x5x4x4", "1, 1, 2, 2", "1, 1, 2, 2", "0, 0"},
                                           {"3x9x9x5", "3x5x5x5", "1, 3, 3, 1", "1, 2, 2, 1", "1, 1"},
                                           {"3x5x9x9", "3x5x9x9", "1, 1, 3, 3", "1, 1, 1, 1", "1, 1"},
                                           {"3x1x70x2", "3x1x41x2", "1, 1, 30, 1", "1, 1, 1, 1", "0, 0"}}) {
      const bool is_last = std::string_view(p.size).ends_with("3, 1");
      const std::string pair = concat("[", p.padding, "]"), none = "[0, 0]";
      const bool has_padding = std::string_view(p.padding) != "0, 0";
      const std::string padding = concat("[", none, ", ", is_last && has_padding ? pair : none, ", ",
                                         has_padding ? pair : none, ", ", !is_last && has_padding ? pair : none, "]");
      expect_as_interpreted(
          concat("func.func @main(%x: tensor<", p.x, "xf32>, %i: tensor<f32>) -> tensor<", p.y, R"(xf32> {
        %0 = "stablehlo.reduce_window"(%x, %i) <{window_dimensions = array<i64: )",
                 p.size, ">, window_strides = array<i64: ", p.strides, ">, padding = dense<", padding,
                 R"(> : tensor<4x2xi64>}> ({
        ^bb0(%a: tensor<f32>, %b: tensor<f32>):
          %1 = stablehlo.)",
                 op, R"( %a, %b : tensor<f32>
          stablehlo.return %1 : tensor<f32>
        }) : (tensor<)",
                 p.x, "xf32>, tensor<f32>) -> tensor<", p.y, "xf32>\n  return %0 : tensor<", p.y, "xf32>\n}"));
    }
}

// Returns a program that folds each row up to each of its elements, as JAX writes it.
std::string running_fold(std::string_view op, std::string_view init, std::int64_t rows, std::int64_t size, bool forward,
                         std::string_view dtype) {
  const std::string type = concat("tensor<", rows, "x", size, "x", dtype, ">"), scalar = concat("tensor<", dtype, ">");
  return concat("func.func @main(%x: ", type, ") -> ", type, " {\n  %c = stablehlo.constant dense<", init,
                "> : ", scalar, "\n  %i = stablehlo.broadcast_in_dim %c, dims = [] : (", scalar, ") -> ", scalar,
                "\n  %0 = \"stablehlo.reduce_window\"(%x, %i) <{window_dimensions = array<i64: 1, ", size,
                ">, padding = dense<[[0, 0], [", forward ? size - 1 : 0, ", ", forward ? 0 : size - 1,
                "]]> : tensor<2x2xi64>}> ({\n  ^bb0(%a: ", scalar, ", %b: ", scalar, "):\n    %1 = stablehlo.", op,
                " %a, %b : ", scalar, "\n    stablehlo.return %1 : ", scalar, "\n  }) : (", type, ", ", scalar, ") -> ",
                type, "\n  return %0 : ", type, "\n}");
}

TEST(ExpandedWindows, ShortRunningFoldsOfFewAndOfManyRowsGiveTheSameBits) {
  for (const std::string_view dtype : {"f32", "bf16", "f64", "i32"})
    for (const auto& [op, init] : {std::pair("add", "0"), std::pair("multiply", "1")})
      for (const bool forward : {true, false}) {
        const std::string start = dtype == "i32" ? init : concat(init, ".0");
        const auto many = ir::parse(running_fold(op, start, 500, 5, forward, dtype));
        const auto few = ir::parse(running_fold(op, start, 3, 5, forward, dtype));
        const Array x = test::random_array(many->inputs()[0].type(), 1);
        Array first_rows(few->inputs()[0].type());
        std::ranges::copy(x.bytes().first(first_rows.bytes().size()), first_rows.bytes().begin());
        const Array of_many = test::run_compiled(*many, std::vector{x})[0];
        const Array of_few = test::run_compiled(*few, std::vector{first_rows})[0];
        SCOPED_TRACE(concat(op, " of ", dtype, forward ? ", forward" : ", backward"));
        EXPECT_TRUE(std::ranges::equal(of_many.bytes().first(of_few.bytes().size()), of_few.bytes()));
        test::expect_near(of_few, ir::interpret(*few, std::vector{first_rows})[0]);
      }
}

}  // namespace
}  // namespace weft
