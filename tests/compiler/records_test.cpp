// Loops over many records of a few elements (Walk::records) give the same elements as the interpreter, for every element type, every short
// length and around the end of the lanes.
#include <gtest/gtest.h>

#include <weft/compiler/plan/sized_program.h>
#include <weft/ir/builder.h>
#include <weft/ir/general.h>
#include <weft/ir/interpreter.h>
#include <weft/ir/text/text.h>

#include "arrays.h"
#include "run.h"

namespace weft {
namespace {

using ir::Array;
using ir::Value;
using Values = std::vector<Value>;

class Records : public testing::TestWithParam<int> {
 protected:
  void expect_same_elements(const ir::Graph& graph, bool donates = false) const {
    const compiler::Target target = test::host_with_lanes(GetParam());
    std::vector<Array> inputs;
    for (const Value v : graph.inputs()) inputs.push_back(test::random_array(v.type(), inputs.size() + 1));
    const compiler::Options options{.target = &target,
                                    .donatable = std::vector<bool>(donates ? inputs.size() : 0, true)};
    const std::vector<Array> got = test::run_compiled(graph, inputs, options), want = ir::interpret(graph, inputs);
    SCOPED_TRACE(concat(target.lanes, " lanes\n", ir::print(graph)));
    ASSERT_EQ(got.size(), want.size());
    for (std::size_t i = 0; i < got.size(); ++i) test::expect_near(got[i], want[i]);
  }
  void expect_same_elements(const std::string& text, bool donates = false) const {
    expect_same_elements(*ir::parse(text), donates);
  }
};

constexpr std::int64_t last[] = {1};

TEST_P(Records, AreReducedForEveryTypeAndLength) {
  for (const DType dtype :
       {DType::i8, DType::u16, DType::bf16, DType::f16, DType::i32, DType::f32, DType::i64, DType::f64})
    for (const std::int64_t length : {2, 3, 5, 8, 13, 16, 31, 32})
      for (const std::int64_t rows : length == 5 ? std::vector<std::int64_t>{3, 70} : std::vector<std::int64_t>{70}) {
        const Type x(dtype, {rows, length});
        expect_same_elements(*ir::make_graph(std::vector{x}, [&](ir::Graph&, std::span<const Value> in) {
          return Values{ir::reduce_sum(in[0], last), ir::reduce_max(in[0], last)};
        }));
      }
}

// Rows of probabilities: two reductions, one after the other, and elements that need both.
TEST_P(Records, OfSeveralReductionsAreNormalised) {
  for (const char* size : {"3", "10", "20"}) {
    const std::string x = concat("tensor<83x", size, "xf32>");
    expect_same_elements(concat("func.func @main(%x: ", x, ") -> (", x, ", tensor<83xf32>) {", R"(
      %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %0 = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : ()",
                                x, R"(, tensor<f32>) -> tensor<83xf32>
      %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<83xf32>) -> )",
                                x, R"(
      %2 = stablehlo.subtract %x, %1 : )",
                                x, R"(
      %3 = stablehlo.exponential %2 : )",
                                x, R"(
      %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [1] : ()",
                                x, R"(, tensor<f32>) -> tensor<83xf32>
      %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<83xf32>) -> )",
                                x, R"(
      %6 = stablehlo.divide %3, %5 : )",
                                x, R"(
      return %6, %4 : )",
                                x, ", tensor<83xf32>\n}"),
                         /*donates=*/true);
  }
}

TEST_P(Records, AreMadeOfSeveralOperands) {
  for (const DType dtype : {DType::boolean, DType::i8, DType::bf16, DType::f32, DType::f64})
    for (const int count : {2, 3, 4, 6, 9}) {
      const Type x(dtype, {5, 41});
      expect_same_elements(*ir::make_graph(std::vector<Type>(count, x), [&](ir::Graph&, std::span<const Value> in) {
        Values parts;
        for (const Value v : in) parts.push_back(ir::reshape(v, std::vector<Dim>{5, 41, 1}));
        return Values{ir::concatenate(parts, 2)};
      }));
    }
}

