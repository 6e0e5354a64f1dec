// .npz: a ZIP archive of .npy files. Only what NumPy writes without compression is read: the directory at the end of the file, and
// stored entries.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <weft/base/error.h>
#include <weft/data/npy.h>

namespace weft::data {

namespace {

constexpr std::uint64_t end_bytes = 22, most_comment = 65535, local_bytes = 30, entry_bytes = 46;
constexpr std::uint32_t end_signature = 0x06054b50, entry_signature = 0x02014b50, local_signature = 0x04034b50;
constexpr std::uint32_t beyond_32_bits = 0xffffffff;

std::uint32_t number(std::string_view bytes, std::size_t at, int width) {
  std::uint32_t value = 0;
  for (int i = width; i-- > 0;)
    value = value << 8 | static_cast<unsigned char>(bytes[at + static_cast<std::size_t>(i)]);
  return value;
}

std::string read(const File& file, std::uint64_t offset, std::uint64_t bytes, const char* what) {
  require(offset <= file.size() && bytes <= file.size() - offset, what, " lies outside of the file");
  std::string text(static_cast<std::size_t>(bytes), '\0');
  file.read(offset, std::as_writable_bytes(std::span(text)));
  return text;
}

// The record that ends the archive, without its comment.
std::string read_end(const File& file) {
  require(file.size() >= end_bytes, "no .npz file: it has ", file.size(), " bytes");
  const std::uint64_t bytes = std::min(file.size(), end_bytes + most_comment);
  const std::string tail = read(file, file.size() - bytes, bytes, "the end");
  for (std::size_t at = tail.size() - end_bytes + 1; at-- > 0;)
    if (number(tail, at, 4) == end_signature && number(tail, at + 20, 2) == tail.size() - at - end_bytes)
      return tail.substr(at, end_bytes);
  fail("no .npz file: it has no directory at its end");
}

NpyArray read_entry(const File& file, std::string_view entry, std::string_view name) {
  const std::string place = concat(file.path().string(), ": ", name);
  require(number(entry, 10, 2) == 0, name, ": it is compressed, which is not read; numpy.savez writes what is");
  const std::uint32_t bytes = number(entry, 24, 4), local_offset = number(entry, 42, 4);
  require(bytes == number(entry, 20, 4), name, ": two sizes for what is stored as it is");
  const std::string local = read(file, local_offset, local_bytes, "an entry");
  require(number(local, 0, 4) == local_signature, name, ": there is no entry where the directory says");
  const std::uint64_t start = std::uint64_t{local_offset} + local_bytes + number(local, 26, 2) + number(local, 28, 2);
  require(start <= file.size() && bytes <= file.size() - start, name, ": it lies outside of the file");
  return read_npy(file, start, bytes, place);
}

std::vector<NpyArray> read_archive(const File& file) {
  const std::string end = read_end(file);
  const std::uint32_t entries = number(end, 10, 2), bytes = number(end, 12, 4), offset = number(end, 16, 4);
  require(entries != 0xffff && bytes != beyond_32_bits && offset != beyond_32_bits,
          "archives beyond 4 GiB are not read");
  const std::string directory = read(file, offset, bytes, "the directory");
  std::vector<NpyArray> arrays;
  std::size_t at = 0;
  for (std::uint32_t i = 0; i < entries; ++i) {
    require(directory.size() - at >= entry_bytes && number(directory, at, 4) == entry_signature,
            "the directory ends after ", i, " of ", entries, " entries");
    const std::string_view entry = std::string_view(directory).substr(at, entry_bytes);
    const std::size_t name_bytes = number(entry, 28, 2),
                      size = entry_bytes + name_bytes + number(entry, 30, 2) + number(entry, 32, 2);
    require(size <= directory.size() - at, "the directory ends within entry ", i);
    arrays.push_back(read_entry(file, entry, std::string_view(directory).substr(at + entry_bytes, name_bytes)));
    at += size;
  }
  return arrays;
}

}  // namespace

std::vector<NpyArray> read_npz(const std::filesystem::path& path) {
  const File file(path);
  try {
    return read_archive(file);
  } catch (const Error& wrong) {
    const std::string message = wrong.what();
    if (message.starts_with(path.string())) throw;
    fail(path.string(), ": ", message);
  }
}

}  // namespace weft::data
