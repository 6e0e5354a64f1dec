#include <weft/base/magnitude.h>

#include <charconv>

#include <system_error>

namespace weft {

std::optional<std::int64_t> parse_magnitude(std::string_view text) {
  std::int64_t value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || value < 0) return std::nullopt;
  const std::string_view suffix(rest, static_cast<std::size_t>(text.data() + text.size() - rest));
  if (suffix.empty()) return value;
  const auto power = std::string_view("KMGkmg").find(suffix[0]);
  if (suffix.size() != 1 || power == std::string_view::npos) return std::nullopt;
  if (__builtin_mul_overflow(value, std::int64_t{1} << (10 * (power % 3 + 1)), &value)) return std::nullopt;
  return value;
}

}  // namespace weft
