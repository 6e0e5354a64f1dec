// Graphs of launches. Passing a kernel to the driver takes the host about as long as a small kernel runs; the driver passes a whole graph of
// them in one call, and the GPU goes from one to the next in less time. A graph is made of a program that is launched again and again with
// the same addresses, if its kernels are predicted to take less time than passing them.
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <vector>

#include <weft/runtime/cuda/driver.h>
#include <weft/runtime/executable.h>
#include <weft/runtime/thunk.h>

namespace weft::runtime::cuda {

// Used by one thread at a time, with the GPU current.
class LaunchGraphs {
 public:
  // Keeps at most so many graphs.
  LaunchGraphs(int ordinal, CUstream stream, std::size_t most_graphs);
  ~LaunchGraphs();
  LaunchGraphs(const LaunchGraphs&) = delete;
  LaunchGraphs& operator=(const LaunchGraphs&) = delete;

  // Passes all thunks of a launch to the stream as a graph, and returns true. Returns false if there is none: nothing has been passed then.
  // A graph that cannot be made or launched is given up. Throws DriverError if the GPU cannot be used any more.
  bool launch(const std::shared_ptr<const Executable>& executable, const Launch& launch);

 private:
  // A program with the addresses of its allocations, all that its kernels depend on.
  struct Entry {
    std::weak_ptr<const Executable> executable;
    std::vector<std::byte*> bases;  // empty if the program makes no graphs
    bool may_have_graph = false;
    int launches = 0;
    CUgraphExec graph = nullptr;
  };

  Entry& find(const std::shared_ptr<const Executable>& executable, const Launch& launch);
  CUgraphExec capture(const Executable& executable, const Launch& launch) const;
  void make_room(std::size_t nodes);
  void give_up(Entry& entry);

  const int ordinal_;
  const CUstream stream_;
  const std::size_t most_graphs_;
  std::list<Entry> entries_;  // the last one that was launched comes first
};

}  // namespace weft::runtime::cuda
