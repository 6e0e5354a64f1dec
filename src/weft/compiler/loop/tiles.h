// Transposing loops of a CPU.
#pragma once

#include <weft/compiler/loop/loop.h>
#include <weft/compiler/options/target.h>

namespace weft::compiler {

// Makes a loop of rows one of tiles (Walk::tiles) if it reads neighbouring elements along a row axis and stores along the lanes: reading
// such elements with a stride uses one element of each cache line.
void walk_in_tiles(Loop& loop, const Target& target);

}  // namespace weft::compiler
