#include <weft/compiler/cache/entry.h>

#include <weft/base/digest.h>
#include <weft/base/error.h>
#include <weft/compiler/cache/origin.h>
#include <weft/compiler/cache/pieces.h>

namespace weft::compiler {

namespace {

constexpr std::string_view entry_magic = "weft kernels 2\n";
constexpr std::size_t digest_size = 32;

}  // namespace

std::string write_entry(std::span<const StoredKernel> kernels) {
  std::string bytes(entry_magic);
  put_piece(bytes, code_origin());
  for (const StoredKernel& kernel : kernels) {
    put_piece(bytes, kernel.key);
    put_piece(bytes, kernel.object);
  }
  return bytes + hex_digest(bytes);
}

Result<std::vector<StoredKernel>> read_entry(std::string_view bytes) {
  const Status damaged = Status::failed("it is damaged");
  if (!bytes.starts_with(entry_magic) || bytes.size() < entry_magic.size() + digest_size) return damaged;
  const std::string_view content = bytes.substr(0, bytes.size() - digest_size);
  if (hex_digest(content) != bytes.substr(content.size())) return damaged;
  PieceReader reader(content.substr(entry_magic.size()));
  std::string_view origin;
  if (!reader.piece(origin)) return damaged;
  if (origin != code_origin()) return Status::failed(origin_difference(origin));
  std::vector<StoredKernel> kernels;
  while (!reader.at_end()) {
    std::string_view key, object;
    if (!reader.piece(key) || !reader.piece(object)) return damaged;
    kernels.push_back({std::string(key), std::string(object)});
  }
  return kernels;
}

std::string program_name(std::span<const std::string> keys) {
  std::string all;
  for (const std::string& key : keys) put_piece(all, key);
  return hex_digest(all);
}

namespace {
// Returns the suffix of entry names that stands for this origin.
std::string origin_mark() { return hex_digest(code_origin()).substr(0, 8); }
}  // namespace

std::string entry_name(std::span<const std::string> keys) {
  return concat(program_name(keys), '-', origin_mark(), kernels_extension);
}

std::string choice_name(const std::string& key) {
  return concat(program_name(std::span(&key, 1)), '-', origin_mark(), choice_extension);
}

}  // namespace weft::compiler
