// An observer sees what its thread records and launches, and decides whether a launch goes on: so compile() captures a function. It
// is called from within the user's function, which may catch every exception or none, so nothing here throws to say what becomes of
// the recording.
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
class Scalar;  // by its address alone
}  // namespace weft

namespace weft::record {

struct LaunchedGraph;
struct Plan;
struct TensorImpl;
// A small input that comes from the host with every launch: a number, a random key.
using Immediate = std::array<std::byte, 16>;

// Where a number that reaches the program through a launch came from; neither: it is as it was when it was recorded.
struct ImmediateSource {
  const Scalar* scalar = nullptr;
  bool is_key = false;     // a random key
  std::uint32_t draw = 0;  // the key itself that a generator gave, as HostObserver::drew numbered it
};

// One launch of the recording, before what was recorded is let go of.
struct Launching {
  std::shared_ptr<Plan> plan;
  bool compiled;  // now
  const ir::Graph& graph;
  std::span<const ir::Value> outputs;
  std::span<const Immediate> immediates;  // the numbers among the inputs of the graph
  std::shared_ptr<LaunchedGraph> kept;    // of it, for gradients; null: nothing is
};

class Observer {
 public:
  virtual ~Observer() = default;

  // The recording gets an input: a tensor that has a buffer, or a number.
  virtual void input(TensorImpl& tensor) = 0;
  virtual void input(const ImmediateSource& source) = 0;
  // Another tensor, which is recorded in place of this one that has a buffer; null: it is itself.
  virtual TensorImpl* stand_in_for(TensorImpl& tensor) = 0;
  // A gradient was taken by an input of the recording.
  virtual void differentiated_by_input() = 0;
  // In words, which tensor with a buffer this is: argument 0.images of step.
  virtual std::string name_of(const TensorImpl& tensor) const = 0;

  // An operation throws, for something that it was called with. The function may catch that.
  virtual void refused(const char* function, const std::string& place) = 0;

  // The host asks for elements of a tensor.
  virtual void host_reads(const char* function, const TensorImpl& tensor, const ir::Location& where) = 0;

  virtual void syncing() = 0;
  // A Verdict says what becomes of a recording that is about to be launched.
  enum class Verdict : std::uint8_t {
    launch,
    look_again,  // and then launch: another backend was chosen, or something is held that was not before
    stop,        // the sync ends, and the recording stays as it is
  };
  virtual Verdict knows(const Plan& plan) = 0;  // it is that of what is recorded
  virtual Verdict compiling() = 0;              // no program is known for what is recorded
  virtual void launching(const Launching& launching) = 0;
  virtual void launched(std::span<const runtime::BufferPtr> results) = 0;
};

}  // namespace weft::record
