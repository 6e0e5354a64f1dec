#include <weft/compiler/cache/disk_cache.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <set>
#include <thread>

#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include <weft/base/error.h>
#include <weft/base/file.h>
#include <weft/base/knobs.h>
#include <weft/base/log.h>

namespace weft::compiler {

namespace {

constexpr std::uint64_t largest_entry = std::uint64_t{1} << 30;

// Warns once for each folder; programs are compiled without the cache.
void warn_once(const std::filesystem::path& folder, const std::string& reason) {
  static std::mutex mutex;
  static std::set<std::filesystem::path> said;
  {
    const std::lock_guard guard(mutex);  // released before logging, since a log sink may compile as well
    if (!said.insert(folder).second) return;
  }
  WEFT_LOG(
      warnings, "the cache of compiled kernels ", reason,
      "; every process compiles them again. Set WEFT_CACHE_DIR to use another folder, or WEFT_CACHE=0 to use none");
}

// An entry's name consists of its program's name and a suffix for its origin.
std::string program_of(const std::string& name) { return name.substr(0, name.find('-')); }
std::string origin_of(const std::string& name) { return name.substr(std::min(name.size(), name.find('-'))); }

// Returns the name of the file for these kernels.
std::string name_for(std::span<const StoredKernel> kernels, bool is_choice) {
  if (is_choice) return kernels.size() == 1 ? choice_name(kernels.front().key) : "";
  std::vector<std::string> keys;
  for (const StoredKernel& kernel : kernels) keys.push_back(kernel.key);
  return entry_name(keys);
}

// Returns the contents of a file. Fails if it must not be used.
Result<std::vector<StoredKernel>> usable(const std::filesystem::path& path) {
  try {
    if (Status owner = check_owner(path); !owner) return owner;
    return read_entry(read_file(path, largest_entry));
  } catch (const std::exception& error) {
    return Status::failed(error.what());
  }
}

// Removes trailing slashes, so that filename() of "kernels/" is not empty and parent_path() is another folder.
std::filesystem::path without_slash(std::filesystem::path folder) {
  while (folder.has_relative_path() && folder.has_parent_path() && (!folder.has_filename() || folder.filename() == "."))
    folder = folder.parent_path();
  return folder;
}

}  // namespace

Status check_owner(const std::filesystem::path& path) {
  struct stat status;
  if (::stat(path.c_str(), &status) != 0) return Status::failed(concat(path.string(), " cannot be read"));
  if (status.st_uid != ::geteuid()) return Status::failed(concat(path.string(), " belongs to someone else"));
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return Status::failed(concat(path.string(), " can be written by others"));
  return {};
}

std::optional<FolderLock> lock_cache(const std::filesystem::path& folder) {
  constexpr int tries = 40;
  for (int i = 0; i < tries; ++i) {
    try {
      return std::optional<FolderLock>(std::in_place, folder);
    } catch (const Error&) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
  return std::nullopt;
}

std::filesystem::path DiskCache::default_folder() {
  if (const std::string chosen = knobs::cache_dir(); !chosen.empty()) return chosen;
  const auto variable = [](const char* name) -> std::filesystem::path {
    const char* value = std::getenv(name);
    return value && *value == '/' ? value : "";
  };
  if (const auto base = variable("XDG_CACHE_HOME"); !base.empty()) return base / "weft";
  if (const auto home = variable("HOME"); !home.empty()) return home / ".cache" / "weft";
  return {};
}

std::shared_ptr<DiskCache> DiskCache::from_knobs() {
  if (!knobs::cache()) return nullptr;
  const auto folder = default_folder();
  if (folder.empty()) {
    warn_once(folder, "has no folder: neither HOME nor XDG_CACHE_HOME names one");
    return nullptr;
  }
  auto cache = std::make_shared<DiskCache>(folder, static_cast<std::uint64_t>(knobs::cache_bytes()));
  const Status opened = cache->open();
  if (opened) return cache;
  warn_once(folder, concat("is not used: ", opened.reason()));
  return nullptr;
}

DiskCache::DiskCache(std::filesystem::path folder, std::uint64_t most_bytes)
    : folder_(without_slash(std::move(folder))), most_bytes_(most_bytes) {}

Status DiskCache::open() const {
  std::error_code error;
  if (!std::filesystem::exists(folder_, error)) {
    std::filesystem::create_directories(folder_.parent_path(), error);
    if (::mkdir(folder_.c_str(), 0700) != 0 && errno != EEXIST)
      return Status::failed(concat(folder_.string(), " cannot be made: ", std::generic_category().message(errno)));
    if (std::filesystem::is_symlink(folder_, error))
      return Status::failed(concat(folder_.string(), " is a link to nothing"));
  }
  if (!std::filesystem::is_directory(folder_, error))
    return Status::failed(concat(folder_.string(), " is not a folder"));
  return check_owner(folder_);
}

// Explains a missing entry by the number of entries that the program has for other origins.
std::string DiskCache::why_missing(const std::string& name) const {
  const std::string program = program_of(name);
  const auto summary = FolderSummary::read(folder_);
  std::size_t others = 0;
  std::error_code error;
  for (const std::string& origin : summary ? summary->origins : look_at_all().origins)
    others += std::filesystem::exists(folder_ / concat(program, origin), error);
  if (others == 0) return "no program with these kernels was kept there";
  return concat("only other builds of weft, or other processors, have stored code of this program there, ", others,
                others == 1 ? " entry" : " entries");
}

Result<std::vector<StoredKernel>> DiskCache::read(const std::string& name) const {
  const auto path = folder_ / name;
  auto kernels = has(name) ? usable(path) : Status::failed(why_missing(name));
  if (kernels) {
    ::utimensat(AT_FDCWD, path.c_str(), nullptr, 0);  // marks the entry as recently used
    WEFT_LOG(cache, "found ", name, ", ", kernels->size(), " kernels");
  } else {
    WEFT_LOG(cache, "missed ", name, ": ", kernels.reason());
  }
  return kernels;
}

Status DiskCache::write(const std::string& name, std::span<const StoredKernel> kernels,
                        const Replaces& replaces) const {
  const auto not_kept = [&](std::string reason) {
    WEFT_LOG(cache, "did not keep ", name, ": ", reason);
    return Status::failed(std::move(reason));
  };
  try {
    const auto exclusive = lock_cache(folder_);
    if (!exclusive) return not_kept(concat("another process keeps writing to ", folder_.string()));
    if (replaces && has(name))
      if (const auto kept = contents(name).kernels; kept && !replaces(*kept))
        return not_kept("another process has kept an entry of this name");
    std::filesystem::create_directory(temporaries());
    remove_temporaries(temporaries());  // left by killed processes: the lock excludes other writers
    const std::string bytes = write_entry(kernels);
    if (bytes.size() > std::min(most_bytes_, largest_entry))
      return not_kept(concat("its ", bytes.size(), " bytes are more than WEFT_CACHE_BYTES allows"));
    auto summary = FolderSummary::read(folder_);
    if (!summary) summary = look_at_all();
    std::error_code none;
    if (const auto replaced = std::filesystem::file_size(folder_ / name, none); !none)
      summary->bytes -= std::min<std::uint64_t>(replaced, summary->bytes);
    make_room(*summary, bytes.size());
    summary->add_origin(origin_of(name));
    summary->write(folder_, temporaries());  // before the entry, so that a crash can only make the sum too large
    AtomicFile file(folder_, temporaries());
    file.write(bytes);
    file.commit(name, /*durable=*/false);
    ::chmod((folder_ / name).c_str(), 0600);
    WEFT_LOG(cache, "kept ", name, ", ", kernels.size(), " kernels, ", bytes.size(), " bytes");
    return {};
  } catch (const std::exception& error) {
    warn_once(folder_, concat("cannot keep new entries: ", error.what()));
    return not_kept(error.what());
  }
}

bool DiskCache::has(const std::string& name) const {
  std::error_code error;
  return std::filesystem::exists(folder_ / name, error);
}

std::vector<DiskCache::File> DiskCache::files() const {
  std::vector<File> files;
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder_, error), end; !error && at != end; at.increment(error)) {
    const auto& path = at->path();
    const std::string extension = path.extension().string();
    if (extension != kernels_extension && extension != choice_extension) continue;
    struct stat status;
    if (::lstat(path.c_str(), &status) != 0) continue;  // removed by another process
    const std::chrono::sys_time<std::chrono::nanoseconds> used(std::chrono::seconds(status.st_mtim.tv_sec) +
                                                               std::chrono::nanoseconds(status.st_mtim.tv_nsec));
    files.push_back({path.filename().string(), S_ISREG(status.st_mode) ? static_cast<std::uint64_t>(status.st_size) : 0,
                     std::chrono::file_clock::from_sys(used)});
  }
  std::ranges::sort(files, {}, [](const File& file) { return std::pair(file.used, file.name); });
  return files;
}

