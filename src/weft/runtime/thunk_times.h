// Where the time of a program's runs went, thunk by thunk.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace weft::runtime {

struct ThunkTime {
  std::string executable = {}, name = {}, category = {}, source = {};
  std::uint64_t count = 0, total_ns = 0;
  double flops = 0, bytes = 0;  // of one run
};

// A table for the terminal: the categories, then the `most` slowest thunks; with milliseconds a run, share of the whole, GFLOP/s
// and GB/s.
std::string thunk_table(std::span<const ThunkTime> times, int most = 30);

}  // namespace weft::runtime
