// Defines the error that marks a sample as meaningless.
#pragma once

#include <weft/base/error.h>

namespace weft::jit {

// An operation rejected its operands while the function was recorded for other sizes, and the function caught the
// error. This is not an error of the caller, and the recording does not show what the function does for sizes that
// work. what() names the operation.
class CaughtRefusal final : public Error {
 public:
  using Error::Error;
};

}  // namespace weft::jit
