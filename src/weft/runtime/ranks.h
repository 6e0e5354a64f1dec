// The processes of a job, called ranks as in MPI. All ranks run the same program, and share the logical devices of each mesh: every rank
// has an equal, contiguous part of them. A process that mpirun started as one of several joins the others at the first call of ranks().
#pragma once

#include <cstdint>
#include <string_view>

#include <weft/runtime/transport.h>

namespace weft::runtime {

struct Ranks {
  std::uint32_t rank = 0, count = 1;
  Transport* transport = nullptr;  // null if there is one rank only

  bool is_first() const { return rank == 0; }
};

// Returns the ranks of this job. The first call joins the others, and throws Error if the library that this needs is missing. Thread-safe.
const Ranks& ranks();

// Returns whether something like mpirun started this process as one of several. Does not join them.
bool is_one_of_several();

// Gives all other processes the bytes of the first one, on the host's channel. All processes must call it; `what` names the bytes in messages.
void broadcast(std::string_view what, std::span<std::byte> bytes);

// The logical devices of a mesh that are in this process.
struct LocalDevices {
  std::uint32_t first = 0, count = 1;
  bool contains(std::uint32_t device) const { return device - first < count; }
};
// Returns those of a mesh of `devices` devices. Throws Error if the ranks cannot share them equally.
LocalDevices local_devices(std::uint32_t devices);

}  // namespace weft::runtime