// Fields are read from one array of records, and written into another with fields in another order.
TEST_P(Records, AreReadFieldByField) {
  expect_same_elements(R"(
    func.func @main(%q: tensor<77x4xf32>) -> (tensor<77x3xf32>, tensor<77xf32>) {
      %0 = stablehlo.slice %q [0:77, 0:1] : (tensor<77x4xf32>) -> tensor<77x1xf32>
      %1 = stablehlo.slice %q [0:77, 1:2] : (tensor<77x4xf32>) -> tensor<77x1xf32>
      %2 = stablehlo.slice %q [0:77, 3:4] : (tensor<77x4xf32>) -> tensor<77x1xf32>
      %3 = stablehlo.multiply %0, %2 : tensor<77x1xf32>
      %4 = stablehlo.subtract %1, %2 : tensor<77x1xf32>
      %5 = stablehlo.concatenate %2, %3, %4, dim = 1
          : (tensor<77x1xf32>, tensor<77x1xf32>, tensor<77x1xf32>) -> tensor<77x3xf32>
      %6 = stablehlo.add %0, %1 : tensor<77x1xf32>
      %7 = stablehlo.reshape %6 : (tensor<77x1xf32>) -> tensor<77xf32>
      return %5, %7 : tensor<77x3xf32>, tensor<77xf32>
    })");
}

// The channels of pixels become planes, and planes become pixels.
TEST_P(Records, BecomePlanesAndComeBack) {
  for (const DType dtype : {DType::i8, DType::bf16, DType::f32, DType::f64})
    for (const std::int64_t channels : {2, 3, 4, 7, 12}) {
      const Type pixels(dtype, {2, 39, channels}), planes(dtype, {2, channels, 39});
      constexpr std::int64_t order[] = {0, 2, 1};
      expect_same_elements(*ir::make_graph(std::vector{pixels, planes}, [&](ir::Graph&, std::span<const Value> in) {
        return Values{ir::transpose(in[0], order), ir::transpose(in[1] + in[1], order)};
      }));
    }
}

// Records of which some lie outside of the operand, that begin in the middle of one, or that are read from the last to the first.
TEST_P(Records, ArePartsOfWhatIsRead) {
  expect_same_elements(R"(
    func.func @main(%x: tensor<60x3xf32>, %y: tensor<40x50xf32>, %p: tensor<f32>)
        -> (tensor<63x5xf32>, tensor<50x3xf32>, tensor<40x4xf32>, tensor<60x3xf32>, tensor<40xf32>) {
      %0 = stablehlo.pad %x, %p, low = [1, 1], high = [2, 1], interior = [0, 0]
          : (tensor<60x3xf32>, tensor<f32>) -> tensor<63x5xf32>
      %1 = stablehlo.slice %x [7:57, 0:3] : (tensor<60x3xf32>) -> tensor<50x3xf32>
      %2 = stablehlo.negate %1 : tensor<50x3xf32>
      %3 = stablehlo.slice %y [0:40, 31:35] : (tensor<40x50xf32>) -> tensor<40x4xf32>
      %4 = stablehlo.abs %3 : tensor<40x4xf32>
      %5 = stablehlo.reverse %x, dims = [0, 1] : tensor<60x3xf32>
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %6 = stablehlo.slice %y [0:40, 3:15] : (tensor<40x50xf32>) -> tensor<40x12xf32>
      %7 = stablehlo.reduce(%6 init: %zero) applies stablehlo.add across dimensions = [1]
          : (tensor<40x12xf32>, tensor<f32>) -> tensor<40xf32>
      return %0, %2, %4, %5, %7
          : tensor<63x5xf32>, tensor<50x3xf32>, tensor<40x4xf32>, tensor<60x3xf32>, tensor<40xf32>
    })");
}

// Values of a row, of a field, of a lane and of everything meet in one kernel.
TEST_P(Records, MeetValuesOfOtherShapes) {
  expect_same_elements(R"(
    func.func @main(%x: tensor<7x19x3xf32>, %field: tensor<3xf32>, %lane: tensor<19xf32>, %row: tensor<7xf32>)
        -> tensor<7x19x3xf32> {
      %0 = stablehlo.broadcast_in_dim %field, dims = [2] : (tensor<3xf32>) -> tensor<7x19x3xf32>
      %1 = stablehlo.broadcast_in_dim %lane, dims = [1] : (tensor<19xf32>) -> tensor<7x19x3xf32>
      %2 = stablehlo.broadcast_in_dim %row, dims = [0] : (tensor<7xf32>) -> tensor<7x19x3xf32>
      %3 = stablehlo.multiply %x, %0 : tensor<7x19x3xf32>
      %4 = stablehlo.add %3, %1 : tensor<7x19x3xf32>
      %5 = stablehlo.maximum %4, %2 : tensor<7x19x3xf32>
      return %5 : tensor<7x19x3xf32>
    })",
                       /*donates=*/true);
}

