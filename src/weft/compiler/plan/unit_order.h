// The order in which the units of a program run.
#pragma once

#include <vector>

#include <weft/compiler/plan/unit.h>

namespace weft::compiler {

// Orders the units: each after those that make what it reads, units with side effects in program order, and otherwise the earliest in the
// program first. A unit that updates part of a value waits for the value's other readers as long as any other unit can run, since after
// them it need not copy the whole value.
std::vector<Unit> in_order(std::vector<Unit> units);

}  // namespace weft::compiler
