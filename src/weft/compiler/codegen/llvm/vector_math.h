// The C library's vector functions, which kernels call.
#pragma once

namespace weft::compiler {

// Returns the handle of the library, null if there is none. It is never unloaded: LLVM closes its own handles when the process exits, and
// launches that nobody waits for may still be running then.
void* vector_math_library();

}  // namespace weft::compiler
