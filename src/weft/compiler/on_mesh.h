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
#include <weft/runtime/buffer.h>
#include <weft/runtime/executable.h>

namespace weft::runtime {
class Device;
}

namespace weft::compiler {

// Compiles the program once, whatever the number of devices. The inputs and outputs of the executable are the whole tensors, whose layouts
// (sharding_layout.h) are the program's shardings; all devices read the same bytes of the inputs in `shared`, which have no layout.
// The phases that `report` holds stay in it, in front of those of the compilation.
std::shared_ptr<const runtime::Executable> compile_for_mesh(const Partitioned& program, Options options,
                                                            Report* report = nullptr,
                                                            const std::vector<bool>& shared = {});
// Makes such an executable of one that runs the program of every device and was compiled with these options.
std::shared_ptr<const runtime::Executable> for_mesh(const std::shared_ptr<const runtime::Executable>& one,
                                                    const Partitioned& program, const Options& options,
                                                    const std::vector<bool>& shared = {});

// Compiles the program for devices that hold their shards in buffers of their own: the shard of input or output i on device d is number
// i * devices + d of the executable. All devices must be in this process.
std::shared_ptr<const runtime::Executable> compile_for_shards(const Partitioned& program, Options options);

// Returns a buffer whose elements this process can read: the given one, or, if devices of other processes hold some of them, one of which
// every device has a copy. All processes must call it.
runtime::BufferPtr readable(runtime::Device& on, const runtime::BufferPtr& buffer);

// Both return the outputs, assembled from the shards of all devices, for these whole inputs. run_on_mesh sets `ms` to the time of the
// computation only.
std::vector<ir::Array> run_on_mesh(const std::shared_ptr<const runtime::Executable>& executable, runtime::Device& on,
                                   std::span<const ir::Array> inputs, double* ms = nullptr);
std::vector<ir::Array> interpret_on_mesh(const Partitioned& program, std::span<const ir::Array> inputs);
// Interprets the program of each device together. `shards` are the inputs of the first device, then those of the second one, and so on;
// so are the results.
std::vector<ir::Array> interpret_shards(const std::shared_ptr<const ir::Graph>& program, std::int64_t devices,
                                        std::span<const ir::Array> shards);

}  // namespace weft::compiler
