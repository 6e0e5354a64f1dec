// Errors of functions that the user calls. They end with the place of the call.
#pragma once

#include <string>

#include <weft/base/error.h>

namespace weft::record {

// Throws Error "message (file:line in module)", with the place where this thread called the public function that is running;
// without the place if none is running.
[[noreturn]] void fail_call(const std::string& message);

template <class... Parts>
void require_call(bool condition, const char* function, const Parts&... parts) {
  if (!condition) [[unlikely]]
    fail_call(concat(function, ": ", parts...));
}

}  // namespace weft::record
