// A folder of entries (entry.h), one file each, shared by any number of processes. It is an accelerator only: whatever is wrong with
// it, programs are compiled instead. Its files hold machine code, so a folder or file that someone else could have written is not
// used. Thread-safe.
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
  // As the knobs say; null: switched off, or there is no place for it.
  static std::shared_ptr<DiskCache> from_knobs();
  // Where the knobs say; empty: nowhere.
  static std::filesystem::path default_folder();

  DiskCache(std::filesystem::path folder, std::uint64_t most_bytes);

  const std::filesystem::path& folder() const { return folder_; }

  // The entry of this name. Says why there is none, in the log and to `why`, if given.
  std::optional<std::vector<StoredKernel>> read(const std::string& name, std::string* why = nullptr) const;
  // Adds an entry; where the limit is passed, the least recently used leave first, with an eighth of it more, so that not every
  // entry after that has to look at all. Whatever fails is logged and told to `why_not`, if given; a folder that nothing can be
  // written to is a warning, once.
  void write(const std::string& name, std::span<const StoredKernel> kernels, std::string* why_not = nullptr) const;
  // Whether there is a file of this name: it need not be usable.
  bool has(const std::string& name) const;

  struct File {
    std::string name;
    std::uint64_t bytes = 0;
    std::filesystem::file_time_type used = {};
  };
  // Whatever has the name of an entry, the least recently used first: folders and other things that are none, too, of 0 bytes.
  std::vector<File> files() const;
  struct Contents {
    std::optional<std::vector<StoredKernel>> kernels;  // none: what would be looked up there is compiled instead
    std::string reason;                                // why there are none
    bool is_removed = false;                           // another process has removed it
  };
  Contents contents(const std::string& name) const;
  // Removes whatever stands there. Says why it could not, to `why_not`, if given; that it was gone before is no reason.
  bool remove(const std::string& name, std::string* why_not = nullptr) const;
  // Removes entries until they take at most so many bytes; returns how many. Says why it could not, to `why_not`, if given.
  std::size_t prune(std::uint64_t most_bytes, std::string* why_not = nullptr) const;

  // Why the folder must not be used; empty: it may. Makes it, for this user alone, where it is missing.
  std::string refusal() const;

 private:
  std::string why_missing(const std::string& name) const;
  FolderSummary look_at_all() const;
  void make_room(FolderSummary& summary, std::uint64_t bytes) const;
  std::filesystem::path temporaries() const { return folder_ / "partial"; }

  std::filesystem::path folder_;
  std::uint64_t most_bytes_;
};

// Why what stands at `path` may have been written by someone else; empty: only this user can have.
std::string distrust(const std::filesystem::path& path);

}  // namespace weft::compiler
