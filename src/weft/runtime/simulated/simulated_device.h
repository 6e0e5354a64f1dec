// A device that runs no thunks: its outputs are zeros, and its times come from its own clock, which only launches and waits
// advance. So tests can check exactly what overlaps, what waits and how far the host runs ahead, without an accelerator and
// without waiting. Only Event::wait, Buffer::bytes and synchronize count as waits, not Read::wait.
#pragma once

#include <cstdint>
#include <functional>

#include <weft/runtime/device.h>
#include <weft/runtime/thunk.h>

namespace weft::runtime {

// A thunk that has run.
struct SimulatedRun {
  const Thunk& thunk;
  const Executable& executable;
  StreamKind stream;
  std::uint64_t launch;  // counts the launches
  double begin_us, end_us;
  // The thunk whose end it waited for, on another stream or in an earlier launch; null if it waited for none.
  const Thunk* waited_for;
};

struct Simulation {
  double launch_us = 0;     // time of the device for every launch
  double host_us = 0;       // time of the host for every launch
  double host_item_us = 0;  // time of the host for each item passed to host_works()
  // Additional time of a thunk on its stream; null: none.
  std::function<double(const Thunk& thunk)> thunk_us = {};
  // For how long a thunk of another stream keeps the compute stream from its CPUs while it runs; null: not at all.
  std::function<double(const Thunk& thunk)> taken_us = {};
  std::function<void(const SimulatedRun& run)> ran = {};  // called for each thunk; null: nobody asks
};

class SimulatedDevice : public Device {
 public:
  explicit SimulatedDevice(Simulation simulation = {}, DeviceOptions options = {});
};

}  // namespace weft::runtime
