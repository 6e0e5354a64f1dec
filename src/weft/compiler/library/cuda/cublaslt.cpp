#include <weft/compiler/library/cuda/cublaslt.h>

#include <algorithm>
#include <cstdlib>
#include <link.h>
#include <map>
#include <mutex>
#include <type_traits>
#include <utility>

#include <dlfcn.h>
#include <system_error>

#include <weft/base/error.h>
#include <weft/base/knobs.h>

namespace weft::compiler::cublaslt {

namespace fs = std::filesystem;

namespace {

constexpr const char* file_names[] = {"libcublasLt.so.13", "libcublasLt.so.12"};

// Returns the folders of CUDA's libraries among the packages of a virtual environment.
std::vector<fs::path> folders_of_packages(const fs::path& environment) {
  std::vector<fs::path> folders;
  std::error_code none;
  for (const auto& python : fs::directory_iterator(environment / "lib", none))
    for (const char* package : {"cu13", "cublas"})
      folders.push_back(python.path() / "site-packages" / "nvidia" / package / "lib");
  std::ranges::sort(folders);
  return folders;
}

std::string path_of(void* library, const fs::path& otherwise) {
  const link_map* map = nullptr;
  return ::dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && *map->l_name ? map->l_name : otherwise.string();
}

}  // namespace

std::vector<fs::path> places() {
  std::vector<fs::path> folders;
  if (const std::string chosen = knobs::cuda_libraries(); !chosen.empty()) folders.emplace_back(chosen);
  folders.emplace_back();  // the loader's path
  folders.emplace_back("/usr/local/cuda/lib64");
  if (const char* active = std::getenv("VIRTUAL_ENV"))
    for (fs::path& folder : folders_of_packages(active)) folders.push_back(std::move(folder));
  std::vector<fs::path> files;
  for (const fs::path& folder : folders)
    for (const char* name : file_names) files.push_back(folder / name);
  return files;
}

Result<Library> load(std::span<const fs::path> files) {
  std::string tried;
  for (const fs::path& file : files) {
    void* const opened = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!opened) {
      tried += concat(tried.empty() ? "" : "; ", ::dlerror());
      continue;
    }
    Library library;
    library.path = path_of(opened, file);
    const char* missing = nullptr;
    const auto find = [&](auto& function, const char* name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(opened, name));
      if (!function) missing = name;
    };
#define WEFT_FIND_FUNCTION(member, name, parameters) find(library.member, #name);
    WEFT_CUBLASLT_FUNCTIONS(WEFT_FIND_FUNCTION)
#undef WEFT_FIND_FUNCTION
    find(library.version, "cublasLtGetVersion");
    find(library.name_of, "cublasLtGetStatusName");
    if (!missing) return library;
    tried += concat(tried.empty() ? "" : "; ", library.path, " has no function ", missing);
  }
  return Status::failed(tried);
}

const Result<Library>& library() {
  static const auto* const found = new Result<Library>(load(places()));
  return *found;
}

const Library& loaded() {
  const Result<Library>& found = library();
  if (!found)
    fail(
        "cuBLASLt, which multiplies matrices on GPUs, was not found; WEFT_CUDA_LIBRARIES names the folder of "
        "libcublasLt.so.13 (",
        found.reason(), ')');
  return *found;
}

Handle handle_of(int ordinal) {
  static std::mutex mutex;
  static auto* const handles = new std::map<int, Handle>();  // leaked: the driver may be gone when the process ends
  const std::lock_guard lock(mutex);
  Handle& handle = (*handles)[ordinal];
  if (!handle) {
    const Library& lt = loaded();
    if (const Code code = lt.create(&handle); code != Code::success) {
      handle = nullptr;
      fail("cuBLASLt cannot use GPU ", ordinal, ": ", lt.name_of(code), " (", lt.path,
           "); it needs a driver that is new enough for it, and free memory on the GPU");
    }
  }
  return handle;
}

}  // namespace weft::compiler::cublaslt
