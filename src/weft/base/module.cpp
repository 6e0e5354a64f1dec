#include <weft/base/module.h>

#include <filesystem>

#include <dlfcn.h>

#include <weft/base/error.h>

namespace weft {

namespace {

// Returns the folder of the library, or of the statically linked program, that contains this code.
std::filesystem::path own_folder() {
  Dl_info here{};
  ::dladdr(reinterpret_cast<const void*>(&own_folder), &here);
  return here.dli_fname ? std::filesystem::absolute(here.dli_fname).parent_path() : std::filesystem::path();
}

}  // namespace

void* find_in_module(std::string_view name, const char* function) {
  const std::string file = concat("libweft_", name, ".so");
  std::filesystem::path path = own_folder() / file;
  if (!std::filesystem::exists(path)) path = own_folder().parent_path() / "lib" / file;
  if (!std::filesystem::exists(path)) return nullptr;
  void* const module = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!module) fail("cannot load ", path, ": ", ::dlerror());
  void* const found = ::dlsym(module, function);
  WEFT_ASSERT(found != nullptr, "a module without its function");
  return found;
}

}  // namespace weft
