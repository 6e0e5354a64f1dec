// Kernels of a GPU, run by the host, compared with the interpreter. Their threads run in several orders, which must give the same bits.
#include <weft/compiler/codegen/twin/twin.h>

#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/base/error.h>
#include <weft/compiler/loop/gpu_grid.h>
#include <weft/ir/composites.h>
#include <weft/ir/ops.h>

#include "twin_check.h"

namespace weft {
namespace {

using ir::Value;

using Dims = std::vector<std::int64_t>;
using test::check_on_twin;

constexpr DType floats[] = {DType::f32, DType::f64, DType::bf16, DType::f16};

TEST(Twin, Pointwise) {
  for (const DType t : floats)
    for (const std::int64_t n : {0, 1, 15, 16, 17, 1000, 5000}) {
      SCOPED_TRACE(concat(t, ' ', n));
      check_on_twin({Type(t, {n}), Type(t, {n})}, [](ir::Graph&, auto x) {
        return std::vector{ir::maximum(x[0] * x[1] + x[0], x[1]) - x[1], ir::sqrt(ir::abs(x[0]))};
      });
    }
}

TEST(Twin, Functions) {
  for (const DType t : {DType::f32, DType::bf16, DType::f16})
    check_on_twin({Type(t, {3, 200})}, [](ir::Graph&, auto x) {
      return std::vector{ir::tanh(x[0]), ir::exponential(x[0]), ir::log(ir::abs(x[0])), ir::logistic(x[0]),
                         ir::rsqrt(ir::abs(x[0]))};
    });
}

TEST(Twin, TypesOfSeveralWidths) {
  for (const std::int64_t n : {8, 100, 4096})
    check_on_twin({Type(DType::i8, {n}), Type(DType::i64, {n}), Type(DType::boolean, {n}), Type(DType::bf16, {n}),
                   Type(DType::f64, {n})},
                  [](ir::Graph&, auto x) {
                    const Value byte = ir::convert(x[0], DType::i64) + x[1];
                    return std::vector{byte,
                                       ir::select(x[2], x[3], ir::convert(x[4], DType::bf16)),
                                       ir::convert(x[4], DType::i8),
                                       ir::not_(x[2]),
                                       ir::convert(x[2], DType::f64) * x[4],
                                       x[0] + x[0]};
                  });
}

TEST(Twin, BroadcastsTransposesSlicesReverses) {
  for (const std::int64_t n : {37, 64})
    check_on_twin({Type(DType::f32, {8, n}), Type(DType::f32, {n}), Type(DType::f32, {8})}, [n](ir::Graph&, auto x) {
      const Dims one{1}, zero{0}, swap{1, 0}, start{2, 1}, limit{n - 4, 7}, stride{3, 2};
      const Value b = ir::broadcast_in_dim(x[1], x[0].type(), one) * ir::broadcast_in_dim(x[2], x[0].type(), zero);
      const Value t = ir::transpose(x[0] + b, swap);
      return std::vector{ir::slice(t, start, limit, stride), ir::reverse(t, swap), t, b};
    });
}

TEST(Twin, PadsAndConcatenations) {
  for (const std::int64_t n : {6, 64})
    check_on_twin({Type(DType::f32, {4, n}), Type(DType::f32, {4, 3}), Type(DType::f32, {4, 8})},
                  [](ir::Graph& g, auto x) {
                    const Dims low{1, -2}, high{0, 5}, none{0, 0}, inside{1, 2};
                    const Value zero = ir::constant(g, Type(DType::f32, {}), 7);
                    const Value parts[] = {x[0], x[2], x[1], x[0] * x[0]};
                    return std::vector{ir::pad(x[0], zero, low, high, none),
                                       ir::pad(x[0] * 2.0, zero, none, high, inside), ir::concatenate(parts, 1)};
                  });
}

TEST(Twin, Gathers) {
  for (const DType t : {DType::f32, DType::bf16})
    check_on_twin({Type(t, {7, 16}), Type(DType::i32, {3, 4}), Type(DType::i32, {}), Type(DType::i32, {})},
                  [](ir::Graph&, auto x) {
                    const Dims offset{2}, collapsed{0}, map{0}, sizes{1, 16}, slice{2, 5};
                    const ir::GatherAttributes rows{.offset_dims = offset,
                                                    .collapsed_slice_dims = collapsed,
                                                    .operand_batching_dims = {},
                                                    .start_indices_batching_dims = {},
                                                    .start_index_map = map,
                                                    .index_vector_dim = 2,
                                                    .slice_sizes = sizes};
                    const Value starts[] = {x[2], x[3]};
                    return std::vector{ir::gather(x[0], x[1], rows) + ir::gather(x[0], x[1], rows),
                                       ir::dynamic_slice(x[0], starts, slice)};
                  });
}

// Where the slice begins is known only to the kernel, so its elements may lie at any address.
TEST(Twin, DynamicSlicesAlongLanes) {
  for (const DType t : {DType::f32, DType::bf16, DType::i64})
    check_on_twin({Type(t, {100}), Type(t, {3, 100}), Type(DType::i32, {}), Type(DType::i32, {})},
                  [](ir::Graph&, auto x) {
                    const Value one[] = {x[2]}, two[] = {x[3], x[2]};
                    const Value part = ir::dynamic_slice(x[0] * x[0], one, Dims{64}),
                                rows = ir::dynamic_slice(x[1], two, Dims{2, 32});
                    return std::vector{part + part, rows * rows, ir::reduce_sum(rows, Dims{1})};
                  });
}

TEST(Twin, RowReductions) {
  for (const DType t : {DType::f32, DType::bf16})
    for (const std::int64_t n : {1, 3, 32, 64, 100, 257, 384, 400, 1024, 4096, 4104, 5001, 8192}) {
      SCOPED_TRACE(concat(t, ' ', n));
      check_on_twin({Type(t, {11, n})}, [](ir::Graph&, auto x) {
        const Dims last{1};
        return std::vector{ir::softmax(ir::convert(x[0], DType::f32)), ir::reduce_sum(x[0], last),
                           ir::reduce_max(x[0], last)};
      });
    }
}

// Rows too long for registers, which each thread keeps in shared memory, up to rows too long for that.
TEST(Twin, LongRowsOfSeveralStages) {
  for (const Type row : {Type(DType::f32, {12000}), Type(DType::bf16, {65536})})
    check_on_twin({Type(row.dtype(), {1, row.size(0)}), row}, [](ir::Graph&, auto x) {
      const Dims one{1};
      return std::vector{ir::softmax(x[0] + ir::broadcast_in_dim(x[1], x[0].type(), one))};
    });
}

TEST(Twin, ManyShortRows) {
  for (const std::int64_t n : {4, 33})
    check_on_twin({Type(DType::f32, {300, n})}, [](ir::Graph&, auto x) { return std::vector{ir::log_softmax(x[0])}; });
}

TEST(Twin, LayerNorm) {
  for (const std::int64_t n : {8, 30, 768, 3000}) {
    SCOPED_TRACE(n);
    const Type row(DType::f32, {n});
    check_on_twin({Type(DType::f32, {3, 4, n}), row, row}, [](ir::Graph&, auto x) {
      const auto y = ir::layer_norm(x[0], x[1], x[2], 1e-5);
      return std::vector{y[0], y[1], y[2]};
    });
  }
}

TEST(Twin, ColumnReductions) {
  for (const std::int64_t rows : {1, 2, 50, 700})
    for (const std::int64_t n : {1, 5, 32, 70, 130, 256}) {
      SCOPED_TRACE(concat(rows, " x ", n));
      check_on_twin({Type(DType::f32, {rows, n})}, [](ir::Graph&, auto x) {
        const Dims first{0};
        return std::vector{ir::reduce_sum(x[0] * x[0], first), ir::reduce_max(x[0], first)};
      });
    }
}

TEST(Twin, ReductionsOverSeveralAxes) {
  for (const std::int64_t n : {3, 16})
    check_on_twin({Type(DType::f32, {6, 5, 7, n})}, [](ir::Graph&, auto x) {
      const Dims outer{0, 2}, mixed{0, 3}, middle{1, 2}, three{0, 1, 2}, all{0, 1, 2, 3};
      return std::vector{ir::reduce_sum(x[0], outer), ir::reduce_sum(x[0], mixed), ir::reduce_min(x[0], middle),
                         ir::reduce_sum(x[0], three), ir::reduce_sum(x[0], all)};
    });
}

TEST(Twin, LongReductions) {
  for (const DType t : {DType::f32, DType::bf16, DType::f64})
    check_on_twin({Type(t, {100000})}, [](ir::Graph&, auto x) {
      const Dims all{0};
      return std::vector{ir::reduce_sum(x[0] * x[0], all), ir::reduce_max(x[0], all)};
    });
  check_on_twin({Type(DType::f32, {20000, 3})},
                [](ir::Graph&, auto x) { return std::vector{ir::reduce_sum(x[0], Dims{0})}; });
}

TEST(Twin, ReductionsOfOtherKinds) {
  for (const std::int64_t n : {5, 64, 1000})
    check_on_twin(
        {Type(DType::i32, {9, n}), Type(DType::boolean, {9, n}), Type(DType::i64, {9, n}), Type(DType::f64, {9, n})},
        [](ir::Graph& g, auto x) {
          std::vector<Value> y;
          for (const std::int64_t d : {0, 1}) {
            const Dims dims{d};
            const auto logical = [&](const ir::Op& op, double init) {
              const Value start = ir::constant(g, Type(DType::boolean, {}), init);
              return ir::reduce(std::vector{x[1]}, std::vector{start}, dims, ir::reduction_body(op, DType::boolean))[0];
            };
            y.push_back(ir::reduce_min(x[0], dims));
            y.push_back(ir::reduce_max(x[2], dims));
            y.push_back(ir::reduce_product(x[0], dims));
            y.push_back(ir::reduce_product(x[3], dims));
            y.push_back(logical(ir::ops::and_, 1));
            y.push_back(logical(ir::ops::or_, 0));
          }
          return y;
        });
}

TEST(Twin, RowsWithoutElements) {
  check_on_twin({Type(DType::f32, {4, 0}), Type(DType::f32, {4})},
                [](ir::Graph&, auto x) { return std::vector{ir::reduce_sum(x[0] * x[0], Dims{1}) + x[1]}; });
}

// In the forms for whole rows, all threads read something, so rows without elements must have another one.
TEST(GpuGrid, FormsOfRows) {
  compiler::Loop loop;
  loop.rows = loop.lanes = 1;
  loop.sizes = {{.parameter = 0}, {.parameter = 1}};
  loop.buffers = {DType::f32, DType::f32};
  loop.inputs = 1;
  loop.exprs.resize(3);
  loop.exprs[0].kind = compiler::Expr::Kind::load;
  loop.exprs[0].buffer = 0;
  loop.exprs[0].position = {.offset = {}, .coefficients = {{.parameter = 1}, {.known = 1}}};
  loop.exprs[2].kind = compiler::Expr::Kind::reduce;
  loop.exprs[2].op = &ir::ops::add;
  loop.exprs[2].operands = {0, 1};
  loop.exprs[2].stage = 1;
  loop.stores = {
      {.value = 2, .buffer = 1, .position = {.offset = {}, .coefficients = {{.known = 1}, {}}}, .gathered = {}}};
  const std::uint64_t offsets[] = {0, 0};
  const std::int64_t some[] = {4, 8}, none[] = {4, 0};
  EXPECT_EQ(gpu_grid(loop, some, offsets).form, compiler::GpuForm::whole_rows);
  EXPECT_EQ(gpu_grid(loop, none, offsets).form, compiler::GpuForm::vectors);

  // A warp has up to four vectors of 4 numbers in each thread; longer rows have more warps.
  const auto grid_of = [&](std::int64_t lanes) {
    return gpu_grid(loop, std::array<std::int64_t, 2>{4, lanes}, offsets);
  };
  EXPECT_EQ(grid_of(256).form, compiler::GpuForm::whole_rows_of_2);
  EXPECT_EQ(grid_of(384).form, compiler::GpuForm::whole_rows_of_3);
  EXPECT_EQ(grid_of(512).form, compiler::GpuForm::whole_rows_of_4);
  EXPECT_EQ(grid_of(512).threads_x, 32u);
  EXPECT_EQ(grid_of(516).threads_x, 64u);
  EXPECT_EQ(grid_of(516).form, compiler::GpuForm::whole_rows_of_3);
  EXPECT_EQ(grid_of(8192).form, compiler::GpuForm::whole_rows_of_4);
  EXPECT_EQ(grid_of(8196).form, compiler::GpuForm::vectors);
}

TEST(Twin, DonatedInputs) {
  compiler::Options options;
  options.donatable = {true, true};
  for (const std::int64_t n : {17, 4096})
    check_on_twin(
        {Type(DType::f32, {n}), Type(DType::f32, {n})},
        [](ir::Graph&, auto x) { return std::vector{x[0] + x[1] * 2.0, x[1] * 0.5}; }, options);
}

TEST(Twin, ProductsWithEpilogues) {
  check_on_twin({Type(DType::f32, {33, 64}), Type(DType::f32, {64, 48}), Type(DType::f32, {48})},
                [](ir::Graph&, auto x) {
                  const Dims last{1}, first{0};
                  const Value y = ir::dot_general(x[0], x[1], {{}, {}, last, first});
                  return std::vector{ir::softmax(ir::tanh(y + ir::broadcast_in_dim(x[2], y.type(), last)))};
                });
}

// ---- kernels written here, which do what generated code must not do

template <class Function>
Function symbol(std::string_view name) {
  for (const auto& [known, address] : compiler::twin::symbols())
    if (name == known) return reinterpret_cast<Function>(address);
  return nullptr;
}
std::uint32_t index(int which) { return symbol<std::uint32_t (*)(int)>("weft_twin_index")(which); }
std::uint32_t thread_x() { return index(0); }
std::uint32_t exchange(std::uint32_t x, int distance) {
  return symbol<std::uint32_t (*)(std::uint32_t, int)>("weft_twin_exchange")(x, distance);
}
void barrier() { symbol<void (*)()>("weft_twin_barrier")(); }
std::byte* shared() { return symbol<std::byte* (*)()>("weft_twin_shared")(); }

// Returns what the twin says about a kernel with one block of 64 threads and 40 bytes of shared memory.
std::string complaint(compiler::twin::Function function) {
  const compiler::GpuGrid grid{.blocks_x = 1, .threads_x = 64, .shared_bytes = 40};
  try {
    compiler::twin::run("kernel", function, grid, nullptr);
  } catch (const InternalError& error) {
    return error.what();
  }
  return "";
}

TEST(TwinRuntime, NamesThreadsThatMissABarrier) {
  EXPECT_THAT(complaint([](void**) {
                if (thread_x() != 3) barrier();
              }),
              testing::HasSubstr(
                  "thread (0, 0) of block (0, 0) waits at a barrier that thread (3, 0) does not reach: it has ended"));
}

TEST(TwinRuntime, NamesThreadsThatMissAnExchange) {
  EXPECT_THAT(complaint([](void**) { thread_x() == 40 ? barrier() : void(exchange(1, 1)); }),
              testing::HasSubstr("waits in an exchange that thread (40, 0) does not reach: it waits elsewhere"));
  EXPECT_THAT(complaint([](void**) { exchange(1, thread_x() == 5 ? 2 : 1); }),
              testing::HasSubstr("over a distance of 2"));
}

TEST(TwinRuntime, FindsStoresBehindSharedMemory) {
  EXPECT_EQ(complaint([](void**) { shared()[39] = std::byte{1}; }), "");
  EXPECT_THAT(complaint([](void**) { shared()[40] = std::byte{1}; }), testing::HasSubstr("stores behind its 40 bytes"));
}

TEST(TwinRuntime, ExchangesValuesAndFillsSharedMemoryWithGarbage) {
  static bool is_right;
  is_right = true;
  EXPECT_EQ(complaint([](void**) {
              if (thread_x() == 63) is_right = is_right && shared()[0] == std::byte{0xff};
              is_right = is_right && exchange(thread_x(), 8) == (thread_x() ^ 8);
              barrier();
              is_right = is_right && exchange(thread_x() * 3, 16) == (thread_x() ^ 16) * 3;
            }),
            "");
  EXPECT_TRUE(is_right);
}

}  // namespace
}  // namespace weft
