// A device that runs no thunks: its outputs are zeros, and its times come from a clock of its own that only launches and waits
// advance. So what overlaps, what waits and how far the host runs ahead can be tested exactly, without an accelerator and without
// waiting. Only Event::wait, Buffer::bytes and synchronize count as waits, not Read::wait.
#pragma once

#include <functional>

#include <weft/runtime/device.h>
#include <weft/runtime/thunk.h>

namespace weft::runtime {

struct Simulation {
  double launch_us = 0;     // every launch takes the device this long
  double host_us = 0;       // and the host this long to make
  double host_item_us = 0;  // and this long for each item that host_works() tells of
  // And every thunk takes its stream this long beside; null: none.
  std::function<double(const Thunk& thunk)> thunk_us = {};
};

class SimulatedDevice : public Device {
 public:
  explicit SimulatedDevice(Simulation simulation = {}, DeviceOptions options = {});
};

}  // namespace weft::runtime
