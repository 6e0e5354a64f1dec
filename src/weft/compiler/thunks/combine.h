// Bodies of two elements that are one operation: what scatter, reduce_window and select_and_scatter fold with.
#pragma once

#include <cmath>
#include <optional>
#include <type_traits>
#include <utility>

#include <weft/base/convert.h>
#include <weft/ir/builder.h>
#include <weft/ir/ops.h>

namespace weft::compiler {

enum class Combine : std::uint8_t { replace, add, multiply, minimum, maximum, bit_and, bit_or };

// Empty if the body is none of them.
inline std::optional<Combine> combine_of(const ir::Graph& body) {
  if (body.outputs().size() == 1 && body.inputs().size() == 2 && body.outputs()[0] == body.inputs()[1])
    return Combine::replace;
  constexpr std::pair<const ir::Op*, Combine> table[] = {
      {&ir::ops::add, Combine::add},         {&ir::ops::multiply, Combine::multiply},
      {&ir::ops::minimum, Combine::minimum}, {&ir::ops::maximum, Combine::maximum},
      {&ir::ops::and_, Combine::bit_and},    {&ir::ops::or_, Combine::bit_or}};
  const ir::Op* op = ir::reduction_op(body);
  for (const auto& [known, how] : table)
    if (op == known) return how;
  return std::nullopt;
}

// As Prim::minimum and Prim::maximum: NaN if either is, and -0 before 0.
template <class T>
T minimum_of(T a, T b) {
  if constexpr (is_float_type<T>) return a != a || (a == b ? std::signbit(a) : a < b) ? a : b;
  return a < b ? a : b;
}
template <class T>
T maximum_of(T a, T b) {
  if constexpr (is_float_type<T>) return a != a || (a == b ? std::signbit(b) : a > b) ? a : b;
  return a > b ? a : b;
}

template <class T>
T combined(Combine how, T a, T b) {
  constexpr bool boolean_type = std::is_same_v<T, bool>;
  switch (how) {
    case Combine::replace: return b;
    case Combine::add:
      if constexpr (boolean_type)
        return a || b;
      else if constexpr (std::is_integral_v<T>)
        return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));  // wraps
      else
        return static_cast<T>(a + b);
    case Combine::multiply:
      if constexpr (boolean_type)
        return a && b;
      else if constexpr (std::is_integral_v<T>)
        return static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
      else
        return static_cast<T>(a * b);
    case Combine::minimum: return minimum_of(a, b);
    case Combine::maximum: return maximum_of(a, b);
    case Combine::bit_and:
    case Combine::bit_or:
      if constexpr (std::is_integral_v<T>) return static_cast<T>(how == Combine::bit_and ? a & b : a | b);
  }
  return b;
}

}  // namespace weft::compiler
