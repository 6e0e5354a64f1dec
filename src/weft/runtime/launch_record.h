// One accepted launch, as the device sees it: what it needs of the buffers, which it does not touch.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <weft/runtime/buffer.h>
#include <weft/runtime/executable.h>
#include <weft/runtime/read.h>

namespace weft::runtime {

struct LaunchRecord {
  std::shared_ptr<const Executable> executable;
  struct Input {
    Memory* slot = nullptr;
    std::byte* address = nullptr;  // in that memory; null: where it begins, which is known when the launch begins
  };
  std::vector<Input> inputs;
  std::vector<Memory*> outputs;          // slots
  std::vector<const Event*> awaited;     // of the inputs that are not there or carry an error
  std::vector<std::uint32_t> copied;     // donated inputs whose bytes the output must copy
  bool takes_what_is_read = false;       // a donated input that somebody has asked to read
  std::vector<ReadPtr> reads;            // so these are done before it
  std::vector<BufferPtr> kept;           // inputs that are not donated
  std::vector<SlotsRef> donors, blocks;  // where the donated inputs and the outputs have their slots
  std::shared_ptr<Event> done;           // of all outputs
  std::uint64_t number = 0;              // among those of its device, for messages
  std::uint64_t id = 0;                  // which no other launch of this process has, for spans
  std::uint64_t bytes = 0;               // that its outputs add to memory
  std::uint64_t accepted_ns = 0;
  // How it went.
  std::uint64_t queued_ns = 0, busy_ns = 0, idle_ns = 0;
  bool follows = false;    // another launch: the device was idle in between
  bool accounted = false;  // in the metrics
};
using LaunchPtr = std::unique_ptr<LaunchRecord>;

// Throws Error, led by launch's name, if a launch of `executable` on this device cannot have these inputs.
void check_inputs(const Executable& executable, std::span<const BufferPtr> inputs, DeviceId device);
// The same for outputs that were promised before.
void check_promised(const Executable& executable, std::span<const BufferPtr> outputs);

// Donates the inputs that outputs take over, unless something else still reaches them, and refers to the memory and events of all.
// Nothing is refused any more. `given`: the caller drops the inputs at once.
void record_inputs(const Executable& executable, std::span<const BufferPtr> inputs, bool given, LaunchRecord& record);
void record_outputs(std::span<const BufferPtr> outputs, LaunchRecord& record);

}  // namespace weft::runtime
