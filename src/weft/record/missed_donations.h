// Finds state that a loop carries from sync to sync and that gets new memory each time, because something still holds the value
// before when the step is synced. Of one thread, and only while somebody listens to diagnostics. Not thread-safe.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>

#include <weft/base/hash.h>
#include <weft/runtime/buffer.h>
#include <weft/runtime/executable.h>

namespace weft::record {

class MissedDonations {
 public:
  // A launch of the program that `identity` names, accepted with these inputs and results. Told once for each program: what its
  // last launch made, and is an input of this one that is held.
  void look(const Fingerprint& identity, const runtime::Executable& program, std::span<const runtime::BufferPtr> inputs,
            std::span<const runtime::BufferPtr> results);

 private:
  struct Seen {
    std::unordered_map<std::uint64_t, std::size_t> made;  // by the last launch: the output of each id
    bool told = false;
  };
  std::unordered_map<Fingerprint, Seen, FingerprintHash> seen_;
};

}  // namespace weft::record
