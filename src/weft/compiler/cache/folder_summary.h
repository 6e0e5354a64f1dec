// What a cache needs to know of its folder as a whole, kept in a file beside the entries, so that neither keeping an entry nor
// missing one looks at all of them: there may be a hundred thousand.
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

  std::uint64_t bytes = 0;  // of the entries, or more: what a killed process was about to add counts
  std::vector<std::string>
      origins;  // what their names end with, after the program's; at most so many, the last ones used last

  void add_origin(std::string origin);

  // Nothing if there is none, or it is damaged.
  static std::optional<FolderSummary> read(const std::filesystem::path& folder);
  void write(const std::filesystem::path& folder, const std::filesystem::path& temporaries) const;
};

}  // namespace weft::compiler
