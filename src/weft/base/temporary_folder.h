// A folder for files that nobody else needs.
#pragma once

#include <filesystem>

namespace weft {

// An empty folder where the system keeps temporary files, for this user alone; removed at its end with all it holds. A killed
// process leaves it behind.
class TemporaryFolder {
 public:
  TemporaryFolder();  // throws Error
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::filesystem::path& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

}  // namespace weft
