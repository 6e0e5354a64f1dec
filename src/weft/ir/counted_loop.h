// Loops whose number of steps is known.
#pragma once

#include <cstdint>
#include <optional>

#include <weft/ir/graph.h>

namespace weft::ir {

// for (carried[counter] = first; carried[counter] < first + steps; ++carried[counter])
struct CountedLoop {
  std::size_t counter = 0;
  std::int64_t first = 0, steps = 0;
};

// Returns the counts of a `while`, if its condition is counter < end, with a carried integer that each step increments by 1, and the first
// value and the end are constants.
std::optional<CountedLoop> counted_loop(const Node& loop);

}  // namespace weft::ir
