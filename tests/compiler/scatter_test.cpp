// Compares compiled scatters with the interpreter.
#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include <weft/ir/builder.h>
#include <weft/ir/interpreter.h>
#include <weft/ir/ops.h>
#include <weft/ir/text/text.h>

#include "arrays.h"
#include "run.h"

namespace weft {
namespace {

using ir::Array;
using ir::Graph;
using ir::Value;
using Dims = std::vector<std::int64_t>;

// Windows are whole rows, of one element or many, at places that repeat and partly lie outside.
TEST(Scatter, OfRowsAtAnyPlaces) {
  std::mt19937 random(5);
  const auto below = [&](std::int64_t n) { return static_cast<std::int64_t>(random() % n); };
  const ir::Op* const ops[] = {&ir::ops::add, &ir::ops::multiply, &ir::ops::maximum, nullptr};
  for (int trial = 0; trial < 60; ++trial) {
    SCOPED_TRACE(trial);
    const ir::Op* const op = ops[trial % 4];
    const DType dtype = trial % 3 == 0 ? DType::i32 : trial % 3 == 1 ? DType::f32 : DType::bf16;
    const DType index = trial % 5 == 0 ? DType::i64 : trial % 5 == 1 ? DType::u8 : DType::i32;
    const std::int64_t components = 1 + below(3), covered = below(3), updates = trial % 7 == 0 ? 2500 : 1 + below(40);
    std::vector<Dim> operand, update{Dim(updates)};
    std::vector<std::int64_t> window_dims, inserted, to;
    for (std::int64_t c = 0; c < components; ++c) {
      operand.emplace_back(1 + below(9));
      inserted.push_back(c);
      to.push_back(components - 1 - c);  // in the opposite order
    }
    for (std::int64_t c = 0; c < covered; ++c) {
      operand.emplace_back(1 + below(40));
      window_dims.push_back(1 + c);
      update.push_back(operand.back());
    }
    const auto graph = ir::make_graph(
        std::vector{Type(dtype, operand), Type(index, {updates, components}), Type(dtype, update)},
        [&](Graph&, std::span<const Value> in) {
          const ir::ScatterAttributes attributes{.update_window_dims = window_dims,
                                                 .inserted_window_dims = inserted,
                                                 .input_batching_dims = {},
                                                 .scatter_indices_batching_dims = {},
                                                 .scatter_dims_to_operand_dims = to,
                                                 .index_vector_dim = 1};
          const Type element(dtype, {});
          const auto body = op ? ir::reduction_body(*op, dtype)
                               : ir::make_graph(std::vector{element, element},
                                                [](Graph&, std::span<const Value> x) { return std::vector{x[1]}; });
          return std::vector{ir::scatter(in[0], in[1], in[2], attributes, body)};
        });
    std::vector<Array> inputs;
    for (const Value v : graph->inputs()) inputs.push_back(test::random_array(v.type(), inputs.size() + 1));
    visit(index, [&](auto tag) {
      using T = decltype(tag);
      if constexpr (std::is_integral_v<T>)
        for (T& x : inputs[1].template data<T>()) x = static_cast<T>(below(12) - (std::is_signed_v<T> ? 2 : 0));
    });
    const auto want = ir::interpret(*graph, inputs), got = test::run_compiled(*graph, inputs);
    // The interpreter adds and multiplies in f64.
    const bool rounds = is_float(dtype) && (op == &ir::ops::add || op == &ir::ops::multiply);
    const double tolerance = !rounds ? 0 : dtype == DType::bf16 ? 0.1 : 1e-4;
    for (std::int64_t e = 0; e < got[0].size(); ++e)
      ASSERT_NEAR(got[0].element(e), want[0].element(e), tolerance * (1 + std::abs(want[0].element(e)))) << e;
  }
}

// The dimensions of a scatter's operand, in order, and how each is addressed.
enum class By : std::uint8_t {
  index,   // a component of the index vector
  batch,   // a batch dimension of operand, indices and updates
  window,  // the window covers all of it
};
struct Addressed {
  By by;
  std::int64_t size;
};

// Adds numbers at indices of which some lie outside. The dimensions of the updates are `updates` scattered positions, batch dimensions and
// windows, in the given order: a number is that of an operand's dimension, -1 the scattered positions.
void expect_adds(const std::vector<Addressed>& operand, const Dims& order, std::int64_t updates) {
  Dims window_dims, inserted, batching, index_batching, to, index_sizes{updates}, update_sizes(order.size());
  for (std::int64_t d = 0; d < std::ssize(operand); ++d) {
    if (operand[d].by == By::index) {
      inserted.push_back(d);
      to.push_back(d);
    } else if (operand[d].by == By::batch) {
      batching.push_back(d);
    } else {
      window_dims.push_back(std::ranges::find(order, d) - order.begin());
    }
  }
  // The indices have the scattered positions and batch dimensions in the order of the updates, then the index vector.
  index_sizes.clear();
  for (std::size_t u = 0; u < order.size(); ++u) {
    update_sizes[u] = order[u] < 0 ? updates : operand[order[u]].size;
    if (order[u] < 0 || operand[order[u]].by == By::batch) index_sizes.push_back(update_sizes[u]);
  }
  for (const std::int64_t d : batching) {
    std::int64_t at = 0;
    for (const std::int64_t of : order) {
      if (of == d) break;
      at += of < 0 || operand[of].by == By::batch;
    }
    index_batching.push_back(at);
  }
  const std::int64_t vector_dim = std::ssize(index_sizes);
  index_sizes.push_back(std::ssize(to));
  const auto type = [](DType dtype, const Dims& sizes) {
    return Type(dtype, std::vector<Dim>(sizes.begin(), sizes.end()));
  };
  Dims operand_sizes;
  for (const Addressed& a : operand) operand_sizes.push_back(a.size);
  const auto graph = ir::make_graph(
      std::vector{type(DType::i64, operand_sizes), type(DType::i32, index_sizes), type(DType::i64, update_sizes)},
      [&](Graph&, std::span<const Value> in) {
        const ir::ScatterAttributes attributes{.update_window_dims = window_dims,
                                               .inserted_window_dims = inserted,
                                               .input_batching_dims = batching,
                                               .scatter_indices_batching_dims = index_batching,
                                               .scatter_dims_to_operand_dims = to,
                                               .index_vector_dim = vector_dim};
        return std::vector{ir::scatter(in[0], in[1], in[2], attributes, ir::reduction_body(ir::ops::add, DType::i64))};
      });
  std::vector<Array> inputs;
  for (const Value v : graph->inputs()) inputs.push_back(test::random_array(v.type(), inputs.size() + 1));
  std::mt19937 random(3);
  for (std::int32_t& x : inputs[1].data<std::int32_t>()) x = static_cast<std::int32_t>(random() % 14) - 2;
  const auto want = ir::interpret(*graph, inputs);
  for (const int threads : {1, 3}) {
    const test::Threads set(threads);
    ASSERT_EQ(test::run_compiled(*graph, inputs), want) << threads << " threads";
  }
}

TEST(Scatter, OfColumns) {  // x.at[:, i].add(y)
  expect_adds({{By::window, 700}, {By::index, 11}}, {0, -1}, 40);
  expect_adds({{By::window, 700}, {By::index, 11}}, {-1, 0}, 40);
  expect_adds({{By::window, 30}, {By::index, 11}, {By::window, 20}}, {0, -1, 2}, 50);
  expect_adds({{By::index, 9}, {By::window, 30}, {By::index, 7}}, {1, -1}, 500);
}

TEST(Scatter, InBatches) {  // the gradient of take_along_axis
  expect_adds({{By::batch, 300}, {By::index, 12}}, {0, -1}, 70);
  expect_adds({{By::index, 12}, {By::batch, 300}}, {-1, 1}, 70);
  expect_adds({{By::index, 12}, {By::batch, 300}}, {1, -1}, 70);
  expect_adds({{By::batch, 5}, {By::index, 12}, {By::batch, 8}, {By::window, 90}}, {0, -1, 2, 3}, 30);
  expect_adds({{By::batch, 5}, {By::index, 12}, {By::batch, 8}, {By::window, 3}}, {2, 0, -1, 3}, 30);
  expect_adds({{By::batch, 5}, {By::index, 12}, {By::window, 8}, {By::index, 3}}, {0, 2, -1}, 30);
}

TEST(Scatter, OfRowsOfEveryWidth) {
  for (std::int64_t width = 1; width < 20; ++width) expect_adds({{By::index, 12}, {By::window, width}}, {-1, 1}, 100);
  for (const std::int64_t width : {31, 32, 63, 64, 65, 100, 1000})
    expect_adds({{By::index, 12}, {By::window, width}}, {-1, 1}, 400);
}

// Some updates are set, others added, by a body that is more than elementwise ops: it has a branch.
TEST(Scatter, WithABodyThatBranches) {
  const auto graph = ir::parse(R"(
    func.func @main(%x: tensor<10x6xi32>, %i: tensor<50x1xi32>, %y: tensor<50x6xi32>) -> tensor<10x6xi32> {
      %0 = "stablehlo.scatter"(%x, %i, %y) ({
      ^bb0(%a: tensor<i32>, %b: tensor<i32>):
        %zero = stablehlo.constant dense<3> : tensor<i32>
        %p = stablehlo.compare LT, %b, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
        %r = "stablehlo.if"(%p) ({
          stablehlo.return %b : tensor<i32>
        }, {
          %s = stablehlo.add %a, %b : tensor<i32>
          stablehlo.return %s : tensor<i32>
        }) : (tensor<i1>) -> tensor<i32>
        stablehlo.return %r : tensor<i32>
      }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0],
          scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}
          : (tensor<10x6xi32>, tensor<50x1xi32>, tensor<50x6xi32>) -> tensor<10x6xi32>
      return %0 : tensor<10x6xi32>
    })");
  std::vector<Array> inputs;
  for (const Value v : graph->inputs()) inputs.push_back(test::random_array(v.type(), inputs.size() + 1));
  EXPECT_EQ(test::run_compiled(*graph, inputs), ir::interpret(*graph, inputs));
}

// The zeros into which a scatter adds are made in the memory of the result.
TEST(Scatter, NeedsNoMemoryBesideItsResult) {
  const auto graph = ir::parse(R"(
    func.func @main(%i: tensor<50x1xi32>, %y: tensor<50x64xf32>) -> tensor<1000x64xf32> {
      %zero = stablehlo.constant dense<0.0> : tensor<1000x64xf32>
      %0 = "stablehlo.scatter"(%zero, %i, %y) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %s = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %s : tensor<f32>
      }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0],
          scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}
          : (tensor<1000x64xf32>, tensor<50x1xi32>, tensor<50x64xf32>) -> tensor<1000x64xf32>
      return %0 : tensor<1000x64xf32>
    })");
  EXPECT_EQ(compiler::compile(*graph, {})->temporary_bytes, 0);
}

}  // namespace
}  // namespace weft
