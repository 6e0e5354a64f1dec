// Strict mode gives the same bits with and without fusion, and for any number of threads.
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <weft/compiler/plan/sized_program.h>
#include <weft/ir/autodiff.h>
#include <weft/ir/composites.h>
#include <weft/ir/general.h>
#include <weft/ir/interpreter.h>
#include <weft/ir/ops.h>
#include <weft/runtime/parallel.h>

#include "run.h"

namespace weft {
namespace {

using ir::Array;
using ir::Value;

// One block of a transformer and its gradients: norms, products, softmax, gelu, sums along rows and columns.
std::shared_ptr<const ir::Graph> block(std::int64_t rows, std::int64_t width) {
  const Type x(DType::f32, {2, rows, width}), w(DType::f32, {width, width}), v(DType::f32, {width});
  return ir::make_graph(std::vector{x, w, w, v, v}, [&](ir::Graph& g, std::span<const Value> in) {
    const std::int64_t last[] = {2}, first[] = {1}, batch[] = {0}, all[] = {0, 1, 2};
    const Value h = ir::layer_norm(in[0], in[3], in[4], 1e-5)[0];
    const Value q = ir::dot_general(h, in[1], {{}, {}, last, first});
    const Value p = ir::softmax(ir::dot_general(q, h, {batch, batch, last, last}) * 0.25);
    const Value o = ir::dot_general(p, h, {batch, batch, last, first});
    const Value y = ir::gelu_tanh(ir::dot_general(o, in[2], {{}, {}, last, first})) + in[0];
    const Value loss = ir::reduce_sum(ir::log(y * y + 1.0), all);
    auto results = ir::gradient(g, std::vector{loss}, std::vector{ir::constant(g, loss.type(), 1)}, in);
    results.push_back(loss);
    results.push_back(y);
    return results;
  });
}

TEST(Strict, FusedAndUnfusedAndAnyNumberOfThreadsGiveTheSameBits) {
  for (const std::int64_t width : {16, 40, 65}) {
    const auto graph = block(33, width);
    const auto inputs = test::normal_inputs(*graph);
    compiler::Options strict;
    strict.strict = true;
    const auto want = test::run_compiled(*graph, inputs, strict);
    for (const bool fuse : {true, false})
      for (const int threads : {1, 2, 3}) {
        const test::Threads scope(threads);
        strict.fuse = fuse;
        const auto got = test::run_compiled(*graph, inputs, strict);
        for (std::size_t i = 0; i < got.size(); ++i)
          EXPECT_EQ(got[i], want[i]) << "output " << i << (fuse ? ", fused, " : ", unfused, ") << threads << " threads";
      }
  }
}

// Few results with many terms each: a library that divides such a product among threads splits its sums.
TEST(Strict, LongSumsAreNotDividedAmongThreads) {
  for (const auto& [m, n, k] :
       {std::array<std::int64_t, 3>{4, 8, 100000}, {64, 64, 8192}, {1, 1, 65536}, {17, 3, 30011}}) {
    const Type x(DType::f32, {k, m}), w(DType::f32, {k, n});
    const auto graph = ir::make_graph(std::vector{x, w}, [](ir::Graph&, std::span<const Value> in) {
      const std::int64_t first[] = {0};
      return std::vector{ir::dot_general(in[0], in[1], {{}, {}, first, first})};
    });
    const auto inputs = test::normal_inputs(*graph);
    compiler::Options strict;
    strict.strict = true;
    std::optional<Array> want;
    for (const int threads : {1, 2, 3}) {
      const test::Threads scope(threads);
      const auto got = test::run_compiled(*graph, inputs, strict);
      if (!want) want = got[0];
      EXPECT_EQ(got[0], *want) << m << " x " << k << " x " << n << ", " << threads << " threads";
    }
  }
}

TEST(Strict, ASumHasOneOrderHoweverItsTermsWereMoved) {
  const Type x(DType::f32, {4, 5, 8}), grouped(DType::f32, {4, 2, 20});
  const auto move = [&](Value v) {
    return ir::reshape(ir::transpose(v, std::vector<std::int64_t>{0, 2, 1}), grouped.dims());
  };
  const auto sum = [](Value v) { return ir::reduce_sum(v, std::vector<std::int64_t>{2}); };
  const auto at_once = ir::make_graph(
      std::vector{x}, [&](ir::Graph&, std::span<const Value> in) { return std::vector{sum(move(in[0]))}; });
  const auto moved =
      ir::make_graph(std::vector{x}, [&](ir::Graph&, std::span<const Value> in) { return std::vector{move(in[0])}; });
  const auto summed = ir::make_graph(std::vector{grouped},
                                     [&](ir::Graph&, std::span<const Value> in) { return std::vector{sum(in[0])}; });
  const auto inputs = test::normal_inputs(*at_once);
  compiler::Options strict;
  strict.strict = true;
  const auto want = test::run_compiled(*summed, test::run_compiled(*moved, inputs, strict), strict);
  EXPECT_EQ(test::run_compiled(*at_once, inputs, strict)[0], want[0]);
}

// One sum walks along rows, the other one along the columns of the transposed square.
TEST(Strict, SumsThatCouldShareAWalkKeepTheirOwn) {
  const auto sums = [](Value x) {
    const std::int64_t last[] = {2}, middle[] = {1};
    const Value y = ir::tanh(x);
    return std::vector{ir::reduce_sum(y, last),
                       ir::reduce_sum(ir::transpose(y * y, std::vector<std::int64_t>{0, 2, 1}), middle)};
  };
  const auto both = ir::make_graph(std::vector{Type(DType::f32, {4, 8, 21})},
                                   [&](ir::Graph&, std::span<const Value> in) { return sums(in[0]); });
  compiler::Options strict;
  strict.strict = true;
  const auto inputs = test::normal_inputs(*both);
  const auto fused = test::run_compiled(*both, inputs, strict);
  strict.fuse = false;
  EXPECT_EQ(fused, test::run_compiled(*both, inputs, strict));
}

// Returns a matrix without its last row and column, transposed or not: a view with gaps.
Value sliced(Value v, bool transposed) {
  const std::vector<std::int64_t> stop{v.type().dim(0).value(), v.type().dim(1).value() - 1,
                                       v.type().dim(2).value() - 1};
  const Value part = ir::slice(v, std::vector<std::int64_t>{0, 0, 0}, stop, std::vector<std::int64_t>{1, 1, 1});
  return transposed ? ir::transpose(part, std::vector<std::int64_t>{0, 2, 1}) : part;
}

TEST(Strict, AProductHasTheSameBitsWhereverItsOperandsLie) {
  compiler::Options strict;
  strict.strict = true;
  const auto product = [](Value a, Value b) {
    const std::int64_t batch[] = {0}, last[] = {2}, first[] = {1};
    return ir::dot_general(a, b, {batch, batch, last, first});
  };
  for (const auto& [batch, m, n, k] :
       {std::array<std::int64_t, 4>{1, 5, 5, 5}, {1, 11, 40, 69}, {1, 40, 300, 200}, {3, 33, 17, 70}, {3, 1, 9, 64}})
    for (const bool lhs_turned : {false, true})
      for (const bool rhs_turned : {false, true}) {
        const auto with_gaps = [&](std::int64_t rows, std::int64_t columns, bool turned) {
          return Type(DType::f32, {batch, (turned ? columns : rows) + 1, (turned ? rows : columns) + 1});
        };
        const std::vector<Type> whole{with_gaps(m, k, lhs_turned), with_gaps(k, n, rhs_turned)};
        const auto at_once = ir::make_graph(whole, [&](ir::Graph&, std::span<const Value> in) {
          return std::vector{product(sliced(in[0], lhs_turned), sliced(in[1], rhs_turned))};
        });
        const auto moved = ir::make_graph(whole, [&](ir::Graph&, std::span<const Value> in) {
          return std::vector{sliced(in[0], lhs_turned), sliced(in[1], rhs_turned)};
        });
        const auto multiplied =
            ir::make_graph(std::vector{Type(DType::f32, {batch, m, k}), Type(DType::f32, {batch, k, n})},
                           [&](ir::Graph&, std::span<const Value> in) { return std::vector{product(in[0], in[1])}; });
        const auto inputs = test::normal_inputs(*at_once);
        const auto want = test::run_compiled(*multiplied, test::run_compiled(*moved, inputs, strict), strict);
        EXPECT_EQ(test::run_compiled(*at_once, inputs, strict)[0], want[0])
            << batch << " times " << m << " x " << k << " x " << n << (lhs_turned ? ", lhs transposed" : "")
            << (rhs_turned ? ", rhs transposed" : "");
      }
}

// Returns what the graph computes if floats are added in their own dtype, in order.
std::vector<Array> added_in_order(const ir::Graph& graph, std::span<const Array> inputs) {
  ir::InterpretOptions options;
  options.accumulation = ir::Accumulation::element;
  return ir::interpret(graph, inputs, options);
}

TEST(Strict, ProductsOfFewTermsAddThemInOrder) {
  compiler::Options strict;
  strict.strict = true;
  for (const auto& [m, n, k] : {std::array<std::int64_t, 3>{4, 6, 3}, {1, 1, 8}, {1, 70, 5}, {90, 1, 7}, {300, 200, 8}})
    for (const bool transposed : {false, true}) {
      const auto rhs = transposed ? Type(DType::f32, {n, k}) : Type(DType::f32, {k, n});
      const auto graph =
          ir::make_graph(std::vector{Type(DType::f32, {m, k}), rhs}, [&](ir::Graph&, std::span<const Value> in) {
            const std::int64_t last[] = {1}, first[] = {0};
            return std::vector{ir::dot_general(in[0], in[1], {{}, {}, last, transposed ? last : first})};
          });
      const auto inputs = test::normal_inputs(*graph);
      EXPECT_EQ(test::run_compiled(*graph, inputs, strict)[0], added_in_order(*graph, inputs)[0])
          << m << " x " << k << " x " << n << (transposed ? ", rhs transposed" : "");
    }
}

TEST(Strict, TermsOfAProductAreFewWhenTheirNumberIsKnown) {
  const auto product = [](std::int64_t terms) {
    return ir::make_graph(std::vector{Type(DType::f32, {terms, 40}), Type(DType::f32, {terms, 30})},
                          [](ir::Graph&, std::span<const Value> in) {
                            const std::int64_t first[] = {0};
                            return std::vector{ir::dot_general(in[0], in[1], {{}, {}, first, first})};
                          });
  };
  const std::vector<std::shared_ptr<const ir::Graph>> samples{product(20), product(30)};
  const ir::General general = ir::generalise(samples);
  compiler::Options options{.sizes = SizeValues({30})};
  options.strict = true;
  const auto sized = compiler::compile_for_sizes(*general.graph, options);
  for (const std::int64_t terms : {1, 3, 8, 9}) {
    const auto graph = product(terms);
    const auto inputs = test::normal_inputs(*graph);
    const auto executable = sized->at({terms}, {});
    ASSERT_TRUE(executable) << executable.reason();
    EXPECT_EQ(test::run(*executable, inputs), test::run_compiled(*graph, inputs, options)) << terms;
  }
}

TEST(Strict, RunningSumsAddInTheOrderOfTheirWindows) {
  constexpr std::int64_t size = 40, window[] = {size, 1}, before[] = {size - 1, 0, 0, 0},
                         behind[] = {0, size - 1, 0, 0};
  const auto graph =
      ir::make_graph(std::vector{Type(DType::f32, {size, 9})}, [&](ir::Graph& g, std::span<const Value> in) {
        const Value zero = ir::constant(g, Type(DType::f32, {}), 0);
        const auto add = ir::reduction_body(ir::ops::add, DType::f32);
        return std::vector{ir::reduce_window(in[0], zero, {window, {}, {}, {}, before}, add),
                           ir::reduce_window(in[0], zero, {window, {}, {}, {}, behind}, add)};
      });
  const auto inputs = test::normal_inputs(*graph);
  compiler::Options strict;
  strict.strict = true;
  EXPECT_EQ(test::run_compiled(*graph, inputs, strict), added_in_order(*graph, inputs));
}

TEST(Strict, RunsRepeatBitForBitInEveryMode) {
  const auto graph = block(64, 96);
  const auto inputs = test::normal_inputs(*graph);
  for (const bool strict : {false, true}) {
    compiler::Options options;
    options.strict = strict;
    const auto want = test::run_compiled(*graph, inputs, options);
    for (int run = 0; run < 3; ++run) {
      const auto got = test::run_compiled(*graph, inputs, options);
      for (std::size_t i = 0; i < got.size(); ++i) EXPECT_EQ(got[i], want[i]) << "output " << i;
    }
  }
}

// Constants that are computed at compile time have the same bits as the kernel would give.
TEST(Strict, FunctionsOfConstantsHaveTheBitsOfTheLibrary) {
  ir::Graph graph;
  const ir::Value x = ir::tanh(ir::constant(graph, {DType::f32, {64}}, 2));
  const ir::Value y = ir::atan2(ir::rsqrt(x), x);
  graph.set_outputs(std::vector{x, y});
  compiler::Options options;
  options.strict = true;
  const auto fused = test::run_compiled(graph, {}, options);
  options.fuse = false;
  EXPECT_EQ(fused[1], test::run_compiled(graph, {}, options)[1]);
}

}  // namespace
}  // namespace weft
