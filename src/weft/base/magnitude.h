// Parses numbers of bytes and the like as users write them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace weft {

// Parses digits, followed by K, M or G, or k, m or g, for a factor of 2^10, 2^20 or 2^30. Returns nullopt for other text and for numbers
// beyond 64 bits.
std::optional<std::int64_t> parse_magnitude(std::string_view text);

}  // namespace weft
