// Closing the recording and launching it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include <weft/compiler/options/report.h>
#include <weft/runtime/device.h>

namespace weft {

// Closes the recording of this thread and launches it as one program whose results are all recorded tensors that are still
// held; returns at once. The program is compiled unless this graph was seen before. Buffers that no tensor holds any more are
// donated to the results. A recording is only forgotten when its launch was accepted: if compiling throws, every tensor stays
// as it was, and what could not be compiled can be dropped. Nothing recorded and held: nothing happens.
//
// Reading a tensor (item, to_vector, printing...) does the same for the whole recording, so that values shared by what is read
// now and later are computed once.
//
// (Under `using namespace weft`, say weft::sync(): POSIX has a sync of its own.)
void sync();
inline void mark_step() { sync(); }  // PyTorch/XLA's name

// sync(), then waits for everything launched on the device. Errors of launches stay with the tensors they should have made.
void synchronize();

// What the last sync of this thread that launched something, or the last replay of a compiled function, did.
struct SyncStats {
  std::uint64_t nodes = 0;      // recorded, now or for the program that is replayed; dead ones included
  std::uint64_t inputs = 0;     // tensors and numbers that the program reads
  std::uint64_t numbers = 0;    // of these, numbers of the host
  std::uint64_t donatable = 0;  // of these, buffers that results may take over
  std::uint64_t outputs = 0;
  bool compiled = false, replayed = false;
  double host_us = 0;  // time spent in sync, compiling and waiting included; or in the replay
  double wait_us = 0;  // of it, waiting for the device, because the host is too far ahead
};
SyncStats last_sync();
// Of the last compile of this thread; none before the first, or with the interpreter as backend.
std::optional<compiler::Report> last_compile();

// The device that this thread launches on and uploads to; at first the CPU. It must outlive its tensors. Operations and compiled
// functions refuse tensors of another one; sync() before choosing it.
runtime::Device& device();
void set_device(runtime::Device& device);

// Forgets all compiled programs of the process, so that each is compiled again.
void clear_graph_cache();
std::size_t graph_cache_size();

}  // namespace weft
