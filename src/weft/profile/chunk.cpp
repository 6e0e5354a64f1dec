#include <weft/profile/chunk.h>

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>
#include <xxhash.h>

#include <weft/base/error.h>

namespace weft::profile {

namespace {

constexpr std::string_view magic = "weft recording 2\n";
constexpr std::uint32_t most_bytes = 1u << 30;  // per chunk

struct Header {
  std::uint32_t kind = 0, size = 0;
  std::uint64_t digest = 0;
};

std::uint64_t digest_of(std::uint32_t kind, std::span<const std::byte> bytes) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), kind);
}

}  // namespace

ChunkWriter::ChunkWriter(const std::filesystem::path& file) : path_(file) {
  descriptor_ = Descriptor(::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666));
  if (descriptor_.number() < 0) weft::detail::fail_with_errno("write", file, errno);
  append(std::as_bytes(std::span(magic)));
}

void ChunkWriter::write(ChunkKind kind, std::span<const std::byte> payload) {
  if (payload.size() > most_bytes) return;  // no reader would accept it
  const Header header{static_cast<std::uint32_t>(kind), static_cast<std::uint32_t>(payload.size()),
                      digest_of(static_cast<std::uint32_t>(kind), payload)};
  append(std::as_bytes(std::span(&header, 1)));
  append(payload);
}

void ChunkWriter::append(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_.number(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) weft::detail::fail_with_errno("write", path_, errno);
    bytes = bytes.subspan(written);
  }
}

ChunkReader::ChunkReader(const std::filesystem::path& file) : file_(file) {
  std::string start(std::min<std::uint64_t>(magic.size(), file_.size()), '\0');
  file_.read(0, std::as_writable_bytes(std::span(start)));
  require(start == magic, file.string(), ": this is not a weft recording",
          start.starts_with("weft recording") ? " that this version reads" : "");
  at_ = magic.size();
}

std::optional<ChunkReader::Chunk> ChunkReader::next() {
  if (at_ == file_.size() || !damage_.empty()) return std::nullopt;
  Header header;
  const std::uint64_t left = file_.size() - at_;
  if (left >= sizeof header) file_.read(at_, std::as_writable_bytes(std::span(&header, 1)));
  if (left < sizeof header || (header.size <= most_bytes && header.size > left - sizeof header)) {
    damage_ = concat("it is cut off after ", at_, " bytes, and the last ", left, " bytes are lost");
    return std::nullopt;
  }
  Chunk chunk{static_cast<ChunkKind>(header.kind), {}};
  if (header.size <= most_bytes) {
    chunk.payload.resize(header.size);
    file_.read(at_ + sizeof header, std::as_writable_bytes(std::span(chunk.payload)));
  }
  if (header.size > most_bytes || digest_of(header.kind, std::as_bytes(std::span(chunk.payload))) != header.digest) {
    damage_ = concat("it is damaged from byte ", at_, " on, and the last ", left, " bytes are lost");
    return std::nullopt;
  }
  at_ += sizeof header + header.size;
  return chunk;
}

}  // namespace weft::profile
