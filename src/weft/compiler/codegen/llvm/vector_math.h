// The C library's functions on vectors, which kernels call.
#pragma once

namespace weft::compiler {

// Null where there is none. It is never unloaded: LLVM's own handles are closed when the process exits, and launches that nobody
// waits for still run then.
void* vector_math_library();

}  // namespace weft::compiler
