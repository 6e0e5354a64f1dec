// How the units of collectives use the link between devices.
#pragma once

#include <weft/compiler/options/options.h>
#include <weft/compiler/plan/unit.h>

namespace weft::compiler {

// Sets how long the link takes for the collective that the unit runs, and its stream. On a throttled link, its thunk lasts at least as
// long. In a simulation (Options::stands_for), its thunk exchanges nothing.
void set_communication(Unit& unit, const ir::Node& collective, const Options& options);

}  // namespace weft::compiler