TEST_P(Records, AreGatheredByTheirNumbers) {
  for (const char* size : {"3", "8", "21"}) {
    const std::string table = concat("tensor<7x", size, "xf32>"), rows = concat("tensor<93x", size, "xf32>");
    expect_same_elements(concat("func.func @main(%t: ", table, ", %i: tensor<93x1xi32>) -> (", rows,
                                ", tensor<93xf32>) {", R"(
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %0 = "stablehlo.gather"(%t, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0],
        start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, )",
                                size, R"(>}> : ()", table, ", tensor<93x1xi32>) -> ", rows, R"(
      %1 = stablehlo.multiply %0, %0 : )",
                                rows, R"(
      %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [1] : ()",
                                rows, R"(, tensor<f32>) -> tensor<93xf32>
      return %0, %2 : )",
                                rows, ", tensor<93xf32>\n}"));
  }
}

// Products of small matrices, however their operands lie.
TEST_P(Records, AreMultiplied) {
  for (const std::int64_t n : {1, 2, 3, 4, 5, 8, 16})
    for (const std::int64_t lhs_contracting : {1, 2})
      for (const std::int64_t rhs_contracting : {1, 2}) {
        const Type lhs(DType::f32, lhs_contracting == 1 ? std::vector<Dim>{37, 4, n} : std::vector<Dim>{37, n, 4});
        const Type rhs(DType::f32, rhs_contracting == 1 ? std::vector<Dim>{37, 4, 6} : std::vector<Dim>{37, 6, 4});
        expect_same_elements(*ir::make_graph(std::vector{lhs, rhs}, [&](ir::Graph&, std::span<const Value> in) {
          constexpr std::int64_t batch[] = {0};
          const std::int64_t lhs_sums[] = {lhs_contracting}, rhs_sums[] = {rhs_contracting};
          return Values{ir::dot_general(in[0], in[1], {batch, batch, lhs_sums, rhs_sums})};
        }));
      }
}

TEST_P(Records, AreMultipliedByFewColumns) {
  for (const std::int64_t sums : {1, 2, 3, 9, 40})
    for (const std::int64_t columns : {1, 3, 7})
      for (const bool is_turned : {false, true}) {
        const Type lhs(DType::f32, is_turned ? std::vector<Dim>{sums, 1003} : std::vector<Dim>{1003, sums});
        const std::int64_t lhs_sums[] = {is_turned ? 0 : 1}, rhs_sums[] = {0};
        expect_same_elements(*ir::make_graph(
            std::vector{lhs, Type(DType::f32, {sums, columns})}, [&](ir::Graph&, std::span<const Value> in) {
              return Values{ir::dot_general(in[0], in[1], {{}, {}, lhs_sums, rhs_sums})};
            }));
      }
}

INSTANTIATE_TEST_SUITE_P(Lanes, Records, testing::Values(4, 8, 16));

// One program serves all numbers of rows.
TEST(RecordsOfTheHost, HaveAnyNumberOfRows) {
  const auto norms = [](std::int64_t rows) {
    return ir::make_graph(std::vector{Type(DType::f32, {rows, 5})}, [](ir::Graph&, std::span<const Value> in) {
      const Value sums = ir::reduce_sum(in[0] * in[0], last);
      return Values{in[0] * ir::broadcast_in_dim(ir::rsqrt(sums), in[0].type(), std::vector<std::int64_t>{0})};
    });
  };
  const std::vector<std::shared_ptr<const ir::Graph>> samples{norms(8), norms(11)};
  const ir::General general = ir::generalise(samples);
  const auto program = compiler::compile_for_sizes(*general.graph, {.sizes = SizeValues({11})});
  for (const std::int64_t rows : {0, 1, 7, 8, 64, 100, 1}) {
    const auto graph = norms(rows);
    const auto inputs = test::normal_inputs(*graph);
    auto executable = program->at({rows}, {});
    ASSERT_TRUE(executable) << executable.reason();
    test::expect_near(test::run(*executable, inputs)[0], ir::interpret(*graph, inputs)[0]);
  }
}

// The bits of a result do not depend on the number of threads.
TEST(RecordsOfTheHost, HaveTheSameBitsForAnyNumberOfThreads) {
  const auto graph = ir::make_graph(
      std::vector{Type(DType::f32, {40001, 3})},
      [](ir::Graph&, std::span<const Value> in) { return Values{ir::reduce_sum(ir::exponential(in[0]), last)}; });
  const auto inputs = test::normal_inputs(*graph);
  const auto on = [&](int threads) {
    const test::Threads set(threads);
    return test::run_compiled(*graph, inputs);
  };
  const auto want = on(1);
  EXPECT_EQ(on(2), want);
  EXPECT_EQ(on(3), want);
}

}  // namespace
}  // namespace weft
