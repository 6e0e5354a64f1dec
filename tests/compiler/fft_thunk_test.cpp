// Fourier transforms by the CPU's kernel agree with their decomposition, which the interpreter runs in f64.
#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <weft/ir/autodiff.h>
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

// The shape is that of the numbers in time: in a transform back to real numbers, the last dimension of the operand is shorter.
void check(DType dtype, const std::vector<std::int64_t>& shape, std::span<const std::int64_t> lengths, FftType type,
           const compiler::Options& options = {}) {
  const bool is_real = type == FftType::RFFT;
  std::vector<Dim> dims(shape.begin(), shape.end());
  if (type == FftType::IRFFT) dims.back() = shape.back() / 2 + 1;
  const Type given(DType::f32, dims);
  const auto graph = ir::make_graph(std::array{given, given}, [&](ir::Graph&, std::span<const Value> in) {
    ir::legalize::WrittenValue x{ir::convert(in[0], dtype), is_real ? Value() : ir::convert(in[1], dtype)};
    const auto y = ir::legalize::fft(x, type, lengths);
    return y.is_complex() ? std::vector{y.re, y.im} : std::vector{y.re};
  });
  const std::vector<Array> inputs = test::normal_inputs(*graph);
  const auto want = ir::interpret(*graph, inputs), got = test::run_compiled(*graph, inputs, options);
  for (std::size_t i = 0; i < want.size(); ++i)
    EXPECT_LT(relative_error(got[i], want[i]), dtype == DType::f32 ? 2e-6 : 1e-13)
        << dtype << " " << given << ", output " << i;
}

void check(DType dtype, std::int64_t rows, std::int64_t n, FftType type) {
  check(dtype, {rows, n}, std::array{n}, type);
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

TEST(FftThunk, OfRealNumbersAsPairs) {
  for (const FftType type : {FftType::RFFT, FftType::IRFFT}) {
    for (std::int64_t n = 3; n <= 36; ++n) check(DType::f32, 17, n, type);
    for (const std::int64_t n : {64, 100, 512, 1000, 1022, 1024})
      for (const std::int64_t rows : {1, 3, 16}) check(DType::f32, rows, n, type);
    for (const std::int64_t n : {12, 34, 202, 1024}) check(DType::f64, 5, n, type);
  }
}

TEST(FftThunk, EndsOfRealSpectraAreReal) {
  for (const std::int64_t n : {2, 4, 8, 30, 512}) {
    const auto graph = ir::make_graph(std::array{Type(DType::f32, {3, n})}, [&](ir::Graph&, std::span<const Value> in) {
      return std::vector{ir::legalize::fft({in[0]}, FftType::RFFT, std::array{n}).im};
    });
    const Array im = test::run_compiled(*graph, test::normal_inputs(*graph))[0];
    for (std::int64_t row = 0; row < 3; ++row) {
      EXPECT_EQ(im.element(row * (n / 2 + 1)), 0) << n;
      EXPECT_EQ(im.element(row * (n / 2 + 1) + n / 2), 0) << n;
    }
  }
}

TEST(FftThunk, OfColumns) {
  for (const FftType type : {FftType::FFT, FftType::IFFT, FftType::RFFT, FftType::IRFFT})
    for (const auto& [n, inner] :
         {std::pair<std::int64_t, std::int64_t>{4, 8}, {30, 6}, {64, 66}, {34, 40}, {9, 2}, {128, 130}, {13, 17}}) {
      check(DType::f32, {2, n, inner}, std::array{n, inner}, type);
      check(DType::f64, {3, n, 2, inner}, std::array{n, std::int64_t{2}, inner}, type);
    }
}

// Few kernels, since code for wider vectors than the machine has takes long to compile.
TEST(FftThunk, OfVectorsOfSeveralWidths) {
  for (const int lanes : {4, 8, 16}) {
    const compiler::Target target = test::host_with_lanes(lanes);
    const compiler::Options options{.target = &target}, strict{.target = &target, .strict = true};
    for (const FftType type : {FftType::RFFT, FftType::IRFFT})
      check(DType::f32, {2, 542}, std::array{542L}, type, options);
    check(DType::f32, {8, 22}, std::array{8L, 22L}, FftType::IRFFT, strict);
  }
}

TEST(FftThunk, OneForEachDimension) {
  const auto thunks = [](FftType type, std::vector<std::int64_t> lengths) {
    const Type given(DType::f32, {lengths[0], type == FftType::IRFFT ? lengths[1] / 2 + 1 : lengths[1]});
    const auto graph = ir::make_graph(std::array{given, given}, [&](ir::Graph&, std::span<const Value> in) {
      const Value im = type == FftType::RFFT ? Value() : in[1];
      const auto y = ir::legalize::fft({in[0], im}, type, lengths);
      return y.is_complex() ? std::vector{y.re, y.im} : std::vector{y.re};
    });
    compiler::Report report;
    compiler::compile(*graph, {}, &report);
    return report.thunks;
  };
  EXPECT_EQ(thunks(FftType::FFT, {64, 32}), 2);
  EXPECT_EQ(thunks(FftType::RFFT, {64, 32}), 2);
  EXPECT_EQ(thunks(FftType::IRFFT, {64, 32}), 3);  // and the division
}

TEST(FftThunk, GradientsAreTransforms) {
  const Type part(DType::f32, {4, 8, 16});
  const auto graph = ir::make_graph(std::array{part, part, part, part}, [&](ir::Graph& g, std::span<const Value> in) {
    const auto y = ir::legalize::fft({in[0], in[1]}, FftType::FFT, std::array<std::int64_t, 2>{8, 16});
    return ir::gradient(g, std::array{y.re, y.im}, in.last(2), in.first(2));
  });
  compiler::Report report;
  compiler::compile(*graph, {}, &report);
  EXPECT_EQ(report.thunks, 2);
}

}  // namespace
}  // namespace weft
