// Fourier transforms by the CPU's kernel agree with their decomposition, which the interpreter runs in f64.
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include <weft/ir/interpreter.h>
#include <weft/ir/legalize/fft.h>
#include <weft/ir/ops.h>

#include "run.h"

namespace weft {
namespace {

using ir::Array;
using ir::Value;
using ir::legalize::FftType;

// Returns the greatest difference, as a part of the greatest element.
double relative_error(const Array& got, const Array& want) {
  double error = 0, greatest = 0;
  for (std::int64_t i = 0; i < want.size(); ++i) {
    error = std::max(error, std::abs(got.element(i) - want.element(i)));
    greatest = std::max(greatest, std::abs(want.element(i)));
  }
  return greatest == 0 ? error : error / greatest;
}

void check(DType dtype, std::int64_t rows, std::int64_t n, FftType type) {
  const bool is_real = type == FftType::RFFT;
  const Type given(DType::f32, {rows, n});
  const auto graph = ir::make_graph(std::array{given, given}, [&](ir::Graph&, std::span<const Value> in) {
    ir::legalize::WrittenValue x{ir::convert(in[0], dtype), is_real ? Value() : ir::convert(in[1], dtype)};
    const std::array lengths{n};
    const auto y = ir::legalize::fft(x, type, lengths);
    return std::vector{y.re, y.im};
  });
  const std::vector<Array> inputs = test::normal_inputs(*graph);
  const auto want = ir::interpret(*graph, inputs), got = test::run_compiled(*graph, inputs);
  for (std::size_t i = 0; i < want.size(); ++i)
    EXPECT_LT(relative_error(got[i], want[i]), dtype == DType::f32 ? 2e-6 : 1e-13)
        << dtype << " " << rows << " x " << n << ", output " << i;
}

TEST(FftThunk, OfEveryRadix) {
  for (std::int64_t n = 2; n <= 34; ++n) check(DType::f32, 3, n, FftType::FFT);
}

TEST(FftThunk, OfManyRowsAndOfRowsThatAreSplit) {
  for (const std::int64_t rows : {1, 16, 17})
    for (const std::int64_t n : {120, 256, 272, 1000, 1024}) check(DType::f32, rows, n, FftType::FFT);
}

TEST(FftThunk, OfLargePrimeFactors) {
  for (const std::int64_t n : {127, 254, 509}) check(DType::f32, 18, n, FftType::IFFT);
}

TEST(FftThunk, OfDoublesRealNumbersAndBackwards) {
  for (const std::int64_t n : {12, 101, 512})
    for (const FftType type : {FftType::FFT, FftType::IFFT, FftType::RFFT}) check(DType::f64, 5, n, type);
}

}  // namespace
}  // namespace weft
