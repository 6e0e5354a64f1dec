// Loops that become one kernel: every op with a scalar form, values in registers and in memory, and in strict mode the same bits as a loop
// of launches.
#include <weft/compiler/plan/while_kernel.h>

#include <algorithm>
#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include <weft/ir/builder.h>
#include <weft/ir/interpreter.h>
#include <weft/ir/ops.h>

#include "../ir/op_samples.h"
#include "run.h"

namespace weft {
namespace {

using ir::Array;
using ir::Graph;
using ir::Value;
using Values = std::vector<Value>;
using Types = std::vector<Type>;

const Type counter(DType::i32, {}), number(DType::f32, {});

using Body = std::function<Values(Graph&, std::span<const Value>)>;

// for (i = 0; i < steps; ++i) carried = body(i, carried...)
std::shared_ptr<const Graph> counted_loop(int steps, const Types& carried, const Body& body) {
  Types types{counter};
  types.insert(types.end(), carried.begin(), carried.end());
  const auto condition = ir::make_graph(types, [&](Graph& g, std::span<const Value> in) {
    return Values{ir::compare(in[0], ir::constant(g, counter, steps), ir::Direction::LT)};
  });
  const auto step = ir::make_graph(types, [&](Graph& g, std::span<const Value> in) {
    Values next = body(g, in);
    next.insert(next.begin(), ir::add(in[0], ir::constant(g, counter, 1)));
    return next;
  });
  return ir::make_graph(carried, [&](Graph& g, std::span<const Value> in) {
    Values initial{ir::constant(g, counter, 0)};
    initial.insert(initial.end(), in.begin(), in.end());
    Values last = ir::while_(initial, condition, step);
    last.erase(last.begin());
    return last;
  });
}

const ir::Node& loop_of(const Graph& graph) {
  return **std::ranges::find(graph.nodes(), &ir::ops::while_, [](const ir::Node* n) { return n->op; });
}

std::optional<compiler::WhileKernel> kernel_of(const Graph& graph, const compiler::Options& options = {}) {
  const ir::Node& loop = loop_of(graph);
  return compiler::while_kernel(*loop.regions[0], *loop.regions[1], options);
}

void expect_all_close(const std::vector<Array>& got, const std::vector<Array>& want, double tolerance) {
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    ASSERT_EQ(got[i].type(), want[i].type());
    for (std::int64_t e = 0; e < got[i].size(); ++e) {
      const double a = got[i].element(e), b = want[i].element(e);
      if (std::isnan(b) || std::isinf(b) || !is_float(got[i].dtype()))
        ASSERT_TRUE(a == b || (std::isnan(a) && std::isnan(b)))
            << a << ", not " << b << ": output " << i << " at " << e;
      else
        ASSERT_NEAR(a, b, tolerance * (1 + std::abs(b))) << "output " << i << " at " << e;
    }
  }
}

// Checks that the loop is one kernel, that it agrees with the interpreter, and that in strict mode it gives the same bits as a loop of
// launches.
void expect_one_kernel(const Graph& graph, std::span<const Array> inputs, double tolerance, bool strict_too = true) {
  ASSERT_TRUE(kernel_of(graph));
  expect_all_close(test::run_compiled(graph, inputs), ir::interpret(graph, inputs), tolerance);
  compiler::Options fused, unfused;
  fused.strict = unfused.strict = true;
  unfused.fuse = false;
  EXPECT_EQ(kernel_of(graph, fused).has_value(), strict_too);
  EXPECT_EQ(test::run_compiled(graph, inputs, fused), test::run_compiled(graph, inputs, unfused));
}

Array sequence(Type type, double from = 0.1, double step = 0.37) {
  Array array(type);
  visit(type.dtype(), [&]<class T>(T) {
    double x = from;
    for (T& element : array.data<T>()) {
      element = static_cast<T>(x);
      x = std::fmod(x + step + 1.5, 3.0) - 1.5;
    }
  });
  return array;
}

TEST(WhileKernel, ManyScalarsAndStacks) {
  constexpr int steps = 50, scalars = 20;
  const Type stack(DType::f32, {steps});
  Types types(scalars, number);
  types.insert(types.end(), {stack, stack});
  const auto graph = counted_loop(steps, types, [&](Graph&, std::span<const Value> in) {
    const std::array at{in[0]};
    const std::int64_t one[] = {1};
    const Value x = ir::reshape(ir::dynamic_slice(in[scalars + 1], at, one), {});
    Values next;
    for (int i = 0; i < scalars; ++i) {
      const Value mine = in[1 + i], other = in[1 + (i + 1) % scalars];
      next.push_back(mine + ir::tanh(other * 0.5 + x) * 0.1 - ir::exponential(mine * -1.0) * 0.01);
    }
    next.push_back(in[scalars + 1]);
    next.push_back(ir::dynamic_update_slice(in[scalars + 2], ir::reshape(next[3], {Dim(1)}), at));
    return next;
  });
  std::vector<Array> inputs;
  for (const Type type : types) inputs.push_back(sequence(type, 0.01 * inputs.size()));
  expect_one_kernel(*graph, inputs, 1e-5);
  const auto kernel = kernel_of(*graph);
  EXPECT_FALSE(kernel->in_memory[1]);
  EXPECT_TRUE(kernel->in_memory[scalars + 1]);
  EXPECT_TRUE(kernel->in_memory[scalars + 2]);
}

// A version of an array is read before the update that ends it, whatever the order of the nodes.
TEST(WhileKernel, ReadsComeBeforeTheUpdateThatOverwritesThem) {
  const Type stack(DType::f32, {100});
  const std::int64_t one[] = {1};
  const auto graph = counted_loop(90, {stack, number}, [&](Graph& g, std::span<const Value> in) {
    const std::array at{in[0]}, ahead{ir::add(in[0], ir::constant(g, counter, 3))};
    const Value first = ir::dynamic_update_slice(in[1], ir::reshape(in[2], {Dim(1)}), at);
    const Value second = ir::dynamic_update_slice(first, ir::reshape(in[2] * 2.0, {Dim(1)}), ahead);
    const Value before = ir::dynamic_slice(in[1], at, one), between = ir::dynamic_slice(first, ahead, one);
    return Values{second, in[2] * 0.5 + ir::reshape(before - between, {})};
  });
  const std::vector inputs{sequence(stack), Array::scalar<float>(0.3f)};
  expect_one_kernel(*graph, inputs, 1e-5);
}

// Arrays that are exchanged or used as a whole are not handled by a kernel: a loop of launches runs them.
TEST(WhileKernel, LeavesLargeArraysThatAreUsedWhole) {
  const Type vector(DType::f32, {1000});
  const std::vector inputs{sequence(vector), sequence(vector, 1)};
  for (const bool whole : {false, true}) {
    const auto graph = counted_loop(3, {vector, vector}, [&](Graph&, std::span<const Value> in) {
      return whole ? Values{in[1] + in[2], in[2]} : Values{in[2], in[1]};
    });
    EXPECT_FALSE(kernel_of(*graph));
    expect_all_close(test::run_compiled(*graph, inputs), ir::interpret(*graph, inputs), 1e-6);
  }
}

// A recurrence of 3 x 3 matrices in f64, with products and sums whose order strict mode leaves to separate kernels.
TEST(WhileKernel, SmallMatrices) {
  const Type matrix(DType::f64, {3, 3}), stack(DType::f64, {40, 3, 3});
  const std::int64_t first[] = {0}, last[] = {1}, both[] = {0, 1}, turned[] = {1, 0};
  const auto graph = counted_loop(40, {matrix, stack}, [&](Graph& g, std::span<const Value> in) {
    const Value zero = ir::constant(g, counter, 0);
    const Value product = ir::dot_general(in[1], ir::transpose(in[1], turned), {{}, {}, last, first});
    const Value next = product / (ir::broadcast(ir::reduce_sum(ir::abs(product), both), matrix) + 1.0);
    return Values{next, ir::dynamic_update_slice(in[2], ir::reshape(next, {Dim(1), Dim(3), Dim(3)}),
                                                 std::array{in[0], zero, zero})};
  });
  expect_one_kernel(*graph, std::vector{sequence(matrix), sequence(stack)}, 1e-12, false);
}

// A recurrence of rows: neighbours are computed as vectors, but for elements that change places, and for a last vector that is not full.
TEST(WhileKernel, RowsOfVectors) {
  for (const DType dtype : {DType::f32, DType::f64, DType::bf16, DType::i32, DType::u8})
    for (const std::int64_t columns : {5, 16, 37, 64}) {
      SCOPED_TRACE(testing::Message() << columns << " of " << dtype);
      const Type row(dtype, {columns}), table(dtype, {12, columns});
      const std::int64_t window[] = {1, columns}, all[] = {0};
      const auto graph = counted_loop(12, {row, table, table}, [&](Graph& g, std::span<const Value> in) {
        const std::array at{in[0], ir::constant(g, counter, 0)};
        const Value x = in[1], y = ir::reshape(ir::dynamic_slice(in[2], at, window), {Dim(columns)});
        const Value less = ir::compare(x, y, ir::Direction::LT);
        const Value nearer = ir::minimum(x, y) + ir::convert(less, dtype);
        const Value mixed = ir::select(less, nearer, ir::maximum(y, ir::reverse(nearer, all)));
        const Value next = is_float(dtype) ? ir::tanh(mixed * 0.7) + y * 0.1 : mixed;
        return Values{next, in[2], ir::dynamic_update_slice(in[3], ir::reshape(next, {Dim(1), Dim(columns)}), at)};
      });
      const std::vector inputs{sequence(row), sequence(table, 0.4, 0.71), sequence(table)};
      expect_one_kernel(*graph, inputs, dtype == DType::bf16 ? 1e-2 : 1e-5);
    }
}

// A recursive filter of 64 channels: its state is larger than what a kernel computes element by element, but consists of whole vectors.
TEST(WhileKernel, FiltersOfManyChannels) {
  constexpr std::int64_t order = 5, channels = 64;
  const Type state(DType::f32, {order, channels}), taps(DType::f32, {order}), signal(DType::f32, {20, channels});
  const std::int64_t window[] = {1, channels}, row[] = {0, 0}, row_end[] = {1, channels}, rest[] = {1, 0},
                     end[] = {order, channels}, each[] = {1, 1}, channel[] = {1}, tap[] = {0};
  const auto graph = counted_loop(20, {state, taps, signal, signal}, [&](Graph& g, std::span<const Value> in) {
    const std::array at{in[0], ir::constant(g, counter, 0)};
    const Value z = in[1], x = ir::reshape(ir::dynamic_slice(in[3], at, window), {Dim(channels)});
    const Value y = x * 0.5 + ir::reshape(ir::slice(z, row, row_end, each), {Dim(channels)});
    const Value zero = ir::broadcast(ir::constant(g, number, 0), Type(DType::f32, {1, channels}));
    const Value shifted = ir::concatenate(std::array{ir::slice(z, rest, end, each), zero}, 0);
    const Value next =
        shifted + ir::broadcast_in_dim(in[2], state, tap) * ir::broadcast_in_dim(x - y * 0.3, state, channel);
    return Values{next, in[2], in[3], ir::dynamic_update_slice(in[4], ir::reshape(y, {Dim(1), Dim(channels)}), at)};
  });
  expect_one_kernel(*graph, std::vector{sequence(state), sequence(taps), sequence(signal, 0.4, 0.71), sequence(signal)},
                    1e-5);
}

// A state whose elements change places within vectors is left to a loop of launches.
TEST(WhileKernel, LeavesMixedStatesOfManyElements) {
  const Type state(DType::f32, {8, 16});
  const std::int64_t turned[] = {1, 0};
  const auto graph = counted_loop(5, {state}, [&](Graph&, std::span<const Value> in) {
    return Values{ir::reshape(ir::transpose(in[1], turned), state.dims()) * 0.5};
  });
  EXPECT_FALSE(kernel_of(*graph));
  const std::vector inputs{sequence(state)};
  expect_all_close(test::run_compiled(*graph, inputs), ir::interpret(*graph, inputs), 1e-6);
}

// Windows at positions that are data, in arrays small enough for registers. Positions outside are clamped.
TEST(WhileKernel, SlicesOfRegisters) {
  const Type small(DType::f32, {3, 4}), index(DType::i32, {}), wide(DType::u64, {});
  const std::int64_t window[] = {2, 2};
  const auto graph = counted_loop(9, {small, index, wide}, [&](Graph& g, std::span<const Value> in) {
    const Value square = in[1] * in[1];
    const Value row = ir::subtract(in[2], ir::constant(g, index, 1));
    const Value part = ir::dynamic_slice(square, std::array{row, ir::convert(in[3], DType::i32)}, window);
    return Values{ir::dynamic_update_slice(square * 0.5, part, std::array{ir::negate(row), in[2]}), row,
                  ir::add(in[3], ir::constant(g, wide, 1))};
  });
  expect_one_kernel(
      *graph, std::vector{sequence(small), Array::scalar<std::int32_t>(3), Array::scalar<std::uint64_t>(0)}, 1e-5);
}

TEST(WhileKernel, BranchesAndLoopsInside) {
  const auto scaled = [&](double factor) {
    return ir::make_graph(Types{number},
                          [&](Graph&, std::span<const Value> in) { return Values{ir::sine(in[0]) * factor}; });
  };
  const auto inner_condition = ir::make_graph(Types{number}, [](Graph& g, std::span<const Value> in) {
    return Values{ir::compare(in[0], ir::constant(g, number, 1), ir::Direction::GT)};
  });
  const auto inner =
      ir::make_graph(Types{number}, [](Graph&, std::span<const Value> in) { return Values{in[0] * 0.5}; });
  const auto graph = counted_loop(12, {number, number}, [&](Graph& g, std::span<const Value> in) {
    const Value index = ir::subtract(in[0], ir::constant(g, counter, 2));
    const Value cased = ir::case_(index, std::array{in[1]}, std::vector{scaled(2), scaled(3), scaled(-1)})[0];
    const Value large = ir::compare(in[2], ir::constant(g, number, 3), ir::Direction::GT);
    const Value halved = ir::while_(std::array{in[2]}, inner_condition, inner)[0];
    const Value chosen = ir::if_(large, std::array{halved}, scaled(1), scaled(4))[0];
    return Values{cased + 0.3, in[2] + chosen + cased};
  });
  expect_one_kernel(*graph, std::vector{Array::scalar<float>(0.4f), Array::scalar<float>(5.5f)}, 1e-5);
}

TEST(WhileKernel, ThatNeverRunsReturnsWhatItWasGiven) {
  const Type pair(DType::bf16, {2}), flag(DType::boolean, {});
  const auto graph = counted_loop(
      0, {pair, flag}, [](Graph&, std::span<const Value> in) { return Values{ir::tanh(in[1]), ir::not_(in[2])}; });
  const std::vector inputs{sequence(pair), Array::scalar<bool>(true)};
  ASSERT_TRUE(kernel_of(*graph));
  EXPECT_EQ(test::run_compiled(*graph, inputs), inputs);
}

// For every op of the table with a scalar form: a loop of one step that computes some of its small samples.
class InLoops : public testing::TestWithParam<const ir::Op*> {};

TEST_P(InLoops, AgreeWithTheInterpreter) {
  constexpr std::size_t together = 16;
  std::vector<ir::OpSample> fitting;
  for (ir::OpSample& sample : ir::samples(*GetParam())) {
    Types types;
    for (const auto values : {sample.graph->inputs(), sample.graph->outputs()})
      for (const Value v : values) types.push_back(v.type());
    const auto alone = counted_loop(1, types, [&](Graph& g, std::span<const Value> in) {
      const std::size_t count = sample.graph->inputs().size();
      Values next(in.begin() + 1, in.begin() + 1 + static_cast<std::ptrdiff_t>(count));
      const Values results = ir::inline_graph(g, *sample.graph, next);
      next.insert(next.end(), results.begin(), results.end());
      return next;
    });
    if (kernel_of(*alone)) fitting.push_back(std::move(sample));
  }
  EXPECT_TRUE(!fitting.empty() || GetParam()->kind != ir::Kind::elementwise);
  if (fitting.empty()) return;
  std::vector<ir::OpSample> some;  // of all dtypes, since samples are ordered by dtype
  for (std::size_t i = 0; i < together; ++i) some.push_back(fitting[i * fitting.size() / together]);
  Types types;
  std::vector<Array> inputs;
  for (const ir::OpSample& sample : some) {
    for (Array& input : ir::edge_inputs(sample)) inputs.push_back(std::move(input));
    for (const Value v : sample.graph->outputs()) inputs.emplace_back(v.type());
  }
  for (const Array& input : inputs) types.push_back(input.type());
  const auto graph = counted_loop(1, types, [&](Graph& g, std::span<const Value> in) {
    Values next;
    for (const ir::OpSample& sample : some) {
      const auto at = in.begin() + 1 + std::ssize(next);
      const Values operands(at, at + std::ssize(sample.graph->inputs()));
      next.insert(next.end(), operands.begin(), operands.end());
      const Values results = ir::inline_graph(g, *sample.graph, operands);
      next.insert(next.end(), results.begin(), results.end());
    }
    return next;
  });
  ASSERT_TRUE(kernel_of(*graph));
  const auto want = ir::interpret(*graph, inputs);
  const auto got = test::run_compiled(*graph, inputs);
  for (std::size_t i = 0; i < want.size() && !HasFatalFailure(); ++i) {
    const DType t = want[i].dtype();
    const double tolerance = t == DType::f64 ? 1e-11 : t == DType::f32 ? 1e-5 : t == DType::f16 ? 2e-3 : 1.6e-2;
    expect_all_close({got[i]}, {want[i]}, tolerance);
  }
}

INSTANTIATE_TEST_SUITE_P(Table, InLoops, testing::ValuesIn(ir::all_ops().begin(), ir::all_ops().end()),
                         [](const auto& op) { return std::string(op.param->name); });

}  // namespace
}  // namespace weft
