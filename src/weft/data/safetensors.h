// safetensors files: named tensors as plain bytes behind a JSON header. Semantics: the format's published description
// (huggingface/safetensors), read strictly. Files are not trusted: a header is bounded (100 MB) before memory is taken for it, and
// what breaks a rule is an Error that names the file and the tensor.
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

// A file open for reading: the header at once, tensors when asked for.  Const members are thread-safe.
class SafetensorsFile {
 public:
  struct Entry {
    std::string name;
    Type type;
    std::uint64_t offset;  // of its first byte in the file
  };

  explicit SafetensorsFile(const std::filesystem::path& path);

  std::span<const Entry> entries() const { return entries_; }  // sorted by name
  const Entry* find(std::string_view name) const;              // nullptr: there is none of that name
  const Metadata& metadata() const { return metadata_; }
  const File& file() const { return file_; }

  // Fills `to`, which must have the size of the entry's type.
  void read(const Entry& entry, std::span<std::byte> to) const;

 private:
  File file_;
  std::vector<Entry> entries_;
  Metadata metadata_;
};

// A tensor to be written: the bytes are not copied.
struct TensorBytes {
  std::string name;
  Type type;  // static
  std::span<const std::byte> bytes;
};

// Writes a file through an AtomicFile: `path` stands for the old file or the new one, whole. Names must differ.
void write_safetensors(const std::filesystem::path& path, std::span<const TensorBytes> tensors,
                       const Metadata& metadata = {});
// Writes the same bytes to a file that the caller commits.
void write_safetensors(AtomicFile& file, std::span<const TensorBytes> tensors, const Metadata& metadata = {});

}  // namespace weft::data
