// Compiles and interprets products and convolutions whose operands are random views (reversed, transposed, sliced, broadcast, padded,
// concatenated). The numbers are small integers, so that every order of summation gives the same.
#include <algorithm>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

#include <weft/ir/builder.h>
#include <weft/ir/interpreter.h>
#include <weft/ir/text/text.h>

#include "run.h"

namespace weft {
namespace {

using ir::Array;
using ir::Graph;
using ir::Value;
using Numbers = std::vector<std::int64_t>;

// Makes values of given sizes from inputs that it adds to the graph.
class Views {
 public:
  Views(Graph& graph, DType dtype, std::uint64_t seed) : graph_(graph), dtype_(dtype), generator_(seed) {}

  std::int64_t draw(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(generator_);
  }

  Value of(const Numbers& sizes, int depth) {
    if (depth == 0) return graph_.add_input(type(sizes));
    switch (draw(0, 6)) {
      case 0: return reversed(sizes, depth);
      case 1: return transposed(sizes, depth);
      case 2: return cut(sizes, depth);
      case 3: return broadcast(sizes, depth);
      case 4: return padded(sizes, depth);
      case 5: return joined(sizes, depth);
      default: return reshaped(sizes, depth);
    }
  }

  Numbers permutation(std::size_t count) {
    Numbers order(count);
    std::iota(order.begin(), order.end(), 0);
    std::ranges::shuffle(order, generator_);
    return order;
  }

 private:
  Type type(const Numbers& sizes) const { return Type(dtype_, std::vector<Dim>(sizes.begin(), sizes.end())); }
  std::size_t place(const Numbers& sizes) { return static_cast<std::size_t>(draw(0, std::ssize(sizes) - 1)); }

  Value reversed(const Numbers& sizes, int depth) {
    Numbers turned;
    for (std::size_t d = 0; d < sizes.size(); ++d)
      if (draw(0, 1) == 1) turned.push_back(static_cast<std::int64_t>(d));
    return ir::reverse(of(sizes, depth - 1), turned);
  }

  Value transposed(const Numbers& sizes, int depth) {
    const Numbers order = permutation(sizes.size());
    Numbers before(sizes.size());
    for (std::size_t d = 0; d < sizes.size(); ++d) before[order[d]] = sizes[d];
    return ir::transpose(of(before, depth - 1), order);
  }

  Value cut(const Numbers& sizes, int depth) {
    Numbers before, start, limit, strides;
    for (const std::int64_t size : sizes) {
      start.push_back(draw(0, 2));
      strides.push_back(draw(1, 3));
      limit.push_back(start.back() + (size == 0 ? 0 : (size - 1) * strides.back() + 1));
      before.push_back(limit.back() + draw(0, 1));
    }
    return ir::slice(of(before, depth - 1), start, limit, strides);
  }

  Value broadcast(const Numbers& sizes, int depth) {
    Numbers before, dims;
    for (std::size_t d = 0; d < sizes.size(); ++d) {
      const std::int64_t how = draw(0, 3);
      if (how == 0) continue;
      before.push_back(how == 1 ? 1 : sizes[d]);
      dims.push_back(static_cast<std::int64_t>(d));
    }
    return ir::broadcast_in_dim(of(before, depth - 1), type(sizes), dims);
  }

  Value padded(const Numbers& sizes, int depth) {
    Numbers before, low, high, interior;
    for (const std::int64_t size : sizes) {
      before.push_back(draw(0, size));
      interior.push_back(before.back() > 1 && 2 * before.back() - 1 <= size ? draw(0, 1) : 0);
      const std::int64_t inner = before.back() + std::max<std::int64_t>(before.back() - 1, 0) * interior.back();
      low.push_back(draw(-1, size - inner));
      high.push_back(size - inner - low.back());
    }
    return ir::pad(of(before, depth - 1), ir::constant(graph_, Type(dtype_, {}), 1), low, high, interior);
  }

  Value joined(Numbers sizes, int depth) {
    if (sizes.empty()) return of(sizes, depth - 1);
    const std::size_t d = place(sizes);
    const std::int64_t first = draw(0, sizes[d]), all = sizes[d];
    sizes[d] = first;
    const Value a = of(sizes, depth - 1);
    sizes[d] = all - first;
    const Value parts[] = {a, of(sizes, depth - 1)};
    return ir::concatenate(parts, static_cast<std::int64_t>(d));
  }

  Value reshaped(Numbers sizes, int depth) {
    const Type wanted = type(sizes);
    if (sizes.size() > 1 && draw(0, 1) == 0) {
      const std::size_t d = std::min(place(sizes), sizes.size() - 2);
      sizes[d] *= sizes[d + 1];
      sizes.erase(sizes.begin() + d + 1);
    } else if (!sizes.empty() && sizes.size() < 6) {
      const std::size_t d = place(sizes);
      const std::int64_t factor = sizes[d] % 2 == 0 ? 2 : 1;
      sizes[d] /= factor;
      sizes.insert(sizes.begin() + d, factor);
    }
    return ir::reshape(of(sizes, depth - 1), wanted.dims());
  }

