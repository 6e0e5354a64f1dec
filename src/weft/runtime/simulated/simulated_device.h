// A device that runs no thunks: its outputs are zeros, and its times come from its own clock, which only launches and waits
// advance. So tests can check exactly what overlaps, what waits and how far the host runs ahead, without an accelerator and
// without waiting. Only Event::wait, Buffer::bytes and synchronize count as waits, not Read::wait.
#pragma once

#include <functional>

#include <weft/runtime/device.h>
#include <weft/runtime/thunk.h>

namespace weft::runtime {

struct Simulation {
  double launch_us = 0;     // time of the device for every launch
  double host_us = 0;       // time of the host for every launch
  double host_item_us = 0;  // time of the host for each item passed to host_works()
  // Additional time of a thunk on its stream; null: none.
  std::function<double(const Thunk& thunk)> thunk_us = {};
  // For how long a thunk of another stream keeps the compute stream from its CPUs while it runs; null: not at all.
  std::function<double(const Thunk& thunk)> taken_us = {};
  // Called for each thunk, with the times at which it began and ended; null: nobody asks.
  std::function<void(const Thunk& thunk, double begin_us, double end_us)> ran = {};
};

class SimulatedDevice : public Device {
 public:
  explicit SimulatedDevice(Simulation simulation = {}, DeviceOptions options = {});
};

}  // namespace weft::runtime
