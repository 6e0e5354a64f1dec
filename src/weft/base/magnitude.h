// Numbers of bytes and the like, as users write them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace weft {

// Digits, and K, M or G behind them for 2^10, 2^20 and 2^30; nothing for other text and for more than 64 bits hold.
std::optional<std::int64_t> parse_magnitude(std::string_view text);

}  // namespace weft
