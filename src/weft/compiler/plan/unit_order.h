// The order in which the units of a program run.
#pragma once

#include <vector>

#include <weft/compiler/plan/unit.h>

namespace weft::compiler {

// Every unit after those that make what it reads; what has effects in the order of the program; among the possible ones, the
// earliest in the program. But one that updates a part of a value gives way to the other readers of it as long as any other unit
// can run: behind them, it need not copy the whole.
std::vector<Unit> in_order(std::vector<Unit> units);

}  // namespace weft::compiler
