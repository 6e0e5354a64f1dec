// The number of significant bits of an element: StableHLO's num_bits.
#pragma once

#include <weft/base/dtype.h>

namespace weft::ir {

constexpr int num_bits(DType t) {
  switch (t) {
    case DType::boolean: return 1;
    case DType::f4E2M1FN: return 4;
    case DType::f6E2M3FN:
    case DType::f6E3M2FN: return 6;
    default: return bit_width(t);
  }
}

// Returns whether equal bits of both dtypes are the same bytes in memory. In memory, integers narrower than a byte are
// sign-extended, and a boolean is a byte.
constexpr bool have_same_bytes(DType a, DType b) {
  const auto extends = [](DType t) { return t == DType::boolean || t == DType::i2 || t == DType::i4; };
  return a == b || (num_bits(a) == num_bits(b) && !extends(a) && !extends(b));
}

}  // namespace weft::ir
