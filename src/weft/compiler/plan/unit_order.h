// The order in which the units of a program run.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include <weft/compiler/plan/unit.h>

namespace weft::compiler {

// Predicts how long a unit takes.
using PredictSeconds = std::function<double(const Unit& unit)>;

// Orders the units: each after those that make what it reads, units with side effects in program order, and otherwise the earliest in the
// program first. A unit that updates part of a value waits for the value's other readers as long as any other unit can run, since after
// them it need not copy the whole value.
std::vector<Unit> in_order(std::vector<Unit> units);

// Which unit comes first, of those that could run.
enum class Priority : std::uint8_t {
  // The earliest in the program. What needs collectives and is needed by none comes when nothing else can run. Collectives whose results only
  // later launches need come where the program has them, if the link is idle then, or else last: a later launch may begin while they are on
  // their way.
  program,
  longest_link,   // the one that is followed by the longest chain of collectives, whatever is computed in between
  longest_chain,  // the one that is followed by the longest chain of collectives and computation
};

struct BesideCollectives {
  std::vector<Unit> units;
  double seconds = 0;  // until the last collective has ended, as predicted
};
// Orders the units so that computation hides collectives. Units on the communication stream start as soon as they can, and a unit whose
// result from there has not arrived yet lets others run first.
BesideCollectives beside_collectives(std::vector<Unit> units, const PredictSeconds& seconds, Priority priority);

}  // namespace weft::compiler
