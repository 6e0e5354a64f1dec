// Parses the JSON header of a safetensors file as a stream, so that it needs no more memory than the entries. For
// safetensors.cpp.
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
  std::vector<HeaderEntry> entries;  // in the order of the text; names are unique
  Metadata metadata;
};

// Throws Error with the reason; the caller prepends the file's name.
Header parse_header(std::span<const char> text);

// Returns text from an untrusted file in a form that fits into a one-line message.
std::string shown(std::string_view text);

}  // namespace weft::data
