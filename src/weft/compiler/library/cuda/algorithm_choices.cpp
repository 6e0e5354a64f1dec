#include <weft/compiler/library/cuda/algorithm_choices.h>

#include <array>
#include <charconv>
#include <cstring>
#include <string_view>

#include <weft/base/error.h>

namespace weft::compiler {

namespace {

constexpr std::string_view before_place = "proposal ", before_digits = ", ";

using Words = std::array<std::uint64_t, 9>;  // the algorithm and the size of its workspace
constexpr std::size_t digits_of_word = 16;

}  // namespace

std::string text_of(const GpuAlgorithm& algorithm) {
  Words words{};
  std::memcpy(words.data(), algorithm.algorithm.data, sizeof algorithm.algorithm.data);
  words.back() = algorithm.workspace_bytes;
  std::string text = concat(before_place, algorithm.place, before_digits);
  for (const std::uint64_t word : words)
    for (int shift = 60; shift >= 0; shift -= 4) text += "0123456789abcdef"[word >> shift & 15];
  return text;
}

std::optional<GpuAlgorithm> parse_algorithm(const std::string& text) {
  if (!text.starts_with(before_place)) return std::nullopt;
  const char* const end = text.data() + text.size();
  GpuAlgorithm result;
  const auto place = std::from_chars(text.data() + before_place.size(), end, result.place);
  std::string_view rest(place.ptr, end);
  if (place.ec != std::errc() || !rest.starts_with(before_digits)) return std::nullopt;
  rest.remove_prefix(before_digits.size());
  Words words{};
  if (rest.size() != words.size() * digits_of_word) return std::nullopt;
  for (std::uint64_t& word : words) {
    const char* const to = rest.data() + digits_of_word;
    const auto read = std::from_chars(rest.data(), to, word, 16);
    if (read.ec != std::errc() || read.ptr != to) return std::nullopt;
    rest.remove_prefix(digits_of_word);
  }
  std::memcpy(result.algorithm.data, words.data(), sizeof result.algorithm.data);
  result.workspace_bytes = words.back();
  return result;
}

}  // namespace weft::compiler
