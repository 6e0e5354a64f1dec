#include <weft/base/triangular.h>

#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace weft {
namespace {

// Returns a symmetric matrix with positive eigenvalues, row by row.
std::vector<double> positive_matrix(std::int64_t size) {
  std::mt19937 generator(static_cast<unsigned>(size));
  std::uniform_real_distribution<double> number(-1, 1);
  std::vector<double> matrix(size * size);
  for (std::int64_t i = 0; i < size; ++i)
    for (std::int64_t j = 0; j <= i; ++j)
      matrix[i * size + j] = matrix[j * size + i] = i == j ? static_cast<double>(size) : number(generator);
  return matrix;
}

// Sizes around those of the blocks.
constexpr std::int64_t sizes[] = {1, 2, 7, 8, 9, 15, 16, 17, 33};

// The terms of each sum are subtracted in the order in which the unknowns are found, so the bits are known.
TEST(Triangular, SolvesInTheOrderOfTheUnknowns) {
  for (const std::int64_t size : sizes) {
    const std::vector<double> matrix = positive_matrix(size);
    for (const bool lower : {true, false})
      for (const bool unit : {true, false})
        for (const bool transposed : {true, false}) {
          SCOPED_TRACE(testing::Message() << size << lower << unit << transposed);
          const TriangularSystem system{.size = size,
                                        .row = transposed ? 1 : size,
                                        .column = transposed ? size : 1,
                                        .lower = lower,
                                        .unit_diagonal = unit};
          constexpr std::int64_t stride = 3;
          std::vector<double> x(size * stride, 5), expected(size);
          for (std::int64_t i = 0; i < size; ++i) x[i * stride] = static_cast<double>(i % 5) - 1.25;
          const auto element = [&](std::int64_t i, std::int64_t j) {
            return matrix[i * system.row + j * system.column];
          };
          for (std::int64_t step = 0; step < size; ++step) {
            const std::int64_t i = lower ? step : size - 1 - step;
            double sum = x[i * stride];
            for (std::int64_t found = 0; found < step; ++found) {
              const std::int64_t j = lower ? found : size - 1 - found;
              sum -= element(i, j) * expected[j];
            }
            expected[i] = unit ? sum : sum / element(i, i);
          }
          system.solve(matrix.data(), x.data(), stride);
          for (std::int64_t i = 0; i < size; ++i) {
            EXPECT_EQ(x[i * stride], expected[i]) << i;
            for (std::int64_t other = 1; other < stride; ++other) EXPECT_EQ(x[i * stride + other], 5);
          }
        }
  }
}

TEST(Triangular, FactorsInTheOrderOfTheColumns) {
  for (const std::int64_t size : sizes) {
    SCOPED_TRACE(size);
    const std::vector<double> matrix = positive_matrix(size);
    std::vector<double> expected(size * size), lower(size * size, 5), upper(size * size, 5);
    for (std::int64_t i = 0; i < size; ++i)
      for (std::int64_t j = 0; j <= i; ++j) {
        double sum = matrix[i * size + j];
        for (std::int64_t k = 0; k < j; ++k) sum -= expected[i * size + k] * expected[j * size + k];
        expected[i * size + j] = i == j ? std::sqrt(sum) : sum / expected[j * size + j];
      }
    cholesky_factor(matrix.data(), lower.data(), size, true);
    cholesky_factor(matrix.data(), upper.data(), size, false);
    for (std::int64_t i = 0; i < size; ++i)
      for (std::int64_t j = 0; j < size; ++j) {
        EXPECT_EQ(lower[i * size + j], expected[i * size + j]) << i << ' ' << j;
        EXPECT_EQ(upper[j * size + i], expected[i * size + j]) << i << ' ' << j;
      }
  }
}

// A row that makes the matrix indefinite leaves the rows above it as they are.
TEST(Triangular, FactorIsNaNWhereTheMatrixIsNotPositive) {
  constexpr std::int64_t size = 20, bad = 17;
  std::vector<double> matrix = positive_matrix(size), factor(size * size);
  matrix[bad * size + bad] = -1;
  cholesky_factor(matrix.data(), factor.data(), size, true);
  for (std::int64_t i = 0; i < size; ++i)
    for (std::int64_t j = 0; j <= i; ++j)
      EXPECT_EQ(std::isnan(factor[i * size + j]), i >= bad && j >= bad) << i << ' ' << j;
}

}  // namespace
}  // namespace weft
