#include <weft/base/hash.h>

#include <xxhash.h>

namespace weft {

std::uint64_t hash_bytes(const void* data, std::size_t size) { return XXH3_64bits(data, size); }

}  // namespace weft
