// Hashing: a fast mixing step for values in registers, and xxHash for bytes. Not for untrusted keys.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace weft {

namespace detail {
__extension__ using uint128 = unsigned __int128;
}

// Folds `value` into `seed`: one widening multiplication (wyhash's step), order-sensitive.
constexpr std::uint64_t mix(std::uint64_t seed, std::uint64_t value) {
  detail::uint128 product = seed ^ 0x9e3779b97f4a7c15u;
  product *= value ^ 0xd6e8feb86659fd93u;
  return product ^ (product >> 64);  // the low half of it
}

// A hash of 128 bits, for identities that must not collide by chance.
struct Fingerprint {
  std::uint64_t low = 0x243f6a8885a308d3u, high = 0x13198a2e03707344u;

  constexpr void add(std::uint64_t value) {
    low = mix(low, value);
    // The constant prevents one value from zeroing both halves.
    high = mix(high + 0xa4093822299f31d0u, value ^ 0x082efa98ec4e6c89u);
  }
  friend constexpr bool operator==(const Fingerprint&, const Fingerprint&) = default;
};

struct FingerprintHash {
  constexpr std::size_t operator()(const Fingerprint& f) const { return f.low; }
};

std::uint64_t hash_bytes(const void* data, std::size_t size);
inline std::uint64_t hash_bytes(std::string_view text) { return hash_bytes(text.data(), text.size()); }

}  // namespace weft
