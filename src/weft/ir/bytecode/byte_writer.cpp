#include <weft/ir/bytecode/byte_writer.h>

namespace weft::ir::bytecode {

ByteWriter& ByteWriter::byte(std::uint8_t value) {
  bytes_ += static_cast<char>(value);
  return *this;
}

// A number takes one byte for each seven bits, up to eight bytes; the number of zero bits at the low end of the first byte says how many
// bytes follow. A larger number follows a byte of zeros.
ByteWriter& ByteWriter::number(std::uint64_t value) {
  constexpr int bits_of_a_byte = 7, most = 8;
  int size = 1;
  while (size <= most && value >> (bits_of_a_byte * size) != 0) ++size;
  if (size > most) {
    byte(0);
    size = most;
  } else {
    value = value << size | std::uint64_t{1} << (size - 1);
  }
  for (int i = 0; i < size; ++i) byte(static_cast<std::uint8_t>(value >> (8 * i)));
  return *this;
}

ByteWriter& ByteWriter::signed_number(std::int64_t value) {
  return number(static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63));
}

ByteWriter& ByteWriter::flagged(std::uint64_t value, bool flag) { return number(value << 1 | (flag ? 1 : 0)); }

ByteWriter& ByteWriter::numbers(std::span<const std::uint64_t> values) {
  number(values.size());
  for (const std::uint64_t value : values) number(value);
  return *this;
}

ByteWriter& ByteWriter::signed_numbers(std::span<const std::int64_t> values) {
  number(values.size());
  for (const std::int64_t value : values) signed_number(value);
  return *this;
}

ByteWriter& ByteWriter::bytes(std::string_view bytes) {
  bytes_ += bytes;
  return *this;
}

ByteWriter& ByteWriter::text(std::string_view text) { return bytes(text).byte(0); }

ByteWriter& ByteWriter::section(SectionId id, const ByteWriter& data) {
  return byte(static_cast<std::uint8_t>(id)).number(data.written().size()).bytes(data.written());
}

}  // namespace weft::ir::bytecode
