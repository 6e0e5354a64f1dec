#include <weft/base/lapack.h>

#include <type_traits>

#include <dlfcn.h>

#include <weft/base/knobs.h>

namespace weft::lapack {

namespace {

Result<Library> load_first() {
  if (const std::string& chosen = knobs::lapack(); !chosen.empty()) return load(chosen);
  std::string reasons;
  for (const char* const name : {"libopenblas.so.0", "libopenblas.so", "liblapack.so.3"}) {
    Result<Library> loaded = load(name);
    if (loaded) return loaded;
    reasons += concat(reasons.empty() ? "" : "; ", loaded.reason());
  }
  return Status::failed(
      concat("LAPACK, which linear algebra needs, was not found; install libopenblas0 (Debian), or set WEFT_LAPACK to "
             "the path of "
             "libopenblas.so or liblapack.so (",
             reasons, ')'));
}

}  // namespace

Result<Library> load(const std::string& name) {
  const bool was_loaded = ::dlopen(name.c_str(), RTLD_NOW | RTLD_NOLOAD);
  void* const opened = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!opened) return Status::failed(::dlerror());
  Library library;
  library.name = name;
  std::string missing;
  const auto find = [&](auto& function, const std::string& symbol) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(opened, symbol.c_str()));
    if (!function) missing = symbol;
  };
#define WEFT_LAPACK_FIND(name, parameters) \
  find(library.f32.name, "s" #name "_");   \
  find(library.f64.name, "d" #name "_");
  WEFT_LAPACK_FUNCTIONS(WEFT_LAPACK_FIND)
#undef WEFT_LAPACK_FIND
  if (!missing.empty()) return Status::failed(concat(name, " has no function ", missing));
  // Weft's threads compute several matrices at once, and a matrix on one thread has the same bits on every machine size. A library that
  // the program itself uses keeps its threads.
  if (auto* const set_threads = reinterpret_cast<void (*)(int)>(::dlsym(opened, "openblas_set_num_threads"));
      set_threads && !was_loaded)
    set_threads(1);
  return library;
}

const Result<Library>& library() {
  static const auto* const found = new Result<Library>(load_first());
  return *found;
}

}  // namespace weft::lapack
