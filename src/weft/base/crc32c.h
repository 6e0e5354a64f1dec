// CRC-32C, the checksum of Castagnoli's polynomial (RFC 3720).
#pragma once

#include <cstdint>
#include <string_view>

namespace weft {

std::uint32_t crc32c(std::string_view bytes);

}  // namespace weft