  Graph& graph_;
  DType dtype_;
  std::mt19937_64 generator_;
};

std::vector<Array> small_integers(const Graph& graph, std::uint64_t seed) {
  std::mt19937_64 generator(seed);
  std::vector<Array> inputs;
  for (const Value v : graph.inputs()) {
    Array& array = inputs.emplace_back(v.type());
    visit(v.dtype(), [&]<class T>(T) {
      for (T& x : array.data<T>()) x = static_cast<T>(static_cast<double>(generator() % 5) - 2);
    });
  }
  return inputs;
}

void expect_same_elements(const Graph& graph, std::uint64_t seed) {
  const auto inputs = small_integers(graph, seed);
  const auto wanted = ir::interpret(graph, inputs);
  for (const bool strict : {false, true}) {
    compiler::Options options;
    options.strict = strict;
    std::vector<Array> got;
    ASSERT_NO_THROW(got = test::run_compiled(graph, inputs, options)) << ir::print(graph);
    ASSERT_EQ(got, wanted) << (strict ? "strict:\n" : "fast:\n") << ir::print(graph);
  }
}

// Adds a product of two views: dimensions in any order, 0 to 2 batch dimensions, and another view added to the result.
void add_product(Graph& graph, Views& views, bool wide) {
  const auto sizes = [&](std::int64_t least, std::int64_t most) {
    Numbers drawn;
    for (std::int64_t i = views.draw(least, most); i > 0; --i)
      drawn.push_back(wide ? views.draw(3, 17) : std::max<std::int64_t>(views.draw(-3, 4), 0));
    return drawn;
  };
  const Numbers batch = sizes(0, 2), contracted = sizes(1, 2);
  Numbers result = batch;
  struct Operand {
    Value value;
    Numbers batching, contracting;
  };
  const auto operand = [&] {
    const Numbers free = sizes(0, 1);
    result.insert(result.end(), free.begin(), free.end());
    Numbers all = batch;
    all.insert(all.end(), contracted.begin(), contracted.end());
    all.insert(all.end(), free.begin(), free.end());
    const Numbers places = views.permutation(all.size());
    Numbers lying(all.size());
    for (std::size_t i = 0; i < all.size(); ++i) lying[places[i]] = all[i];
    const auto first = places.begin(), middle = first + batch.size();
    return Operand{views.of(lying, static_cast<int>(views.draw(0, 3))),
                   {first, middle},
                   {middle, middle + std::ssize(contracted)}};
  };
  const Operand lhs = operand(), rhs = operand();
  Value y = ir::dot_general(lhs.value, rhs.value, {lhs.batching, rhs.batching, lhs.contracting, rhs.contracting});
  if (views.draw(0, 1) == 1) y = y + views.of(result, static_cast<int>(views.draw(0, 2)));
  graph.set_outputs({y});
}

void add_convolution(Graph& graph, Views& views) {
  const std::size_t spatial = views.draw(1, 2);
  const std::int64_t features = views.draw(1, 3);
  Numbers x_sizes{views.draw(0, 3), features}, kernel_sizes{views.draw(1, 3), features};
  for (std::size_t i = 0; i < spatial; ++i) {
    kernel_sizes.push_back(views.draw(1, 3));
    x_sizes.push_back(kernel_sizes.back() + views.draw(0, 4));
  }
  const auto operand = [&](const Numbers& sizes, const Numbers& places) {
    Numbers lying(sizes.size());
    for (std::size_t i = 0; i < sizes.size(); ++i) lying[places[i]] = sizes[i];
    return views.of(lying, static_cast<int>(views.draw(0, 3)));
  };
  const Numbers in = views.permutation(spatial + 2), window = views.permutation(spatial + 2),
                out = views.permutation(spatial + 2);
  const Numbers in_spatial(in.begin() + 2, in.end()), window_spatial(window.begin() + 2, window.end()),
      out_spatial(out.begin() + 2, out.end());
  ir::ConvolutionAttributes a;
  a.input_batch = in[0];
  a.input_feature = in[1];
  a.input_spatial = in_spatial;
  a.kernel_output_feature = window[0];
  a.kernel_input_feature = window[1];
  a.kernel_spatial = window_spatial;
  a.output_batch = out[0];
  a.output_feature = out[1];
  a.output_spatial = out_spatial;
  Numbers strides, padding, reversal;
  for (std::size_t i = 0; i < spatial; ++i) {
    strides.push_back(views.draw(1, 2));
    padding.push_back(views.draw(0, 1));
    padding.push_back(views.draw(0, 2));
    reversal.push_back(views.draw(0, 1));
  }
  a.strides = strides;
  a.padding = padding;
  a.reversal = reversal;
  graph.set_outputs({ir::convolution(operand(x_sizes, in), operand(kernel_sizes, window), a)});
}

class RandomViews : public testing::TestWithParam<int> {};

TEST_P(RandomViews, OfProducts) {
  constexpr DType dtypes[] = {DType::f32, DType::f32, DType::f32, DType::bf16, DType::f64, DType::i32};
  for (int i = 0; i < 50; ++i) {
    const std::uint64_t seed = GetParam() * 50 + i;
    Graph graph;
    Views views(graph, dtypes[seed % std::size(dtypes)], seed);
    add_product(graph, views, seed % 4 == 0);
    expect_same_elements(graph, seed);
  }
}

TEST_P(RandomViews, OfConvolutions) {
  for (int i = 0; i < 25; ++i) {
    const std::uint64_t seed = GetParam() * 25 + i;
    Graph graph;
    Views views(graph, seed % 4 == 0 ? DType::bf16 : DType::f32, seed);
    add_convolution(graph, views);
    expect_same_elements(graph, seed);
  }
}

TEST_P(RandomViews, OfNothingElse) {
  for (int i = 0; i < 50; ++i) {
    const std::uint64_t seed = GetParam() * 50 + i;
    Graph graph;
    Views views(graph, DType::f32, seed);
    Numbers sizes;
    for (std::int64_t d = views.draw(0, 4); d > 0; --d) sizes.push_back(views.draw(0, 4));
    const Value y = views.of(sizes, 4);
    graph.set_outputs({y, y + y});
    expect_same_elements(graph, seed);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomViews, testing::Range(0, 4));

TEST(Views, OfOperandsThatAreBothRepeatedAlongTheBatch) {
  const auto graph = ir::parse(R"(
    func.func @main(%x: tensor<32x16xf32>, %y: tensor<3x16x24xf32>) -> tensor<5x3x32x24xf32> {
      %0 = stablehlo.broadcast_in_dim %x, dims = [2, 3] : (tensor<32x16xf32>) -> tensor<5x3x32x16xf32>
      %1 = stablehlo.broadcast_in_dim %y, dims = [1, 2, 3] : (tensor<3x16x24xf32>) -> tensor<5x3x16x24xf32>
      %2 = stablehlo.dot_general %0, %1, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2]
          : (tensor<5x3x32x16xf32>, tensor<5x3x16x24xf32>) -> tensor<5x3x32x24xf32>
      return %2 : tensor<5x3x32x24xf32>
    })");
  expect_same_elements(*graph, 1);
}

TEST(Views, OfABatchThatIsReversed) {
  const Type type(DType::f32, {3, 40, 40});  // too large to be expanded to sums
  const auto graph = ir::make_graph(std::vector{type, type}, [](Graph&, std::span<const Value> in) {
    constexpr std::int64_t batch[] = {0}, last[] = {2}, middle[] = {1};
    const ir::DotAttributes product{batch, batch, last, middle};
    return std::vector{ir::dot_general(ir::reverse(in[0], batch), in[1], product),
                       ir::dot_general(in[0], ir::reverse(in[1], batch), product)};
  });
  expect_same_elements(*graph, 1);
}

// All strides of an intermediate result with several empty dimensions are 0, so its load does not depend on any loop.
TEST(Views, OfAnIntermediateResultWithoutElements) {
  const auto graph = ir::parse(R"(
    func.func @main(%x: tensor<17x0xf32>, %y: tensor<1x4x5x3x3xbf16>, %w: tensor<1x3x2x4x3xbf16>) -> tensor<17x1xf32> {
      %0 = "stablehlo.convolution"(%y, %w) {
        dimension_numbers = #stablehlo.conv<[2, 1, 0, b, f]x[1, i, 2, 0, o]->[0, b, 2, f, 1]>,
        window_strides = array<i64: 1, 1, 3>, padding = dense<[[0, 0], [-1, -1], [1, 0]]> : tensor<3x2xi64>,
        lhs_dilation = array<i64: 1, 2, 1>, rhs_dilation = array<i64: 2, 1, 2>,
        feature_group_count = 1 : i64, batch_group_count = 1 : i64
      } : (tensor<1x4x5x3x3xbf16>, tensor<1x3x2x4x3xbf16>) -> tensor<0x3x0x3x5xbf16>
      %1 = stablehlo.convert %0 : (tensor<0x3x0x3x5xbf16>) -> tensor<0x3x0x3x5xf32>
      %2 = stablehlo.reshape %1 : (tensor<0x3x0x3x5xf32>) -> tensor<0x1xf32>
      %3 = stablehlo.dot_general %x, %2, contracting_dims = [1] x [0] : (tensor<17x0xf32>, tensor<0x1xf32>) -> tensor<17x1xf32>
      return %3 : tensor<17x1xf32>
    })");
  expect_same_elements(*graph, 1);
}

}  // namespace
}  // namespace weft
