// Lists of byte strings, each preceded by its length: the format of the cache's files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace weft::compiler {

inline void put_number(std::string& to, std::uint64_t value) {
  to.append(reinterpret_cast<const char*>(&value), sizeof value);
}
inline void put_piece(std::string& to, std::string_view bytes) {
  put_number(to, bytes.size());
  to += bytes;
}

// Takes pieces off the front of bytes, which need not be trusted. The functions return false if the bytes are too short.
class PieceReader {
 public:
  explicit PieceReader(std::string_view bytes) : rest_(bytes) {}

  bool number(std::uint64_t& value) {
    if (rest_.size() < sizeof value) return false;
    std::memcpy(&value, rest_.data(), sizeof value);
    rest_.remove_prefix(sizeof value);
    return true;
  }
  bool piece(std::string_view& piece) {
    std::uint64_t size = 0;
    if (!number(size) || size > rest_.size()) return false;
    piece = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return true;
  }
  bool at_end() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

}  // namespace weft::compiler
