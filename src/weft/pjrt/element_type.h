// The element types of the plugin interface.
#pragma once

#include <pjrt_c_api.h>

#include <weft/base/dtype.h>

namespace weft::pjrt {

struct ElementType {
  PJRT_Buffer_Type type;
  DType dtype;  // of the parts, if it is complex
  bool is_complex = false;

  std::size_t bytes() const { return static_cast<std::size_t>(byte_size(dtype)) * (is_complex ? 2 : 1); }
};

// Throw UnsupportedError if weft has no such elements.
ElementType element_type(PJRT_Buffer_Type type);
ElementType element_type(DType dtype, bool is_complex);

}  // namespace weft::pjrt
