// Element types, with StableHLO's names (f32, bf16, i32, ui8, i1).
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string_view>

#include <weft/base/error.h>
#include <weft/base/half.h>

namespace weft {

enum class DType : std::uint8_t { boolean, i8, i16, i32, i64, u8, u16, u32, u64, f16, bf16, f32, f64 };
inline constexpr int dtype_count = 13;

inline constexpr DType boolean = DType::boolean;
inline constexpr DType int8 = DType::i8, int16 = DType::i16, int32 = DType::i32, int64 = DType::i64;
inline constexpr DType uint8 = DType::u8, uint16 = DType::u16, uint32 = DType::u32, uint64 = DType::u64;
inline constexpr DType float32 = DType::f32, float64 = DType::f64;

constexpr bool is_float(DType t) { return t >= DType::f16; }
constexpr bool is_signed_integer(DType t) { return t >= DType::i8 && t <= DType::i64; }
constexpr bool is_unsigned_integer(DType t) { return t >= DType::u8 && t <= DType::u64; }
constexpr bool is_integer(DType t) { return t >= DType::i8 && t <= DType::u64; }

// Bytes of one element; a boolean is one byte holding 0 or 1.
constexpr int byte_size(DType t) {
  constexpr std::uint8_t sizes[dtype_count] = {1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 2, 4, 8};
  return sizes[static_cast<int>(t)];
}

std::string_view name(DType t);                           // "f32"
std::optional<DType> parse_dtype(std::string_view name);  // the inverse
std::ostream& operator<<(std::ostream& out, DType t);

// The type of `a op b` for operands of different types; symmetric, and associative but for u64 with a signed type and f16 or
// bf16. Rules (JAX's lattice without weak types): boolean < integer < float; within a class the wider wins; unsigned with signed
// gives a signed type that holds both; u64 with signed gives f32; f16 with bf16 gives f32.
DType promote(DType a, DType b);

// C++'s type for a DType and the other way round.
template <DType>
struct CppType;
template <class T>
struct DTypeOf;
#define WEFT_DTYPE(dtype, type)                  \
  template <>                                    \
  struct CppType<DType::dtype> {                 \
    using Type = type;                           \
  };                                             \
  template <>                                    \
  struct DTypeOf<type> {                         \
    static constexpr DType value = DType::dtype; \
  };
WEFT_DTYPE(boolean, bool)
WEFT_DTYPE(i8, std::int8_t)
WEFT_DTYPE(i16, std::int16_t)
WEFT_DTYPE(i32, std::int32_t)
WEFT_DTYPE(i64, std::int64_t)
WEFT_DTYPE(u8, std::uint8_t)
WEFT_DTYPE(u16, std::uint16_t)
WEFT_DTYPE(u32, std::uint32_t)
WEFT_DTYPE(u64, std::uint64_t)
WEFT_DTYPE(f16, float16)
WEFT_DTYPE(bf16, bfloat16)
WEFT_DTYPE(f32, float)
WEFT_DTYPE(f64, double)
#undef WEFT_DTYPE
template <class T>
inline constexpr DType dtype_of = DTypeOf<T>::value;

// Calls f with a value of the C++ type of `t` (as a tag): visit(t, [&](auto tag) { using T = decltype(tag); ... }).
template <class F>
decltype(auto) visit(DType t, F&& f) {
  switch (t) {
    case DType::boolean: return f(bool{});
    case DType::i8: return f(std::int8_t{});
    case DType::i16: return f(std::int16_t{});
    case DType::i32: return f(std::int32_t{});
    case DType::i64: return f(std::int64_t{});
    case DType::u8: return f(std::uint8_t{});
    case DType::u16: return f(std::uint16_t{});
    case DType::u32: return f(std::uint32_t{});
    case DType::u64: return f(std::uint64_t{});
    case DType::f16: return f(float16{});
    case DType::bf16: return f(bfloat16{});
    case DType::f32: return f(float{});
    case DType::f64: return f(double{});
  }
  WEFT_ASSERT(false, "unknown dtype");
  __builtin_unreachable();
}

}  // namespace weft
