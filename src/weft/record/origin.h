// The origin of a tensor that has a buffer.
#pragma once

#include <memory>

#include <weft/ir/value.h>

namespace weft::record {

struct LaunchedGraph;

// The value of a launched graph that a tensor with a buffer was. Without a graph, it is an ordinary value.
struct Origin {
  std::shared_ptr<const LaunchedGraph> graph = nullptr;
  ir::Value value = {};
  // A gradient made the tensor again: it is that value, while another tensor of the same origin is a copy of it.
  bool is_brought_back = false;

  explicit operator bool() const { return graph != nullptr; }
};

}  // namespace weft::record
