// What a collective costs on the link between the devices of a mesh: a latency, and a time for the bytes that each device sends.
#pragma once

#include <string_view>

namespace weft::compiler {

struct Link {
  // The defaults are what devices that share the memory of one machine achieve.
  double latency_us = 20;
  double gb_s = 2.5;  // 10^9 bytes per second
  // Whether the CPUs are free while it carries bytes. Devices that share memory exchange them by copies, which are work like any other:
  // nothing could hide it, and a second thread would only disturb the computation.
  bool leaves_cpus = false;
  // Whether a collective lasts at least as long as the costs say, without using a CPU meanwhile. For measurements: it makes devices of
  // one process wait as devices of several machines do.
  bool is_throttled = false;

  double seconds(double sent_bytes) const { return 1e-6 * latency_us + 1e-9 * sent_bytes / gb_s; }

  // Reads "latency_us=50,gb_s=1" as a throttled link; an empty text is the default. Throws Error for anything else.
  static Link parse(std::string_view text);

  friend bool operator==(const Link&, const Link&) = default;
};

}  // namespace weft::compiler
