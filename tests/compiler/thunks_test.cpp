// Compares nodes with thunks of their own with the interpreter, at sizes where threads share the work: no fallback, and the same bits for
// any number of threads.
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include <weft/ir/autodiff.h>
#include <weft/ir/builder.h>
#include <weft/ir/interpreter.h>
#include <weft/ir/ops.h>
#include <weft/runtime/parallel.h>

#include "convolutions.h"
#include "run.h"

namespace weft {
namespace {

using ir::Array;
using ir::Graph;
using ir::Value;
using Values = std::vector<Value>;

std::vector<Array> random_inputs(const Graph& graph) {
  std::mt19937_64 generator(11);
  std::normal_distribution<double> normal;
  std::vector<Array> inputs;
  for (const Value v : graph.inputs()) {
    Array& array = inputs.emplace_back(v.type());
    visit(v.dtype(), [&]<class T>(T) {
      for (T& x : array.data<T>()) {
        if constexpr (std::is_same_v<T, bool>)
          x = generator() % 2 == 0;
        else if constexpr (std::is_integral_v<T>)
          x = static_cast<T>(sizeof(T) == 8 ? generator() : generator() % 100);
        else
          x = static_cast<T>(normal(generator));
      }
    });
  }
  return inputs;
}

// Compiled normally, the graph is close to the interpreter; in strict mode the bits do not depend on the number of threads.
void expect_native(const Graph& graph, double tolerance) {
  const auto inputs = random_inputs(graph);
  const auto want = ir::interpret(graph, inputs);
  compiler::Report report;
  const auto got = test::run_compiled(graph, inputs, {}, &report);
  EXPECT_EQ(report.fallbacks, std::vector<std::string>{});
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    ASSERT_EQ(got[i].type(), want[i].type());
    if (tolerance == 0) {
      EXPECT_EQ(got[i], want[i]) << "output " << i;
      continue;
    }
    for (std::int64_t e = 0; e < got[i].size(); ++e)
      ASSERT_NEAR(got[i].element(e), want[i].element(e), tolerance * (1 + std::abs(want[i].element(e))))
          << "output " << i << ", element " << e;
  }
  compiler::Options strict;
  strict.strict = true;
  std::vector<Array> one;
  for (const int threads : {1, 2, 3}) {
    const test::Threads scope(threads);
    auto results = test::run_compiled(graph, inputs, strict);
    if (one.empty())
      one = std::move(results);
    else
      EXPECT_EQ(results, one) << threads << " threads";
  }
}

TEST(Convolution, AndItsGradientsInEveryElementType) {
  for (const test::Convolution& c : test::convolutions())
    for (const auto& [dtype, tolerance] : {std::pair{DType::f32, 2e-4}, {DType::f64, 1e-11}, {DType::bf16, 1.0}}) {
      SCOPED_TRACE(testing::Message() << Type(dtype, c.x) << " * " << Type(dtype, c.kernel));
      expect_native(*test::convolution_with_gradients(c, dtype), tolerance);
    }
}

TEST(Loop, CarriesValuesThatStayMoveSwapAndGrow) {
  const Type i32(DType::i32, {}), vector(DType::f32, {1000}), stack(DType::f32, {40, 1000});
  const std::vector types{i32, vector, vector, vector, stack};
  const auto condition = ir::make_graph(types, [&](Graph& g, std::span<const Value> in) {
    return Values{ir::compare(in[0], ir::constant(g, i32, 37), ir::Direction::LT)};
  });
  const auto body = ir::make_graph(types, [&](Graph& g, std::span<const Value> in) {
    const Value zero = ir::constant(g, i32, 0);
    const Value row = ir::reshape(in[1] + in[3], {Dim(1), Dim(1000)});
    return Values{ir::add(in[0], ir::constant(g, i32, 1)), in[2], ir::tanh(in[1]) + in[2] * 0.5, in[3],
                  ir::dynamic_update_slice(in[4], row, std::vector{in[0], zero})};
  });
  for (const bool twice : {false, true}) {
    const auto graph = ir::make_graph(types, [&](Graph&, std::span<const Value> in) {
      Values initial(in.begin(), in.end());
      if (twice) initial[2] = initial[3] = initial[1];
      Values results = ir::while_(initial, condition, body);
      results.push_back(results[1] + in[1]);  // the loop must not have overwritten the initial value
      return results;
    });
    expect_native(*graph, 1e-5);
  }
}

TEST(Loop, ThatNeverRunsReturnsWhatItWasGiven) {
  const std::vector types{Type(DType::boolean, {}), Type(DType::f32, {5})};
  const auto condition = ir::make_graph(types, [](Graph&, std::span<const Value> in) { return Values{in[0]}; });
  const auto body =
      ir::make_graph(types, [](Graph&, std::span<const Value> in) { return Values{in[0], ir::tanh(in[1])}; });
  const auto graph =
      ir::make_graph(types, [&](Graph&, std::span<const Value> in) { return ir::while_(in, condition, body); });
  const std::vector inputs{Array::scalar<bool>(false), Array::of<float>({5}, {1, 2, 3, 4, 5})};
  EXPECT_EQ(test::run_compiled(*graph, inputs), inputs);
}

TEST(Branch, InsideALoop) {
  const Type i32(DType::i32, {}), vector(DType::f32, {300});
  const std::vector types{i32, vector};
  const auto scaled = [&](double factor) {
    return ir::make_graph(std::vector{vector},
                          [&](Graph&, std::span<const Value> in) { return Values{ir::sine(in[0]) * factor, in[0]}; });
  };
  const auto condition = ir::make_graph(types, [&](Graph& g, std::span<const Value> in) {
    return Values{ir::compare(in[0], ir::constant(g, i32, 5), ir::Direction::LT)};
  });
  const auto body = ir::make_graph(types, [&](Graph& g, std::span<const Value> in) {
    const auto branches = std::vector{scaled(2), scaled(3), scaled(-1)};
    const Values chosen = ir::case_(in[0], std::vector{in[1]}, branches);
    return Values{ir::add(in[0], ir::constant(g, i32, 1)), chosen[0] + chosen[1]};
  });
  expect_native(
      *ir::make_graph(types, [&](Graph&, std::span<const Value> in) { return ir::while_(in, condition, body); }), 1e-4);
}

TEST(Control, ReportsWhatFallsBackInsideARegion) {
  const Type type(DType::f32, {4});
  const auto branch = ir::make_graph(std::vector{type}, [&](Graph& g, std::span<const Value> in) {
    const ir::CustomCallAttributes call{.target = "somebody.elses"};
    return Values{g.append(ir::ops::custom_call, in, &call, std::array{type}).result()};
  });
  const auto graph =
      ir::make_graph(std::vector{Type(DType::boolean, {}), type},
                     [&](Graph&, std::span<const Value> in) { return ir::if_(in[0], in.subspan(1), branch, branch); });
  compiler::Report report;
  compiler::compile(*graph, {}, &report);
  ASSERT_EQ(report.fallbacks.size(), 2u);
  EXPECT_NE(report.fallbacks[0].find("custom_call"), std::string::npos);
}

TEST(Sort, RowsAndColumnsOfEveryElementType) {
  for (const DType dtype :
       {DType::f32, DType::f64, DType::bf16, DType::f16, DType::i8, DType::i32, DType::i64, DType::u64, DType::boolean})
    for (const std::int64_t dimension : {0, 1, 2})
      for (const auto direction : {ir::Direction::LT, ir::Direction::GT}) {
        SCOPED_TRACE(testing::Message() << dtype << " along " << dimension);
        const Type type(dtype, {6, 40, 30}), element(dtype, {}), place(DType::i32, {});
        const auto order = is_float(dtype) ? ir::Comparison::TOTALORDER : ir::Comparison::NOTYPE;
        const auto before = ir::make_graph(
            std::vector{element, element, place, place},
            [&](Graph&, std::span<const Value> in) { return Values{ir::compare(in[0], in[1], direction, order)}; });
        expect_native(*ir::make_graph(std::vector{type},
                                      [&](Graph& g, std::span<const Value> in) {
                                        const Value places = ir::iota(g, type.with(DType::i32), dimension);
                                        return ir::sort(std::vector{in[0], places}, dimension, true, before);
                                      }),
                      0);
      }
}

// Sorts floats as JAX does: -0 equals 0, NaNs of any sign come last.
TEST(Sort, PutsNanLastAndKeepsZerosInOrder) {
  const Type f32(DType::f32, {});
  const auto before = ir::make_graph(std::vector{f32, f32}, [&](Graph& g, std::span<const Value> in) {
    const auto canonical = [&](Value x) {
      const Value zero = ir::constant(g, f32, 0), nan = ir::constant(g, f32, std::nan(""));
      const Value y = ir::select(ir::compare(x, zero, ir::Direction::EQ), zero, x);
      return ir::select(ir::compare(x, x, ir::Direction::NE), nan, y);
    };
    return Values{ir::compare(canonical(in[0]), canonical(in[1]), ir::Direction::LT, ir::Comparison::TOTALORDER)};
  });
  const auto graph = ir::make_graph(std::vector{Type(DType::f32, {8})},
                                    [&](Graph&, std::span<const Value> in) { return ir::sort(in, 0, true, before); });
  const double nan = std::nan("");
  const std::vector inputs{Array::of<float>({8}, {0.0f, -nan, -0.0f, nan, -3, INFINITY, 0.0f, -INFINITY})};
  compiler::Report report;
  EXPECT_EQ(test::run_compiled(*graph, inputs, {}, &report), ir::interpret(*graph, inputs));
  EXPECT_TRUE(report.fallbacks.empty());
}

TEST(Pooling, AndItsGradient) {
  for (const DType dtype : {DType::f32, DType::f64, DType::bf16, DType::i32}) {
    SCOPED_TRACE(testing::Message() << dtype);
    const double tolerance = dtype == DType::f64   ? 1e-12
                             : dtype == DType::f32 ? 1e-6
                                                   : 0;  // sums are computed in f32, not f64
    const std::int64_t sizes[] = {1, 1, 3, 3}, strides[] = {1, 1, 2, 2}, padding[] = {0, 0, 0, 0, 1, 0, 1, 1},
                       dilations[] = {1, 1, 1, 2};
    const Type x(dtype, {3, 20, 27, 30});
    const ir::ReduceWindowAttributes window{.window_dimensions = sizes,
                                            .window_strides = strides,
                                            .base_dilations = {},
                                            .window_dilations = dilations,
                                            .padding = padding};
    expect_native(*ir::make_graph(std::vector{x},
                                  [&](Graph& g, std::span<const Value> in) {
                                    Values results;
                                    for (const ir::Op* op : {&ir::ops::add, &ir::ops::maximum, &ir::ops::minimum})
                                      results.push_back(ir::reduce_window(in[0], ir::constant(g, Type(dtype, {}), 1),
                                                                          window, ir::reduction_body(*op, dtype)));
                                    return results;
                                  }),
                  tolerance);
    const ir::SelectAndScatterAttributes select{
        .window_dimensions = sizes, .window_strides = strides, .padding = padding};
    for (const std::int64_t width : {30, 60})  // narrow planes are handled window by window, others vector by vector
      expect_native(
          *ir::make_graph(std::vector{Type(dtype, {3, 20, 27, width}), Type(dtype, {3, 20, 13, width / 2})},
                          [&](Graph& g, std::span<const Value> in) {
                            return Values{ir::select_and_scatter(in[0], in[1], ir::constant(g, Type(dtype, {}), 0),
                                                                 select, ir::comparison_body(ir::Direction::GE, dtype),
                                                                 ir::reduction_body(ir::ops::add, dtype))};
                          }),
          tolerance);
  }
}

// GE and LE select the first of equal elements, GT and LT the last. Every comparison with a NaN is false, so the next element replaces it.
TEST(SelectAndScatter, OfTiesAndNaNs) {
  const std::int64_t sizes[] = {1, 2, 3}, strides[] = {1, 1, 2}, padding[] = {0, 0, 1, 0, 1, 1};
  const ir::SelectAndScatterAttributes window{
      .window_dimensions = sizes, .window_strides = strides, .padding = padding};
  for (const std::int64_t width : {8, 80})
    for (const auto direction : {ir::Direction::GE, ir::Direction::GT, ir::Direction::LE, ir::Direction::LT}) {
      const Type x(DType::f32, {5, 6, width}), source(DType::f32, {5, 6, width / 2});
      const auto graph = ir::make_graph(std::vector{x, source}, [&](Graph& g, std::span<const Value> in) {
        return Values{ir::select_and_scatter(in[0], in[1], ir::constant(g, Type(DType::f32, {}), 0), window,
                                             ir::comparison_body(direction, DType::f32),
                                             ir::reduction_body(ir::ops::add, DType::f32))};
      });
      std::mt19937 random(2);
      std::vector<Array> inputs{Array(x), Array(source)};
      for (float& e : inputs[0].data<float>()) {
        const auto drawn = static_cast<int>(random() % 5);
        e = drawn == 4 ? std::numeric_limits<float>::quiet_NaN() : static_cast<float>(drawn);
      }
      for (float& e : inputs[1].data<float>()) e = static_cast<float>(random() % 100);
      EXPECT_EQ(test::run_compiled(*graph, inputs), ir::interpret(*graph, inputs)) << static_cast<int>(direction);
    }
}

// Windows reach from each element to the beginning or the end, with or without a few elements of padding beyond it.
TEST(RunningSum, OfEveryElementTypeAlongAnyDimension) {
  for (const DType dtype :
       {DType::f16, DType::bf16, DType::f32, DType::f64, DType::i8, DType::u16, DType::i32, DType::u64})
    for (const auto& dims : std::vector<std::vector<Dim>>{{40}, {3, 40}, {40, 70}, {2, 40, 5}, {1, 1}, {2, 0, 3}})
      for (std::size_t along = 0; along < dims.size(); ++along)
        for (const std::int64_t further : {0, 2}) {
          const std::int64_t size = dims[along].value() + further, reach = std::max<std::int64_t>(size, 1);
          std::vector<std::int64_t> window(dims.size(), 1), before(2 * dims.size()), behind(before);
          window[along] = reach;
          before[2 * along] = behind[2 * along + 1] = reach - 1;
          const auto graph =
              ir::make_graph(std::vector{Type(dtype, dims), Type(dtype, {})}, [&](Graph&, std::span<const Value> in) {
                const auto add = ir::reduction_body(ir::ops::add, dtype);
                return std::vector{ir::reduce_window(in[0], in[1], {window, {}, {}, {}, before}, add),
                                   ir::reduce_window(in[0], in[1], {window, {}, {}, {}, behind}, add),
                                   ir::reduce_window(in[0], ir::constant(in[0].graph(), in[1].type(), 0),
                                                     {window, {}, {}, {}, before}, add)};
              });
          const bool is_exact = !is_float(dtype);
          expect_native(*graph, is_exact ? 0 : dtype == DType::bf16 ? 0.1 : dtype == DType::f16 ? 0.02 : 1e-4);
        }
}

TEST(RunningFold, ProductsAndExtremaOfEveryElementType) {
  for (const DType dtype : {DType::bf16, DType::f32, DType::f64, DType::i8, DType::u16, DType::i32, DType::u64})
    for (const auto& dims : std::vector<std::vector<Dim>>{{40}, {3, 9}, {9, 300}, {2, 9, 5}, {1, 1}})
      for (std::size_t along = 0; along < dims.size(); ++along) {
        const std::int64_t size = dims[along].value();
        std::vector<std::int64_t> window(dims.size(), 1), before(2 * dims.size()), behind(before);
        window[along] = size;
        before[2 * along] = behind[2 * along + 1] = size - 1;
        const auto graph =
            ir::make_graph(std::vector{Type(dtype, dims), Type(dtype, {})}, [&](Graph& g, std::span<const Value> in) {
              std::vector<Value> all;
              for (const ir::Op* op : {&ir::ops::maximum, &ir::ops::minimum, &ir::ops::multiply})
                for (const auto& padding : {before, behind}) {
                  const Value initial = op == &ir::ops::multiply ? ir::constant(g, in[1].type(), 1) : in[1];
                  all.push_back(
                      ir::reduce_window(in[0], initial, {window, {}, {}, {}, padding}, ir::reduction_body(*op, dtype)));
                }
              return all;
            });
        expect_native(*graph, !is_float(dtype) ? 0 : dtype == DType::bf16 ? 0.1 : 1e-4);
      }
}

TEST(RunningFold, ExtremaAreNaNFromTheFirstNaNOn) {
  const auto graph = ir::make_graph(std::vector{Type(DType::f32, {4})}, [&](Graph& g, std::span<const Value> in) {
    const std::int64_t window[] = {4}, padding[] = {3, 0};
    return std::vector{ir::reduce_window(in[0], ir::constant(g, Type(DType::f32, {}), -1),
                                         {window, {}, {}, {}, padding},
                                         ir::reduction_body(ir::ops::maximum, DType::f32))};
  });
  Array x(Type(DType::f32, {4}));
  std::ranges::copy(std::vector<float>{2, 1, std::numeric_limits<float>::quiet_NaN(), 3}, x.data<float>().begin());
  const auto got = test::run_compiled(*graph, {&x, 1});
  EXPECT_EQ(got[0].data<float>()[1], 2);
  EXPECT_TRUE(std::isnan(got[0].data<float>()[2]) && std::isnan(got[0].data<float>()[3]));
}

// Only slices of the first elements are read, so only these are sorted.
TEST(Sort, OfTheFirstElementsOnly) {
  for (const std::int64_t wanted : {1, 5, 64, 65, 300, 400})
    for (const std::int64_t dimension : {0, 1}) {
      const auto graph = ir::make_graph(
          std::vector{Type(DType::f32, {400, 400}), Type(DType::i32, {400, 400})},
          [&](Graph&, std::span<const Value> in) {
            const auto greater = ir::make_graph(
                std::vector{Type(DType::f32, {}), Type(DType::f32, {}), Type(DType::i32, {}), Type(DType::i32, {})},
                [](Graph&, std::span<const Value> x) {
                  return std::vector{ir::compare(x[0], x[1], ir::Direction::GT)};
                });
            const std::vector<Value> sorted = ir::sort(in, dimension, true, greater);
            const std::int64_t start[] = {0, 0}, stride[] = {1, 1}, shorter = std::max<std::int64_t>(1, wanted / 2);
            const auto first = [&](Value v, std::int64_t count) {
              const std::int64_t limit[] = {dimension == 0 ? count : 400, dimension == 1 ? count : 400};
              return ir::slice(v, start, limit, stride);
            };
            return std::vector{first(sorted[0], wanted), first(sorted[1], shorter)};
          });
      expect_native(*graph, 0);
    }
}

// The relative error of a sum of a million tenths is below a tenth of a percent.
TEST(RunningSum, OfManyKeepsItsPrecision) {
  constexpr std::int64_t size = 1'000'000;
  const auto graph = ir::make_graph(std::vector{Type(DType::f32, {size})}, [&](Graph& g, std::span<const Value> in) {
    const std::int64_t window[] = {size}, padding[] = {size - 1, 0};
    return std::vector{ir::reduce_window(in[0], ir::constant(g, Type(DType::f32, {}), 0), {window, {}, {}, {}, padding},
                                         ir::reduction_body(ir::ops::add, DType::f32))};
  });
  Array tenths(Type(DType::f32, {size}));
  std::ranges::fill(tenths.data<float>(), 0.1F);
  const auto sums = test::run_compiled(*graph, {&tenths, 1});
  EXPECT_FLOAT_EQ(sums[0].data<float>().back(), 0.1F * size);
}

// The rows of planes are folded as one plane if no window crosses from one plane to the next.
TEST(Pooling, OfManySmallPlanes) {
  for (const DType dtype : {DType::f32, DType::bf16, DType::i32})
    for (const std::int64_t height : {4, 6, 7})  // of 7 rows, windows leave one out or reach beyond
      for (const std::int64_t low : {0, 1})
        for (const std::int64_t extent : {1, 2, 3}) {
          const std::int64_t sizes[] = {1, 1, extent, 2}, strides[] = {1, 1, 2, 2},
                             padding[] = {0, 0, 0, 0, low, 0, 0, 1};
          const ir::ReduceWindowAttributes window{.window_dimensions = sizes,
                                                  .window_strides = strides,
                                                  .base_dilations = {},
                                                  .window_dilations = {},
                                                  .padding = padding};
          const auto graph =
              ir::make_graph(std::vector{Type(dtype, {30, 20, height, 5})}, [&](Graph& g, std::span<const Value> in) {
                return Values{ir::reduce_window(in[0], ir::constant(g, Type(dtype, {}), 1), window,
                                                ir::reduction_body(ir::ops::maximum, dtype))};
              });
          expect_native(*graph, 0);
        }
}

// Threads share a single plane of windows by its rows.
TEST(Pooling, OfTwoDimensions) {
  const std::int64_t sizes[] = {5, 3}, strides[] = {1, 2}, padding[] = {2, 2, 0, 1};
  const ir::ReduceWindowAttributes window{.window_dimensions = sizes,
                                          .window_strides = strides,
                                          .base_dilations = {},
                                          .window_dilations = {},
                                          .padding = padding};
  for (const DType dtype : {DType::f32, DType::bf16, DType::i8}) {
    SCOPED_TRACE(testing::Message() << dtype);
    expect_native(*ir::make_graph(std::vector{Type(dtype, {301, 130})},
                                  [&](Graph& g, std::span<const Value> in) {
                                    Values results;
                                    for (const ir::Op* op : {&ir::ops::add, &ir::ops::maximum})
                                      results.push_back(ir::reduce_window(in[0], ir::constant(g, Type(dtype, {}), 1),
                                                                          window, ir::reduction_body(*op, dtype)));
                                    return results;
                                  }),
                  dtype == DType::f32 ? 1e-6 : 0);
  }
}

TEST(Rng, BitsOfEveryWidth) {
  for (const auto algorithm : {ir::RngAlgorithm::PHILOX, ir::RngAlgorithm::THREE_FRY})
    for (const DType dtype : {DType::u8, DType::u16, DType::u32, DType::u64, DType::i32})
      for (const std::int64_t width : {101, 256}) {
        SCOPED_TRACE(testing::Message() << dtype << " " << width);
        expect_native(*ir::make_graph(std::vector{Type(DType::u64, {2})},
                                      [&](Graph&, std::span<const Value> in) {
                                        return ir::rng_bit_generator(in[0], Type(dtype, {301, width}), algorithm);
                                      }),
                      0);
      }
}

// Tests counters that carry into higher words, both forms of a Philox state, and tensors that blocks do not fill evenly.
TEST(Rng, AnyCounterAndAnySize) {
  const std::vector<std::uint64_t> states[] = {
      {0x123456789abcdef0, 0xfffffff3}, {7, ~std::uint64_t{0} - 20}, {7, ~std::uint64_t{0} - 20, ~std::uint64_t{0}}};
  const std::vector<std::int64_t> shapes[] = {{},        {1},          {3, 0},     {5},       {67},
                                              {3, 5, 7}, {7, 9, 2, 1}, {2, 3, 17}, {3, 33331}};
  for (const auto& words : states)
    for (const auto& sizes : shapes)
      for (const auto algorithm : {ir::RngAlgorithm::PHILOX, ir::RngAlgorithm::THREE_FRY})
        for (const DType dtype : {DType::u8, DType::u32, DType::i64}) {
          if (words.size() == 3 && algorithm == ir::RngAlgorithm::THREE_FRY) continue;
          const std::vector<Dim> dims(sizes.begin(), sizes.end());
          SCOPED_TRACE(testing::Message()
                       << Type(dtype, dims) << (algorithm == ir::RngAlgorithm::PHILOX ? " Philox" : ""));
          Array state({DType::u64, {std::ssize(words)}});
          std::ranges::copy(words, state.data<std::uint64_t>().begin());
          const auto graph = ir::make_graph(std::vector{state.type()}, [&](Graph&, std::span<const Value> in) {
            return ir::rng_bit_generator(in[0], Type(dtype, dims), algorithm);
          });
          const test::Threads scope(3);
          EXPECT_EQ(test::run_compiled(*graph, std::span(&state, 1)), ir::interpret(*graph, std::span(&state, 1)));
        }
}

// The program updates a row before it reads the row's old value; if the read runs first, nothing needs to be copied.
TEST(Thunks, UpdatesOfAPartGiveWayToOtherReaders) {
  Graph graph;
  const Value x = graph.add_input({DType::f32, {64, 8}}), row = graph.add_input({DType::f32, {1, 8}});
  const Values at{graph.add_input({DType::i32, {}}), ir::constant(graph, {DType::i32, {}}, 0)};
  const Value updated = ir::dynamic_update_slice(x, row, at);
  graph.set_outputs(Values{updated, ir::tanh(ir::dynamic_slice(x, at, std::vector<std::int64_t>{1, 8}))});
  compiler::Options options;
  options.donatable = {true, false, false};
  const auto executable = compiler::compile(graph, options);
  EXPECT_EQ(executable->outputs[0].donated_input, 0);
  const auto inputs = random_inputs(graph);
  EXPECT_EQ(test::run(executable, inputs)[0], ir::interpret(graph, inputs)[0]);
}

// Two updates, one after the other, with a read in between.
TEST(Thunks, SeveralUpdatesOfAPartAreMadeInPlace) {
  Graph graph;
  const Value x = graph.add_input({DType::f32, {64, 8}}), row = graph.add_input({DType::f32, {1, 8}});
  const Value zero = ir::constant(graph, {DType::i32, {}}, 0);
  const Values at{graph.add_input({DType::i32, {}}), zero}, then{graph.add_input({DType::i32, {}}), zero};
  const Value once = ir::dynamic_update_slice(x, row, at);
  const Value read = ir::tanh(ir::dynamic_slice(once, at, std::vector<std::int64_t>{1, 8}));
  const Value twice = ir::dynamic_update_slice(once, read * 2.0, then);
  graph.set_outputs(Values{ir::dynamic_update_slice(twice, row, then)});
  compiler::Options options;
  options.donatable = {true, false, false, false};
  const auto executable = compiler::compile(graph, options);
  EXPECT_EQ(executable->outputs[0].donated_input, 0);
  EXPECT_LT(executable->temporary_bytes, 64 * 8 * sizeof(float));
  const auto inputs = random_inputs(graph);
  EXPECT_EQ(test::run(executable, inputs)[0], ir::interpret(graph, inputs)[0]);
}

}  // namespace
}  // namespace weft
