// A LaunchedGraph is what a read or a compiled function has launched, kept for gradients that are taken later: looking at a value changes no gradient,
// and neither does compiling part of a step. Results are not kept: what a gradient needs is recorded once more, out of what is
// still held. Internal to the tensor and jit layers. Thread-safe: what others see of it does not change once it is launched.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
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
// The compiled function of which a call launched a graph.
class Callee {
 public:
  virtual ~Callee() = default;
  virtual const std::string& function() const = 0;
  // In the user's words, an input of the graph: "argument 0.images".
  virtual std::string name_of_input(std::size_t index) const = 0;

  // A gradient was taken through a result of a call. Returns whether it is the first one.
  bool differentiated_at(const std::string& place);
  bool is_differentiated() const { return is_differentiated_.load(std::memory_order_acquire); }
  // Where that was, the first time; empty before.
  std::string differentiated_at() const;

 private:
  std::atomic<bool> is_differentiated_ = false;
  mutable std::mutex mutex_;
  std::string place_;
};

struct LaunchedGraph {
  // Graphs that lead to one another are kept up to so many, and so many nodes.
  static constexpr std::size_t most_graphs = 1024, most_nodes = 1 << 16;
  // Inputs of up to so many bytes are held, though nobody else holds them: constants and first states that a loop overwrites.
  static constexpr std::int64_t most_held_bytes = 1 << 14;

  // A value whose bytes somebody may hold: an input, or what the host could reach.
  struct Known {
    ir::Value value;
    std::weak_ptr<runtime::Buffer> buffer;
    std::uint64_t buffer_id;
    bool is_state = false;  // a Parameter had it
    Origin origin = {};     // of an input
    bool is_lost = false;   // an input whose origin is not kept any more
    // Of an input: which of the tensors with that buffer it was, for a copy of a Parameter has the same. 0: any.
    std::uint64_t identity = 0;

    static constexpr std::uint64_t nobody = ~std::uint64_t{0};  // the identity of a tensor that is gone
    bool is(std::uint64_t other) const { return identity == 0 || identity == other; }
  };

  LaunchedGraph() = default;
  LaunchedGraph(const LaunchedGraph&) = delete;
  LaunchedGraph& operator=(const LaunchedGraph&) = delete;
  ~LaunchedGraph() { let_go(0); }

  void hold(const runtime::BufferPtr& buffer) {
    buffer->add_holder();
    held.push_back(buffer);
  }
  void let_go(std::int64_t of_bytes = most_held_bytes + 1) {  // of all that have so many
    std::erase_if(held, [of_bytes](const runtime::BufferPtr& buffer) {
      if (buffer->type().bytes() < of_bytes) return false;
      buffer->remove_holder();
      return true;
    });
  }

  // Gives an input the graph that made it, if that is to be kept.
  void follow(Known& input, const Origin& origin);

  // With what `fill` adds, which runs once.
  const LaunchedGraph& filled() const {
    if (fill) std::call_once(is_filled_, [this] { fill(const_cast<LaunchedGraph&>(*this)); });
    return *this;
  }

  std::shared_ptr<const ir::Graph> graph;
  std::vector<Known> known;
  std::vector<runtime::BufferPtr> held;
  std::vector<std::pair<ir::Value, Immediate>> numbers;  // the other inputs
  std::vector<ir::Value> differentiated;                 // gradients were taken by them
  std::vector<ir::Value> copies;                         // see Recording::copy
  std::size_t graphs = 1, nodes = 0;                     // with those that it leads to
  std::shared_ptr<Callee> callee = nullptr;              // null: it was launched by a read
  // Adds to what is known, when a gradient asks for it. Few calls are differentiated, and all should be fast.
  std::function<void(LaunchedGraph&)> fill = nullptr;

 private:
  mutable std::once_flag is_filled_;
};

// While it lives, gradients that this thread takes end at tensors that were launched before, as a compiled function's end at its
// arguments. Launch what is recorded first.
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
  std::vector<ir::Value> values;  // zeros where no y depends on x
  bool crosses_reads = false;     // a y depends on an x by way of what a read or a compiled function has launched
};

// Appends what computes the sum over i of cotangents[i] * d ys[i] / dx for each x of `xs`, the values of the tensors `wrt`, also
// through what reads and compiled functions have launched. Throws Error where nobody holds any more what that takes.
Gradients gradient_through_reads(Recording& recording, const char* function, std::span<const ir::Value> ys,
                                 std::span<const ir::Value> cotangents, std::span<const ir::Value> xs,
                                 std::span<const TensorPtr> wrt);

// Whether what is launched and `y` depends on was differentiated by one of these before: a gradient may depend on nothing.
bool were_differentiated_before(Recording& recording, ir::Value y, std::span<const TensorPtr> wrt);

}  // namespace weft::record
