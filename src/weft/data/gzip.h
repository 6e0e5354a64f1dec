// Text that gzip has compressed. A file may consist of several members, as gzip, pigz and bgzip write them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <weft/base/file.h>

namespace weft::data {

bool is_gzip(const File& file);  // whether it begins as a gzip file does

// Returns the text as one member of a gzip file. Members one after the other are a gzip file of their texts. Equal
// texts give equal bytes.
std::string gzip(std::string_view text);

// Reads the text of a gzip file from its beginning to its end. Not thread-safe.
class GzipReader {
 public:
  explicit GzipReader(const File& file);  // the file must live as long as the reader
  GzipReader(const GzipReader&) = delete;
  GzipReader& operator=(const GzipReader&) = delete;
  ~GzipReader();

  // Fills `to` with the next bytes; returns fewer at the end of the text only. Throws Error, which names the file, if
  // it is truncated or damaged.
  std::size_t read(std::span<char> to);

 private:
  struct Inflater;
  void refill();

  const File& file_;
  std::vector<std::byte> compressed_;  // the part of the file that is being decompressed
  std::uint64_t next_ = 0;             // where the part after it begins
  std::uint64_t text_bytes_ = 0;       // read so far
  std::unique_ptr<Inflater> inflater_;
};

}  // namespace weft::data
