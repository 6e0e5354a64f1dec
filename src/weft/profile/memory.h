// The memory of one run, from a program's memory plan: the bytes alive at each op, and the values alive at the peak.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <weft/profile/recording.h>

namespace weft::profile {

// The ops during which an allocation is in use: from the first op that touches it to the last. Inputs and constants exist
// before, and outputs stay.
struct Lifetime {
  static constexpr std::size_t never = std::numeric_limits<std::size_t>::max();
  std::size_t first = never, last = 0;
  std::size_t maker = never;  // the first op that writes it
  std::size_t result = 0;     // the index among that op's writes
};
std::vector<Lifetime> lifetimes(const Program& program);  // one for each allocation

// Values of one kind that come from one line of the user's program.
struct LiveValues {
  std::string kind;  // input, constant, output, temporary
  std::string scope, source;
  std::uint64_t bytes = 0, count = 0;
};

struct ProgramMemory {
  std::vector<std::uint64_t> points;  // bytes alive while each op runs
  std::size_t peak_at = 0;            // the first op at the peak
  std::uint64_t peak = 0;
  std::vector<LiveValues> live;  // the values alive at the peak, the largest first
};

ProgramMemory program_memory(const Program& program);

}  // namespace weft::profile
