// weft lab mesh --simulate: progress, table and JSON.
#pragma once

#include <apps/lab/mesh_simulation.h>

namespace weft::cli {

void run_mesh_simulation(const lab::SimulationOptions& options, bool json);

}  // namespace weft::cli
