// The orders of elements in memory, of which weft has one: row-major. JAX learns it through an extension of the plugin interface, whose structs
// are part of the interface (XLA's pjrt_c_api_layouts_extension.h, version 4).
#pragma once

#include <cstddef>
#include <cstdint>
#include <pjrt_c_api.h>
#include <string>
#include <vector>

#include <weft/ir/annotations.h>
#include <weft/pjrt/buffer.h>

struct PJRT_Layouts_MemoryLayout {
  std::vector<std::int64_t> minor_to_major;  // the dimensions, the one whose elements lie side by side first
  std::string text;                          // as XLA writes it: {1,0}
};

namespace weft::pjrt {

// Returns the row-major order of an array of this rank, which lives as long as the process.
PJRT_Layouts_MemoryLayout* row_major_layout(std::size_t rank);

// Throws UnsupportedError if an argument or a result asks for another order (mhlo.layout_mode).
void require_row_major(const ir::FunctionAnnotations& function);

void run(PJRT_Buffer_GetMemoryLayout_Args& args);

// Returns the extension, which is followed by `next`.
PJRT_Extension_Base* layouts_extension(PJRT_Extension_Base* next);

}  // namespace weft::pjrt
