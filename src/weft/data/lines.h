// The lines of a text file, read from a position to the end, so files of any size work. The file may be compressed with
// gzip, which its first bytes tell.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include <weft/base/file.h>
#include <weft/data/gzip.h>

namespace weft::data {

class LineReader {
 public:
  static constexpr std::size_t longest_line = std::size_t{1} << 16;  // in bytes; one of twice this length is refused

  // `position` is where a line begins, in bytes of the uncompressed text. Throws Error if the file cannot be read.
  explicit LineReader(std::filesystem::path path, std::uint64_t position = 0);

  // Appends the next `count` lines to `text`, each with its newline; a newline is added to the last line of the file if
  // it has none. Returns their number, which is smaller than `count` only at the end of the file. Throws Error, which
  // names the file, if it cannot be read further, and for a line that is too long.
  std::int64_t take(std::int64_t count, std::string& text);
  // Skips up to this many lines; returns their number.
  std::int64_t skip(std::int64_t count);

  // Returns where the next line begins.
  std::uint64_t position() const { return position_; }
  const std::filesystem::path& path() const { return file_.path(); }

 private:
  template <class Use>
  std::int64_t each(std::int64_t count, Use use);
  bool refill();

  File file_;
  std::optional<GzipReader> gzip_;
  std::uint64_t next_ = 0;  // of a plain file: the byte after those in the buffer
  std::string buffer_;
  std::size_t begin_ = 0;  // of the part of the buffer that is not used yet
  std::uint64_t position_ = 0;
};

}  // namespace weft::data
