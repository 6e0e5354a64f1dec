#include <weft/base/temporary_folder.h>

#include <cerrno>
#include <cstdlib>
#include <string>

#include <system_error>

#include <weft/base/error.h>
#include <weft/base/file.h>

namespace weft {

TemporaryFolder::TemporaryFolder() {
  std::error_code error;
  std::string name = (std::filesystem::temp_directory_path(error) / "weft-XXXXXX").string();
  require(!error, "cannot use the folder of temporary files (TMPDIR): ", error.message());
  if (!::mkdtemp(name.data())) detail::fail_with_errno("make the folder", name, errno);
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace weft
