// A value of a graph, for those who hold one and ask nothing of the graph; what it is of stands in graph.h.
#pragma once

#include <cstddef>
#include <cstdint>

#include <weft/base/hash.h>
#include <weft/base/type.h>

namespace weft::ir {

struct Node;
class Graph;

// One result of a node: an edge of the graph.
struct Value {
  Node* node = nullptr;
  std::uint32_t index = 0;

  explicit operator bool() const { return node != nullptr; }
  inline Type type() const;
  inline Graph& graph() const;
  DType dtype() const { return type().dtype(); }
  int rank() const { return type().rank(); }
  std::int64_t size(int dim) const { return type().size(dim); }
  friend bool operator==(Value, Value) = default;
};

struct ValueHash {
  std::size_t operator()(Value v) const { return mix(reinterpret_cast<std::uintptr_t>(v.node), v.index); }
};

}  // namespace weft::ir
