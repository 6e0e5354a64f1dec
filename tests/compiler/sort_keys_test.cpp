// Sorts by several keys, as jax.numpy.lexsort writes them, give the same elements as the interpreter.
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include <weft/ir/builder.h>
#include <weft/ir/interpreter.h>
#include <weft/ir/ops.h>

#include "run.h"

namespace weft {
namespace {

using ir::Array;
using ir::Graph;
using ir::Value;

struct SortKey {
  DType dtype;
  ir::Direction direction = ir::Direction::LT;
};

// As JAX does: -0 equals 0, and all NaNs are equal.
Value canonical(Graph& g, Value x) {
  if (!is_float(x.dtype())) return x;
  const Value zero = ir::constant(g, x.type(), 0), nan = ir::constant(g, x.type(), std::nan(""));
  const Value y = ir::select(ir::compare(x, zero, ir::Direction::EQ), zero, x);
  return ir::select(ir::compare(x, x, ir::Direction::NE), nan, y);
}

// Compares by each key if all keys before it are equal. The operands are the keys and then places.
std::shared_ptr<const Graph> comparator(std::span<const SortKey> keys, bool swaps_operands) {
  std::vector<Type> types;
  for (const SortKey& key : keys) types.insert(types.end(), 2, Type(key.dtype, {}));
  types.insert(types.end(), 2, Type(DType::i32, {}));
  return ir::make_graph(types, [&](Graph& g, std::span<const Value> x) {
    Value before;
    for (std::size_t k = keys.size(); k-- > 0;) {
      const auto order = is_float(keys[k].dtype) ? ir::Comparison::TOTALORDER : ir::Comparison::NOTYPE;
      const Value left = canonical(g, x[2 * k]), right = canonical(g, x[2 * k + 1]);
      const Value less = ir::compare(left, right, keys[k].direction, order);
      if (!before) {
        before = less;
        continue;
      }
      const Value same = ir::compare(left, right, ir::Direction::EQ, order);
      const Value next = swaps_operands ? ir::and_(before, same) : ir::and_(same, before);
      before = swaps_operands ? ir::or_(next, less) : ir::or_(less, next);
    }
    return std::vector{before};
  });
}

// Few different values, so that many are equal.
Array keys_of(Type type, std::mt19937_64& generator) {
  Array array(type);
  visit(type.dtype(), [&]<class T>(T) {
    for (T& x : array.data<T>()) {
      const auto choice = static_cast<int>(generator() % 6);
      if constexpr (is_float_type<T>) {
        const double values[] = {0.0, -0.0, 1.5, -2, std::nan(""), -std::nan("")};
        x = static_cast<T>(values[choice]);
      } else if constexpr (std::is_same_v<T, bool>) {
        x = choice < 3;
      } else {
        x = static_cast<T>(choice - (std::is_signed_v<T> ? 3 : 0));
      }
    }
  });
  return array;
}

void expect_sorted(std::span<const SortKey> keys, int dimension, std::int64_t needed, bool swaps_operands) {
  std::vector<Type> types;
  for (const SortKey& key : keys) types.emplace_back(key.dtype, std::vector<Dim>{70, 50});
  const auto graph = ir::make_graph(types, [&](Graph& g, std::span<const Value> in) {
    std::vector<Value> operands(in.begin(), in.end());
    operands.push_back(ir::iota(g, types[0].with(DType::i32), dimension));
    std::vector<Value> sorted = ir::sort(operands, dimension, true, comparator(keys, swaps_operands));
    if (needed == 0) return sorted;
    const std::int64_t start[] = {0, 0}, stride[] = {1, 1},
                       limit[] = {dimension == 0 ? needed : 70, dimension == 1 ? needed : 50};
    for (Value& v : sorted) v = ir::slice(v, start, limit, stride);
    return sorted;
  });
  std::mt19937_64 generator(5);
  std::vector<Array> inputs;
  for (const Type type : types) inputs.push_back(keys_of(type, generator));
  EXPECT_EQ(test::run_compiled(*graph, inputs), ir::interpret(*graph, inputs))
      << keys.size() << " keys along " << dimension << ", of which " << needed << " are needed";
}

constexpr auto up = ir::Direction::LT, down = ir::Direction::GT;
const std::vector<SortKey> lists[] = {
    {{DType::i32, up}, {DType::f32, up}},                                            // a word of 64 bits
    {{DType::bf16, down}, {DType::boolean, up}},                                     // fewer bits
    {{DType::f64, up}, {DType::u8, down}},                                           // two words
    {{DType::i64, down}, {DType::f16, up}, {DType::i16, down}, {DType::f64, down}},  // three words
};

TEST(SortKeys, DecideOneAfterTheOther) {
  for (const auto& keys : lists)
    for (const int dimension : {0, 1})
      for (const bool swaps_operands : {false, true}) expect_sorted(keys, dimension, 0, swaps_operands);
}

TEST(SortKeys, SelectTheFirstElements) {
  for (const auto& keys : lists)
    for (const int dimension : {0, 1}) expect_sorted(keys, dimension, 3, false);
}

}  // namespace
}  // namespace weft
