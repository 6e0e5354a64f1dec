#include <weft/profile/hints.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include <fmt/format.h>

#include <weft/base/knobs.h>
#include <weft/base/metrics.h>
#include <weft/base/trace.h>

namespace weft::profile {

namespace {

using diagnostics::Event;
using diagnostics::Kind;

// When something is worth a hint; shares are of the window's time.
constexpr double frequent = 0.5;     // times a step
constexpr double noticeable = 0.05;  // of the time
constexpr double slow_compile_ms = 5000;
constexpr double growing_steps = 5;

void judge_compiles(const Window& w, std::vector<Event>& found) {
  // The first programs of a run have to be compiled.
  if (w.steps >= 4 && w.compiles > frequent * w.steps) {
    found.push_back(
        {.kind = Kind::compile_too_frequent,
         .reason = fmt::format("CompileTime too frequent: {:.0f} counts during {:.0f} steps", w.compiles, w.steps),
         .cost_ms = w.compile_ms});
  }
  if (w.longest_compile_ms > slow_compile_ms)
    found.push_back({.kind = Kind::slow_compile,
                     .reason = fmt::format("the longest compile took {:.1f} s", 1e-3 * w.longest_compile_ms),
                     .cost_ms = w.longest_compile_ms});
  if (w.evictions > 0 && w.compiles > frequent * w.evictions)
    found.push_back({.kind = Kind::cache_thrash,
                     .reason = fmt::format("{:.0f} programs were forgotten and {:.0f} compiled during {:.0f} steps",
                                           w.evictions, w.compiles, w.steps),
                     .cost_ms = w.compile_ms});
}

void judge_waits(const Window& w, std::vector<Event>& found) {
  const bool blocks = w.host_wait_ms > noticeable * w.wall_ms && w.idle_ms > noticeable * w.wall_ms;
  if (w.reads > frequent * w.steps && blocks)
    found.push_back({.kind = Kind::transfer_too_frequent,
                     .reason = fmt::format("TransferFromDeviceTime too frequent: {:.0f} counts during {:.0f} steps; "
                                           "the host waited {:.3f} ms a step for them and "
                                           "the device then idled {:.3f} ms",
                                           w.reads, w.steps, w.host_wait_ms / w.steps, w.idle_ms / w.steps),
                     .cost_ms = std::min(w.host_wait_ms, w.idle_ms)});
  else if (w.idle_ms > noticeable * w.wall_ms && w.host_ms > w.busy_ms)
    found.push_back({.kind = Kind::host_bound,
                     .reason = fmt::format("recording takes the host {:.3f} ms a step, computing the device {:.3f} ms",
                                           w.host_ms / w.steps, w.busy_ms / w.steps),
                     .cost_ms = w.idle_ms});
  else if (w.idle_ms > noticeable * w.wall_ms)
    found.push_back({.kind = Kind::device_gap,
                     .reason = fmt::format("the device idles {:.3f} ms of each step of {:.3f} ms", w.idle_ms / w.steps,
                                           w.wall_ms / w.steps),
                     .cost_ms = w.idle_ms});
  if (w.input_wait_ms > noticeable * w.wall_ms)
    found.push_back({.kind = Kind::starved_input,
                     .reason = fmt::format("each step waits {:.3f} ms for its data", w.input_wait_ms / w.steps),
                     .cost_ms = w.input_wait_ms});
}

void judge_growth(const Window& w, std::vector<Event>& found) {
  if (static_cast<double>(w.nodes.size()) < growing_steps) return;
  const auto grows = [](double before, double now) { return now > before; };
  const bool always = std::ranges::adjacent_find(w.nodes, std::not_fn(grows)) == w.nodes.end();
  if (always)
    found.push_back({.kind = Kind::graph_growth,
                     .reason = fmt::format("the recording grew in each of {} steps, from {:.0f} to {:.0f} operations",
                                           w.nodes.size(), w.nodes.front(), w.nodes.back())});
}

// The totals of this process; a window is the difference of two.
struct Totals {
  std::uint64_t time_ns = trace::now_ns();
  double compiles = 0, compile_ms = 0, reads = 0, wait_ms = 0, input_ms = 0, busy_ms = 0, idle_ms = 0, evictions = 0,
         host_ms = 0, longest_ms = 0;

