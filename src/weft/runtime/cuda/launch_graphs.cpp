#include <weft/runtime/cuda/launch_graphs.h>

#include <algorithm>
#include <exception>
#include <utility>

#include <weft/base/metrics.h>
#include <weft/runtime/cuda/gpus.h>

namespace weft::metrics {
// Making graphs of launches.
inline constinit Metric graph_capture_time("GraphCaptureTime");
}  // namespace weft::metrics

namespace weft::runtime::cuda {

namespace {

constexpr int launches_before = 2;  // by the third one, everything that thunks make at first use is made
constexpr std::size_t entries_per_graph = 4;
// Of all graphs together: the driver takes some kilobytes for each.
constexpr std::size_t most_nodes = std::size_t{1} << 14;
constexpr int thread_local_capture = 1;  // other threads may call what a capture forbids

std::size_t nodes_of(const Executable& executable) { return executable.thunks.size(); }

// Predicts roughly how long a thunk runs on a large GPU.
double seconds_of(const ThunkInfo& info) {
  constexpr double bytes_per_second = 3e12, flops_per_second = 4e14;
  return std::max(info.bytes / bytes_per_second, info.flops / flops_per_second);
}

bool is_worth_a_graph(const Executable& executable) {
  constexpr std::size_t least_thunks = 4;
  constexpr double seconds_to_pass = 5e-6;  // of a kernel
  const auto& thunks = executable.thunks;
  if (thunks.size() < least_thunks || thunks.size() > most_nodes) return false;
  double seconds = 0;
  for (const auto& thunk : thunks) {
    if (!thunk->on_device) return false;
    seconds += seconds_of(thunk->info);
  }
  return seconds < seconds_to_pass * static_cast<double>(thunks.size());
}

bool is_same(const std::weak_ptr<const Executable>& a, const std::shared_ptr<const Executable>& b) {
  return !a.owner_before(b) && !b.owner_before(a);
}

}  // namespace

LaunchGraphs::LaunchGraphs(int ordinal, CUstream stream, std::size_t most_graphs)
    : ordinal_(ordinal), stream_(stream), most_graphs_(most_graphs) {}

LaunchGraphs::~LaunchGraphs() {
  release_on(ordinal_, [&](const Driver& driver) {
    for (const Entry& entry : entries_)
      if (entry.graph) driver.cuGraphExecDestroy(entry.graph);
  });
}

bool LaunchGraphs::launch(const std::shared_ptr<const Executable>& executable, const Launch& launch) {
  if (most_graphs_ == 0) return false;
  Entry& entry = find(executable, launch);
  if (!entry.may_have_graph) return false;
  if (!entry.graph) {
    if (entry.launches++ < launches_before) return false;
    make_room(nodes_of(*executable));
    entry.graph = capture(*executable, launch);
    if (!entry.graph) {
      give_up(entry);
      return false;
    }
  }
  try {
    check(driver().cuGraphLaunch(entry.graph, stream_), "cuGraphLaunch");
    return true;
  } catch (const DriverError& error) {
    if (error.is_fatal()) throw;
    give_up(entry);
    return false;
  }
}

// Returns the entry of the launch, which is the first one from now on.
LaunchGraphs::Entry& LaunchGraphs::find(const std::shared_ptr<const Executable>& executable, const Launch& launch) {
  const auto known = std::ranges::find_if(entries_, [&](const Entry& entry) {
    return is_same(entry.executable, executable) &&
           (!entry.may_have_graph || std::ranges::equal(entry.bases, launch.bases));
  });
  if (known != entries_.end()) {
    entries_.splice(entries_.begin(), entries_, known);
    return entries_.front();
  }
  Entry& made = entries_.emplace_front();
  made.executable = executable;
  made.may_have_graph = is_worth_a_graph(*executable);
  if (made.may_have_graph) made.bases.assign(launch.bases.begin(), launch.bases.end());
  if (entries_.size() > entries_per_graph * most_graphs_) {
    give_up(entries_.back());
    entries_.pop_back();
  }
  return made;
}

// Passes the thunks to the stream while it makes a graph of what it is given. Returns null if the driver refuses, or a thunk does something
// that cannot be part of a graph, such as waiting for the GPU. If that is an error, the thunk tells it when it runs without a graph.
CUgraphExec LaunchGraphs::capture(const Executable& executable, const Launch& launch) const {
  const metrics::Timer timer(metrics::graph_capture_time);
  const Driver& driver = cuda::driver();
  if (driver.cuStreamBeginCapture(stream_, thread_local_capture) != success) return nullptr;
  bool is_whole = true;
  try {
    for (const auto& thunk : executable.thunks) thunk->run(launch);
  } catch (const std::exception&) {
    is_whole = false;
  }
  CUgraph graph = nullptr;
  is_whole = driver.cuStreamEndCapture(stream_, &graph) == success && is_whole;
  CUgraphExec made = nullptr;
  if (is_whole && driver.cuGraphInstantiate(&made, graph, 0) != success) made = nullptr;
  if (graph) driver.cuGraphDestroy(graph);
  return made;
}

// Releases graphs until another one with so many nodes may be made: those of programs that are gone, then those not launched for longest.
void LaunchGraphs::make_room(std::size_t nodes) {
  std::size_t graphs = 1;
  for (Entry& entry : entries_) {
    if (!entry.graph) continue;
    const auto executable = entry.executable.lock();
    if (executable) nodes += nodes_of(*executable);
    if (!executable || ++graphs > most_graphs_ || nodes > most_nodes) {
      driver().cuGraphExecDestroy(std::exchange(entry.graph, nullptr));
      entry.launches = 0;
    }
  }
}

void LaunchGraphs::give_up(Entry& entry) {
  if (entry.graph) driver().cuGraphExecDestroy(std::exchange(entry.graph, nullptr));
  entry.may_have_graph = false;
  entry.bases.clear();
}

}  // namespace weft::runtime::cuda
