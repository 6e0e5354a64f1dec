// An Observer sees what its thread records and launches, and decides whether a launch proceeds; compile() uses one to capture a
// function. It is called from within the user's function, which may catch every exception or none, so no member throws to
// decide what happens to the recording.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include <weft/base/type.h>
#include <weft/ir/value.h>
#include <weft/runtime/buffer.h>

namespace weft {
class Scalar;  // only its address is used
}  // namespace weft

namespace weft::record {

struct LaunchedGraph;
struct Plan;
struct TensorImpl;
// A small input that the host passes to every launch: a number, a random key.
using Immediate = std::array<std::byte, 16>;

// The source of a number that the host passes to a launch. If neither `scalar` nor `is_key` is set, the number is the one that
// was recorded.
struct ImmediateSource {
  const Scalar* scalar = nullptr;
  bool is_key = false;     // a random key
  std::uint32_t draw = 0;  // the key itself, drawn from a generator, as numbered by HostObserver::drew
};

// One launch of the recording, before the recorded graph is released.
struct Launching {
  std::shared_ptr<Plan> plan;
  bool compiled;  // for this launch
  const ir::Graph& graph;
  std::span<const ir::Value> outputs;
  std::span<const Immediate> immediates;  // the numbers among the inputs of the graph
  std::shared_ptr<LaunchedGraph> kept;    // the launched graph, kept for gradients; null if it is not kept
};

class Observer {
 public:
  virtual ~Observer() = default;

  // The recording gets an input: a tensor with a buffer, or a number.
  virtual void input(TensorImpl& tensor) = 0;
  virtual void input(const ImmediateSource& source) = 0;
  // Returns the tensor that is recorded in place of this one, which has a buffer; null for the tensor itself.
  virtual TensorImpl* stand_in_for(TensorImpl& tensor) = 0;
  // A gradient was taken by an input of the recording.
  virtual void differentiated_by_input() = 0;
  // Returns the user's name of a tensor with a buffer: argument 0.images of step.
  virtual std::string name_of(const TensorImpl& tensor) const = 0;
  // Returns the user's name of an input of the recording: argument 0.images. Empty if it has none.
  virtual std::string name_of_input(std::size_t index) const = 0;

  // An operation throws because of its arguments. The user's function may catch the exception.
  virtual void refused(const char* function, const std::string& place) = 0;

  // The host asks for elements of a tensor.
  virtual void host_reads(const char* function, const TensorImpl& tensor, const ir::Location& where) = 0;

  virtual void syncing() = 0;
  // Tells what happens to a recording that is about to be launched.
  enum class Verdict : std::uint8_t {
    launch,
    look_again,  // check again, then launch: another backend was chosen, or more values are held than before
    stop,        // the sync ends, and the recording stays as it is
  };
  virtual Verdict knows(const Plan& plan) = 0;  // the plan of what is recorded is known
  virtual Verdict compiling() = 0;              // no program is known for what is recorded
  virtual void launching(const Launching& launching) = 0;
  virtual void launched(std::span<const runtime::BufferPtr> results) = 0;
};

}  // namespace weft::record