  static Totals now() {
    Totals t;
    const auto sum = [](const char* name) {
      const auto metric = metrics::metric(name);
      return metric ? 1e-6 * static_cast<double>(metric->total) : 0;
    };
    t.compiles = static_cast<double>(metrics::uncached_compile.value());
    t.evictions = static_cast<double>(metrics::counter("GraphCacheEvictions"));
    t.compile_ms = sum("CompileTime");
    t.wait_ms = sum("HostWaitTime");
    t.input_ms = sum("InputWaitTime");
    t.busy_ms = sum("ExecuteTime");
    t.idle_ms = sum("DeviceIdleTime");
    t.host_ms = sum("SyncTime");
    const auto reads = metrics::metric("TransferFromDeviceTime"), compiles = metrics::metric("CompileTime");
    t.reads = reads ? static_cast<double>(reads->count) : 0;
    t.longest_ms = compiles ? 1e-6 * static_cast<double>(compiles->greatest) : 0;
    return t;
  }
};

constexpr std::size_t window_steps = 20;

class Live {
 public:
  static Live& instance() {
    static auto* live = new Live;  // never destroyed: threads take steps until the process ends
    return *live;
  }

  void step(double nodes) {
    std::vector<Event> found;
    {
      const std::lock_guard lock(mutex_);
      nodes_.push_back(nodes);
      if (nodes_.size() < window_steps) return;
      found = judge(window());
      nodes_.clear();
      std::erase_if(found, [this](const Event& event) { return !is_news(event); });
    }
    for (Event& event : found) diagnostics::report(std::move(event));
  }

 private:
  Window window() {
    const Totals now = Totals::now();
    Window w;
    w.steps = static_cast<double>(nodes_.size());
    w.wall_ms = 1e-6 * static_cast<double>(now.time_ns - before_.time_ns);
    w.compiles = now.compiles - before_.compiles;
    w.compile_ms = now.compile_ms - before_.compile_ms;
    w.longest_compile_ms = w.compiles > 0 ? now.longest_ms : 0;
    w.reads = now.reads - before_.reads;
    w.host_wait_ms = now.wait_ms - before_.wait_ms;
    w.input_wait_ms = now.input_ms - before_.input_ms;
    w.busy_ms = now.busy_ms - before_.busy_ms;
    w.idle_ms = std::max(0.0, now.idle_ms - before_.idle_ms - w.compile_ms - w.input_wait_ms);
    w.host_ms = std::max(0.0, w.wall_ms - w.host_wait_ms - w.compile_ms - w.input_wait_ms);
    w.evictions = now.evictions - before_.evictions;
    w.nodes.assign(nodes_.begin(), nodes_.end());
    before_ = now;
    return w;
  }

  bool is_news(const Event& event) {
    double& said = said_[event.kind];
    if (said > 0 && event.cost_ms < 2 * said) return false;
    said = std::max(event.cost_ms, 1e-9);
    return true;
  }

  std::mutex mutex_;
  std::deque<double> nodes_;  // of the steps since the last window
  Totals before_ = Totals::now();
  std::map<Kind, double> said_;
};

// Events of other kinds, a recompile for example, come as they happen; of each, one line.
void print_hints() {
  static auto* said = new std::map<std::string, int>;
  static const auto* sink = new diagnostics::Sink([](const Event& event) {
    const std::string key =
        fmt::format("{} {} {} {}", static_cast<int>(event.kind), event.subject, event.place, event.reason);
    if (said->size() > 10'000 || (*said)[key]++ > 0) return;
    std::cerr << "weft hint: " << to_string(event) << std::endl;
  });
  (void)sink;
}

}  // namespace

std::vector<Event> judge(const Window& window) {
  std::vector<Event> found;
  if (window.steps < 1 || window.wall_ms <= 0) return found;
  judge_compiles(window, found);
  judge_waits(window, found);
  judge_growth(window, found);
  return found;
}

void detail::judge_step(double nodes) {
  if (hints.load(std::memory_order_relaxed) == Hints::unread) {
    static std::once_flag once;
    std::call_once(once, [] {
      const bool on = knobs::debug();
      if (on) print_hints();
      hints = on ? Hints::on : Hints::off;
    });
    if (hints.load(std::memory_order_relaxed) == Hints::off) return;
  }
  Live::instance().step(nodes);
}

}  // namespace weft::profile
