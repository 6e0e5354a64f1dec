// Files on disk: exact reads, and writes after which the name stands for the old file or the new one, whole. Every failure throws
// an Error of one line that names the path.
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

// An open file descriptor, closed at the end.
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

// A regular file open for reading. Nothing is mapped, so a file that shrinks meanwhile is an Error and not a signal.
// Const members are thread-safe.
class File {
 public:
  explicit File(std::filesystem::path path);

  const std::filesystem::path& path() const { return path_; }
  std::uint64_t size() const { return size_; }  // in bytes, when it was opened
  // Fills `to` from the bytes that start at `offset`.
  void read(std::uint64_t offset, std::span<std::byte> to) const;
  std::string digest() const;  // Digest::hex of all its bytes

 private:
  std::filesystem::path path_;
  Descriptor descriptor_;
  std::uint64_t size_ = 0;
};

// All bytes of a file of at most `limit` bytes.
std::string read_file(const std::filesystem::path& path, std::uint64_t limit = std::uint64_t{1} << 30);

// A file that gets its name when it is complete: bytes go to a temporary name in `folder`, or in a folder for `temporaries` on the
// same file system; commit() syncs them, renames, and syncs the folder. Without commit() the temporary file is removed. A killed
// process leaves it behind: see remove_temporaries.
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
  // Names the file `name` in its folder, in place of a file of that name. Not durable: a machine that stops may lose the file, or
  // keep its name without its bytes; for files that can be made again and are checked when they are read.
  void commit(const std::string& name, bool durable = true);

 private:
  std::filesystem::path folder_, temporary_;
  Descriptor descriptor_;
  Digest digest_;
  std::uint64_t size_ = 0;
};

void write_file(const std::filesystem::path& path, std::string_view text);  // through an AtomicFile
void make_folder(const std::filesystem::path& folder);  // and those above it, where they do not exist
// Throws Error unless write_file could make the file now: to be asked before work whose result goes there. Leaves nothing behind.
void require_writable(const std::filesystem::path& path);

bool remove_file(const std::filesystem::path& path);  // false: it is still there, or never was

// Removes from `folder` what killed processes left of their AtomicFiles. For a folder that no other process writes to now.
void remove_temporaries(const std::filesystem::path& folder);

// Keeps other processes that do the same out of a folder, until its end or the end of the process.
class FolderLock {
 public:
  explicit FolderLock(const std::filesystem::path& folder);  // throws Error at once when another process has it

 private:
  Descriptor descriptor_;
};

namespace detail {
// A test's way to make the disk fail: called before every operation that changes a folder or a file, with the name of the system
// call; gives the errno to fail with, or 0. Not thread-safe.
extern int (*file_fault)(const char* operation);
// Removes the temporary files of the AtomicFiles that are open in this process, which is about to end: a thread that opens another
// one waits until it does. Safe in a signal handler.
void remove_open_temporaries() noexcept;
// What the system said: "<verb> <path>: <reason>".
[[noreturn]] void fail_with_errno(std::string_view verb, const std::filesystem::path& path, int error);
}  // namespace detail

}  // namespace weft
