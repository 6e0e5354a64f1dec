// Each operation on bf16 rounds to the nearest bf16, for all numbers, infinities and NaNs.
#include <bit>
#include <cmath>
#include <cstdint>

#include <gtest/gtest.h>

#include <weft/ir/builder.h>
#include <weft/ir/interpreter.h>

#include "run.h"

namespace weft {
namespace {

using ir::Array;
using ir::Value;

// Returns the number of every pattern of 16 bits, each `step` patterns behind the one before.
Array all_numbers(std::uint32_t step) {
  Array x(Type(DType::bf16, {65536}));
  const auto to = x.data<bfloat16>();
  for (std::uint32_t i = 0; i < 65536; ++i) to[i] = std::bit_cast<bfloat16>(static_cast<std::uint16_t>(i * step));
  return x;
}

std::uint16_t bits_of(bfloat16 x) { return std::bit_cast<std::uint16_t>(x); }

TEST(BFloat16, EachOperationRoundsAllNumbers) {
  const Type type(DType::bf16, {65536});
  const auto graph = ir::make_graph(std::vector{type, type}, [&](ir::Graph&, std::span<const Value> in) {
    const Value x = in[0], y = in[1], product = x * y;
    // The later results compute with the earlier ones, which must not keep more bits than they are stored with.
    return std::vector{x + y,
                       x - y,
                       product,
                       x / y,
                       -x,
                       ir::abs(x),
                       ir::floor(x),
                       ir::maximum(x, y),
                       ir::minimum(x, y),
                       product + x,
                       product * y,
                       -product,
                       ir::abs(x - y),
                       (x + y) / product};
  });
  for (const std::uint32_t step : {1u, 257u, 40503u}) {
    const std::vector inputs{all_numbers(1), all_numbers(step)};
    const std::vector<Array> got = test::run_compiled(*graph, inputs), want = ir::interpret(*graph, inputs);
    for (std::size_t i = 0; i < want.size(); ++i)
      for (std::size_t k = 0, reported = 0; k < 65536 && reported < 3; ++k) {
        const bfloat16 a = got[i].data<bfloat16>()[k], b = want[i].data<bfloat16>()[k];
        const bool are_nan = std::isnan(static_cast<float>(a)) && std::isnan(static_cast<float>(b));
        if (are_nan || bits_of(a) == bits_of(b)) continue;
        ++reported;
        ADD_FAILURE() << "result " << i << " of " << bits_of(inputs[0].data<bfloat16>()[k]) << " and "
                      << bits_of(inputs[1].data<bfloat16>()[k]) << ": " << bits_of(a) << ", not " << bits_of(b);
      }
  }
}

}  // namespace
}  // namespace weft
