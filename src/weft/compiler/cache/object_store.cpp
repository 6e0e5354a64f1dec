#include <weft/compiler/cache/object_store.h>

#include <weft/base/error.h>
#include <weft/base/module.h>
#include <weft/compiler/cache/s3/s3_store.h>

namespace weft::compiler {

std::unique_ptr<ObjectStore> ObjectStore::open(const ObjectStoreSettings& settings) {
  const auto make = reinterpret_cast<decltype(&weft_make_s3_store)>(find_in_module("s3", "weft_make_s3_store"));
  require(make != nullptr,
          "this weft was built without libcurl: install it (Debian: libcurl4-openssl-dev) and build weft again");
  return std::unique_ptr<ObjectStore>(make(settings));
}

}  // namespace weft::compiler
