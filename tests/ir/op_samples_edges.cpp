// Inputs at the limits of their dtypes.
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <tests/ir/op_samples.h>

namespace weft::ir {

namespace {

template <class T>
std::vector<T> integer_edges() {
  using Limits = std::numeric_limits<T>;
  const auto at = [](auto value) { return static_cast<T>(value); };
  const int width = 8 * static_cast<int>(sizeof(T));
  return {
      Limits::min(), at(Limits::min() + 1), at(Limits::max() - 1), Limits::max(), at(0), at(1), at(-1), at(width - 1),
      at(width),     at(width + 1)};
}

// Returns special numbers, including halves, for rounding. Without `moderate`, they include subnormals and numbers beyond the
// range of the integers.
template <class T>
std::vector<T> float_edges(bool moderate) {
  const int mantissa = sizeof(T) == 8 ? 52 : sizeof(T) == 4 ? 23 : std::is_same_v<T, float16> ? 10 : 7;
  const int bias = sizeof(T) == 8 ? 1023 : std::is_same_v<T, float16> ? 15 : 127;
  const double largest = std::ldexp(2 - std::ldexp(1.0, -mantissa), bias), normal = std::ldexp(1.0, 1 - bias),
               subnormal = std::ldexp(1.0, 1 - bias - mantissa), infinity = std::numeric_limits<double>::infinity(),
               nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> list{0.0, -0.0, infinity, -infinity, nan};
  for (const double x : {0.5, 1.0, 1.5, 2.5}) list.insert(list.end(), {x, -x});
  if (!moderate)
    for (const double x : {127.5, 129.0, 300.0, 32768.0, 65504.0, std::ldexp(1.0, bias / 2), std::ldexp(1.0, bias - 1),
                           largest, normal, subnormal, 3 * subnormal})
      list.insert(list.end(), {x, -x});
  std::vector<T> typed;
  for (const double x : list) typed.push_back(static_cast<T>(x));
  return typed;
}

template <class T>
std::vector<T> edges(bool moderate) {
  if constexpr (is_float_type<T>)
    return float_edges<T>(moderate);
  else
    return integer_edges<T>();
}

// Sums and products of numbers of very different magnitude depend on the accumulation type and on the order.
bool accumulates(const Graph& graph) {
  return std::ranges::any_of(graph.nodes(), [](const Node* n) {
    return n->op->kind == Kind::reduction || n->op->kind == Kind::contraction || n->op->kind == Kind::indexing;
  });
}

}  // namespace

std::vector<Array> edge_inputs(const OpSample& sample, std::uint64_t seed) {
  std::vector<Array> inputs = random_inputs(sample, seed);
  std::mt19937_64 random(seed);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!sample.inputs[i].edges) continue;
    visit(inputs[i].dtype(), [&]<class T>(T) {
      if constexpr (!std::is_same_v<T, bool>) {
        const std::vector<T> list = edges<T>(accumulates(*sample.graph));
        for (T& x : inputs[i].template data<T>())
          if (random() % 4 != 0) x = list[random() % list.size()];
      }
    });
  }
  return inputs;
}

}  // namespace weft::ir
