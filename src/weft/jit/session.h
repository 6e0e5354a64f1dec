// The ambient state of a thread beside record/session.h: how calls of compiled functions are treated on it.
#pragma once

#include <string>
#include <utility>

#include <weft/jit/options.h>

namespace weft::jit {

struct Session {
  Stance stance = Stance::standard;
  // A function runs operation by operation: those that it calls are part of it, as they are part of a graph.
  bool runs_eagerly = false;
  // The name of the innermost function that must be one graph and runs as part of another one's; null: there is none.
  const std::string* fullgraph = nullptr;
};

inline constinit thread_local Session session;  // of this thread

// For the time in which a function runs as part of another one's graph: if it must be one graph, a cut within it is an error.
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
