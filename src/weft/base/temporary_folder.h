// A folder for temporary files.
#pragma once

#include <cstddef>
#include <filesystem>

namespace weft {

// An empty folder in the system's place for temporary files, accessible to this user only. The destructor removes it with its
// contents. A killed process leaves it behind.
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
  std::size_t slot_;  // index among the living folders
};

namespace detail {
// Removes the folders of all TemporaryFolders of this process, which is about to end. Safe in a signal handler.
void remove_living_temporary_folders() noexcept;
}  // namespace detail

}  // namespace weft
