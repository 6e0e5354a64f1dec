// Finds state that a loop carries from sync to sync and that gets new memory each time, because something still holds the
// previous value when the step is synced. Used by one thread, and only while somebody listens to diagnostics. Not thread-safe.
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
  // Notes an accepted launch of the program `identity` with its inputs and results. Reports, once for each program, the results
  // of its previous launch that are inputs of this one and are held.
  void look(const Fingerprint& identity, const runtime::Executable& program, std::span<const runtime::BufferPtr> inputs,
            std::span<const runtime::BufferPtr> results);

 private:
  struct Seen {
    std::unordered_map<std::uint64_t, std::size_t> made;  // output index by buffer id, for the last launch
    bool told = false;
  };
  std::unordered_map<Fingerprint, Seen, FingerprintHash> seen_;
};

}  // namespace weft::record
