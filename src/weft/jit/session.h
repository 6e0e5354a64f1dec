// The state of a thread that determines how calls of compiled functions run on it; see also record/session.h.
#pragma once

#include <string>
#include <utility>

#include <weft/jit/options.h>

namespace weft::jit {

struct Session {
  Stance stance = Stance::standard;
  // A function runs operation by operation, and the compiled functions that it calls run as part of it.
  bool runs_eagerly = false;
  // The name of the innermost fullgraph function that runs as part of another function; null if there is none.
  const std::string* fullgraph = nullptr;
};

inline constinit thread_local Session session;  // of this thread

// Marks, during its lifetime, that a function runs as part of another function's graph. If `name` is not null, the
// function must be one graph, and a graph break inside it is an error.
class FullgraphScope {
 public:
  explicit FullgraphScope(const std::string* name) : before_(session.fullgraph) {
    if (name) session.fullgraph = name;
  }
  ~FullgraphScope() { session.fullgraph = before_; }
  FullgraphScope(const FullgraphScope&) = delete;
  FullgraphScope& operator=(const FullgraphScope&) = delete;

 private:
  const std::string* before_;
};

}  // namespace weft::jit
