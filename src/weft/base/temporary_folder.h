// A folder for files that nobody else needs.
#pragma once

#include <cstddef>
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
  std::size_t slot_;  // among those that live
};

namespace detail {
// Removes the folders of all TemporaryFolders of this process, which is about to end. Safe in a signal handler.
void remove_living_temporary_folders() noexcept;
}  // namespace detail

}  // namespace weft
