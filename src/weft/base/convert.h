// Converts one element between element types, with StableHLO's meaning where it defines one and XLA's where it does not: float
// to integer rounds towards zero, saturates and maps NaN to 0; integers wrap; conversion to boolean is `!= 0`; conversion to
// float rounds once, to nearest with ties to even.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <weft/base/dtype.h>

namespace weft {

template <class T>
inline constexpr bool is_float_type = is_float(dtype_of<T>);

namespace detail {

// The double nearest towards zero, its last bit set if bits were lost: rounding it again to at most 51 bits gives what rounding
// the integer once would have given.
constexpr double to_double_sticky(std::uint64_t magnitude) {
  const int lost = std::bit_width(magnitude) - 53;
  if (lost <= 0) return static_cast<double>(magnitude);
  const std::uint64_t sticky = (magnitude & ((std::uint64_t{1} << lost) - 1)) != 0;
  return static_cast<double>(((magnitude >> lost) | sticky) << lost);
}

template <class To>
To float_to_integer(double value) {
  using Limits = std::numeric_limits<To>;
  constexpr double end = 2.0 * (std::uint64_t{1} << (Limits::digits - 1));  // 2^digits, exact
  if (std::isnan(value)) return 0;
  if (value >= end) return Limits::max();
  if (value <= static_cast<double>(Limits::min())) return Limits::min();
  return static_cast<To>(value);
}

template <class To, class From>
To integer_to_16(From value) {
  if constexpr (std::is_signed_v<From>) {
    const std::uint64_t bits = static_cast<std::int64_t>(value);
    return To(value < 0 ? -to_double_sticky(-bits) : to_double_sticky(bits));
  } else {
    return To(to_double_sticky(value));
  }
}

}  // namespace detail

template <class To, class From>
To convert_element(From value) {
  if constexpr (std::is_same_v<To, From>) {
    return value;
  } else if constexpr (is_narrow_int<From>) {
    return convert_element<To>(value.value);
  } else if constexpr (is_narrow_int<To>) {
    if constexpr (is_float_type<From>)
      return To(std::clamp(detail::float_to_integer<int>(static_cast<double>(value)), int{To::least}, int{To::most}));
    else
      return To(value);
  } else if constexpr (std::is_same_v<To, bool>) {
    return value != From{};
  } else if constexpr (!is_float_type<From>) {
    if constexpr (sizeof(To) <= 2 && is_float_type<To>)
      return detail::integer_to_16<To>(value);
    else
      return static_cast<To>(value);
  } else if constexpr (is_float_type<To>) {
    return static_cast<To>(static_cast<double>(value));
  } else {
    return detail::float_to_integer<To>(value);
  }
}

}  // namespace weft
