// Describes the collectives of a divided program for people.
#pragma once

#include <weft/compiler/options/division.h>
#include <weft/compiler/spmd/partition.h>

namespace weft::compiler {

Division describe_division(const Partitioned& program);

}  // namespace weft::compiler
