// What a read has launched, kept for gradients that are taken later: looking at a value changes no gradient. Results are not kept:
// what a gradient needs is recorded once more, out of what is still held. Internal to the tensor layer. Not changed any more once
// it is launched, and so thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <weft/ir/graph.h>
#include <weft/runtime/buffer.h>
#include <weft/tensor/observer.h>

namespace weft::detail {

class Recording;
struct LaunchedGraph;

// Of a tensor that has a buffer: the value that it was. None: it is a value like any other.
struct Origin {
  std::shared_ptr<const LaunchedGraph> graph = nullptr;
  ir::Value value = {};

  explicit operator bool() const { return graph != nullptr; }
};

struct LaunchedGraph {
  // Graphs that lead to one another are kept up to so many, and so many nodes.
  static constexpr std::size_t most_graphs = 256, most_nodes = 1 << 16;
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
  };

  LaunchedGraph() = default;
  LaunchedGraph(const LaunchedGraph&) = delete;
  LaunchedGraph& operator=(const LaunchedGraph&) = delete;
  ~LaunchedGraph() {
    for (const runtime::BufferPtr& buffer : held) buffer->remove_holder();
  }

  // Gives an input the graph that made it, if that is to be kept.
  void follow(Known& input, const Origin& origin);

  std::shared_ptr<const ir::Graph> graph;
  std::vector<Known> known;
  std::vector<runtime::BufferPtr> held;
  std::vector<std::pair<ir::Value, Immediate>> numbers;  // the other inputs
  std::size_t graphs = 1, nodes = 0;                     // with those that it leads to
};

struct Gradients {
  std::vector<ir::Value> values;  // zeros where no y depends on x
  bool crosses_reads = false;     // a y depends on an x by way of what a read has launched
};

// Appends what computes the sum over i of cotangents[i] * d ys[i] / dx for each x of `xs`, the values of the tensors `wrt`, also
// through what reads have launched. Throws Error where nobody holds any more what that takes.
Gradients gradient_through_reads(Recording& recording, const char* function, std::span<const ir::Value> ys,
                                 std::span<const ir::Value> cotangents, std::span<const ir::Value> xs,
                                 std::span<const Tensor> wrt);

}  // namespace weft::detail
