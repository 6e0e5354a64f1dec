// The order in which the units of a program run.
#pragma once

#include <functional>
#include <vector>

#include <weft/compiler/plan/unit.h>

namespace weft::compiler {

// Predicts how long a unit takes.
using PredictSeconds = std::function<double(const Unit& unit)>;

// Orders the units: each after those that make what it reads, units with side effects in program order, and otherwise the earliest in the
// program first. A unit that updates part of a value waits for the value's other readers as long as any other unit can run, since after
// them it need not copy the whole value.
//
// With a prediction, units on the communication stream start as soon as they can, and a unit whose result from there has not arrived
// yet lets others run first. What needs collectives and is needed by none runs when nothing else can. Collectives whose results only
// later launches need come where the program has them, if the link is idle then, or else last: a later launch may begin while they are on
// their way.
std::vector<Unit> in_order(std::vector<Unit> units, const PredictSeconds& seconds = {});

}  // namespace weft::compiler
