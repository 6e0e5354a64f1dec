#pragma once

#include <string>

#include <weft/base/error.h>

namespace weft {

// What the Error that a call throws says; empty if it throws none. Errors of other kinds than E pass.
template <class E = Error>
std::string error_of(const auto& call) {
  try {
    call();
  } catch (const E& error) {
    return error.what();
  }
  return {};
}

}  // namespace weft
