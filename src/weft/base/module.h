// Modules are libraries of weft that a process loads only when it needs what they are linked with, such as MPI and libcurl: to load
// libcurl with all that it needs takes as long as to load the rest of weft.
#pragma once

#include <string_view>

namespace weft {

// Returns a function with C linkage of the module libweft_NAME.so, which stays loaded; null if weft was built without the module. Throws
// Error if the module cannot be loaded. Thread-safe.
void* find_in_module(std::string_view name, const char* function);

}  // namespace weft
