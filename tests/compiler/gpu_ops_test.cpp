// Ops for which a GPU has no kernel of their own: what stands for them, run on the twin; and that no thunk of them is left to the host.
#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include <weft/ir/builder.h>
#include <weft/ir/op.h>
#include <weft/ir/ops.h>

#include "arrays.h"
#include "twin_check.h"

namespace weft {
namespace {

using ir::Array;
using ir::Value;
using test::check_on_twin;
using test::expect_all_on_gpu;
using Dims = std::vector<std::int64_t>;

// Checks the values, and that a real GPU does all of the work.
void check_on_gpu(const std::vector<Type>& types, const test::Body& body, const compiler::Options& options = {}) {
  expect_all_on_gpu(*ir::make_graph(types, body), options);
  check_on_twin(types, body, options);
}

Array scalar(DType dtype, std::int64_t value) {
  Array array(Type(dtype, {}));
  visit(dtype, [&](auto tag) {
    using T = decltype(tag);
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) array.data<T>()[0] = static_cast<T>(value);
  });
  return array;
}

void check_update(DType dtype, DType index, Dims operand, Dims update, const Dims& starts) {
  SCOPED_TRACE(concat(dtype, ' ', index, " at ", starts.empty() ? 0 : starts[0]));
  const auto dims = [](const Dims& sizes) { return std::vector<Dim>(sizes.begin(), sizes.end()); };
  std::vector<Type> types{Type(dtype, dims(operand)), Type(dtype, dims(update))};
  types.resize(2 + operand.size(), Type(index, {}));
  const auto graph = ir::make_graph(
      types, [](ir::Graph&, auto x) { return std::vector{ir::dynamic_update_slice(x[0], x[1], x.subspan(2))}; });
  std::vector<Array> inputs{test::random_array(types[0], 1), test::random_array(types[1], 2)};
  for (const std::int64_t start : starts) inputs.push_back(scalar(index, start));
  for (const bool donates : {false, true}) {
    compiler::Options options;
    options.donatable = {donates};
    expect_all_on_gpu(*graph, options);
    check_on_twin(*graph, inputs, options);
  }
}

TEST(GpuOps, UpdatesOfSlices) {
  for (const DType t : {DType::f32, DType::bf16, DType::i8, DType::f64})
    for (const DType index : {DType::i32, DType::i64, DType::u32, DType::i8})
      for (const std::int64_t start : {0, 3, 100}) check_update(t, index, {8, 64}, {2, 32}, {start, start});
  check_update(DType::f32, DType::i32, {8, 64}, {2, 32}, {-5, 7});
  check_update(DType::boolean, DType::i32, {5, 6, 7}, {5, 2, 7}, {0, 3, 0});
  check_update(DType::f32, DType::u64, {4, 100}, {4, 100}, {2, 2});
  check_update(DType::f32, DType::i32, {1000}, {1}, {999});
  check_update(DType::f32, DType::i32, {}, {}, {});
}

TEST(GpuOps, UpdatesWithoutElements) {
  check_on_twin({Type(DType::f32, {4, 3}), Type(DType::f32, {0, 3}), Type(DType::i32, {})}, [](ir::Graph&, auto x) {
    const Value starts[] = {x[2], x[2]};
    return std::vector{ir::dynamic_update_slice(x[0] * x[0], x[1], starts)};
  });
}

TEST(GpuOps, PaddingBetweenElements) {
  for (const std::int64_t n : {0, 1, 2, 6, 64})
    for (const Dims& edge : {Dims{0, 0}, {1, -2}, {-1, 5}})
      check_on_gpu({Type(DType::f32, {5, n}), Type(DType::f32, {})}, [&](ir::Graph&, auto x) {
        const Dims low{edge[0], 1}, high{edge[1], n == 64 ? -3 : 2}, both{1, 3}, one{0, 2};
        return std::vector{ir::pad(x[0], x[1], low, high, both), ir::pad(x[0] * 2.0, x[1], low, high, one)};
      });
}

struct Windows {
  Dims size, strides = {1, 1}, base_dilations = {1, 1}, dilations = {1, 1}, padding = {0, 0, 0, 0};

