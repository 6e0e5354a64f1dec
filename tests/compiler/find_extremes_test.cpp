// The place of the greatest or least element, with ties, NaN and infinities, is the same as the interpreter's fold of pairs.
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <weft/ir/interpreter.h>
#include <weft/ir/ops.h>

#include "run.h"

namespace weft {
namespace {

using ir::Array;
using ir::Value;

std::shared_ptr<const ir::Graph> place_of_extreme(Type type, std::int64_t along, bool greatest) {
  return ir::make_graph(std::array{type}, [&](ir::Graph& g, std::span<const Value> in) {
    const Type a(type.dtype(), {}), b(DType::i32, {});
    const double infinity = std::numeric_limits<double>::infinity();
    const auto body = ir::make_graph(std::array{a, b, a, b}, [&](ir::Graph&, auto v) {
      const Value keep = ir::or_(ir::compare(v[0], v[2], greatest ? ir::Direction::GT : ir::Direction::LT),
                                 ir::compare(v[0], v[0], ir::Direction::NE));
      const Value tie =
          ir::and_(ir::compare(v[0], v[2], ir::Direction::EQ), ir::compare(v[1], v[3], ir::Direction::LT));
      return std::vector{ir::select(keep, v[0], v[2]), ir::select(ir::or_(keep, tie), v[1], v[3])};
    });
    const std::vector xs{in[0], ir::iota(g, type.with(DType::i32), along)};
    const std::vector inits{ir::constant(g, a, greatest ? -infinity : infinity), ir::constant(g, b, 0)};
    return std::vector{ir::reduce(xs, inits, std::array{along}, body)[1]};
  });
}

TEST(FindExtremes, OfSpecialNumbersAreTheInterpreters) {
  const double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> values{0, -0.0, 1, -1, infinity, -infinity, nan};
  std::mt19937 random(3);
  for (const DType dtype : {DType::f32, DType::f64, DType::bf16}) {
    for (const std::int64_t length : {1, 2, 7, 16, 33}) {
      for (const std::int64_t along : {0, 1}) {
        const Type type = along == 1 ? Type(dtype, {40, length}) : Type(dtype, {length, 40});
        Array numbers(type.with(DType::f64));
        for (std::int64_t i = 0; i < numbers.size(); ++i) {
          const std::int64_t row = along == 1 ? i / length : i % 40;
          // Rows have few different values, among them rows without NaN and rows of one infinity alone.
          numbers.data<double>()[i] = values[row < 4 ? row + 2 : random() % (row % 2 == 0 ? 6 : 7)];
        }
        const auto narrow = ir::make_graph(std::array{numbers.type()}, [&](ir::Graph&, std::span<const Value> in) {
          return std::vector{ir::convert(in[0], dtype)};
        });
        const Array x = ir::interpret(*narrow, std::array{numbers})[0];
        for (const bool greatest : {false, true}) {
          const auto graph = place_of_extreme(type, along, greatest);
          const Array want = ir::interpret(*graph, std::array{x})[0];
          const Array got = test::run_compiled(*graph, std::array{x})[0];
          for (std::int64_t i = 0; i < want.size(); ++i)
            ASSERT_EQ(got.element(i), want.element(i)) << type << " along " << along << ", " << i;
        }
      }
    }
  }
}

}  // namespace
}  // namespace weft
