// Where a tensor that has a buffer comes from.
#pragma once

#include <memory>

#include <weft/ir/value.h>

namespace weft::record {

struct LaunchedGraph;

// Of a tensor that has a buffer: the value that it was. None: it is a value like any other.
struct Origin {
  std::shared_ptr<const LaunchedGraph> graph = nullptr;
  ir::Value value = {};
  bool is_brought_back =
      false;  // by a gradient: it is that value, where another tensor of the same origin is a copy of it

  explicit operator bool() const { return graph != nullptr; }
};

}  // namespace weft::record