DiskCache::Contents DiskCache::contents(const std::string& name) const {
  const auto path = folder_ / name;
  auto kernels = usable(path);
  if (kernels && name_for(*kernels, path.extension() == choice_extension) != name)
    kernels = Status::failed("it is the entry of another program");
  std::error_code ignored;
  const auto now = std::filesystem::symlink_status(path, ignored);
  const bool is_removed = !kernels && now.type() == std::filesystem::file_type::not_found;
  return {std::move(kernels), is_removed};
}

FolderSummary DiskCache::look_at_all() const {
  FolderSummary summary;
  for (const File& file : files()) {
    summary.bytes += file.bytes;
    summary.add_origin(origin_of(file.name));
  }
  return summary;
}

// Makes room for an entry of `bytes` bytes.
void DiskCache::make_room(FolderSummary& summary, std::uint64_t bytes) const {
  summary.bytes += bytes;
  if (summary.bytes <= most_bytes_) return;
  prune(most_bytes_ - std::max(bytes, most_bytes_ / 8));
  summary = look_at_all();
  summary.bytes += bytes;
}

DiskCache::Removed DiskCache::remove(const std::string& name) const {
  std::error_code error;
  const auto removed = std::filesystem::remove_all(folder_ / name, error);
  if (error) return {0, Status::failed(concat("cannot remove ", (folder_ / name).string(), ": ", error.message()))};
  return {removed > 0 ? std::size_t{1} : 0};
}

DiskCache::Removed DiskCache::prune(std::uint64_t most_bytes) const {
  remove_file(folder_ / FolderSummary::file_name);  // the next writer scans the folder again
  const std::vector<File> all = files();
  std::uint64_t bytes = 0;
  for (const File& file : all) bytes += file.bytes;
  Removed all_removed;
  for (const File& file : all) {
    if (bytes <= most_bytes) break;
    Removed removed = remove(file.name);
    all_removed.files += removed.files;
    if (removed.status) {
      bytes -= file.bytes;
    } else {
      all_removed.status = std::move(removed.status);
    }
  }
  return all_removed;
}

}  // namespace weft::compiler
