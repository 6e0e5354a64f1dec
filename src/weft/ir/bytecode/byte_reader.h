// The primitives of MLIR bytecode: bytes, numbers of variable length, lists and sections, as the page "MLIR Bytecode Format" of MLIR's
// documentation defines them. Nothing is read behind the end, and no count is believed before the bytes for it are there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <weft/ir/text/lexer.h>

namespace weft::ir::bytecode {

// Every function throws Error with the position in the file if the bytes are not what it reads.
class ByteReader {
 public:
  // Reads the bytes from `at` up to `end` of the source's text, which is the whole file.
  ByteReader(const text::Source& source, std::size_t at, std::size_t end) : source_(&source), at_(at), end_(end) {}

  std::size_t at() const { return at_; }
  std::size_t left() const { return end_ - at_; }
  bool is_at_end() const { return at_ == end_; }
  [[noreturn]] void fail(const std::string& message) const { source_->fail(at_, message); }

  std::uint8_t byte() {
    if (is_at_end()) [[unlikely]]
      fail("the bytecode ends in the middle of something");
    return static_cast<std::uint8_t>(source_->text[at_++]);
  }
  std::uint64_t number() {
    const std::uint8_t first = byte();
    return first & 1 ? first >> 1 : long_number(first);  // most numbers take one byte
  }
  std::int64_t signed_number();

  // A number that shares its encoding with one bit.
  struct Flagged {
    std::uint64_t number;
    bool flag;
  };
  Flagged flagged();

  // Reads the length of a list that takes at least `bytes_each` bytes for each item. `what` names the items in the message.
  std::size_t count(std::string_view what, std::size_t bytes_each = 1);
  // Requires that the list still fits, for a length that was read together with something else.
  std::size_t checked_count(std::uint64_t count, std::string_view what, std::size_t bytes_each = 1) const;
  // Reads a position in a list of `size` items.
  std::size_t index(std::size_t size, std::string_view what);
  std::size_t checked_index(std::uint64_t index, std::size_t size, std::string_view what) const;

  std::string_view bytes(std::uint64_t count);
  // Reads characters up to a NUL.
  std::string_view text();
  // Returns a reader of the next bytes, and moves behind them.
  ByteReader part(std::uint64_t count);

  struct Section;
  Section section();

 private:
  std::uint64_t long_number(std::uint8_t first);

  const text::Source* source_;
  std::size_t at_, end_;
};

// The numbers of the sections.
enum class SectionId : std::uint8_t {
  strings,
  dialects,
  attributes_and_types,
  offsets,
  ir,
  resources,
  resource_offsets,
  dialect_versions,
  properties,
};

struct ByteReader::Section {
  SectionId id;
  ByteReader data;
};

}  // namespace weft::ir::bytecode
