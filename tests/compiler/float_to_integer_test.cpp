// Floats become the nearest integers in range, and NaN becomes 0, in whole vectors and at their ends.
#include <limits>

#include <gtest/gtest.h>

#include <weft/ir/builder.h>
#include <weft/ir/interpreter.h>

#include "run.h"

namespace weft {
namespace {

using ir::Array;
using ir::Graph;
using ir::Value;

const double edges[] = {0,
                        -0.0,
                        0.5,
                        -0.5,
                        1.9,
                        -1.9,
                        127,
                        127.5,
                        128,
                        -128,
                        -129,
                        255,
                        256,
                        -1,
                        32767,
                        32768,
                        -32769,
                        65535,
                        65536,
                        2147483520,
                        2147483647,
                        2147483648,
                        2147483904,
                        -2147483648.0,
                        -2147483904.0,
                        4294967040,
                        4294967295,
                        4294967296,
                        1e10,
                        -1e10,
                        9.3e18,
                        1e300,
                        std::numeric_limits<double>::infinity(),
                        -std::numeric_limits<double>::infinity(),
                        std::numeric_limits<double>::quiet_NaN()};

TEST(FloatToInteger, IsExactAtTheEdgesOfTheRange) {
  for (const DType from : {DType::f16, DType::bf16, DType::f32, DType::f64})
    for (const DType to :
         {DType::i8, DType::u8, DType::i16, DType::u16, DType::i32, DType::u32, DType::i64, DType::u64}) {
      const Type type(from, {static_cast<std::int64_t>(std::size(edges))});
      Array x(type);
      visit(from, [&]<class T>(T) {
        if constexpr (is_float_type<T>)
          for (std::size_t i = 0; i < std::size(edges); ++i) x.data<T>()[i] = static_cast<T>(edges[i]);
      });
      const auto graph = ir::make_graph(
          std::vector{type}, [&](Graph&, std::span<const Value> in) { return std::vector{ir::convert(in[0], to)}; });
      const std::vector inputs{x};
      EXPECT_EQ(test::run_compiled(*graph, inputs), ir::interpret(*graph, inputs)) << from << " to " << to;
    }
}

}  // namespace
}  // namespace weft
