#include <weft/base/crc32c.h>

#include <array>

namespace weft {

namespace {

constexpr std::array<std::uint32_t, 256> crc32c_table = [] {
  constexpr std::uint32_t reversed_polynomial = 0x82f63b78;
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    std::uint32_t rest = i;
    for (int bit = 0; bit < 8; ++bit) rest = (rest >> 1) ^ (rest & 1 ? reversed_polynomial : 0);
    table[i] = rest;
  }
  return table;
}();

}  // namespace

std::uint32_t crc32c(std::string_view bytes) {
  std::uint32_t crc = ~0u;
  for (const char c : bytes) crc = (crc >> 8) ^ crc32c_table[(crc ^ static_cast<unsigned char>(c)) & 0xff];
  return ~crc;
}

}  // namespace weft
