// Files on disk: exact reads, and atomic writes, after which the name refers to either the complete old file or the complete
// new one. Every failure throws an Error of one line that names the path.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <weft/base/digest.h>

namespace weft {

// An open file descriptor, closed by the destructor.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor();
  int number() const { return number_; }
  int release() { return std::exchange(number_, -1); }

 private:
  int number_;
};

// A regular file open for reading. Nothing is mapped, so a file that shrinks while it is read causes an Error and not a signal.
// Const members are thread-safe.
class File {
 public:
  explicit File(std::filesystem::path path);

  const std::filesystem::path& path() const { return path_; }
  std::uint64_t size() const { return size_; }  // in bytes, at the time of opening
  // Fills `to` with the bytes that start at `offset`.
  void read(std::uint64_t offset, std::span<std::byte> to) const;
  std::string digest() const;  // Digest::hex of the whole file

 private:
  std::filesystem::path path_;
  Descriptor descriptor_;
  std::uint64_t size_ = 0;
};

// Returns the contents of a file of at most `limit` bytes.
std::string read_file(const std::filesystem::path& path, std::uint64_t limit = std::uint64_t{1} << 30);

// A file that gets its name only when it is complete. The bytes go to a temporary file in `folder`, or in `temporaries`, a
// folder on the same file system; commit() syncs the file, renames it, and syncs the folder. Without commit(), the destructor
// removes the temporary file. A killed process leaves it behind: see remove_temporaries.
class AtomicFile {
 public:
  explicit AtomicFile(const std::filesystem::path& folder, const std::filesystem::path& temporaries = {});
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }
  std::uint64_t size() const { return size_; }
  std::string digest() const { return digest_.hex(); }
  // Gives the file the name `name` in its folder and replaces any file of that name. If not `durable`, a machine that stops may
  // lose the file, or keep its name without its bytes; this is for files that can be made again and are checked when they are
  // read.
  void commit(const std::string& name, bool durable = true);

 private:
  std::filesystem::path folder_, temporary_;
  Descriptor descriptor_;
  Digest digest_;
  std::uint64_t size_ = 0;
};

// Returns the path of the file that a write to `path` should replace: where a symbolic link leads, otherwise `path`. Throws Error
// for a device, a pipe or a socket, which must not be replaced by a file.
std::filesystem::path file_to_replace(const std::filesystem::path& path);

void write_file(const std::filesystem::path& path, std::string_view text);  // through an AtomicFile
void make_folder(const std::filesystem::path& folder);  // with its parent folders, where they do not exist
// Throws Error unless write_file could create the file now. To be called before work whose result goes there. Leaves nothing
// behind.
void require_writable(const std::filesystem::path& path);

bool remove_file(const std::filesystem::path& path);  // false if the file is still there or never was

// Removes from `folder` the temporary files of AtomicFiles that killed processes left. No other process may be writing to the
// folder.
void remove_temporaries(const std::filesystem::path& folder);

// Locks a folder against other processes that use FolderLock, for the lifetime of this object or of the process.
class FolderLock {
 public:
  explicit FolderLock(const std::filesystem::path& folder);  // throws Error at once if another process holds the lock

 private:
  Descriptor descriptor_;
};

namespace detail {
// Lets tests make the disk fail: called with the name of the system call before every operation that changes a folder or a
// file; returns the errno to fail with, or 0. Not thread-safe.
extern int (*file_fault)(const char* operation);
// Removes the temporary files of the AtomicFiles that are open in this process, which is about to end. A thread that opens
// another one afterwards waits until the process ends. Safe in a signal handler.
void remove_open_temporaries() noexcept;
// Throws Error("cannot <verb> <path>: <reason of errno>").
[[noreturn]] void fail_with_errno(std::string_view verb, const std::filesystem::path& path, int error);
}  // namespace detail

}  // namespace weft
