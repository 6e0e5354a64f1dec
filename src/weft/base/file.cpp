#include <weft/base/file.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <iterator>
#include <poll.h>
#include <utility>
#include <vector>

#include <climits>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include <weft/base/error.h>
#include <weft/base/trace.h>

namespace weft {

namespace detail {

int (*file_fault)(const char* operation) = nullptr;

void fail_with_errno(std::string_view verb, const std::filesystem::path& path, int error) {
  fail("cannot ", verb, " ", path.string(), ": ", std::generic_category().message(error));
}

}  // namespace detail

namespace {

constexpr std::string_view temporary_prefix = ".weft-tmp-";

// Prevent a temporary file that one thread opens from being left behind while another thread ends the process.
std::atomic<int> opening = 0;
std::atomic<bool> ends = false;

class OpeningTemporary {
 public:
  OpeningTemporary() {
    ++opening;
    while (ends) {
      --opening;
      ::pause();
      ++opening;
    }
  }
  OpeningTemporary(const OpeningTemporary&) = delete;
  OpeningTemporary& operator=(const OpeningTemporary&) = delete;
  ~OpeningTemporary() { --opening; }
};

// Writes the path that an open descriptor refers to into `buffer` and returns it; returns an empty one if there is none. Safe
// in a signal handler, as to_chars is.
std::string_view path_of(int descriptor, std::span<char> buffer) noexcept {
  char link[32] = "/proc/self/fd/";
  char* const digits = link + std::string_view(link).size();
  *std::to_chars(digits, std::end(link) - 1, descriptor).ptr = '\0';
  const ssize_t length = ::readlink(link, buffer.data(), buffer.size() - 1);
  if (length <= 0) return {};
  buffer[length] = '\0';
  return {buffer.data(), static_cast<std::size_t>(length)};
}

// Makes a system call and returns its result. Repeats it if it is interrupted; in tests, it may be made to fail.
template <class Call>
auto attempt(const char* operation, Call call) -> decltype(call()) {
  if (detail::file_fault) {
    if (const int error = detail::file_fault(operation)) {
      errno = error;
      return -1;
    }
  }
  decltype(call()) result;
  do result = call();
  while (result < 0 && errno == EINTR);
  return result;
}

void sync_folder(const std::filesystem::path& folder) {
  const Descriptor descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (descriptor.number() < 0) detail::fail_with_errno("open", folder, errno);
  const int result = attempt("fsync", [&] { return ::fsync(descriptor.number()); });
  if (result < 0 && errno != EINVAL)
    detail::fail_with_errno("sync", folder, errno);  // EINVAL: the file system cannot sync a folder
}

}  // namespace

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(number_, other.number_);
  return *this;
}

Descriptor::~Descriptor() {
  if (number_ >= 0) ::close(number_);
}

File::File(std::filesystem::path path)
    : path_(std::move(path)), descriptor_(::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  if (descriptor_.number() < 0) detail::fail_with_errno("read", path_, errno);
  struct stat status;
  if (::fstat(descriptor_.number(), &status) != 0) detail::fail_with_errno("read", path_, errno);
  require(!S_ISDIR(status.st_mode), "cannot read ", path_.string(), ": it is a folder");
  require(S_ISREG(status.st_mode), "cannot read ", path_.string(), ": it is not a regular file");
  size_ = status.st_size;
}

void File::read(std::uint64_t offset, std::span<std::byte> to) const {
  while (!to.empty()) {
    constexpr std::size_t most = std::size_t{1} << 30;  // per call
    const ssize_t count = ::pread(descriptor_.number(), to.data(), std::min(to.size(), most), offset);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) detail::fail_with_errno("read", path_, errno);
    require(count > 0, "cannot read ", path_.string(), ": it ends at byte ", offset, ", ", to.size(),
            " more were expected");
    to = to.subspan(count);
    offset += count;
  }
}

std::string File::digest() const {
  const trace::Scope scope("hash", "digest of a file");
  Digest digest;
  std::vector<std::byte> block(std::min(size_, std::uint64_t{1} << 20));
  for (std::uint64_t offset = 0; offset < size_; offset += block.size()) {
    const auto part = std::span(block).first(std::min<std::uint64_t>(block.size(), size_ - offset));
    read(offset, part);
    digest.add(part);
  }
  return digest.hex();
}

