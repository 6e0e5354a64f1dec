#include <weft/pjrt/ffi_types.h>

#include <algorithm>
#include <iterator>

#include <weft/base/error.h>

namespace weft::pjrt::ffi {

namespace {

struct Known {
  DType dtype;
  DataType real;
};
constexpr Known known[] = {
    {DType::boolean, DataType::boolean},
    {DType::i8, DataType::s8},
    {DType::i16, DataType::s16},
    {DType::i32, DataType::s32},
    {DType::i64, DataType::s64},
    {DType::u8, DataType::u8},
    {DType::u16, DataType::u16},
    {DType::u32, DataType::u32},
    {DType::u64, DataType::u64},
    {DType::f16, DataType::f16},
    {DType::f32, DataType::f32},
    {DType::f64, DataType::f64},
    {DType::bf16, DataType::bf16},
    {DType::token, DataType::token},
    // each takes a byte
    {DType::i2, DataType::s2},
    {DType::i4, DataType::s4},
    {DType::u2, DataType::u2},
    {DType::u4, DataType::u4},
    {DType::f4E2M1FN, DataType::f4E2M1FN},
    {DType::f8E3M4, DataType::f8E3M4},
    {DType::f8E4M3, DataType::f8E4M3},
    {DType::f8E4M3B11FNUZ, DataType::f8E4M3B11FNUZ},
    {DType::f8E4M3FN, DataType::f8E4M3FN},
    {DType::f8E4M3FNUZ, DataType::f8E4M3FNUZ},
    {DType::f8E5M2, DataType::f8E5M2},
    {DType::f8E5M2FNUZ, DataType::f8E5M2FNUZ},
    {DType::f8E8M0FNU, DataType::f8E8M0FNU},
};

}  // namespace

DataType data_type(DType dtype, bool is_complex) {
  if (is_complex) return dtype == DType::f64 ? DataType::c128 : DataType::c64;
  const auto* const found = std::ranges::find(known, dtype, &Known::dtype);
  if (found == std::end(known))
    throw UnsupportedError(concat("foreign functions get no arrays of ", dtype), concat(dtype));
  return found->real;
}

}  // namespace weft::pjrt::ffi
