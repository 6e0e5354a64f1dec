#include <weft/ir/bytecode/byte_reader.h>

#include <bit>

namespace weft::ir::bytecode {

// The number of trailing zero bits of the first byte is the number of bytes that follow it; a first byte of 0 stands for eight.
std::uint64_t ByteReader::long_number(std::uint8_t first) {
  const int more = std::countr_zero(first);
  std::uint64_t value = 0;
  for (int i = 0; i < more; ++i) value |= std::uint64_t{byte()} << (8 * i);
  if (more == 8) return value;
  return value << (7 - more) | first >> (more + 1);
}

std::int64_t ByteReader::signed_number() {
  const std::uint64_t zigzag = number();
  return static_cast<std::int64_t>(zigzag >> 1 ^ (0 - (zigzag & 1)));
}

ByteReader::Flagged ByteReader::flagged() {
  const std::uint64_t both = number();
  return {both >> 1, (both & 1) != 0};
}

std::size_t ByteReader::checked_count(std::uint64_t count, std::string_view what, std::size_t bytes_each) const {
  if (count > left() / bytes_each)
    fail(concat(count, ' ', what, " do not fit in the ", left(), " bytes that are left"));
  return count;
}

std::size_t ByteReader::count(std::string_view what, std::size_t bytes_each) {
  return checked_count(number(), what, bytes_each);
}

std::size_t ByteReader::checked_index(std::uint64_t index, std::size_t size, std::string_view what) const {
  if (index >= size) fail(concat("there is no ", what, ' ', index, "; there are ", size));
  return index;
}

std::size_t ByteReader::index(std::size_t size, std::string_view what) { return checked_index(number(), size, what); }

std::string_view ByteReader::bytes(std::uint64_t count) {
  const std::string_view result = source_->text.substr(at_, checked_count(count, "bytes"));
  at_ += result.size();
  return result;
}

std::string_view ByteReader::text() {
  const std::string_view rest = source_->text.substr(at_, left());
  const std::size_t size = rest.find('\0');
  if (size == rest.npos) fail("expected a text to end");
  at_ += size + 1;
  return rest.substr(0, size);
}

ByteReader ByteReader::part(std::uint64_t count) {
  const std::size_t begin = at_;
  bytes(count);
  return {*source_, begin, at_};
}

ByteReader::Section ByteReader::section() {
  constexpr std::uint8_t is_aligned = 0x80, padding = 0xCB;
  const std::uint8_t id = byte();
  const std::uint64_t length = number();
  if (id & is_aligned) {
    const std::uint64_t alignment = number();
    if (!std::has_single_bit(alignment) || alignment > left())
      fail(concat("a section cannot be aligned to ", alignment, " bytes"));
    while (at_ % alignment != 0)
      if (byte() != padding) fail("expected padding in front of a section");
  }
  const std::uint8_t number = id & ~is_aligned;
  if (number > static_cast<std::uint8_t>(SectionId::properties))
    fail(concat("there is no section ", static_cast<int>(number)));
  return {static_cast<SectionId>(number), part(length)};
}

}  // namespace weft::ir::bytecode
