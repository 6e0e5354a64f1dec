// Random arrays, and their comparison with what the interpreter computes, for tests.
#pragma once

#include <cmath>
#include <random>
#include <type_traits>

#include <gtest/gtest.h>

#include <weft/ir/array.h>

namespace weft::test {

// Small integers, booleans, or normally distributed floats.
inline ir::Array random_array(Type type, std::uint64_t seed) {
  std::mt19937_64 generator(seed);
  ir::Array array(type);
  visit(type.dtype(), [&](auto tag) {
    using T = decltype(tag);
    for (T& x : array.data<T>()) {
      if constexpr (std::is_integral_v<T>) {
        x = static_cast<T>(generator() % (std::is_same_v<T, bool> ? 2 : 7));
      } else {
        x = static_cast<T>(std::normal_distribution<double>()(generator));
      }
    }
  });
  return array;
}

inline double relative_bound(DType t) {
  return t == DType::f64 ? 1e-12 : t == DType::f32 ? 2e-5 : t == DType::bf16 ? 2e-2 : 3e-3;
}

// Compares floats within the bound of their type, relative to large elements and absolute for small ones, and all others exactly.
inline void expect_near(const ir::Array& got, const ir::Array& want) {
  ASSERT_EQ(got.type(), want.type());
  for (std::int64_t i = 0; i < got.size(); ++i) {
    const double a = got.element(i), b = want.element(i);
    if (std::isnan(b)) {
      ASSERT_TRUE(std::isnan(a)) << i;
    } else if (std::isinf(b)) {
      ASSERT_EQ(a, b) << i;
    } else {
      ASSERT_NEAR(a, b, is_float(got.dtype()) ? relative_bound(got.dtype()) * (1 + std::abs(b)) : 0)
          << got.type() << " at " << i;
    }
  }
}

}  // namespace weft::test
