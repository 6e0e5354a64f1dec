// The file of a recording: a line that names the format, then chunks, each with its kind, size and digest. It is only ever appended
// to, so that what a killed process left can be read up to its last whole chunk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <weft/base/file.h>

namespace weft::profile {

enum class ChunkKind : std::uint32_t {
  about = 1,  // JSON, the others too, but for spans
  strings,    // more of them
  threads,    // all names
  program,
  spans,  // an array of Span
  event,
  metrics,
  roofs,
  end,
  load,
};

class ChunkWriter {
 public:
  explicit ChunkWriter(const std::filesystem::path& file);  // replaces the file; throws Error
  // Throws Error when the disk is full or gone.
  void write(ChunkKind kind, std::span<const std::byte> payload);
  void write(ChunkKind kind, std::string_view text) { write(kind, std::as_bytes(std::span(text))); }

 private:
  void append(std::span<const std::byte> bytes);

  std::filesystem::path path_;
  Descriptor descriptor_;
};

class ChunkReader {
 public:
  explicit ChunkReader(const std::filesystem::path& file);  // throws Error for what is no recording

  struct Chunk {
    ChunkKind kind;
    std::string payload;
  };
  // The next whole chunk; nothing at the end of the file, and where it is cut off or damaged.
  std::optional<Chunk> next();
  const std::string& damage() const { return damage_; }  // why it ended before the end of the file; empty: it did not

 private:
  File file_;
  std::uint64_t at_ = 0;
  std::string damage_;
};

}  // namespace weft::profile
