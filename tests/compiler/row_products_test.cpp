// Products of one row and a matrix, or of a matrix and one column, which generated code computes: wherever the operands lie, with what follows
// them, and with the same bits whether or not their sizes were known at compile time.
#include <gtest/gtest.h>

#include <weft/compiler/plan/sized_program.h>
#include <weft/ir/builder.h>
#include <weft/ir/composites.h>
#include <weft/ir/general.h>
#include <weft/ir/interpreter.h>
#include <weft/ir/text/text.h>

#include "arrays.h"
#include "run.h"

namespace weft::row_products {
namespace {

using ir::Array;
using ir::Value;

constexpr std::int64_t first[] = {0}, second[] = {1}, third[] = {2}, fourth[] = {3};

void expect_same_elements(const ir::Graph& graph) {
  std::vector<Array> inputs;
  for (const Value v : graph.inputs()) inputs.push_back(test::random_array(v.type(), inputs.size() + 1));
  const std::vector<Array> got = test::run_compiled(graph, inputs), want = ir::interpret(graph, inputs);
  SCOPED_TRACE(ir::print(graph));
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < got.size(); ++i) test::expect_near(got[i], want[i]);
}

// A batch of products [rows, sums] x [sums, columns], of which either operand may be turned in memory.
std::shared_ptr<const ir::Graph> products(std::int64_t rows, std::int64_t sums, std::int64_t columns, bool turns_lhs,
                                          bool turns_rhs, DType dtype = DType::f32) {
  const Type lhs(dtype, {3, turns_lhs ? sums : rows, turns_lhs ? rows : sums}),
      rhs(dtype, {3, turns_rhs ? columns : sums, turns_rhs ? sums : columns});
  return ir::make_graph(std::vector{lhs, rhs}, [&](ir::Graph&, std::span<const Value> in) {
    return std::vector{
        ir::dot_general(in[0], in[1], {first, first, turns_lhs ? second : third, turns_rhs ? third : second})};
  });
}

TEST(RowProducts, ReadMatricesOfAnyOrder) {
  for (const bool turns_lhs : {false, true})
    for (const bool turns_rhs : {false, true})
      for (const std::int64_t sums : {2, 65, 300})
        for (const std::int64_t others : {1, 3, 70, 513}) {
          expect_same_elements(*products(1, sums, others, turns_lhs, turns_rhs));
          expect_same_elements(*products(others, sums, 1, turns_lhs, turns_rhs));
        }
}

TEST(RowProducts, HaveElementsOfAnyFloat) {
  for (const DType dtype : {DType::f64, DType::bf16, DType::f16})
    for (const bool turns : {false, true}) {
      expect_same_elements(*products(1, 40, 300, false, turns, dtype));
      expect_same_elements(*products(300, 40, 1, turns, false, dtype));
    }
}

// The query of one token, and heads behind the times in memory; groups of heads share keys.
TEST(RowProducts, ReadHeadsWhereTheyLie) {
  const Type query(DType::f32, {2, 1, 4, 32}), keys(DType::f32, {2, 70, 4, 32}), shared(DType::f32, {2, 70, 1, 32});
  const std::int64_t batch[] = {0, 2};
  for (const Type& type : {keys, shared})
    expect_same_elements(*ir::make_graph(std::vector{query, type}, [&](ir::Graph&, std::span<const Value> in) {
      const std::int64_t all[] = {0, 1, 2, 3};
      const Value k = ir::broadcast_in_dim(in[1], keys, all);
      const Value scores = ir::dot_general(in[0], k, {batch, batch, fourth, fourth});  // [2, 4, 1, 70]
      const std::int64_t leading[] = {0, 1};
      return std::vector{ir::dot_general(scores, k, {leading, batch, fourth, second})};
    }));
}

// Some columns of a wider matrix.
TEST(RowProducts, ReadPartsOfMatrices) {
  const Type row(DType::f32, {1, 50}), wide(DType::f32, {60, 130});
  expect_same_elements(*ir::make_graph(std::vector{row, wide}, [&](ir::Graph&, std::span<const Value> in) {
    const std::int64_t start[] = {3, 1}, limit[] = {53, 101}, strides[] = {1, 1};
    return std::vector{ir::dot_general(in[0], ir::slice(in[1], start, limit, strides), {{}, {}, second, first})};
  }));
}

TEST(RowProducts, AddBiasesAndResiduals) {
  for (const DType dtype : {DType::f32, DType::bf16})
    for (const auto activation : {ir::tanh, ir::silu, ir::gelu, ir::gelu_tanh})
      for (const auto& [rows, columns] : {std::pair{1, 90}, std::pair{90, 1}}) {
        const Type x(dtype, {rows, 64}), w(dtype, {64, columns}), bias(dtype, {columns}), y(dtype, {rows, columns});
        expect_same_elements(*ir::make_graph(std::vector{x, w, bias, y}, [&](ir::Graph&, std::span<const Value> in) {
          const Value sum =
              ir::dot_general(in[0], in[1], {{}, {}, second, first}) + ir::broadcast_in_dim(in[2], y, second);
          return std::vector{activation(sum) + in[3], sum * in[3]};
        }));
      }
}

// A bias that is broadcast twice is added by the product. It has an element for each column, or for the only one.
TEST(RowProducts, AddBroadcastBiases) {
  for (const auto& [rows, columns] : {std::pair{1, 90}, std::pair{256, 1}, std::pair{1, 1}}) {
    const Type x(DType::f32, {rows, 128}), w(DType::f32, {128, columns}), bias(DType::f32, {columns}),
        row(DType::f32, {1, columns}), y(DType::f32, {rows, columns});
    const auto graph = ir::make_graph(std::vector{x, w, bias}, [&](ir::Graph&, std::span<const Value> in) {
      const std::int64_t both[] = {0, 1};
      return std::vector{ir::dot_general(in[0], in[1], {{}, {}, second, first}) +
                         ir::broadcast_in_dim(ir::broadcast_in_dim(in[2], row, second), y, both)};
    });
    expect_same_elements(*graph);
  }
}

TEST(RowProducts, HaveTheBitsOfProductsWhoseRowsAreKnownLater) {
  const auto network = [](std::int64_t rows) {
    const Type x(DType::f32, {rows, 96}), w(DType::f32, {96, 200}), bias(DType::f32, {200}), v(DType::f32, {96, 200});
    return ir::make_graph(std::vector{x, w, bias, v}, [](ir::Graph&, std::span<const Value> in) {
      const Value y = ir::dot_general(in[0], in[1], {{}, {}, second, first});
      const Value z = ir::tanh(y + ir::broadcast_in_dim(in[2], y.type(), second));
      return std::vector{ir::dot_general(z, in[3], {{}, {}, second, second}) + in[0]};
    });
  };
  const std::vector<std::shared_ptr<const ir::Graph>> samples{network(8), network(11)};
  const ir::General general = ir::generalise(samples);
  const auto sized = compiler::compile_for_sizes(*general.graph, {.sizes = SizeValues({11})});
  const auto executable = sized->at({1}, {});
  ASSERT_TRUE(executable) << executable.reason();
  const auto one = network(1);
  const auto inputs = test::normal_inputs(*one);
  const auto got = test::run(*executable, inputs), want = test::run_compiled(*one, inputs);
  EXPECT_TRUE(std::ranges::equal(got[0].data<float>(), want[0].data<float>()));
}

// The sums may turn out to have one term, and then there is no sum.
TEST(RowProducts, OfOneTermThatIsKnownLater) {
  const auto product = [](std::int64_t terms) {
    const Type x(DType::f32, {1, terms}), w(DType::f32, {terms, 300}), v(DType::f32, {300, terms});
    return ir::make_graph(std::vector{x, w, v}, [](ir::Graph&, std::span<const Value> in) {
      return std::vector{ir::dot_general(in[0], in[1], {{}, {}, second, first}),
                         ir::dot_general(in[0], in[2], {{}, {}, second, second})};
    });
  };
  const std::vector<std::shared_ptr<const ir::Graph>> samples{product(8), product(11)};
  const ir::General general = ir::generalise(samples);
  const auto sized = compiler::compile_for_sizes(*general.graph, {.sizes = SizeValues({11})});
  for (const std::int64_t terms : {5, 1}) {
    const auto executable = sized->at({terms}, {});
    ASSERT_TRUE(executable) << executable.reason();
    const auto graph = product(terms);
    const auto inputs = test::normal_inputs(*graph);
    const auto got = test::run(*executable, inputs), want = ir::interpret(*graph, inputs);
    for (std::size_t i = 0; i < want.size(); ++i) test::expect_near(got[i], want[i]);
  }
}

}  // namespace
}  // namespace weft::row_products
