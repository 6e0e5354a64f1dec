// Random graphs, compiled, against the interpreter; and in strict mode fused against unfused, bit for bit. A failure prints the
// seed, which reproduces it.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

#include <weft/ir/autodiff.h>
#include <weft/ir/builder.h>
#include <weft/ir/interpreter.h>
#include <weft/ir/ops.h>

#include "run.h"

namespace weft {
namespace {

using Dims = std::vector<std::int64_t>;
using ir::Array;
using ir::Value;

// Grows a graph op by op. Values stay of moderate size, and no comparison depends on rounding, so that results can be compared.
class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {}

  std::shared_ptr<const ir::Graph> make() {
    std::vector<Type> inputs;
    for (int i = 0; i < 3; ++i) inputs.push_back(Type(DType::f32, random_shape()));
    return ir::make_graph(inputs, [&](ir::Graph& g, std::span<const Value> x) {
      std::vector<Value> values(x.begin(), x.end());
      const int length = 5 + number(25);
      for (int i = 0; i < length; ++i) values.push_back(next(g, values));
      std::vector<Value> outputs{values.back()};
      for (int i = 0; i < 3; ++i) outputs.push_back(pick(values));
      if (number(2)) add_gradient(g, values.back(), x, outputs);
      return outputs;
    });
  }

 private:
  int number(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }
  Value pick(const std::vector<Value>& values) {  // later values more often
    const int n = static_cast<int>(values.size());
    return values[static_cast<std::size_t>(std::max(number(n), number(n)))];
  }

  std::vector<Dim> random_shape() {
    static constexpr std::int64_t sizes[] = {1, 2, 3, 4, 5, 8, 16, 17, 33, 64, 70};
    std::vector<Dim> dims(static_cast<std::size_t>(number(4)));
    for (Dim& d : dims) d = sizes[number(11)];
    while (elements(dims) > 20000) dims.pop_back();
    return dims;
  }
  static std::int64_t elements(const std::vector<Dim>& dims) {
    return std::accumulate(dims.begin(), dims.end(), std::int64_t{1},
                           [](std::int64_t n, Dim d) { return n * d.value(); });
  }

  void add_gradient(ir::Graph& g, Value y, std::span<const Value> x, std::vector<Value>& outputs) {
    Dims all(static_cast<std::size_t>(y.rank()));
    std::iota(all.begin(), all.end(), 0);
    const Value loss = all.empty() ? y : ir::reduce_sum(y, all);
    for (const Value dx : ir::gradient(g, std::vector{loss}, std::vector{ir::constant(g, loss.type(), 1)}, x))
      outputs.push_back(ir::tanh(dx));
  }

  // Values of another shape come by a broadcast or a reduction of it, or a constant stands in.
  Value matched(ir::Graph& g, Value x, Type type) {
    if (x.type() == type) return x;
    if (x.rank() == 0) return ir::broadcast(x, type);
    for (int d = 0; d < type.rank(); ++d)
      if (x.rank() == 1 && x.type().dim(0) == type.dim(d)) return ir::broadcast_in_dim(x, type, Dims{d});
    return ir::constant(g, type, 0.5);
  }

  Value next(ir::Graph& g, const std::vector<Value>& values) {
    const Value x = pick(values), y = matched(g, pick(values), x.type());
    switch (number(16)) {
      case 0: return x + y;
      case 1: return x - y;
      case 2: return ir::tanh(x * y);
      case 3: return ir::exponential(ir::tanh(x));
      case 4: return ir::maximum(x, y);
      case 5: return ir::logistic(x) * y;
      case 6: return x / (y * y + 1.0);
      case 7: return masked(g, x, y);
      case 8: return transposed(x);
      case 9: return reshaped(x);
      case 10: return sliced(x);
      case 11: return padded(g, x);
      case 12: return x.rank() ? ir::concatenate(std::vector{x, y, x}, number(x.rank())) : x;
      case 13: return x.rank() ? ir::reverse(x, Dims{number(x.rank())}) : x;
      case 14: return product(x, y);
      default: return reduced(x);
    }
  }

