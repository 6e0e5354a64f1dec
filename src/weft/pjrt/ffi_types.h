// The element types of XLA's interface of foreign functions.
#pragma once

#include <weft/base/dtype.h>
#include <weft/pjrt/ffi_abi.h>

namespace weft::pjrt::ffi {

// Throws UnsupportedError if XLA has no number for it.
DataType data_type(DType dtype, bool is_complex = false);

}  // namespace weft::pjrt::ffi
