// A LaunchedGraph is a graph that a read or a compiled function has launched, kept for gradients that are taken later. So
// neither reading a value nor compiling part of a step changes a gradient. Results are not kept: what a gradient needs is
// recorded again, from the values that are still held. Internal to the tensor and jit layers. Thread-safe: what other threads
// see of it does not change after the launch.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <weft/ir/graph.h>
#include <weft/record/observer.h>
#include <weft/record/origin.h>
#include <weft/record/tensor_impl.h>
#include <weft/runtime/buffer.h>

namespace weft::record {

class Recording;
struct LaunchedGraph;

// The compiled function whose call launched a graph.
class Callee {
 public:
  virtual ~Callee() = default;
  virtual const std::string& function() const = 0;
  // Returns the user's name of an input of the graph: "argument 0.images".
  virtual std::string name_of_input(std::size_t index) const = 0;
  // Adds to what is known of a launched graph the values of Parameters, which it notes only by ids.
  virtual void add_states(LaunchedGraph& graph) const = 0;

  // Notes that a gradient was taken through a result of a call. Returns whether it is the first one.
  bool differentiated_at(const std::string& place);
  bool is_differentiated() const { return is_differentiated_.load(std::memory_order_acquire); }
  // Returns where the first gradient was taken; empty if none was.
  std::string differentiated_at() const;

 private:
  std::atomic<bool> is_differentiated_ = false;
  mutable std::mutex mutex_;
  std::string place_;
};

// What all launches of a program have in common.
struct LaunchedProgram {
  std::shared_ptr<const ir::Graph> graph = nullptr;
  std::vector<ir::Value> differentiated = {};  // values by which gradients were taken
  std::vector<ir::Value> copies = {};          // see Recording::copy
  Callee* callee = nullptr;                    // owns this; null if a read launched the graph
};

struct LaunchedGraph {
  // Bounds on the number of connected graphs that are kept, and on their nodes.
  static constexpr std::size_t most_graphs = 1024, most_nodes = 1 << 16;
  // Inputs of at most this size are held even if nobody else holds them: constants, and initial states that a loop overwrites.
  static constexpr std::int64_t most_held_bytes = 1 << 14;

  // A value whose bytes somebody may hold: an input, or a value that the host could access.
  struct Known {
    ir::Value value;
    std::weak_ptr<runtime::Buffer> buffer;
    std::uint64_t buffer_id;
    bool is_state = false;  // a Parameter had it
    Origin origin = {};     // for an input
    bool is_lost = false;   // an input whose origin is no longer kept
    // For an input: which of the tensors with that buffer it was, since a copy of a Parameter has the same buffer. 0: any.
    std::uint64_t identity = 0;

    static constexpr std::uint64_t nobody = ~std::uint64_t{0};  // the identity of a tensor that no longer exists
    bool is(std::uint64_t other) const { return identity == 0 || identity == other; }
  };

  // A value of a Parameter that the launch did not replace. `identity` as above.
  struct State {
    std::uint64_t buffer_id, identity;
  };

  LaunchedGraph() = default;
  LaunchedGraph(const LaunchedGraph&) = delete;
  LaunchedGraph& operator=(const LaunchedGraph&) = delete;
  ~LaunchedGraph() { let_go(0); }

  void hold(const runtime::BufferPtr& buffer) {
    buffer->add_holder();
    held.push_back(buffer);
  }
  void let_go(std::int64_t of_bytes = most_held_bytes + 1) {  // drops the held buffers of at least `of_bytes` bytes
    std::erase_if(held, [of_bytes](const runtime::BufferPtr& buffer) {
      if (buffer->type().bytes() < of_bytes) return false;
      buffer->remove_holder();
      return true;
    });
  }

  // Sets the origin of an input to the graph that made it, if that graph is to be kept.
  void follow(Known& input, const Origin& origin);

  // Returns this graph once all its values are known.
  const LaunchedGraph& filled() const {
    if (!states.empty() || !new_states.empty())
      std::call_once(is_filled_, [this] { program->callee->add_states(const_cast<LaunchedGraph&>(*this)); });
    return *this;
  }

  const ir::Graph& graph() const { return *program->graph; }
  // Returns the compiled function that launched the graph; null if a read launched it.
  std::shared_ptr<Callee> callee() const {
    return program->callee ? std::shared_ptr<Callee>(program, program->callee) : nullptr;
  }

  std::shared_ptr<const LaunchedProgram> program;
  std::vector<Known> known;
  std::vector<runtime::BufferPtr> held;
  std::vector<std::pair<ir::Value, Immediate>> numbers;  // the other inputs
  // Found when a gradient asks for them. Few calls are differentiated, but all calls should be fast.
  std::vector<State> states;
  std::vector<std::uint64_t> new_states;  // the ids of the buffers that Parameters received
  std::size_t graphs = 1, nodes = 0;      // including the graphs that this one leads to

 private:
  mutable std::once_flag is_filled_;
};

// Makes gradients that this thread takes end at tensors that were launched before, for the lifetime of this object, as the
// gradients of a compiled function end at its arguments. Launch what is recorded first.
class GradientsEndHere {
 public:
  GradientsEndHere();
  ~GradientsEndHere();
  GradientsEndHere(const GradientsEndHere&) = delete;
  GradientsEndHere& operator=(const GradientsEndHere&) = delete;
  static bool is_before(std::uint64_t buffer_id);

 private:
  std::uint64_t before_;
};

struct Gradients {
  std::vector<ir::Value> values;  // zero where no y depends on x
  bool crosses_reads = false;     // a y depends on an x through a graph that a read or a compiled function has launched
};

// Appends the computation of the sum over i of cotangents[i] * d ys[i] / dx for each x of `xs`, the values of the tensors
// `wrt`, also through graphs that reads and compiled functions have launched. Throws Error if nobody holds a tensor that this
// needs any more.
Gradients gradient_through_reads(Recording& recording, const char* function, std::span<const ir::Value> ys,
                                 std::span<const ir::Value> cotangents, std::span<const ir::Value> xs,
                                 std::span<const TensorPtr> wrt);

// Returns whether a launched graph on which `y` depends took a gradient by one of `wrt`. Then `y` may itself be a gradient, which
// need not depend on `wrt`.
bool were_differentiated_before(Recording& recording, ir::Value y, std::span<const TensorPtr> wrt);

// Returns the nodes between `xs`, the values of the tensors `wrt`, and `y` that pass values on but end the derivative
// (ir::ends_of_derivatives), also those in graphs that reads and compiled functions have launched.
std::vector<const ir::Node*> ends_of_derivatives(Recording& recording, ir::Value y, std::span<const ir::Value> xs,
                                                 std::span<const TensorPtr> wrt);

}  // namespace weft::record
