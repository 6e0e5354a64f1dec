// For builds without libcurl.
#include <weft/base/error.h>
#include <weft/compiler/cache/object_store.h>

namespace weft::compiler {

ObjectStore::ObjectStore(ObjectStoreSettings) {
  fail("this weft was built without libcurl: install it (Debian: libcurl4-openssl-dev) and build weft again");
}

ObjectAnswer ObjectStore::get(const std::string&, std::size_t, std::chrono::nanoseconds) { return {}; }
ObjectAnswer ObjectStore::put(const std::string&, std::string_view, std::chrono::nanoseconds, const std::stop_token&) {
  return {};
}

}  // namespace weft::compiler