  ir::ReduceWindowAttributes attributes() const {
    return {.window_dimensions = size,
            .window_strides = strides,
            .base_dilations = base_dilations,
            .window_dilations = dilations,
            .padding = padding};
  }
};

Value fold_windows(Value x, const Windows& windows, const ir::Op& op, double init) {
  return ir::reduce_window(x, ir::constant(x.graph(), Type(x.dtype(), {}), init), windows.attributes(),
                           ir::reduction_body(op, x.dtype()));
}

TEST(GpuOps, Windows) {
  const Windows all[] = {{.size = {3, 3}, .strides = {2, 2}, .padding = {1, 1, 1, 1}},
                         {.size = {2, 5}, .strides = {1, 3}, .dilations = {3, 2}, .padding = {0, 2, 4, 0}},
                         {.size = {2, 2}, .base_dilations = {2, 3}, .padding = {-1, 1, 0, 2}},
                         {.size = {1, 1}, .strides = {3, 1}}};
  for (const DType t : {DType::f32, DType::bf16, DType::i32})
    for (const Windows& windows : all)
      check_on_gpu({Type(t, {11, 30})}, [&](ir::Graph&, auto x) {
        return std::vector{fold_windows(x[0], windows, ir::ops::add, 0),
                           fold_windows(x[0], windows, ir::ops::maximum, 1),
                           fold_windows(x[0], windows, ir::ops::add, 2)};
      });
}

// The position of the greatest element of each window, the first one of equals.
std::shared_ptr<const ir::Graph> greater(DType dtype, DType index) {
  const Type value(dtype, {}), place(index, {});
  return ir::make_graph(std::array{value, place, value, place}, [](ir::Graph&, auto x) {
    const Value is_equal = ir::compare(x[0], x[2], ir::Direction::EQ);
    const Value is_first = ir::or_(ir::compare(x[0], x[2], ir::Direction::GT),
                                   ir::and_(is_equal, ir::compare(x[1], x[3], ir::Direction::LT)));
    return std::vector{ir::select(is_first, x[0], x[2]), ir::select(is_first, x[1], x[3])};
  });
}

TEST(GpuOps, WindowsOfSeveralTensors) {
  const Windows windows{.size = {2, 3}, .strides = {2, 3}, .padding = {0, 0, 1, 1}};
  check_on_gpu({Type(DType::f32, {8, 31})}, [&](ir::Graph& g, auto x) {
    const Value inits[] = {ir::constant(g, Type(DType::f32, {}), -1e30), ir::constant(g, Type(DType::i32, {}), 99)};
    const Value xs[] = {x[0], ir::iota(g, Type(DType::i32, {8, 31}), 1)};
    return ir::reduce_window(xs, inits, windows.attributes(), greater(DType::f32, DType::i32));
  });
}

TEST(GpuOps, RunningFolds) {
  for (const DType t : {DType::f32, DType::bf16, DType::i32})
    for (const std::int64_t n : {2, 7, 8, 9, 64, 65, 700}) {
      SCOPED_TRACE(concat(t, ' ', n));
      check_on_gpu({Type(t, {3, n}), Type(t, {n, 5})}, [&](ir::Graph&, auto x) {
        const Windows rows{.size = {1, n}, .padding = {0, 0, n - 1, 0}},
            back{.size = {n, 1}, .padding = {0, n - 1, 0, 0}};
        return std::vector{fold_windows(x[0], rows, ir::ops::add, 0),
                           fold_windows(x[1], back, ir::ops::maximum, is_float(t) ? -INFINITY : -2147483648.0),
                           fold_windows(x[1], back, ir::ops::add, 0)};
      });
    }
}

TEST(GpuOps, FoldsOfSeveralTensors) {
  for (const DType t : {DType::f32, DType::bf16, DType::i8})
    for (const std::int64_t n : {1, 2, 8, 9, 100, 1000})
      for (const Dims& dims : {Dims{1}, {0}, {0, 1}}) {
        SCOPED_TRACE(concat(t, ' ', n, " along ", dims[0]));
        check_on_gpu({Type(t, {6, n})}, [&](ir::Graph& g, auto x) {
          const Value inits[] = {ir::constant(g, Type(t, {}), is_float(t) ? -INFINITY : -128),
                                 ir::constant(g, Type(DType::i32, {}), 0)};
          const Value xs[] = {x[0], ir::iota(g, Type(DType::i32, {6, n}), 1)};
          return ir::reduce(xs, inits, dims, greater(t, DType::i32));
        });
      }
}

// The initial values are no identities, so each of them counts once, however many elements the last group has.
TEST(GpuOps, FoldsBeginOnceWithTheirInitialValues) {
  const Type element(DType::i32, {});
  const auto sum_and_product = ir::make_graph(std::array{element, element, element, element},
                                              [](ir::Graph&, auto x) { return std::vector{x[0] + x[2], x[1] * x[3]}; });
  for (const std::int64_t n : {1, 7, 8, 9, 126})
    check_on_gpu({Type(DType::i32, {5, n}), Type(DType::i32, {5, n})}, [&](ir::Graph& g, auto x) {
      const std::array inits{ir::constant(g, element, 5), ir::constant(g, element, 3)};
      return ir::reduce(std::array{x[0], x[1]}, inits, Dims{1}, sum_and_product);
    });
}

// The body is not commutative, so the order of the elements counts: it keeps the last one that is not 0.
TEST(GpuOps, FoldsKeepTheirOrder) {
  const Type element(DType::i32, {});
  const auto last = ir::make_graph(std::array{element, element}, [](ir::Graph&, auto x) {
    return std::vector{ir::select(ir::compare(x[1], ir::constant_like(x[1], 0), ir::Direction::NE), x[1], x[0])};
  });
  for (const std::int64_t n : {1, 7, 50, 600})
    check_on_gpu({Type(DType::i32, {n, 4})}, [&](ir::Graph& g, auto x) {
      const Value init = ir::constant(g, Type(DType::i32, {}), 0);
      return ir::reduce(std::array{x[0]}, std::array{init}, Dims{0}, last);
    });
}

// Sorts by the first tensor; the second one tells whether equal keys keep their order.
void check_sort(DType dtype, std::vector<Dim> dims, std::int64_t dimension, ir::Direction direction) {
  SCOPED_TRACE(concat(Type(dtype, dims), " along ", dimension));
  const Type key(dtype, dims), place(DType::i32, dims);
  const auto comparator =
      ir::make_graph(std::array{Type(dtype, {}), Type(dtype, {}), Type(DType::i32, {}), Type(DType::i32, {})},
                     [&](ir::Graph&, auto x) { return std::vector{ir::compare(x[0], x[1], direction)}; });
  check_on_gpu({key}, [&](ir::Graph& g, auto x) {
    return ir::sort(std::array{x[0], ir::iota(g, place, static_cast<int>(dimension))}, dimension, true, comparator);
  });
}

TEST(GpuOps, Sorts) {
  for (const std::int64_t n : {1, 2, 3, 31, 32, 33, 100, 128, 1000}) {
    check_sort(DType::f32, {3, n}, 1, ir::Direction::LT);
    check_sort(DType::i8, {n, 5}, 0, ir::Direction::GT);
  }
  check_sort(DType::bf16, {2, 50, 3}, 1, ir::Direction::GT);
  check_sort(DType::boolean, {40}, 0, ir::Direction::LT);
  check_on_gpu({Type(DType::u8, {7}), Type(DType::f32, {3, 70})}, [](ir::Graph&, auto x) {
    const auto less = [](DType t) { return ir::comparison_body(ir::Direction::LT, t); };
    return std::vector{ir::sort(std::array{x[0]}, -1, false, less(DType::u8))[0],
                       ir::sort(std::array{x[1]}, -2, false, less(DType::f32))[0]};
  });
  check_sort(DType::f32, {2, 5000}, 1, ir::Direction::LT);
}

TEST(GpuOps, SortsWithoutElements) {
  expect_all_on_gpu(*ir::make_graph(std::array{Type(DType::f32, {4, 0})}, [](ir::Graph&, auto x) {
    return ir::sort(std::array{x[0]}, 1, true, ir::comparison_body(ir::Direction::LT, DType::f32));
  }));
  check_on_twin({Type(DType::f32, {4, 0}), Type(DType::f32, {3})}, [](ir::Graph&, auto x) {
    const Value sorted = ir::sort(std::array{x[0]}, 1, true, ir::comparison_body(ir::Direction::LT, DType::f32))[0];
    return std::vector{sorted, x[1] * x[1]};
  });
}

// The comparator computes: by distance from 3, and of equal ones by the second tensor.
TEST(GpuOps, SortsByComparatorsOfSeveralOps) {
  const Type element(DType::f32, {});
  const auto comparator = ir::make_graph(std::array{element, element, element, element}, [](ir::Graph&, auto x) {
    const auto distance = [](Value of) { return ir::abs(of - ir::constant_like(of, 3)); };
    const Value a = distance(x[0]), b = distance(x[1]);
    return std::vector{
        ir::or_(ir::compare(a, b, ir::Direction::LT),
                ir::and_(ir::compare(a, b, ir::Direction::EQ), ir::compare(x[2], x[3], ir::Direction::GT)))};
  });
  check_on_gpu({Type(DType::f32, {7, 90}), Type(DType::f32, {7, 90})},
               [&](ir::Graph&, auto x) { return ir::sort(std::array{x[0], x[1]}, 1, false, comparator); });
}

// Repeats a body on x, y and a counter.
std::vector<Value> repeated(std::span<const Value> x, std::int64_t times, const test::Body& step) {
  std::vector<Type> types;
  for (const Value v : x) types.push_back(v.type());
  const Value zero = ir::constant(x[0].graph(), Type(DType::i32, {}), 0);
  types.push_back(zero.type());
  const auto condition = ir::make_graph(types, [&](ir::Graph&, auto in) {
    const Value count = in[in.size() - 1];
    return std::vector{ir::compare(count, ir::constant_like(count, static_cast<double>(times)), ir::Direction::LT)};
  });
  const auto body = ir::make_graph(types, [&](ir::Graph& g, auto in) {
    std::vector<Value> next = step(g, in);
    const Value count = in[in.size() - 1];
    next.push_back(count + 1.0);
    return next;
  });
  std::vector<Value> inits(x.begin(), x.end());
  inits.push_back(zero);
  auto results = ir::while_(inits, condition, body);
  results.pop_back();
  return results;
}

TEST(GpuOps, LoopsWithMuchState) {
  for (const std::int64_t times : {0, 1, 5})
    check_on_gpu({Type(DType::f32, {150, 128}), Type(DType::f32, {150, 128})}, [&](ir::Graph&, auto x) {
      return repeated(x, times, [](ir::Graph&, auto in) {
        const Value sums = ir::broadcast_in_dim(ir::reduce_sum(in[0], Dims{1}), in[0].type(), Dims{0});
        return std::vector{in[1] * 0.5, ir::tanh(in[0] + sums)};  // they exchange places
      });
    });
}

// A cache to which each round adds a row.
TEST(GpuOps, LoopsThatUpdateSlices) {
  check_on_gpu({Type(DType::f32, {6, 4096}), Type(DType::f32, {1, 4096})}, [&](ir::Graph&, auto x) {
    return repeated(x, 4, [](ir::Graph& g, auto in) {
      const Value starts[] = {in[2], ir::constant(g, Type(DType::i32, {}), 0)};
      return std::vector{ir::dynamic_update_slice(in[0], in[1], starts), in[1] * 2.0};
    });
  });
}

TEST(GpuOps, Branches) {
  const Type x(DType::f32, {30, 7});
  const auto doubled = ir::make_graph(std::array{x}, [](ir::Graph&, auto in) { return std::vector{in[0] * 2.0}; });
  const auto summed = ir::make_graph(std::array{x}, [](ir::Graph&, auto in) {
    return std::vector{ir::broadcast_in_dim(ir::reduce_sum(in[0], Dims{0}), in[0].type(), Dims{1})};
  });
  check_on_gpu({x, Type(DType::boolean, {}), Type(DType::i32, {})}, [&](ir::Graph&, auto in) {
    const std::shared_ptr<const ir::Graph> cases[] = {summed, doubled, summed};
    const Value captured[] = {in[0]};
    return std::vector{ir::if_(in[1], captured, doubled, summed)[0], ir::case_(in[2], captured, cases)[0]};
  });
}

// What one region leaves to the host takes the whole loop there.
TEST(GpuOps, LoopsOfTheHostStayThere) {
  const test::Body body = [](ir::Graph&, auto x) {
    return repeated(x, 2, [](ir::Graph&, auto in) {
      const Value square = ir::dot_general(in[0], in[0], {{}, {}, Dims{1}, Dims{1}});
      const ir::CholeskyAttributes lower{.lower = true};
      return std::vector{square.node->graph->append(ir::ops::cholesky, std::array{square}, &lower).result()};
    });
  };
  check_on_twin({Type(DType::f32, {5, 5})}, body);
}

// A square of elements is read along one axis and stored along the other.
// Indices inside and outside of the rows, along either dimension, and a value that is made of several tensors.
TEST(GpuOps, SumsOfPickedElements) {
  const auto sum_along = [](ir::Graph& g, Value x, Value index, int d) {
    const Dims other{1 - d}, along{d};
    const Type integers(index.dtype(), x.type().dims());
    const Value is =
        ir::compare(ir::broadcast_in_dim(index, integers, other), ir::iota(g, integers, d), ir::Direction::EQ);
    return ir::reduce_sum(ir::select(is, x, ir::constant_like(x, 0)), along);
  };
  for (const DType t : {DType::f32, DType::bf16, DType::i64})
    check_on_twin({Type(t, {9, 9}), Type(t, {9}), Type(DType::i32, {9}), Type(DType::i64, {9})},
                  [&](ir::Graph& g, auto x) {
                    const Dims one{1};
                    const Value made = x[0] * x[0] + ir::broadcast_in_dim(x[1], x[0].type(), one);
                    const Value places = ir::convert(ir::iota(g, Type(DType::i32, {9, 9}), 1), x[0].dtype());
                    const Value outside = x[2] * ir::constant_like(x[2], 7) - ir::constant_like(x[2], 3);
                    return std::vector{sum_along(g, made, x[2], 1), sum_along(g, made + places, x[3], 0),
                                       sum_along(g, made, outside, 1), sum_along(g, ir::reverse(x[0], one), x[3], 1)};
                  });
}

TEST(GpuOps, Transposes) {
  for (const DType t : {DType::f32, DType::bf16, DType::i8, DType::f64})
    for (const std::int64_t n : {16, 31, 32, 100})
      for (const std::int64_t m : {15, 33, 64})
        check_on_gpu({Type(t, {3, n, m}), Type(t, {3, m, n}), Type(t, {m})}, [](ir::Graph&, auto x) {
          const Value turned = ir::transpose(x[0], Dims{0, 2, 1});
          return std::vector{turned, turned * x[1] + ir::broadcast_in_dim(x[2], turned.type(), Dims{1}),
                             ir::transpose(x[0], Dims{2, 0, 1}), ir::transpose(x[0], Dims{1, 2, 0})};
        });
}

}  // namespace
}  // namespace weft
