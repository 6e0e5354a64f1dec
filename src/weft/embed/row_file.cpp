#include <weft/embed/row_file.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <weft/base/error.h>

namespace weft::embed {

namespace {

// Moves all bytes of a record with a system call that may move some of them. Throws Error, which says what cannot be done.
template <class Move>
void move_all(const char* verb, const std::filesystem::path& path, std::size_t bytes, Move move) {
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t count = move(done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) weft::detail::fail_with_errno(verb, path, errno);
    require(count > 0, "cannot ", verb, ' ', path.string(), ": it ends within a record");
    done += count;
  }
}

}  // namespace

RowFile::RowFile(std::filesystem::path path, std::int64_t rows, std::size_t record_bytes)
    : path_(std::move(path)),
      descriptor_(::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)),
      record_bytes_(record_bytes),
      current_(rows),
      protected_(rows) {
  if (descriptor_.number() < 0) weft::detail::fail_with_errno("open", path_, errno);
  ::posix_fadvise(descriptor_.number(), 0, 0, POSIX_FADV_RANDOM);
}

void RowFile::read(const Wanted& wanted) const {
  const std::uint64_t at = place(wanted.row, current_[wanted.row]);
  move_all("read", path_, record_bytes_, [&](std::size_t done) {
    return ::pread(descriptor_.number(), wanted.to.data() + done, record_bytes_ - done, static_cast<off_t>(at + done));
  });
}

void RowFile::read(std::span<const Wanted> rows) const {
  std::vector<Wanted> slow;  // those that are not in the system's memory
  for (const Wanted& wanted : rows) {
    const auto at = static_cast<off_t>(place(wanted.row, current_[wanted.row]));
    const iovec to{wanted.to.data(), record_bytes_};
    if (std::cmp_equal(::preadv2(descriptor_.number(), &to, 1, at, RWF_NOWAIT), record_bytes_)) continue;
    ::posix_fadvise(descriptor_.number(), at, static_cast<off_t>(record_bytes_), POSIX_FADV_WILLNEED);
    slow.push_back(wanted);
  }
  for (const Wanted& wanted : slow) read(wanted);
}

void RowFile::write(std::int64_t row, std::span<const std::byte> record) {
  const std::uint8_t version = protected_[row] == 1 ? 2 : 1;
  move_all("write to", path_, record_bytes_, [&](std::size_t done) {
    if (weft::detail::file_fault) {
      if (const int error = weft::detail::file_fault("pwrite")) {
        errno = error;
        return ssize_t{-1};
      }
    }
    return ::pwrite(descriptor_.number(), record.data() + done, record_bytes_ - done,
                    static_cast<off_t>(place(row, version) + done));
  });
  current_[row] = version;
}

void RowFile::sync() {
  if (::fdatasync(descriptor_.number()) != 0) weft::detail::fail_with_errno("sync", path_, errno);
}

void RowFile::restore(Versions versions) {
  require(versions.size() == current_.size(), path_.string(), ": the checkpoint has ", versions.size(),
          " rows, the tables ", current_.size());
  struct stat status;
  if (::fstat(descriptor_.number(), &status) != 0) weft::detail::fail_with_errno("read", path_, errno);
  for (std::int64_t row = 0; row < std::ssize(versions); ++row)
    require(versions[row] <= 2 && (versions[row] == 0 || place(row, versions[row]) + record_bytes_ <=
                                                             static_cast<std::uint64_t>(status.st_size)),
            path_.string(), ": the record of row ", row,
            " is missing: the file does not belong to the checkpoint, or was cut");
  current_ = std::move(versions);
  protected_ = current_;
}

}  // namespace weft::embed
