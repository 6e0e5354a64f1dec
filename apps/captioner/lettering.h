// Small letters for pictures: five columns wide and seven or eight rows high.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include <weft/data/png.h>

namespace weft::captioner {

using Rgb = std::array<std::uint8_t, 3>;

inline constexpr std::int64_t letter_width = 6, line_height = 11;  // with the space between them

// Writes a line whose upper left corner is at (x, y). Small letters, digits, < and > are drawn, all else is left blank; what lies
// outside the picture is cut off.
void write_line(data::RgbImage& picture, std::int64_t x, std::int64_t y, std::string_view line, const Rgb& colour);

}  // namespace weft::captioner
