// Samples in the format of Criteo's click logs: a line for each sample, with fields between tabs: the label (1 for a
// click), 13 whole numbers, and 26 ids of up to 8 hexadecimal digits. Numbers and ids may be missing: an empty field.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace weft::ranking {

struct CriteoSample {
  static constexpr std::size_t number_count = 13, id_count = 26;

  bool clicked = false;
  std::array<std::optional<std::int32_t>, number_count> numbers = {};
  std::array<std::optional<std::uint32_t>, id_count> ids = {};

  friend bool operator==(const CriteoSample&, const CriteoSample&) = default;
};

// Parses a line without its newline. Returns what is wrong with it, naming the field; empty if nothing is.
std::string parse_sample(std::string_view line, CriteoSample& sample);

// Appends the line with its newline.
void print_sample(const CriteoSample& sample, std::string& text);

}  // namespace weft::ranking
