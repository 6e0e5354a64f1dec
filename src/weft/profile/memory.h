// What a program's memory plan says of one run: the bytes alive at each op, and whose they are where there are most.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <weft/profile/recording.h>

namespace weft::profile {

// When an allocation is in use: from the first op to touch it to the last. Inputs and constants are there before, outputs stay.
struct Lifetime {
  static constexpr std::size_t never = std::numeric_limits<std::size_t>::max();
  std::size_t first = never, last = 0;
  std::size_t maker = never;  // the first op to write it
  std::size_t result = 0;     // which of that op's writes it is
};
std::vector<Lifetime> lifetimes(const Program& program);  // of each allocation

// Values of one kind that one line of the user's made.
struct LiveValues {
  std::string kind;  // input, constant, output, temporary
  std::string scope, source;
  std::uint64_t bytes = 0, count = 0;
};

struct ProgramMemory {
  std::vector<std::uint64_t> points;  // bytes alive while each op runs
  std::size_t peak_at = 0;            // the first op at which there are most
  std::uint64_t peak = 0;
  std::vector<LiveValues> live;  // then, the largest first
};

ProgramMemory program_memory(const Program& program);

}  // namespace weft::profile
