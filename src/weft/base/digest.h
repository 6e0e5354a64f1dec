// A 128-bit digest of a stream of bytes (XXH3). It detects accidental damage, not deliberate changes.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace weft {

class Digest {
 public:
  Digest();
  void add(std::span<const std::byte> bytes);
  std::string hex() const;  // 32 digits for the bytes added so far, as `xxh128sum` prints them

 private:
  struct State;
  struct Free {
    void operator()(State* state) const;
  };
  std::unique_ptr<State, Free> state_;
};

// Returns the digest of a text.
std::string hex_digest(std::string_view bytes);

}  // namespace weft
