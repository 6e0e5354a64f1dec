// The time of a program's runs, by thunk.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace weft::runtime {

struct ThunkTime {
  std::string executable = {}, name = {}, category = {}, source = {};
  std::uint64_t count = 0, total_ns = 0;
  double flops = 0, bytes = 0;  // per run
};

// Returns a table for the terminal: the categories, then the `most` slowest thunks, each with milliseconds per run, share of
// the total time, GFLOP/s and GB/s.
std::string thunk_table(std::span<const ThunkTime> times, int most = 30);

}  // namespace weft::runtime
