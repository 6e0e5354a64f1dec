// Element types, with StableHLO's names (f32, bf16, i32, ui8, i1).
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string_view>
#include <utility>

#include <weft/base/error.h>
#include <weft/base/half.h>
#include <weft/base/narrow.h>

namespace weft {

enum class DType : std::uint8_t {
  boolean,
  i8,
  i16,
  i32,
  i64,
  u8,
  u16,
  u32,
  u64,
  f16,
  bf16,
  f32,
  f64,
  // Narrow types (narrow.h): programs that are read may use them, and are interpreted or compiled (compiler/passes/widen_narrow_types.h); the
  // rest of weft rejects them by name.
  f4E2M1FN,
  f6E2M3FN,
  f6E3M2FN,
  f8E3M4,
  f8E4M3,
  f8E4M3B11FNUZ,
  f8E4M3FN,
  f8E4M3FNUZ,
  f8E5M2,
  f8E5M2FNUZ,
  f8E8M0FNU,
  i2,
  i4,
  u2,
  u4,
  token,  // has no elements: StableHLO's token, which orders effects
};
inline constexpr int dtype_count = 13;  // the number of dtypes that all of weft computes with

inline constexpr DType boolean = DType::boolean;
inline constexpr DType int8 = DType::i8, int16 = DType::i16, int32 = DType::i32, int64 = DType::i64;
inline constexpr DType uint8 = DType::u8, uint16 = DType::u16, uint32 = DType::u32, uint64 = DType::u64;
inline constexpr DType float32 = DType::f32, float64 = DType::f64;

constexpr bool is_narrow(DType t) { return t > DType::f64 && t < DType::token; }
constexpr bool is_float(DType t) { return t >= DType::f16 && t <= DType::f8E8M0FNU; }
constexpr bool is_signed_integer(DType t) {
  return (t >= DType::i8 && t <= DType::i64) || t == DType::i2 || t == DType::i4;
}
constexpr bool is_unsigned_integer(DType t) {
  return (t >= DType::u8 && t <= DType::u64) || t == DType::u2 || t == DType::u4;
}
constexpr bool is_integer(DType t) { return is_signed_integer(t) || is_unsigned_integer(t); }

// Returns the dtype whose rules a narrow one follows: an op that takes f16 takes narrow floats. Other dtypes are returned
// unchanged.
constexpr DType rule_dtype(DType t) {
  if (!is_narrow(t)) return t;
  return is_float(t) ? DType::f16 : is_signed_integer(t) ? DType::i8 : DType::u8;
}

// Returns the bytes of one element; a boolean is one byte that holds 0 or 1.
constexpr int byte_size(DType t) {
  constexpr std::uint8_t sizes[dtype_count] = {1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 2, 4, 8};
  if (t > DType::f64) return is_narrow(t) ? 1 : 0;
  return sizes[static_cast<int>(t)];
}

// Returns the significant bits of one element. Defined for integers and for floats that are not narrow.
constexpr int bit_width(DType t) {
  if (t == DType::i2 || t == DType::u2) return 2;
  if (t == DType::i4 || t == DType::u4) return 4;
  return 8 * byte_size(t);
}

std::string_view name(DType t);                           // "f32"
std::optional<DType> parse_dtype(std::string_view name);  // the inverse of name()
std::ostream& operator<<(std::ostream& out, DType t);

// Returns the type of `a op b` for operands of different types. It is symmetric, and associative except for u64 with a signed
// type and for f16 or bf16. Rules (JAX's lattice without weak types): boolean < integer < float; within a class the wider wins;
// unsigned with signed gives a signed type that holds both; u64 with signed gives f32; f16 with bf16 gives f32.
DType promote(DType a, DType b);

// Maps a DType to its C++ type, and back.
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
WEFT_DTYPE(f4E2M1FN, float4_e2m1fn)
WEFT_DTYPE(f6E2M3FN, float6_e2m3fn)
WEFT_DTYPE(f6E3M2FN, float6_e3m2fn)
WEFT_DTYPE(f8E3M4, float8_e3m4)
WEFT_DTYPE(f8E4M3, float8_e4m3)
WEFT_DTYPE(f8E4M3B11FNUZ, float8_e4m3b11fnuz)
WEFT_DTYPE(f8E4M3FN, float8_e4m3fn)
WEFT_DTYPE(f8E4M3FNUZ, float8_e4m3fnuz)
WEFT_DTYPE(f8E5M2, float8_e5m2)
WEFT_DTYPE(f8E5M2FNUZ, float8_e5m2fnuz)
WEFT_DTYPE(f8E8M0FNU, float8_e8m0fnu)
WEFT_DTYPE(i2, int2)
WEFT_DTYPE(i4, int4)
WEFT_DTYPE(u2, uint2)
WEFT_DTYPE(u4, uint4)
#undef WEFT_DTYPE
template <class T>
inline constexpr DType dtype_of = DTypeOf<T>::value;

// Calls f with a value of the C++ type of `t` (as a tag): visit(t, [&](auto tag) { using T = decltype(tag); ... }). visit takes
// the dtypes that all of weft computes with; visit_any takes narrow ones as well.
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
    default: break;
  }
  WEFT_ASSERT(false, "elements of ", name(t), " are not computed with here");
  __builtin_unreachable();
}

template <class F>
decltype(auto) visit_any(DType t, F&& f) {
  switch (t) {
    case DType::f4E2M1FN: return f(float4_e2m1fn{});
    case DType::f6E2M3FN: return f(float6_e2m3fn{});
    case DType::f6E3M2FN: return f(float6_e3m2fn{});
    case DType::f8E3M4: return f(float8_e3m4{});
    case DType::f8E4M3: return f(float8_e4m3{});
    case DType::f8E4M3B11FNUZ: return f(float8_e4m3b11fnuz{});
    case DType::f8E4M3FN: return f(float8_e4m3fn{});
    case DType::f8E4M3FNUZ: return f(float8_e4m3fnuz{});
    case DType::f8E5M2: return f(float8_e5m2{});
    case DType::f8E5M2FNUZ: return f(float8_e5m2fnuz{});
    case DType::f8E8M0FNU: return f(float8_e8m0fnu{});
    case DType::i2: return f(int2{});
    case DType::i4: return f(int4{});
    case DType::u2: return f(uint2{});
    case DType::u4: return f(uint4{});
    default: return visit(t, std::forward<F>(f));
  }
}

}  // namespace weft
