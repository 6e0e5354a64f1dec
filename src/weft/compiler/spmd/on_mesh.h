// Runs a program that is divided among the devices of a mesh on the interpreter, as a reference for other ways to run it.
#pragma once

#include <span>
#include <vector>

#include <weft/compiler/spmd/partition.h>
#include <weft/ir/array.h>

namespace weft::compiler {

// Returns the outputs, assembled from the shards of all devices, for these whole inputs.
std::vector<ir::Array> interpret_on_mesh(const Partitioned& program, const ir::Mesh& mesh,
                                         std::span<const ir::Sharding> shardings, std::span<const ir::Array> inputs);

}  // namespace weft::compiler
