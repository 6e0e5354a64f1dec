// Numbers as files hold them.
#pragma once

#include <cstdint>
#include <string>

namespace weft::data {

// Returns the lowest `bytes` bytes of `value`, the lowest first.
inline std::string little_endian(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i, value >>= 8) text += static_cast<char>(value);
  return text;
}

}  // namespace weft::data
