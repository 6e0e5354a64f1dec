// A folder of entries (entry.h), one file each, shared by any number of processes. It only saves time: if anything is wrong with it,
// programs are compiled instead. Its files hold machine code, so a folder or file that another user could have written is not used.
// Thread-safe.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <weft/base/file.h>
#include <weft/base/status.h>
#include <weft/compiler/cache/entry.h>
#include <weft/compiler/cache/folder_summary.h>

namespace weft::compiler {

// Returns whether a new entry takes the place of the one that has these kernels.
using Replaces = std::function<bool(std::span<const StoredKernel> kept)>;

class DiskCache {
 public:
  // Returns the cache that the knobs describe; null if it is switched off or there is no folder for it.
  static std::shared_ptr<DiskCache> from_knobs();
  // Returns the folder that the knobs name; empty if there is none.
  static std::filesystem::path default_folder();

  DiskCache(std::filesystem::path folder, std::uint64_t most_bytes);

  const std::filesystem::path& folder() const { return folder_; }

  // Returns the entry of this name. If there is none, the reason is logged, too.
  Result<std::vector<StoredKernel>> read(const std::string& name) const;
  // Adds an entry. If the size limit is exceeded, first removes the least recently used entries until at least an eighth of the limit is
  // free, so that the next writes need not scan the folder again. Logs any failure; warns once about a folder that cannot be written to.
  // If `replaces` is given, a usable entry of this name stays, which is a failure, unless `replaces`, called while no other process writes,
  // says otherwise.
  Status write(const std::string& name, std::span<const StoredKernel> kernels, const Replaces& replaces = {}) const;
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
    Result<std::vector<StoredKernel>> kernels;
    bool is_removed;  // by another process, which is why there are no kernels
  };
  Contents contents(const std::string& name) const;
  struct Removed {
    std::size_t files = 0;
    Status status = {};  // the last failure; a file that was already gone is none
  };
  Removed remove(const std::string& name) const;
  // Removes entries until the rest takes at most `most_bytes`.
  Removed prune(std::uint64_t most_bytes) const;

  // Creates a missing folder, accessible to this user only. Fails if the folder must not be used.
  Status open() const;

 private:
  std::string why_missing(const std::string& name) const;
  FolderSummary look_at_all() const;
  void make_room(FolderSummary& summary, std::uint64_t bytes) const;
  std::filesystem::path temporaries() const { return folder_ / "partial"; }

  std::filesystem::path folder_;
  std::uint64_t most_bytes_;
};

// Locks the folder against other writers; returns nullopt if another process does not release it within a short time.
std::optional<FolderLock> lock_cache(const std::filesystem::path& folder);

// Fails if someone other than this user may have written the file or folder at `path`.
Status check_owner(const std::filesystem::path& path);

}  // namespace weft::compiler
