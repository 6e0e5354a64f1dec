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
// donated to the results. A recording is discarded only when its launch was accepted: if compiling throws, every tensor stays
// as it was, and tensors that could not be compiled can be dropped. Does nothing if nothing is recorded and held.
//
// Reading a tensor (item, to_vector, printing...) does the same for the whole recording, so that values needed by this read and
// by later ones are computed once.
//
// (Under `using namespace weft`, say weft::sync(): POSIX has a sync of its own.)
void sync();
inline void mark_step() { sync(); }  // PyTorch/XLA's name

// Calls sync(), then waits for everything launched on the device. Errors of launches stay with the tensors that the launches
// should have made.
void synchronize();

// What the last sync of this thread that launched something, or the last replay of a compiled function, did.
struct SyncStats {
  std::uint64_t nodes = 0;      // recorded, now or for the replayed program; includes dead ones
  std::uint64_t inputs = 0;     // tensors and numbers that the program reads
  std::uint64_t numbers = 0;    // inputs that are numbers of the host
  std::uint64_t donatable = 0;  // inputs whose buffers results may take over
  std::uint64_t outputs = 0;
  bool compiled = false, replayed = false;
  double host_us = 0;  // time in sync, including compiling and waiting; or in the replay
  double wait_us = 0;  // the part of host_us spent waiting for the device because the host is too far ahead
};
SyncStats last_sync();
// Returns the report of the last compilation of this thread; nullopt before the first one, or with the interpreter as backend.
std::optional<compiler::Report> last_compile();

// The device on which this thread launches and to which it uploads; initially the CPU. It must outlive its tensors. Operations
// and compiled functions reject tensors of another device. Call sync() before choosing another one.
runtime::Device& device();
void set_device(runtime::Device& device);

// Discards all compiled programs of the process, so that each is compiled again.
void clear_graph_cache();
std::size_t graph_cache_size();

}  // namespace weft
