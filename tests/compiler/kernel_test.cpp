// Compares compiled graphs with the interpreter.
#include <cmath>
#include <functional>
#include <random>

#include <gtest/gtest.h>

#include <weft/ir/autodiff.h>
#include <weft/ir/composites.h>
#include <weft/ir/interpreter.h>
#include <weft/ir/ops.h>

#include "arrays.h"
#include "run.h"

namespace weft {
namespace {

using ir::Array;
using ir::Value;

using Body = std::function<std::vector<Value>(ir::Graph&, std::span<const Value>)>;

compiler::Report check(const std::vector<Type>& types, const Body& body) {
  const auto graph = ir::make_graph(types, body);
  std::vector<Array> inputs;
  for (const Type t : types) inputs.push_back(test::random_array(t, inputs.size() + 1));
  const auto want = ir::interpret(*graph, inputs);
  compiler::Report report;
  for (const bool fuse : {true, false})
    for (const bool strict : {false, true}) {
      compiler::Options options;
      options.fuse = fuse;
      options.strict = strict;
      compiler::Report each;
      SCOPED_TRACE(concat(fuse ? "fused" : "unfused", strict ? ", strict" : ""));
      const auto got = test::run_compiled(*graph, inputs, options, &each);
      if (fuse && !strict) report = each;
      EXPECT_EQ(got.size(), want.size());
      for (std::size_t i = 0; i < got.size(); ++i) {
        SCOPED_TRACE(concat("output ", i));
        test::expect_near(got[i], want[i]);
      }
    }
  return report;
}

// Element types without a library product: several rows are computed together, and neither rows nor columns divide evenly.
TEST(Kernel, ProductsOfOtherTypes) {
  for (const DType t : {DType::f64, DType::i32, DType::i8})
    for (const std::int64_t m : {1, 3, 4, 5, 11})
      for (const std::int64_t n : {1, 63, 64, 130})
        check({Type(t, {2, m, 9}), Type(t, {2, 9, n}), Type(t, {2, m})}, [](ir::Graph&, auto in) {
          const std::int64_t batch[] = {0}, rows[] = {0, 1}, last[] = {2}, first[] = {1};
          const Value y = ir::dot_general(in[0], in[1], {batch, batch, last, first});
          return std::vector{y + ir::broadcast_in_dim(in[2], y.type(), rows),
                             ir::dot_general(in[0], in[0], {batch, batch, last, last})};
        });
}

TEST(Kernel, Pointwise) {
  for (const DType t : {DType::f32, DType::f64, DType::bf16, DType::f16})
    for (const std::int64_t n : {0, 1, 15, 16, 17, 1000}) {
      const auto report = check({Type(t, {n}), Type(t, {n})},
                                [](ir::Graph&, auto x) { return std::vector{ir::tanh(x[0] * x[1] + x[0]) - x[1]}; });
      EXPECT_LE(report.thunks, 1);
    }
}

// If one of them were contracted, x * y - y * x would not be 0, and symmetric problems would lose their symmetry.
TEST(Kernel, SumsOfTwoProductsRoundBoth) {
  for (const DType t : {DType::f32, DType::f64})
    for (const std::int64_t n : {1, 37}) {
      const auto graph = ir::make_graph(std::vector(4, Type(t, {n})), [](ir::Graph&, auto x) {
        const Value a = x[0] * x[1], b = x[2] * x[3];
        return std::vector{a + b, a - b, b + a};
      });
      std::vector<Array> inputs;
      for (std::uint64_t i = 0; i < 4; ++i) inputs.push_back(test::random_array(Type(t, {n}), i));
      EXPECT_EQ(test::run_compiled(*graph, inputs), ir::interpret(*graph, inputs));
    }
}

TEST(Kernel, BroadcastTransposeSliceReverse) {
  check({Type(DType::f32, {5, 37}), Type(DType::f32, {37})}, [](ir::Graph&, auto x) {
    const std::int64_t one[] = {1}, swap[] = {1, 0}, start[] = {2, 1}, limit[] = {33, 5}, stride[] = {3, 2};
    const Value b = ir::broadcast_in_dim(x[1], x[0].type(), one);
    const Value t = ir::transpose(x[0] + b, swap);
    return std::vector{ir::slice(t, start, limit, stride), ir::reverse(t, swap), t};
  });
}

TEST(Kernel, PadAndConcatenate) {
  check({Type(DType::f32, {4, 6}), Type(DType::f32, {4, 3})}, [](ir::Graph& g, auto x) {
    const std::int64_t low[] = {1, -2}, high[] = {0, 5}, none[] = {0, 0};
    const Value parts[] = {x[0], x[1], x[0] * x[0]};
    return std::vector{ir::pad(x[0], ir::constant(g, Type(DType::f32, {}), 7), low, high, none),
                       ir::concatenate(parts, 1)};
  });
}

// Each operand has a kernel of its own, with what is computed from it before and after.
TEST(Kernel, ConcatenationsOfManyOperandsAreWrittenPartByPart) {
  std::mt19937 random(3);
  const auto below = [&](int n) { return static_cast<std::int64_t>(random() % n); };
  for (int trial = 0; trial < 40; ++trial) {
    SCOPED_TRACE(trial);
    const int rank = 1 + static_cast<int>(below(3)), dimension = static_cast<int>(below(rank));
    const int operands = 2 + static_cast<int>(below(12));
    std::vector<Type> types;
    for (int k = 0; k < operands; ++k) {
      std::vector<Dim> dims(rank, Dim(rank == 1 ? 1 : rank == 2 ? 130 : 20));
      dims[dimension] = Dim(k == 0 ? 4100 : below(40));
      types.emplace_back(DType::f32, dims);
    }
    const std::int64_t kind = below(5);
    const auto graph_of = [&](std::span<const Value> x) {
      std::vector<Value> parts;
      for (int k = 0; k < operands; ++k)
        parts.push_back(kind == 1 && k % 2 == 0 ? ir::tanh(x[k])
                        : kind == 2             ? ir::reverse(x[k], std::vector<std::int64_t>{0})
                                                : x[k]);
      if (kind == 3 && operands > 4) {  // nested, along the same dimension
        const std::span<const Value> inner(parts.data() + 1, 3);
        const Value nested = ir::concatenate(inner, dimension);
        parts.erase(parts.begin() + 1, parts.begin() + 4);
        parts.insert(parts.begin() + 1, nested);
      }
      const Value all = ir::concatenate(parts, dimension);
      if (kind != 4) return std::vector{all, ir::negate(all) * all};
      std::vector<std::int64_t> order(rank);
      for (int d = 0; d < rank; ++d) order[d] = rank - 1 - d;
      const std::int64_t last[] = {rank - 1};
      return std::vector{ir::transpose(all * 2.0, order), ir::reduce_sum(all, last)};
    };
    const auto graph = ir::make_graph(types, [&](ir::Graph&, auto x) { return graph_of(x); });
    std::vector<Array> inputs;
    for (const Type t : types) inputs.push_back(test::random_array(t, inputs.size() + trial));
    const auto want = ir::interpret(*graph, inputs);
    for (const bool strict : {false, true}) {
      compiler::Options options;
      options.strict = strict;
      const auto got = test::run_compiled(*graph, inputs, options);
      for (std::size_t i = 0; i < got.size(); ++i) test::expect_near(got[i], want[i]);
    }
  }
}

TEST(Kernel, ConcatenationsAreOneUnitWithTheirNeighbours) {
  const Type part(DType::f32, {256, 24});
  const auto report = check(std::vector<Type>(20, part), [](ir::Graph&, auto x) {
    std::vector<Value> parts;
    for (const Value v : x) parts.push_back(ir::exponential(v));
    return std::vector{ir::concatenate(parts, 1) * 2.0};
  });
  EXPECT_EQ(report.thunks, 1);
}

// Each number is made from the one before twice, as in a random generator with a constant key: 2^60 paths lead to the first.
TEST(Kernel, NumbersMadeFromNothingAreFollowedOnce) {
  check({Type(DType::f32, {64})}, [](ir::Graph& g, auto x) {
    Value number = ir::iota(g, Type(DType::i32, {64}), 0);
    for (int i = 0; i < 60; ++i) number = ir::xor_(number, ir::and_(number, ir::constant(g, number.type(), i)));
    return std::vector{x[0] * ir::convert(number, DType::f32)};
  });
}

TEST(Kernel, PadsOfPadsHaveNegativePositions) {
  check({Type(DType::f32, {})}, [](ir::Graph& g, auto x) {
    const Value zero = ir::constant(g, Type(DType::f32, {}), 0);
    const std::int64_t one[] = {1}, none[] = {0}, row[] = {1, 0}, nothing[] = {0, 0};
    const Value inner = ir::pad(ir::reshape(x[0] * 2.0, {1}), zero, one, one, none);
    return std::vector{ir::pad(ir::reshape(inner, {1, 3}), zero, row, nothing, nothing)};
  });
}

TEST(Kernel, RowReductions) {
  for (const std::int64_t n : {3, 64, 100, 257}) {
    const auto report =
        check({Type(DType::f32, {7, n})}, [](ir::Graph&, auto x) { return std::vector{ir::softmax(x[0])}; });
    EXPECT_EQ(report.thunks, 1);
  }
}

// Each value uses the previous one twice, so work counted by uses would double at each step.
TEST(Kernel, RowReductionsOfLongChains) {
  const auto report = check({Type(DType::f32, {7, 33})}, [](ir::Graph&, auto x) {
    Value y = x[0];
    for (int i = 0; i < 40; ++i) y = ir::maximum(y, y * 0.5);
    return std::vector{ir::softmax(y)};
  });
  EXPECT_EQ(report.thunks, 1);
}

TEST(Kernel, ColumnReductions) {
  for (const std::int64_t n : {1, 5, 16, 20, 40, 64, 70, 130})
    check({Type(DType::f32, {50, n})}, [](ir::Graph&, auto x) {
      const std::int64_t first[] = {0}, both[] = {0, 1};
      return std::vector{ir::reduce_sum(x[0] * x[0], first), ir::reduce_max(x[0], first), ir::reduce_sum(x[0], both)};
    });
}

TEST(Kernel, MixedReduction) {
  check({Type(DType::f32, {6, 5, 7, 3})}, [](ir::Graph&, auto x) {
    const std::int64_t outer[] = {0, 2}, mixed[] = {0, 3}, middle[] = {1, 2};
    return std::vector{ir::reduce_sum(x[0], outer), ir::reduce_sum(x[0], mixed), ir::reduce_min(x[0], middle)};
  });
}

TEST(Kernel, LongReductionsAreSplit) {
  check({Type(DType::f32, {100000})}, [](ir::Graph&, auto x) {
    const std::int64_t d[] = {0};
    return std::vector{ir::reduce_sum(x[0] * x[0], d)};
  });
  check({Type(DType::f32, {20000, 3})}, [](ir::Graph&, auto x) {
    const std::int64_t d[] = {0};
    return std::vector{ir::reduce_sum(x[0], d)};
  });
}

// A batch of one is normalised in the same way as a larger batch.
TEST(Kernel, LayerNormIsOneKernelWhateverDimensionsAreOne) {
  for (const Type type : {Type(DType::f32, {2, 4, 8}), Type(DType::f32, {1, 4, 8}), Type(DType::f32, {1, 1, 4, 8}),
                          Type(DType::f32, {4, 1, 8}), Type(DType::f32, {1, 1, 8})}) {
    const Type row(DType::f32, {8});
    const auto report = check(
        {type, row, row}, [](ir::Graph&, auto x) { return std::vector{ir::layer_norm(x[0], x[1], x[2], 1e-5)[0]}; });
    EXPECT_EQ(report.thunks, 1) << type;
  }
}

TEST(Kernel, LayerNormForwardAndBackwardIsFewKernels) {
  const auto report = check(
      {Type(DType::f32, {64, 96}), Type(DType::f32, {96}), Type(DType::f32, {96}), Type(DType::f32, {64, 96})},
      [](ir::Graph& g, auto x) {
        const std::int64_t last[] = {1}, rows[] = {0}, columns[] = {1};
        const Type type = x[0].type();
        const Value mean = ir::reduce_sum(x[0], last) * (1.0 / 96);
        const Value centered = x[0] - ir::broadcast_in_dim(mean, type, rows);
        const Value variance = ir::reduce_sum(centered * centered, last) * (1.0 / 96);
        const Value scale = ir::rsqrt(variance + 1e-5);
        const Value y = centered * ir::broadcast_in_dim(scale, type, rows) * ir::broadcast_in_dim(x[1], type, columns) +
                        ir::broadcast_in_dim(x[2], type, columns);
        auto gradients = ir::gradient(g, std::vector{y}, std::vector{x[3]}, std::vector{x[0], x[1], x[2]});
        gradients.push_back(y);
        return gradients;
      });
  EXPECT_LE(report.thunks, 6);
}

// The gradient of a packed projection. A pad and a sum alone would have only three long rows; behind the transpose there are many.
TEST(Kernel, PartsPutTogetherAndTransposedAreOneKernel) {
  const Type part(DType::f32, {1, 64, 16, 40});
  const auto report = check({part, part, part}, [](ir::Graph& g, auto x) {
    const std::int64_t none[] = {0, 0, 0, 0}, swap[] = {1, 0, 2, 3};
    std::vector<Value> padded;
    for (std::int64_t i = 0; i < 3; ++i) {
      const std::int64_t low[] = {i, 0, 0, 0}, high[] = {2 - i, 0, 0, 0};
      padded.push_back(ir::pad(x[i], ir::constant(g, Type(DType::f32, {}), 0), low, high, none));
    }
    return std::vector{ir::transpose(padded[0] + padded[1] + padded[2], swap)};
  });
  EXPECT_EQ(report.thunks, 1);
}

TEST(Kernel, Dots) {
  for (const DType t : {DType::f32, DType::f64, DType::bf16, DType::i32}) {
    check({Type(t, {3, 20, 33}), Type(t, {3, 33, 17})}, [](ir::Graph&, auto x) {
      const std::int64_t b[] = {0}, lc[] = {2}, rc[] = {1};
      return std::vector{ir::dot_general(x[0], x[1], {b, b, lc, rc})};
    });
    check({Type(t, {20, 4, 33}), Type(t, {9, 33, 20})}, [](ir::Graph&, auto x) {
      const std::int64_t lc[] = {2, 0}, rc[] = {1, 2};
      return std::vector{ir::dot_general(x[0], x[1], {{}, {}, lc, rc})};
    });
  }
}

TEST(Kernel, AttentionReadsItsOperandsInPlace) {
  const auto report = check({Type(DType::f32, {2, 16, 3 * 24})}, [](ir::Graph&, auto x) {
    const std::int64_t heads[] = {0, 2, 1, 3}, batching[] = {0, 1}, three[] = {3}, two[] = {2}, one[] = {1, 1, 1};
    std::vector<Value> qkv;
    for (std::int64_t i = 0; i < 3; ++i) {
      const std::int64_t start[] = {0, 0, i * 24}, limit[] = {2, 16, i * 24 + 24};
      qkv.push_back(ir::transpose(ir::reshape(ir::slice(x[0], start, limit, one), {2, 16, 3, 8}), heads));
    }
    const Value p = ir::softmax(ir::dot_general(qkv[0], qkv[1], {batching, batching, three, three}));
    const Value y = ir::dot_general(p, qkv[2], {batching, batching, three, two});
    return std::vector{ir::reshape(ir::transpose(y, heads), {2, 16, 24})};
  });
  EXPECT_LE(report.thunks, 4);
}

TEST(Kernel, GatherAndDynamicSlice) {
  check({Type(DType::f32, {7, 12}), Type(DType::i32, {3, 4}), Type(DType::i32, {}), Type(DType::i32, {})},
        [](ir::Graph&, auto x) {
          const std::int64_t offset[] = {2}, collapsed[] = {0}, map[] = {0}, sizes[] = {1, 12}, slice[] = {2, 5};
          const ir::GatherAttributes rows{.offset_dims = offset,
                                          .collapsed_slice_dims = collapsed,
                                          .operand_batching_dims = {},
                                          .start_indices_batching_dims = {},
                                          .start_index_map = map,
                                          .index_vector_dim = 2,
                                          .slice_sizes = sizes};
          const Value starts[] = {x[2], x[3]};
          return std::vector{ir::gather(x[0], x[1], rows), ir::dynamic_slice(x[0], starts, slice)};
        });
}

// Equal parts of a program share a kernel although they read different values, such as different stored constants.
TEST(Kernel, EqualPartsOfDifferentValues) {
  const Type x(DType::f32, {64, 8}), weight(DType::f32, {8, 8});
  const auto report = check({weight, weight, weight}, [&](ir::Graph& g, std::span<const Value> in) {
    const Value three = ir::constant(g, x, 3), four = ir::constant(g, x, 4);
    const auto part = [&](Value constant, Value w) {
      const std::vector<std::int64_t> last{1}, first{0};
      const Value product = ir::dot_general(constant, w, {{}, {}, last, first});
      return (ir::cosine(product) + product) * constant;
    };
    return std::vector{three, four, part(three, in[0]), part(four, in[1]), part(three, in[2])};
  });
  EXPECT_LT(report.distinct_kernels, report.kernels);
}

TEST(Kernel, SameValueTwiceAndInputsAsOutputs) {
  check({Type(DType::f32, {9})}, [](ir::Graph&, auto x) {
    const Value y = x[0] + x[0];
    return std::vector{y, y, x[0], ir::reshape(y, {3, 3})};
  });
}

}  // namespace
}  // namespace weft
