// The kernels of a GPU that are not loops, run by the twin and compared with the interpreter.
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include <weft/base/error.h>
#include <weft/compiler/codegen/twin/twin.h>
#include <weft/ir/autodiff.h>
#include <weft/ir/builder.h>
#include <weft/ir/interpreter.h>
#include <weft/ir/ops.h>

#include "run.h"

namespace weft {
namespace {

using ir::Array;
using ir::Value;

// Runs a graph on the twin with several orders of the threads, which must not change a bit, and returns the result. Checks that kernels ran
// there if there is something to do.
std::vector<Array> run_on_twin(const ir::Graph& graph, const std::vector<Array>& inputs, compiler::Options options = {},
                               bool has_work = true) {
  options.target = &compiler::Target::named("twin");
  const auto executable = compiler::compile(graph, options);
  std::vector<Array> first;
  for (const std::uint64_t seed : {1, 2, 3}) {
    compiler::twin::set_seed(seed);
    const std::uint64_t before = compiler::twin::launch_count();
    auto got = test::run(executable, inputs);
    EXPECT_EQ(compiler::twin::launch_count() > before, has_work);
    for (std::size_t i = 0; i < first.size(); ++i)
      EXPECT_TRUE(std::ranges::equal(got[i].bytes(), first[i].bytes())) << "other bits in another order";
    first = std::move(got);
  }
  return first;
}

struct RowsCase {
  DType dtype, index;
  std::int64_t updates, rows, width, drawn;  // indices are drawn from [-1, drawn)
};

void check_rows(const RowsCase& c, const ir::Op& op) {
  SCOPED_TRACE(
      concat(op.name, ' ', c.dtype, ' ', c.index, ", ", c.updates, " updates of ", c.rows, " rows of ", c.width));
  const std::int64_t window[] = {1}, first[] = {0};
  const ir::ScatterAttributes attributes{.update_window_dims = window,
                                         .inserted_window_dims = first,
                                         .input_batching_dims = {},
                                         .scatter_indices_batching_dims = {},
                                         .scatter_dims_to_operand_dims = first,
                                         .index_vector_dim = 1};
  const auto graph = ir::make_graph(
      std::vector{Type(c.dtype, {c.rows, c.width}), Type(c.index, {c.updates}), Type(c.dtype, {c.updates, c.width})},
      [&](ir::Graph&, auto in) {
        return std::vector{ir::scatter(in[0], in[1], in[2], attributes, ir::reduction_body(op, c.dtype))};
      });
  std::mt19937 generator(5);
  std::vector<Array> inputs;
  for (const Value input : graph->inputs()) {
    Array& array = inputs.emplace_back(input.type());
    visit(input.type().dtype(), [&]<class T>(T) {
      for (T& x : array.data<T>()) {
        if constexpr (std::is_same_v<T, bool>)
          x = generator() % 2 == 0;
        else if constexpr (std::is_integral_v<T>)
          x = static_cast<T>(static_cast<std::int64_t>(generator() % (c.drawn + 1)) - 1);
        else
          x = static_cast<T>(std::normal_distribution<double>()(generator));
      }
    });
  }
  const Array want = ir::interpret(*graph, inputs)[0];
  compiler::Options options;
  for (const bool donates : {false, true}) {
    options.donatable = {donates};
    const Array got = run_on_twin(*graph, inputs, options, c.updates > 0)[0];
    // The interpreter rounds after each of the updates, the kernel at the end.
    const double each = c.dtype == DType::bf16 ? 1e-2 : c.dtype == DType::f16 ? 1e-3 : 1e-5;
    const double bound = is_float(c.dtype) ? each * std::sqrt(1.0 + c.updates / c.drawn) : 0;
    for (std::int64_t i = 0; i < want.size(); ++i)
      ASSERT_NEAR(got.element(i), want.element(i), bound * (4 + std::abs(want.element(i)))) << i;
  }
}

TEST(GpuScatter, AddsRows) {
  for (const std::int64_t updates : {1, 31, 32, 33, 300, 1500})
    for (const std::int64_t width : {1, 7, 64})
      for (const std::int64_t drawn : {1, 3, 50})
        check_rows({DType::f32, DType::i32, updates, 40, width, drawn}, ir::ops::add);
}

TEST(GpuScatter, TakesOtherTypesAndOps) {
  for (const DType dtype : {DType::bf16, DType::f16, DType::f64, DType::i32, DType::i8})
    for (const DType index : {DType::i64, DType::u32, DType::i8})
      check_rows({dtype, index, 200, 10, 16, 10}, ir::ops::add);
  for (const ir::Op* op : {&ir::ops::maximum, &ir::ops::minimum, &ir::ops::multiply})
    check_rows({DType::f32, DType::i32, 100, 10, 8, 10}, *op);
}

TEST(GpuScatter, TakesWideRowsAndNoUpdates) {
  check_rows({DType::bf16, DType::i32, 70, 5, 3000, 5}, ir::ops::add);
  check_rows({DType::f32, DType::i32, 0, 5, 8, 5}, ir::ops::add);
}

// Looks up rows of a table by indices of two dimensions, and adds the gradients of equal rows.
std::shared_ptr<const ir::Graph> lookup_gradient() {
  return ir::make_graph(std::vector{Type(DType::f32, {50, 8}), Type(DType::i32, {3, 20}), Type(DType::f32, {3, 20, 8})},
                        [](ir::Graph& g, auto in) {
                          const std::int64_t offset[] = {2}, first[] = {0}, sizes[] = {1, 8};
                          const ir::GatherAttributes rows{.offset_dims = offset,
                                                          .collapsed_slice_dims = first,
                                                          .operand_batching_dims = {},
                                                          .start_indices_batching_dims = {},
                                                          .start_index_map = first,
                                                          .index_vector_dim = 2,
                                                          .slice_sizes = sizes};
                          const Value looked_up = ir::gather(in[0], in[1], rows);
                          return ir::gradient(g, std::vector{looked_up}, std::vector{in[2]}, std::vector{in[0]});
                        });
}

TEST(GpuScatter, AddsGradientsOfLookups) {
  const auto graph = lookup_gradient();
  std::mt19937 generator(3);
  std::vector<Array> inputs;
  for (const Value input : graph->inputs()) inputs.emplace_back(input.type());
  for (std::int32_t& row : inputs[1].data<std::int32_t>()) row = static_cast<std::int32_t>(generator() % 9);
  for (float& x : inputs[2].data<float>()) x = std::normal_distribution<float>()(generator);
  const Array want = ir::interpret(*graph, inputs)[0], got = run_on_twin(*graph, inputs)[0];
  for (std::int64_t i = 0; i < want.size(); ++i) ASSERT_NEAR(got.element(i), want.element(i), 1e-5) << i;
}

// No tensor moves to the host and back.
TEST(GpuScatter, GradientsOfLookupsStayOnTheGpu) {
  compiler::Options options;
  try {
    options.target = &compiler::Target::named("sm_90");
  } catch (const Error& error) {
    GTEST_SKIP() << error.what();
  }
  const auto executable = compiler::compile(*lookup_gradient(), options);
  for (const auto& thunk : executable->thunks) EXPECT_TRUE(thunk->on_device) << thunk->info.name;
}

// The words must be those of the interpreter, and so must the next state.
TEST(GpuRandomBits, AreThoseOfTheCpu) {
  for (const auto algorithm : {ir::RngAlgorithm::PHILOX, ir::RngAlgorithm::THREE_FRY})
    for (const DType dtype : {DType::u8, DType::u16, DType::u32, DType::u64, DType::i32})
      for (const std::vector<Dim>& dims :
           {std::vector<Dim>{}, {1}, {7}, {1000}, {3, 5}, {4, 6}, {5, 2, 3}, {2, 0}, {33, 257}})
        for (const std::int64_t words : {2, 3}) {
          if (words == 3 && algorithm == ir::RngAlgorithm::THREE_FRY) continue;
          const Type bits(dtype, dims);
          SCOPED_TRACE(concat(bits, ' ', words));
          const auto graph = ir::make_graph(std::vector{Type(DType::u64, {words})}, [&](ir::Graph&, auto in) {
            return ir::rng_bit_generator(in[0], bits, algorithm);
          });
          std::vector<Array> inputs{Array(Type(DType::u64, {words}))};
          for (std::uint64_t& word : inputs[0].data<std::uint64_t>())
            word = ~std::uint64_t{0} - 5;  // the counter overflows
          const auto want = ir::interpret(*graph, inputs), got = run_on_twin(*graph, inputs);
          for (std::size_t i = 0; i < want.size(); ++i) EXPECT_EQ(got[i], want[i]) << "output " << i;
        }
}

}  // namespace
}  // namespace weft
