#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace weft {

// Returns the names of a folder's entries, sorted.
inline std::vector<std::string> names_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    names.push_back(entry.path().filename().string());
  std::ranges::sort(names);
  return names;
}

}  // namespace weft
