// Finds what would remove the collectives of a divided program, by trying: divides it again with another sharding of its inputs.
#pragma once

#include <string>
#include <vector>

#include <weft/compiler/options/division.h>
#include <weft/compiler/options/options.h>
#include <weft/compiler/spmd/partition.h>

namespace weft::compiler {

// Sets, for each tensor of the division, the three changes with which less is sent for it and the least communication is predicted to be
// exposed: less than now, in a step that takes no longer. If no change helps, the only text says so. `division` describes `program`, whose
// collectives are joined or not.
void add_remedies(const Partitioned& program, const Options& options, const NameOfInput& name_of_input,
                  Division& division);

}  // namespace weft::compiler
