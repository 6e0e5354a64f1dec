// Says of a sample that it means nothing.
#pragma once

#include <weft/base/error.h>

namespace weft::jit {

// An operation refused what the function called it with for other sizes, and the function dealt with that itself. So it is no error
// of the caller, and what was recorded is not what the function does for sizes that work. what() names the operation.
class CaughtRefusal final : public Error {
 public:
  using Error::Error;
};

}  // namespace weft::jit
