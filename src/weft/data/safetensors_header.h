// The JSON header of a safetensors file, read as a stream: no more memory than the entries themselves, whatever the text.
// For safetensors.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <weft/data/safetensors.h>

namespace weft::data {

inline constexpr std::uint64_t max_header_bytes = 100'000'000;

struct HeaderEntry {
  std::string name, dtype;
  std::vector<std::uint64_t> shape;
  std::uint64_t begin = 0, end = 0;  // data_offsets
};

struct Header {
  std::vector<HeaderEntry> entries;  // in the order of the text; names differ
  Metadata metadata;
};

// Throws Error with the reason, for the caller to lead with the file's name.
Header parse_header(std::span<const char> text);

// A text from a file that is not trusted, fit for a message of one line.
std::string shown(std::string_view text);

}  // namespace weft::data
