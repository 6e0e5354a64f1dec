// Versions of StableHLO. A program that is written for a version is readable by every later one for years.
#pragma once

#include <charconv>
#include <compare>
#include <optional>
#include <ostream>
#include <string_view>

namespace weft::ir {

struct StablehloVersion {
  int major = 0, minor = 0;

  friend auto operator<=>(const StablehloVersion&, const StablehloVersion&) = default;
  friend std::ostream& operator<<(std::ostream& out, const StablehloVersion& version) {
    return out << version.major << '.' << version.minor;
  }
};

// The versions that are read and written. A newer one may have operations and attributes that nobody here has seen.
inline constexpr StablehloVersion oldest_stablehlo{0, 9}, newest_stablehlo{1, 20};

// Reads 1.10 or 1.10.0; the third number changes nothing. Returns nullopt for another text.
inline std::optional<StablehloVersion> parse_stablehlo_version(std::string_view text) {
  const char *at = text.data(), *const end = text.data() + text.size();
  int numbers[3] = {};
  for (int& number : numbers) {
    const auto [after, wrong] = std::from_chars(at, end, number);
    if (wrong != std::errc() || number < 0) return std::nullopt;
    at = after;
    if (at == end && &number != numbers) return StablehloVersion{numbers[0], numbers[1]};
    if (at == end || *at++ != '.') return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace weft::ir
