// Draws small letters, five columns wide and seven or eight rows high, into pictures.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include <weft/data/png.h>

namespace weft::captioner {

using Rgb = std::array<std::uint8_t, 3>;

inline constexpr std::int64_t letter_width = 6, line_height = 11;  // including the space between letters and lines

// Draws a line of text whose upper left corner is at (x, y). Lower-case letters, digits, < and > are drawn, other characters are
// blank; parts outside the picture are clipped.
void write_line(data::RgbImage& picture, std::int64_t x, std::int64_t y, std::string_view line, const Rgb& colour);

}  // namespace weft::captioner
