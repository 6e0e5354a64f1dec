// A file of records, one for each row of a table and its state, of which a checkpoint keeps a version. Each row has room for two records:
// a write never replaces the record that the checkpoint refers to. So a process that is killed at any time loses nothing that was saved.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include <weft/base/file.h>

namespace weft::embed {

class RowFile {
 public:
  // Says for each row which of its records counts: none yet, the first or the second.
  using Versions = std::vector<std::uint8_t>;

  // Opens the file, and creates it if it does not exist. No record of it counts. Throws Error if it cannot be opened.
  RowFile(std::filesystem::path path, std::int64_t rows, std::size_t record_bytes);

  std::size_t record_bytes() const { return record_bytes_; }
  bool has(std::int64_t row) const { return current_[row] != 0; }
  struct Wanted {
    std::int64_t row = 0;
    std::span<std::byte> to = {};
  };
  // Reads the records of rows, which must have one. The disk works on all of them at once.
  void read(std::span<const Wanted> rows) const;
  // Replaces the record of a row. Threads may read and write different rows at once. Throws Error if the disk is full.
  void write(std::int64_t row, std::span<const std::byte> record);

  // Returns when all records are on the disk.
  void sync();
  const Versions& versions() const { return current_; }
  // From now on, the records that count are not overwritten.
  void protect() { protected_ = current_; }
  // Makes these records count, and protects them. Throws Error if there is not one version for each row, or if the file ends before one of
  // the records.
  void restore(Versions versions);

 private:
  std::uint64_t place(std::int64_t row, std::uint8_t version) const {
    return (2 * static_cast<std::uint64_t>(row) + version - 1) * record_bytes_;
  }
  void read(const Wanted& wanted) const;

  std::filesystem::path path_;
  Descriptor descriptor_;
  std::size_t record_bytes_;
  Versions current_, protected_;
};

}  // namespace weft::embed
