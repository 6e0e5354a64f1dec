// Shared by the tests of tensors.
#pragma once

#include <cmath>
#include <functional>
#include <limits>
#include <source_location>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <weft/weft.h>

namespace weft::test {

using Doubles = std::vector<double>;

inline void expect_values(const Tensor& x, const Shape& shape, const Doubles& expected, double tolerance = 0) {
  EXPECT_EQ(x.shape(), shape);
  const Doubles got = x.to_vector<double>();
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (std::isnan(expected[i])) {
      EXPECT_TRUE(std::isnan(got[i])) << "element " << i << " is " << got[i];
    } else if (tolerance == 0 || std::isinf(expected[i])) {
      EXPECT_EQ(got[i], expected[i]) << "element " << i;
    } else {
      EXPECT_NEAR(got[i], expected[i], tolerance) << "element " << i;
    }
  }
}

// Runs `call`, which must throw Error with exactly this message, followed only by a place in the test's own file.
template <class F>
void expect_error(F&& call, const std::string& message, std::source_location where = std::source_location::current()) {
  try {
    call();
    ADD_FAILURE() << "no error, expected: " << message;
  } catch (const Error& error) {
    std::string said = error.what();
    if (const std::size_t place = said.rfind(concat(" (", where.file_name(), ':'));
        place != std::string::npos && said.ends_with(')'))
      said.resize(place);
    EXPECT_EQ(said, message);
  }
}

// Makes another device the current one during its lifetime.
class OnDevice {
 public:
  explicit OnDevice(runtime::Device& device) : before_(weft::device()) { set_device(device); }
  ~OnDevice() { set_device(before_); }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

 private:
  runtime::Device& before_;
};

// The error for adding to a tensor whose recording no longer exists.
inline const std::string no_elements =
    "add: an operand was recorded in a loop body, branch or thread that has ended, or by a compiled function that was "
    "tried with other sizes: it has no elements; return it from there";

inline constexpr double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();

// Returns 0 1 2 / 3 4 5.
inline const Tensor& matrix() {
  static const Tensor x = from_vector<float>({0, 1, 2, 3, 4, 5}, {2, 3});
  return x;
}

// Returns pseudorandom numbers in (-1, 1) that depend on the seed.
inline Tensor arbitrary(const Shape& shape, int seed = 0) {
  Doubles values(static_cast<std::size_t>(Type(DType::f64, shape).elements()));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::sin(12.9898 * (i + 1) + 78.233 * (seed + 1));
  return from_vector(values, shape);
}

// Compares the gradient of sum(f(xs) * arbitrary weights) with respect to every element of every x (f64) with central
// differences.
inline void expect_gradient(const std::function<Tensor(const std::vector<Tensor>&)>& f, std::vector<Tensor> xs,
                            double tolerance = 1e-6) {
  const auto loss = [&](const std::vector<Tensor>& at) {
    const Tensor y = f(at);
    return sum(y * arbitrary(y.shape(), 99));
  };
  const std::vector<Tensor> gradients = grad(loss(xs), xs);
  sync();
  constexpr double h = 1e-5;
  for (std::size_t k = 0; k < xs.size(); ++k) {
    const Doubles values = xs[k].to_vector<double>(), gradient = gradients[k].to_vector<double>();
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto at = [&](double step) {
        Doubles moved = values;
        moved[i] += step;
        std::vector<Tensor> inputs = xs;
        inputs[k] = from_vector(moved, xs[k].shape());
        return loss(inputs).item();
      };
      EXPECT_NEAR(gradient[i], (at(h) - at(-h)) / (2 * h), tolerance) << "element " << i << " of operand " << k;
    }
  }
}

}  // namespace weft::test
