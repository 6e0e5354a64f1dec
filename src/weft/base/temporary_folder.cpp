#include <weft/base/temporary_folder.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <string>

#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

#include <weft/base/error.h>
#include <weft/base/file.h>

namespace weft {

namespace {

// The paths of the living folders, for the signal handler. There are rarely many; a signal leaves those beyond the limit
// behind.
constexpr std::size_t most_living = 64;
std::array<std::atomic<const char*>, most_living> living;

std::size_t take_slot(const char* path) {
  const char* nothing = nullptr;
  std::size_t slot = 0;
  while (slot < most_living && !living[slot].compare_exchange_strong(nothing, path)) nothing = nullptr, ++slot;
  return slot;
}

}  // namespace

void detail::remove_living_temporary_folders() noexcept {
  for (const auto& folder : living) {
    const char* const path = folder;
    if (path == nullptr) continue;
    const pid_t process = ::_Fork();  // does not call fork handlers, so it is safe here
    if (process == 0) {
      ::execl("/bin/rm", "rm", "-rf", path, nullptr);
      ::_exit(1);
    }
    if (process > 0) ::waitpid(process, nullptr, 0);
  }
}

TemporaryFolder::TemporaryFolder() {
  std::error_code error;
  std::string name = (std::filesystem::temp_directory_path(error) / "weft-XXXXXX").string();
  require(!error, "cannot use the folder of temporary files (TMPDIR): ", error.message());
  if (!::mkdtemp(name.data())) detail::fail_with_errno("make the folder", name, errno);
  path_ = name;
  slot_ = take_slot(path_.c_str());
}

TemporaryFolder::~TemporaryFolder() {
  if (slot_ < most_living) living[slot_] = nullptr;
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace weft
