#include <weft/pjrt/protobuf.h>

#include <weft/base/error.h>

namespace weft::pjrt {

namespace {

enum Wire : std::uint64_t { varint = 0, wide = 1, bytes = 2, narrow = 5 };
constexpr int kind_bits = 3;

void append_number(std::string& message, std::uint64_t number) {
  for (; number >= 0x80; number >>= 7) message += static_cast<char>(number | 0x80);
  message += static_cast<char>(number);
}

}  // namespace

void MessageReader::fields(
    const std::function<void(std::uint64_t field, std::uint64_t number, std::string_view bytes)>& field) {
  constexpr std::size_t wide_bytes = 8, narrow_bytes = 4;
  while (!bytes_.empty()) {
    const std::uint64_t tag = number();
    switch (tag & ((1 << kind_bits) - 1)) {
      case varint: field(tag >> kind_bits, number(), {}); break;
      case wide: take(wide_bytes); break;
      case bytes: field(tag >> kind_bits, 0, take(number())); break;
      case narrow: take(narrow_bytes); break;
      default: fail(name_, " are not a protocol buffer");
    }
  }
}

std::vector<std::int64_t> MessageReader::integers() {
  std::vector<std::int64_t> result;
  while (!bytes_.empty()) result.push_back(static_cast<std::int64_t>(number()));
  return result;
}

std::string_view MessageReader::take(std::uint64_t count) {
  require(count <= bytes_.size(), name_, " end in the middle of a field");
  const std::string_view taken = bytes_.substr(0, count);
  bytes_.remove_prefix(count);
  return taken;
}

std::uint64_t MessageReader::number() {
  std::uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    const auto byte = static_cast<unsigned char>(take(1)[0]);
    value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
  fail("a number in ", name_, " is too long");
}

void append_field(std::string& message, std::uint64_t field, std::uint64_t number) {
  append_number(message, field << kind_bits | varint);
  append_number(message, number);
}

void append_field(std::string& message, std::uint64_t field, std::string_view value) {
  append_number(message, field << kind_bits | bytes);
  append_number(message, value.size());
  message += value;
}

void append_field(std::string& message, std::uint64_t field, std::span<const std::int64_t> numbers) {
  std::string packed;
  for (const std::int64_t number : numbers) append_number(packed, static_cast<std::uint64_t>(number));
  append_field(message, field, packed);
}

}  // namespace weft::pjrt
