// Runs a program that is divided among the devices of a mesh: compiled, on logical devices of this process, or on the interpreter, as a
// reference for other ways to run it.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <weft/compiler/options/options.h>
#include <weft/compiler/options/report.h>
#include <weft/compiler/spmd/partition.h>
#include <weft/ir/array.h>
#include <weft/runtime/executable.h>

namespace weft::runtime {
class Device;
}

namespace weft::compiler {

// Compiles the program once, whatever the number of devices. The inputs of the executable are the shards of the first device, then those of
// the second one, and so on; so are its outputs.
std::shared_ptr<const runtime::Executable> compile_for_mesh(const Partitioned& program, const ir::Mesh& mesh,
                                                            Options options, Report* report = nullptr);

// Both return the outputs, assembled from the shards of all devices, for these whole inputs, of which input i is divided by shardings[i].
// run_on_mesh sets `ms` to the time of the computation only.
std::vector<ir::Array> run_on_mesh(const std::shared_ptr<const runtime::Executable>& executable, runtime::Device& on,
                                   const Partitioned& program, std::span<const ir::Sharding> shardings,
                                   std::span<const ir::Array> inputs, double* ms = nullptr);
std::vector<ir::Array> interpret_on_mesh(const Partitioned& program, const ir::Mesh& mesh,
                                         std::span<const ir::Sharding> shardings, std::span<const ir::Array> inputs);

}  // namespace weft::compiler
