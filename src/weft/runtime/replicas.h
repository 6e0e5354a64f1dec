// One executable for all logical devices of a mesh that are in this process. A logical device is a set of allocations, not a
// thread: the thunks of all devices are in one dataflow graph, in which a collective is a thunk that reads and writes
// allocations of all of them. So devices wait for each other by data alone, and any number of them runs on any number of threads.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include <weft/runtime/executable.h>
#include <weft/runtime/ranks.h>

namespace weft::runtime {

// A tensor and how the devices hold it.
struct Placed {
  Type whole;
  LayoutId layout;  // none: all devices read the same bytes
};

// Returns an executable that runs `one`, whose inputs and outputs are shards, for each of these logical devices. Its inputs and outputs
// are the tensors that have these shards. If the mesh has devices in other processes, what devices do together is done on the
// communication stream in the order of the program, which is the same in all processes. `updated[i]` is the output that usually is input i
// of the next launch, -1 if there is none; empty: unknown. It only serves to order the thunks.
std::shared_ptr<Executable> for_devices(const std::shared_ptr<const Executable>& one, LocalDevices devices,
                                        std::span<const Placed> inputs, std::span<const Placed> outputs,
                                        std::span<const std::int32_t> updated = {});

// Does the same, but each shard is a buffer of its own: that of input or output i on device d is number i * devices.count + d. Throws Error
// if the mesh has devices in other processes.
std::shared_ptr<Executable> for_separate_shards(const std::shared_ptr<const Executable>& one, LocalDevices devices);

// Runs thunks for all devices, on the calling thread. Each device runs them in order; where they meet, all of them have come.
void run_together(std::span<const std::shared_ptr<const Thunk>> thunks, std::span<const Launch> launches);

// Returns whether devices meet in one of the thunks.
bool any_meets(const Executable& executable);

}  // namespace weft::runtime
