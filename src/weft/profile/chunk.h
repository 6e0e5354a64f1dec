// The file of a recording: a line that names the format, then chunks, each with its kind, size and digest. The file is only
// appended to, so a file left by a killed process can be read up to its last complete chunk.
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
  about = 1,  // JSON, like all others except spans
  strings,    // additional ones
  threads,    // all names so far
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
  // Throws Error if the disk is full or gone.
  void write(ChunkKind kind, std::span<const std::byte> payload);
  void write(ChunkKind kind, std::string_view text) { write(kind, std::as_bytes(std::span(text))); }

 private:
  void append(std::span<const std::byte> bytes);

  std::filesystem::path path_;
  Descriptor descriptor_;
};

class ChunkReader {
 public:
  explicit ChunkReader(const std::filesystem::path& file);  // throws Error if the file is not a recording

  struct Chunk {
    ChunkKind kind;
    std::string payload;
  };
  // Returns the next complete chunk; nullopt at the end of the file, or where it is truncated or damaged.
  std::optional<Chunk> next();
  const std::string& damage() const { return damage_; }  // the reason why reading stopped early; empty if it did not

 private:
  File file_;
  std::uint64_t at_ = 0;
  std::string damage_;
};

}  // namespace weft::profile
