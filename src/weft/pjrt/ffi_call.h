// Calls of foreign functions, which become host functions of weft.
#pragma once

#include <string>

#include <weft/pjrt/ffi_abi.h>

namespace weft::pjrt::ffi {

// Lets programs call the function by this name, from now on. The last function that is registered under a name counts. Thread-safe.
void register_handler(const std::string& name, Handler* handler);

}  // namespace weft::pjrt::ffi
