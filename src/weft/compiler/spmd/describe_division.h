// Describes the collectives of a divided program for people.
#pragma once

#include <vector>

#include <weft/compiler/options/division.h>
#include <weft/compiler/spmd/partition.h>

namespace weft::compiler {

Division describe_division(const Partitioned& program);

// Returns the collectives of the program. Division::Collective::operation is an index into them.
std::vector<const ir::Node*> operations(const Partitioned& program);

}  // namespace weft::compiler
