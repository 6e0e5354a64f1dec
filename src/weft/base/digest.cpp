#include <weft/base/digest.h>

#include <array>
#include <cstdio>
#include <new>

#include <xxhash.h>

namespace weft {

namespace {
XXH3_state_t* xxh(auto* state) { return reinterpret_cast<XXH3_state_t*>(state); }
}  // namespace

void Digest::Free::operator()(State* state) const { XXH3_freeState(xxh(state)); }

Digest::Digest() : state_(reinterpret_cast<State*>(XXH3_createState())) {
  if (!state_) throw std::bad_alloc();
  XXH3_128bits_reset(xxh(state_.get()));
}

void Digest::add(std::span<const std::byte> bytes) {
  if (!bytes.empty()) XXH3_128bits_update(xxh(state_.get()), bytes.data(), bytes.size());
}

std::string Digest::hex() const {
  const XXH128_hash_t hash = XXH3_128bits_digest(xxh(state_.get()));
  std::array<char, 33> text{};
  std::snprintf(text.data(), text.size(), "%016llx%016llx", static_cast<unsigned long long>(hash.high64),
                static_cast<unsigned long long>(hash.low64));
  return text.data();
}

std::string hex_digest(std::string_view bytes) {
  Digest digest;
  digest.add(std::as_bytes(std::span(bytes)));
  return digest.hex();
}

}  // namespace weft
