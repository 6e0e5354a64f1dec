// What a cache needs to know about its folder as a whole, kept in a file beside the entries. Thanks to it, neither writing an entry nor
// missing one has to scan all entries, of which there may be a hundred thousand.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace weft::compiler {

struct FolderSummary {
  static constexpr const char* file_name = "summary";
  static constexpr std::size_t most_origins = 64;

  // Of all entries; may be too large, since it includes what a killed process was about to add.
  std::uint64_t bytes = 0;
  // The origins as suffixes of entry names: at most most_origins of them, the most recently used last.
  std::vector<std::string> origins;

  void add_origin(std::string origin);

  // Returns nullopt if the file is missing or damaged.
  static std::optional<FolderSummary> read(const std::filesystem::path& folder);
  void write(const std::filesystem::path& folder, const std::filesystem::path& temporaries) const;
};

}  // namespace weft::compiler
