// One accepted launch as the device sees it. It refers to the memory and events of buffers, but not to the buffers themselves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <weft/runtime/buffer.h>
#include <weft/runtime/executable.h>
#include <weft/runtime/launch_timer.h>
#include <weft/runtime/read.h>
#include <weft/runtime/stream.h>

namespace weft::runtime {

class Flight;
class Queue;

struct LaunchRecord final : Milestone {
  enum class Outcome : std::uint8_t { done, failed, skipped };

  void reached(StreamError error) override;  // called when the launch's stream is done with it

  Queue* queue = nullptr;
  std::shared_ptr<const Executable> executable;
  std::shared_ptr<const void> context;  // for host functions
  struct Input {
    Memory* slot = nullptr;
    // An address in the memory of `slot`; null: the start of that memory, which is known when the launch begins.
    std::byte* address = nullptr;
  };
  std::vector<Input> inputs;
  struct Origin {
    const Event* event;
    bool is_host;  // lies in the memory of the host
  };
  std::vector<Origin> origins;   // one per input; empty where nobody needs them
  std::vector<Memory*> outputs;  // slots
  // Events of the inputs that are not there yet or carry an error. `ordered` holds those that come in the order of the device's
  // compute stream; `awaited` holds the others, for which the launch must wait.
  std::vector<const Event*> ordered;
  struct Awaited {
    const Event* event;
    std::size_t input;
  };
  std::vector<Awaited> awaited;
  std::vector<std::uint32_t> copied;           // donated inputs whose bytes the output must copy
  bool takes_what_is_read = false;             // a read of a donated input was requested
  std::vector<ReadPtr> reads;                  // performed before the launch, because it overwrites what they read
  std::vector<BufferPtr> kept;                 // inputs that are not donated
  std::vector<SlotsRef> donors, blocks;        // blocks of slots of the donated inputs and of the outputs
  std::shared_ptr<Event> done;                 // event of the launch, and of its outputs if `groups` is empty
  std::vector<std::shared_ptr<Event>> groups;  // events of the schedule's groups of outputs
  // The ends of launches that read on other streams what this launch overwrites.
  std::vector<std::shared_ptr<Event>> readers;
  std::shared_ptr<Flight> flight;  // null: all thunks run on the compute stream, one after the other
  std::uint64_t number = 0;        // counts the launches of the device; for messages
  std::uint64_t id = 0;            // unique among all launches of this process; for spans
  std::uint64_t bytes = 0;         // memory that the outputs add
  std::uint64_t accepted_ns = 0;
  // State for the stream.
  std::vector<std::byte*> bases;     // the address of each allocation
  Memory workspace;                  // holds the temporaries
  std::optional<LaunchTimer> timer;  // while times are measured
  std::vector<Memory> staged;        // copies of inputs in the host's memory, where the device does not see it
  // The outcome.
  Outcome outcome = Outcome::done;
  std::exception_ptr error;    // null if the launch is done
  std::uint64_t start_ns = 0;  // start of the compute stream's part
  std::uint64_t queued_ns = 0, busy_ns = 0, idle_ns = 0;
  bool follows = false;    // there was a launch before it; idle_ns is the time between them
  bool accounted = false;  // already added to the metrics
  bool has_parts = false;  // has parts on streams other than the compute stream
};
using LaunchPtr = std::unique_ptr<LaunchRecord>;

// Returns where an error of a launch happened: " (thunk from file:line, step 3 of program)".
std::string place_of(const LaunchRecord& launch, const Thunk* thunk);
// Returns the exception with the place added to its message.
std::exception_ptr with_place(const std::exception_ptr& error, const std::string& place);

// Throws Error, led by launch's name, unless these inputs are valid for a launch of `executable` on this device.
void check_inputs(const Executable& executable, std::span<const BufferPtr> inputs, DeviceId device);
// Does the same for outputs that were promised before.
void check_promised(const Executable& executable, std::span<const BufferPtr> outputs);

// Donates the inputs that outputs take over, unless something else can still reach them, and fills `record` with references to the
// memory and events of all inputs. Cannot fail. `given`: the caller drops the inputs at once. `needs_origins`: the record also gets
// the origins of the inputs.
void record_inputs(const Executable& executable, std::span<const BufferPtr> inputs, bool given, DeviceId device,
                   bool needs_origins, LaunchRecord& record);
void record_outputs(std::span<const BufferPtr> outputs, LaunchRecord& record);

}  // namespace weft::runtime
