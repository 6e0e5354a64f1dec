// Reads and writes safetensors files: named tensors as plain bytes after a JSON header. Semantics: the published
// description of the format (huggingface/safetensors), read strictly. Files are not trusted: the header size is limited
// (100 MB) before memory is allocated for it, and a violation of the format throws Error that names the file and the
// tensor.
//
//   8 bytes   N, little-endian
//   N bytes   {"NAME": {"dtype": "F32", "shape": [2, 3], "data_offsets": [begin, end]}, ..., "__metadata__": {"key": "text"}}
//   the rest  the tensors' bytes, row-major, little-endian, without holes
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <weft/base/file.h>
#include <weft/base/type.h>

namespace weft::data {

using Metadata = std::map<std::string, std::string>;

// A file opened for reading: the header is read at once, tensors on request. Const members are thread-safe.
class SafetensorsFile {
 public:
  struct Entry {
    std::string name;
    Type type;
    std::uint64_t offset;  // of the first byte in the file
  };

  explicit SafetensorsFile(const std::filesystem::path& path);

  std::span<const Entry> entries() const { return entries_; }  // sorted by name
  const Entry* find(std::string_view name) const;              // nullptr if there is no tensor with this name
  const Metadata& metadata() const { return metadata_; }
  const File& file() const { return file_; }

  // Fills `to`, which must have the size of the entry's type.
  void read(const Entry& entry, std::span<std::byte> to) const;

 private:
  File file_;
  std::vector<Entry> entries_;
  Metadata metadata_;
};

// A tensor to write; the bytes are not copied.
struct TensorBytes {
  std::string name;
  Type type;  // must be static
  std::span<const std::byte> bytes;
};

// Writes a file atomically, through an AtomicFile: `path` is the old file or the complete new one. Names must differ.
void write_safetensors(const std::filesystem::path& path, std::span<const TensorBytes> tensors,
                       const Metadata& metadata = {});
// Writes the same bytes to a file that the caller commits.
void write_safetensors(AtomicFile& file, std::span<const TensorBytes> tensors, const Metadata& metadata = {});

}  // namespace weft::data