std::string read_file(const std::filesystem::path& path, std::uint64_t limit) {
  const File file(path);
  require(file.size() <= limit, "cannot read ", path.string(), ": it has ", file.size(), " bytes, at most ", limit,
          " are allowed");
  std::string text(file.size(), '\0');
  file.read(0, std::as_writable_bytes(std::span(text)));
  return text;
}

AtomicFile::AtomicFile(const std::filesystem::path& folder, const std::filesystem::path& temporaries)
    : folder_(folder.empty() ? "." : folder) {
  static std::atomic<int> next = 0;
  const OpeningTemporary guard;
  do {
    temporary_ = (temporaries.empty() ? folder_ : temporaries) / concat(temporary_prefix, ::getpid(), "-", next++);
    descriptor_ = Descriptor(
        attempt("open", [&] { return ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666); }));
  } while (descriptor_.number() < 0 && errno == EEXIST);
  if (descriptor_.number() >= 0) return;
  const int error = errno;
  temporary_.clear();
  detail::fail_with_errno("write to the folder", folder_, error);
}

AtomicFile::~AtomicFile() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  digest_.add(bytes);
  size_ += bytes.size();
  while (!bytes.empty()) {
    constexpr std::size_t most = std::size_t{1} << 30;  // per call
    const ssize_t count =
        attempt("write", [&] { return ::write(descriptor_.number(), bytes.data(), std::min(bytes.size(), most)); });
    if (count < 0) detail::fail_with_errno("write to the folder", folder_, errno);
    bytes = bytes.subspan(count);
  }
}

void AtomicFile::commit(const std::string& name, bool durable) {
  const auto path = folder_ / name;
  if (durable && attempt("fsync", [&] { return ::fsync(descriptor_.number()); }) < 0)
    detail::fail_with_errno("write", path, errno);
  const int result = attempt("rename", [&] { return ::rename(temporary_.c_str(), path.c_str()); });
  if (result < 0) detail::fail_with_errno("write", path, errno);
  temporary_.clear();
  if (durable) sync_folder(folder_);
}

std::filesystem::path file_to_replace(const std::filesystem::path& path) {
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  require(!exists(status) || is_regular_file(status) || is_directory(status), "cannot write ", path.string(),
          ": it is no regular file");
  if (!is_symlink(std::filesystem::symlink_status(path, ignored))) return path;
  if (exists(status)) return std::filesystem::canonical(path);
  return path.parent_path() / std::filesystem::read_symlink(path);  // a link to a file that is yet to be written
}

void write_file(const std::filesystem::path& path, std::string_view text) {
  const std::filesystem::path target = file_to_replace(path);
  AtomicFile file(target.parent_path());
  file.write(text);
  file.commit(target.filename().string());
}

void make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) detail::fail_with_errno("make the folder", folder, error.value());
}

void require_writable(const std::filesystem::path& path) {
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  require(!exists(status) || is_regular_file(status), "cannot write ", path.string(), ": it is no regular file");
  const AtomicFile probe(file_to_replace(path).parent_path());
}

FolderLock::FolderLock(const std::filesystem::path& folder)
    : descriptor_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (descriptor_.number() < 0) detail::fail_with_errno("open", folder, errno);
  // On a file system without locks, the folder is used without a lock.
  const bool taken = ::flock(descriptor_.number(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  require(!taken, "another process is writing to ", folder.string());
}

bool remove_file(const std::filesystem::path& path) {
  return attempt("unlink", [&] { return ::unlink(path.c_str()); }) == 0;
}

void detail::remove_open_temporaries() noexcept {
  ends = true;
  // The wait is bounded, because the thread that opens a file may be the one that this signal interrupted.
  for (int waits = 0; opening > 0 && waits < 20; ++waits) ::poll(nullptr, 0, 1);
  constexpr int most = 1024;  // the usual limit of descriptors
  char buffer[PATH_MAX + 1];
  for (int descriptor = 0; descriptor < most; ++descriptor) {
    const std::string_view path = path_of(descriptor, buffer);
    if (path.substr(path.rfind('/') + 1).starts_with(temporary_prefix)) ::unlink(path.data());
  }
}

void remove_temporaries(const std::filesystem::path& folder) {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored))
    if (entry.path().filename().string().starts_with(temporary_prefix)) remove_file(entry.path());
}

}  // namespace weft
