// A folder of entries (entry.h), one file each, shared by any number of processes. It only saves time: if anything is wrong with it,
// programs are compiled instead. Its files hold machine code, so a folder or file that another user could have written is not used.
// Thread-safe.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <weft/compiler/cache/entry.h>
#include <weft/compiler/cache/folder_summary.h>

namespace weft::compiler {

class DiskCache {
 public:
  // Returns the cache that the knobs describe; null if it is switched off or there is no folder for it.
  static std::shared_ptr<DiskCache> from_knobs();
  // Returns the folder that the knobs name; empty if there is none.
  static std::filesystem::path default_folder();

  DiskCache(std::filesystem::path folder, std::uint64_t most_bytes);

  const std::filesystem::path& folder() const { return folder_; }

  // Returns the entry of this name. If there is none, logs the reason and stores it in `why`, if given.
  std::optional<std::vector<StoredKernel>> read(const std::string& name, std::string* why = nullptr) const;
  // Adds an entry. If the size limit is exceeded, first removes the least recently used entries until at least an eighth of the limit is
  // free, so that the next writes need not scan the folder again. Logs any failure and stores it in `why_not`, if given; warns once about a
  // folder that cannot be written to.
  void write(const std::string& name, std::span<const StoredKernel> kernels, std::string* why_not = nullptr) const;
  // Returns whether there is a file of this name, which need not be usable.
  bool has(const std::string& name) const;

  struct File {
    std::string name;
    std::uint64_t bytes = 0;
    std::filesystem::file_time_type used = {};
  };
  // Lists everything that has the name of an entry, the least recently used first. Folders and other things that are not entries are listed
  // too, with 0 bytes.
  std::vector<File> files() const;
  struct Contents {
    std::optional<std::vector<StoredKernel>> kernels;  // nullopt if the file is not usable
    std::string reason;                                // why the file is not usable
    bool is_removed = false;                           // whether another process has removed the file
  };
  Contents contents(const std::string& name) const;
  // Removes the file. Stores in `why_not`, if given, why it could not; a file that was already gone is not a failure.
  bool remove(const std::string& name, std::string* why_not = nullptr) const;
  // Removes entries until the rest takes at most `most_bytes`; returns how many it removed. Stores failures in `why_not`, if given.
  std::size_t prune(std::uint64_t most_bytes, std::string* why_not = nullptr) const;

  // Returns why the folder must not be used; empty if it may be. Creates a missing folder, accessible to this user only.
  std::string refusal() const;

 private:
  std::string why_missing(const std::string& name) const;
  FolderSummary look_at_all() const;
  void make_room(FolderSummary& summary, std::uint64_t bytes) const;
  std::filesystem::path temporaries() const { return folder_ / "partial"; }

  std::filesystem::path folder_;
  std::uint64_t most_bytes_;
};

// Returns why the file or folder at `path` may have been written by someone else; empty if only this user can have written it.
std::string distrust(const std::filesystem::path& path);

}  // namespace weft::compiler
