// A value of a graph, for code that holds values but does not inspect the graph; Graph and Node are in graph.h.
#pragma once

#include <cstddef>
#include <cstdint>

#include <weft/base/hash.h>
#include <weft/base/type.h>

namespace weft::ir {

struct Node;
class Graph;

// The place in the user's program that recorded a node. The strings live for the life of the process.
struct Location {
  const char* file = "";
  const char* scope = "";  // module path: blocks.3.attention
  std::uint32_t line = 0;
};

// One result of a node: an edge of the graph.
struct Value {
  Node* node = nullptr;
  std::uint32_t index = 0;

  explicit operator bool() const { return node != nullptr; }
  // These need graph.h.
  Type type() const;
  Graph& graph() const;
  DType dtype() const;
  int rank() const;
  std::int64_t size(int dim) const;
  friend bool operator==(Value, Value) = default;
};

struct ValueHash {
  std::size_t operator()(Value v) const { return mix(reinterpret_cast<std::uintptr_t>(v.node), v.index); }
};

}  // namespace weft::ir
