// Each operation on bf16 and f16 rounds to the nearest number, for all numbers, infinities and NaNs.
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

constexpr std::uint32_t patterns = 65536;

template <class T>
std::uint16_t bits_of(T x) {
  return std::bit_cast<std::uint16_t>(x);
}

// Returns the number of every pattern of 16 bits, each `step` patterns behind the one before.
template <class T>
Array all_numbers(DType dtype, std::uint32_t step) {
  Array x(Type(dtype, {patterns}));
  for (std::uint32_t i = 0; i < patterns; ++i) x.data<T>()[i] = std::bit_cast<T>(static_cast<std::uint16_t>(i * step));
  return x;
}

template <class T>
void expect_rounded(DType dtype) {
  const Type type(dtype, {patterns});
  const auto graph = ir::make_graph(std::vector{type, type}, [&](ir::Graph&, std::span<const Value> in) {
    const Value x = in[0], y = in[1], product = x * y;
    // The last results compute with others, which must not keep more bits than they are stored with.
    return std::vector{x + y,
                       x - y,
                       product,
                       x / y,
                       -x,
                       ir::abs(x),
                       ir::floor(x),
                       ir::ceil(x),
                       ir::maximum(x, y),
                       ir::minimum(x, y),
                       ir::remainder(x, y),
                       product + x,
                       product * y,
                       -product,
                       ir::abs(x - y),
                       (x + y) / product};
  });
  for (const std::uint32_t step : {1u, 257u, 40503u}) {
    const std::vector<Array> inputs{all_numbers<T>(dtype, 1), all_numbers<T>(dtype, step)};
    const std::span<const T> x = inputs[0].data<T>(), y = inputs[1].data<T>();
    const std::vector<Array> got = test::run_compiled(*graph, inputs), want = ir::interpret(*graph, inputs);
    for (std::size_t i = 0; i < want.size(); ++i)
      for (std::uint32_t k = 0, wrong = 0; k < patterns && wrong < 3; ++k) {
        const T a = got[i].data<T>()[k], b = want[i].data<T>()[k];
        const bool are_nan = std::isnan(static_cast<float>(a)) && std::isnan(static_cast<float>(b));
        if (are_nan || bits_of(a) == bits_of(b)) continue;
        ++wrong;
        ADD_FAILURE() << "result " << i << " of " << bits_of(x[k]) << " and " << bits_of(y[k]) << ": " << bits_of(a)
                      << ", not " << bits_of(b);
      }
  }
}

TEST(FloatsOf16Bits, EachOperationRoundsAllBFloat16) { expect_rounded<bfloat16>(DType::bf16); }
TEST(FloatsOf16Bits, EachOperationRoundsAllFloat16) { expect_rounded<float16>(DType::f16); }

}  // namespace
}  // namespace weft
