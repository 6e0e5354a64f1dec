// Loops whose lanes read neighbours in the opposite order, or lie partly outside of their operands, give the same elements as the
// interpreter.
#include <gtest/gtest.h>

#include <weft/ir/interpreter.h>
#include <weft/ir/text/text.h>

#include "arrays.h"
#include "run.h"

namespace weft {
namespace {

using ir::Array;
using ir::Value;

class Lanes : public testing::TestWithParam<int> {
 protected:
  void expect_same_elements(const std::string& text) const {
    const compiler::Target target = test::host_with_lanes(GetParam());
    const auto graph = ir::parse(text);
    std::vector<Array> inputs;
    for (const Value v : graph->inputs()) inputs.push_back(test::random_array(v.type(), inputs.size() + 1));
    EXPECT_EQ(test::run_compiled(*graph, inputs, {.target = &target}), ir::interpret(*graph, inputs));
  }
};

TEST_P(Lanes, InTheOppositeOrder) {
  for (const char* type : {"i1", "i8", "bf16", "f32", "f64"})
    for (const char* size : {"1", "7", "16", "67"}) {
      const std::string x = concat("tensor<3x", size, "x", type, ">");
      expect_same_elements(concat("func.func @main(%x: ", x, ") -> ", x, R"( {
        %0 = stablehlo.reverse %x, dims = [1] : )",
                                  x, R"(
        return %0 : )",
                                  x, "\n}"));
    }
}

// Neither the elements before the operand nor those behind it are read.
TEST_P(Lanes, InTheOppositeOrderAndPartlyOutside) {
  expect_same_elements(R"(
    func.func @main(%x: tensor<3x50xf32>) -> tensor<3x70xf32> {
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %0 = stablehlo.reverse %x, dims = [1] : tensor<3x50xf32>
      %1 = stablehlo.pad %0, %zero, low = [0, 9], high = [0, 11], interior = [0, 0]
          : (tensor<3x50xf32>, tensor<f32>) -> tensor<3x70xf32>
      return %1 : tensor<3x70xf32>
    })");
}

TEST_P(Lanes, OfWhichManyLieInside) {
  expect_same_elements(R"(
    func.func @main(%x: tensor<5x100xf32>, %y: tensor<5x41xf32>, %p: tensor<f32>)
        -> (tensor<7x108xf32>, tensor<5x141xf32>, tensor<5x97xf32>) {
      %0 = stablehlo.pad %x, %p, low = [1, 3], high = [1, 5], interior = [0, 0]
          : (tensor<5x100xf32>, tensor<f32>) -> tensor<7x108xf32>
      %1 = stablehlo.concatenate %x, %y, dim = 1 : (tensor<5x100xf32>, tensor<5x41xf32>) -> tensor<5x141xf32>
      %2 = stablehlo.pad %x, %p, low = [0, -7], high = [0, 4], interior = [0, 0]
          : (tensor<5x100xf32>, tensor<f32>) -> tensor<5x97xf32>
      return %0, %1, %2 : tensor<7x108xf32>, tensor<5x141xf32>, tensor<5x97xf32>
    })");
}

INSTANTIATE_TEST_SUITE_P(Widths, Lanes, testing::Values(1, 4, 8, 16));

}  // namespace
}  // namespace weft