  Value masked(ir::Graph& g, Value x, Value y) {
    if (x.rank() == 0) return x;
    const Type places = x.type().with(DType::i32);
    const Value a = ir::iota(g, places, number(x.rank())), b = ir::iota(g, places, number(x.rank()));
    return ir::select(ir::compare(a, b, ir::Direction::GE), x, y);
  }
  Value transposed(Value x) {
    Dims order(static_cast<std::size_t>(x.rank()));
    std::iota(order.begin(), order.end(), 0);
    std::ranges::shuffle(order, random_);
    return ir::transpose(x, order);
  }
  Value reshaped(Value x) {
    std::vector<Dim> dims;
    std::int64_t left = x.type().elements();
    for (const std::int64_t factor : {2, 3, 5, 17, 4, 8})
      if (left % factor == 0 && number(2)) {
        dims.push_back(factor);
        left /= factor;
      }
    dims.push_back(left);
    return ir::reshape(x, dims);
  }
  Value sliced(Value x) {
    Dims start, limit, stride;
    for (int d = 0; d < x.rank(); ++d) {
      start.push_back(number(static_cast<int>(x.size(d))));
      limit.push_back(start.back() + 1 + number(static_cast<int>(x.size(d) - start.back())));
      stride.push_back(1 + number(3));
    }
    return ir::slice(x, start, limit, stride);
  }
  Value padded(ir::Graph& g, Value x) {
    if (x.type().elements() > 5000) return x;
    Dims low, high, none;
    for (int d = 0; d < x.rank(); ++d) {
      low.push_back(number(3));
      high.push_back(number(4) - std::min<std::int64_t>(1, x.size(d) - 1));
      none.push_back(0);
    }
    return ir::pad(x, ir::constant(g, Type(DType::f32, {}), 0.25), low, high, none);
  }
  Value product(Value x, Value y) {
    if (x.rank() != 2) return x * y;
    return ir::tanh(ir::dot_general(x, y, {{}, {}, Dims{1}, Dims{1}}) * 0.1);
  }
  Value reduced(Value x) {
    Dims dims;
    for (int d = 0; d < x.rank(); ++d)
      if (number(2)) dims.push_back(d);
    if (dims.empty()) return x;
    const Value sum = number(2) ? ir::reduce_sum(x, dims) * 0.1 : ir::reduce_max(x, dims);
    if (!number(2)) return sum;
    Dims kept;
    for (int d = 0; d < x.rank(); ++d)
      if (std::ranges::find(dims, d) == dims.end()) kept.push_back(d);
    return ir::tanh(x - ir::broadcast_in_dim(sum, x.type(), kept));
  }

  std::mt19937 random_;
};

std::vector<Array> inputs_of(const ir::Graph& graph, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<Array> inputs;
  for (const Value v : graph.inputs())
    for (float& x : inputs.emplace_back(v.type()).data<float>()) x = uniform(generator);
  return inputs;
}

class RandomGraph : public testing::TestWithParam<unsigned> {};

TEST_P(RandomGraph, CompiledEqualsInterpretedAndFusedEqualsUnfused) {
  const unsigned seed = GetParam();
  const auto graph = Generator(seed).make();
  const auto inputs = inputs_of(*graph, seed);
  const auto want = ir::interpret(*graph, inputs);
  const auto got = test::run_compiled(*graph, inputs);
  for (std::size_t i = 0; i < want.size(); ++i) {
    double scale = 1;
    for (std::int64_t k = 0; k < want[i].size(); ++k) scale = std::max(scale, std::abs(want[i].element(k)));
    for (std::int64_t k = 0; k < want[i].size(); ++k)
      ASSERT_NEAR(got[i].element(k), want[i].element(k), 2e-4 * scale) << "output " << i << " at " << k;
  }
  compiler::Options strict;
  strict.strict = true;
  const auto fused = test::run_compiled(*graph, inputs, strict);
  strict.fuse = false;
  const auto unfused = test::run_compiled(*graph, inputs, strict);
  for (std::size_t i = 0; i < want.size(); ++i) ASSERT_EQ(fused[i], unfused[i]) << "output " << i;
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomGraph, testing::Range(0u, 100u));

}  // namespace
}  // namespace weft
