// The primitives of MLIR bytecode, as byte_reader.h reads them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <weft/ir/bytecode/byte_reader.h>

namespace weft::ir::bytecode {

class ByteWriter {
 public:
  ByteWriter& byte(std::uint8_t value);
  ByteWriter& number(std::uint64_t value);
  ByteWriter& signed_number(std::int64_t value);
  // Writes a number that shares its encoding with one bit.
  ByteWriter& flagged(std::uint64_t number, bool flag);
  // Write how many numbers there are, and the numbers.
  ByteWriter& numbers(std::span<const std::uint64_t> values);
  ByteWriter& signed_numbers(std::span<const std::int64_t> values);
  ByteWriter& bytes(std::string_view bytes);
  // Writes characters and a NUL.
  ByteWriter& text(std::string_view text);
  ByteWriter& section(SectionId id, const ByteWriter& data);

  const std::string& written() const { return bytes_; }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

}  // namespace weft::ir::bytecode
