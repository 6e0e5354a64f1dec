// Connects the collectives of a divided program with the thunks that it was compiled to.
#pragma once

#include <vector>

#include <weft/compiler/options/options.h>
#include <weft/compiler/spmd/partition.h>
#include <weft/runtime/program_description.h>

namespace weft::compiler {

// Tells what the devices exchange, why, and what would remove it. `compiled` describes the executable that was made of the program with
// these options.
std::vector<runtime::ExchangedTensor> exchanged_tensors(const Partitioned& program, const Options& options,
                                                        const runtime::ProgramDescription& compiled);

}  // namespace weft::compiler
