// One accepted launch, as the device sees it: what it needs of the buffers, which it does not touch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <weft/runtime/buffer.h>
#include <weft/runtime/executable.h>
#include <weft/runtime/read.h>
#include <weft/runtime/stream.h>

namespace weft::runtime {

class Flight;
class Queue;

struct LaunchRecord final : Milestone {
  enum class Outcome : std::uint8_t { done, failed, skipped };

  void reached(StreamError error) override;  // its stream is done with it

  Queue* queue = nullptr;
  std::shared_ptr<const Executable> executable;
  struct Input {
    Memory* slot = nullptr;
    std::byte* address = nullptr;  // in that memory; null: where it begins, which is known when the launch begins
  };
  std::vector<Input> inputs;
  struct Origin {
    const Event* event;
    bool is_host;  // its memory is the host's
  };
  std::vector<Origin> origins;   // of the inputs; empty where nobody needs them
  std::vector<Memory*> outputs;  // slots
  // Of the inputs that are not there or carry an error: of those that come in the order of the device's compute stream, and of the
  // others, which must be waited for.
  std::vector<const Event*> ordered;
  struct Awaited {
    const Event* event;
    std::size_t input;
  };
  std::vector<Awaited> awaited;
  std::vector<std::uint32_t> copied;           // donated inputs whose bytes the output must copy
  bool takes_what_is_read = false;             // a donated input that somebody has asked to read
  std::vector<ReadPtr> reads;                  // so these are done before it
  std::vector<BufferPtr> kept;                 // inputs that are not donated
  std::vector<SlotsRef> donors, blocks;        // where the donated inputs and the outputs have their slots
  std::shared_ptr<Event> done;                 // of the launch, and of its outputs, unless there are
  std::vector<std::shared_ptr<Event>> groups;  // those of its schedule's groups of outputs
  // The ends of launches that read on other streams what this one overwrites.
  std::vector<std::shared_ptr<Event>> readers;
  std::shared_ptr<Flight> flight;  // null: all on the compute stream, one after the other
  std::uint64_t number = 0;        // among those of its device, for messages
  std::uint64_t id = 0;            // which no other launch of this process has, for spans
  std::uint64_t bytes = 0;         // that its outputs add to memory
  std::uint64_t accepted_ns = 0;
  // What the stream works with.
  std::vector<std::byte*> bases;  // the address of each allocation
  Memory workspace;               // with the temporaries
  std::vector<Memory> staged;     // copies of inputs of the host, where the device does not see its memory
  // How it went.
  Outcome outcome = Outcome::done;
  std::exception_ptr error;    // unless it is done
  std::uint64_t start_ns = 0;  // of the compute stream's part
  std::uint64_t queued_ns = 0, busy_ns = 0, idle_ns = 0;
  bool follows = false;    // another launch: the device was idle in between
  bool accounted = false;  // in the metrics
  bool has_parts = false;  // on other streams than the compute stream
};
using LaunchPtr = std::unique_ptr<LaunchRecord>;

// Where an error of a launch happened: " (thunk from file:line, step 3 of program)".
std::string place_of(const LaunchRecord& launch, const Thunk* thunk);
// An exception with that place added to its message.
std::exception_ptr with_place(const std::exception_ptr& error, const std::string& place);

// Throws Error, led by launch's name, if a launch of `executable` on this device cannot have these inputs.
void check_inputs(const Executable& executable, std::span<const BufferPtr> inputs, DeviceId device);
// The same for outputs that were promised before.
void check_promised(const Executable& executable, std::span<const BufferPtr> outputs);

// Donates the inputs that outputs take over, unless something else still reaches them, and refers to the memory and events of all.
// Nothing is refused any more. `given`: the caller drops the inputs at once. `needs_origins`: the record gets those of the inputs.
void record_inputs(const Executable& executable, std::span<const BufferPtr> inputs, bool given, DeviceId device,
                   bool needs_origins, LaunchRecord& record);
void record_outputs(std::span<const BufferPtr> outputs, LaunchRecord& record);

}  // namespace weft::runtime
