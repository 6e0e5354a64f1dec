#include <weft/pjrt/element_type.h>

#include <algorithm>
#include <iterator>

#include <weft/base/error.h>

namespace weft::pjrt {

namespace {

constexpr ElementType element_types[] = {
    {PJRT_Buffer_Type_PRED, DType::boolean},
    {PJRT_Buffer_Type_S8, DType::i8},
    {PJRT_Buffer_Type_S16, DType::i16},
    {PJRT_Buffer_Type_S32, DType::i32},
    {PJRT_Buffer_Type_S64, DType::i64},
    {PJRT_Buffer_Type_U8, DType::u8},
    {PJRT_Buffer_Type_U16, DType::u16},
    {PJRT_Buffer_Type_U32, DType::u32},
    {PJRT_Buffer_Type_U64, DType::u64},
    {PJRT_Buffer_Type_F16, DType::f16},
    {PJRT_Buffer_Type_F32, DType::f32},
    {PJRT_Buffer_Type_F64, DType::f64},
    {PJRT_Buffer_Type_BF16, DType::bf16},
    {PJRT_Buffer_Type_C64, DType::f32, true},
    {PJRT_Buffer_Type_C128, DType::f64, true},
    {PJRT_Buffer_Type_TOKEN, DType::token},
    {PJRT_Buffer_Type_S2, DType::i2},
    {PJRT_Buffer_Type_S4, DType::i4},
    {PJRT_Buffer_Type_U2, DType::u2},
    {PJRT_Buffer_Type_U4, DType::u4},
    {PJRT_Buffer_Type_F4E2M1FN, DType::f4E2M1FN},
    {PJRT_Buffer_Type_F8E3M4, DType::f8E3M4},
    {PJRT_Buffer_Type_F8E4M3, DType::f8E4M3},
    {PJRT_Buffer_Type_F8E4M3B11FNUZ, DType::f8E4M3B11FNUZ},
    {PJRT_Buffer_Type_F8E4M3FN, DType::f8E4M3FN},
    {PJRT_Buffer_Type_F8E4M3FNUZ, DType::f8E4M3FNUZ},
    {PJRT_Buffer_Type_F8E5M2, DType::f8E5M2},
    {PJRT_Buffer_Type_F8E5M2FNUZ, DType::f8E5M2FNUZ},
    {PJRT_Buffer_Type_F8E8M0FNU, DType::f8E8M0FNU},
};

}  // namespace

ElementType element_type(PJRT_Buffer_Type type) {
  const auto* const found = std::ranges::find(element_types, type, &ElementType::type);
  if (found == std::end(element_types))
    throw UnsupportedError(
        concat("arrays of the plugin interface's element type ", static_cast<int>(type), " are not supported"),
        "element type");
  return *found;
}

ElementType element_type(DType dtype, bool is_complex) {
  const auto* const found = std::ranges::find_if(
      element_types, [&](const ElementType& e) { return e.dtype == dtype && e.is_complex == is_complex; });
  if (found == std::end(element_types))
    throw UnsupportedError(concat("arrays of ", dtype, " are not supported"), concat(dtype));
  return *found;
}

}  // namespace weft::pjrt
