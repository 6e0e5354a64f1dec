#include <weft/profile/hints.h>

#include <algorithm>
#include <ctime>
#include <functional>
#include <iostream>
#include <mutex>
#include <ranges>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include <weft/base/knobs.h>
#include <weft/base/metrics.h>
#include <weft/base/trace.h>

namespace weft::profile {

namespace {

using diagnostics::Event;
using diagnostics::Kind;

// Thresholds for hints. Shares are of the window's time.
constexpr double frequent = 0.5;           // per step
constexpr double noticeable_share = 0.05;  // of the time
constexpr double slow_compile_ms = 5000;
constexpr double growing_steps = 5;

void judge_compiles(const Window& w, std::vector<Event>& found) {
  // The first programs of a run must be compiled in any case, so short windows do not count.
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
                     .reason = fmt::format("{:.0f} programs were evicted and {:.0f} compiled during {:.0f} steps",
                                           w.evictions, w.compiles, w.steps),
                     .cost_ms = w.compile_ms});
}

void judge_waits(const Window& w, std::vector<Event>& found) {
  const bool blocks = w.host_wait_ms > noticeable_share * w.wall_ms && w.idle_ms > noticeable_share * w.wall_ms;
  if (w.reads > frequent * w.steps && blocks)
    found.push_back({.kind = Kind::transfer_too_frequent,
                     .place = w.read_place,
                     .reason = fmt::format("TransferFromDeviceTime too frequent: {:.0f} counts during {:.0f} steps; "
                                           "the host waited {:.3f} ms a step for them and "
                                           "the device then idled {:.3f} ms",
                                           w.reads, w.steps, w.host_wait_ms / w.steps, w.idle_ms / w.steps),
                     .cost_ms = std::min(w.host_wait_ms, w.idle_ms)});
  else if (w.idle_ms > noticeable_share * w.wall_ms && w.host_ms > w.busy_ms)
    found.push_back(
        {.kind = Kind::host_bound,
         .reason = fmt::format("recording takes the host {:.3f} ms a step, computing the device {:.3f} ms",
                               w.host_ms / w.steps, w.busy_ms / w.steps),
         .remedy = w.is_compiled ? "more work in a call: a larger batch, or several steps in one function" : "",
         .cost_ms = w.idle_ms});
  else if (w.idle_ms > noticeable_share * w.wall_ms)
    found.push_back({.kind = Kind::device_gap,
                     .reason = fmt::format("the device idles {:.3f} ms of each step of {:.3f} ms", w.idle_ms / w.steps,
                                           w.wall_ms / w.steps),
                     .cost_ms = w.idle_ms});
  if (w.input_wait_ms > noticeable_share * w.wall_ms)
    found.push_back({.kind = Kind::starved_input,
                     .reason = fmt::format("each step waits {:.3f} ms for its data", w.input_wait_ms / w.steps),
                     .cost_ms = w.input_wait_ms});
}

void judge_host_ops(const Window& w, std::vector<Event>& found) {
  if (w.host_op_ms <= noticeable_share * w.wall_ms) return;
  found.push_back(
      {.kind = Kind::host_fallback,
       .place = w.host_op_place,
       .reason = fmt::format("{:.3f} ms of each step of {:.3f} ms go to operations without a kernel{}{}",
                             w.host_op_ms / w.steps, w.wall_ms / w.steps, w.host_ops.empty() ? "" : ": ", w.host_ops),
       .cost_ms = w.host_op_ms});
}

void judge_growth(const Window& w, std::vector<Event>& found) {
  if (w.nodes.size() < growing_steps) return;
  const auto grows = [](double before, double now) { return now > before; };
  const bool always = std::ranges::adjacent_find(w.nodes, std::not_fn(grows)) == w.nodes.end();
  if (always)
    found.push_back({.kind = Kind::graph_growth,
                     .reason = fmt::format("the recording grew in each of {} steps, from {:.0f} to {:.0f} operations",
                                           w.nodes.size(), w.nodes.front(), w.nodes.back())});
}

// Decides what is worth telling: an event is news once, and again when its cost has doubled, or, if it has no cost, when it has
// occurred ten times as often.
class News {
 public:
  // Returns whether the event is news now; if so, adds to it the earlier events of its kind, subject and place.
  bool is_news(Event& event) {
    if (said_.size() > most) return false;
    Said& said = said_[{event.kind, event.subject, event.place}];
    said.count += event.count;
    said.cost_ms += event.cost_ms;
    said.bytes += event.bytes;
    const bool costs = said.cost_ms > 0;
    const double now = costs ? said.cost_ms : said.count;
    if (said.told > 0 && now < (costs ? 2 : 10) * said.told) return false;
    said.told = now;
    event.count = said.count;
    event.cost_ms = said.cost_ms;
    event.bytes = said.bytes;
    return true;
  }
  void clear() { said_.clear(); }

 private:
  static constexpr std::size_t most = 10'000;
  struct Said {
    std::uint64_t count = 0, bytes = 0;
    double cost_ms = 0, told = 0;
  };
  std::map<std::tuple<Kind, std::string, std::string>, Said> said_;
};

constexpr std::size_t window_steps = 20;

class Live {
 public:
  static Live& instance() {
    static auto* live = new Live;  // never destroyed: threads take steps until the process ends
    return *live;
  }

  void step(const runtime::Executable& program, double nodes) {
    std::vector<Event> found;
    {
      const std::lock_guard lock(mutex_);
      nodes_.push_back(nodes);
      if (nodes_.size() < window_steps) return;
      found = judge(window(program));
      clear_window();
      std::erase_if(found, [this](const Event& event) { return !is_news(event); });
    }
    for (Event& event : found) {
      diagnostics::count(event.kind);
      diagnostics::report(std::move(event));
    }
  }

  // Reported at once, because it may be the only one.
  static void compile(const runtime::Executable& program, double ms) {
    Window single;
    single.steps = single.wall_ms = 1;
    single.longest_compile_ms = ms;
    single.program = program.name;
    single.place = place_of(program);
    for (Event& event : judge(single)) {
      diagnostics::count(event.kind);
      diagnostics::report(std::move(event));
    }
  }

  void read(const char* file, std::uint32_t line, std::uint64_t waited_ns) {
    const std::lock_guard lock(mutex_);
    if (waited_ns <= longest_read_ns_) return;
    longest_read_ns_ = waited_ns;
    read_place_ = fmt::format("{}:{}", file, line);
  }

  void restart() {
    const std::lock_guard lock(mutex_);
    clear_window();
    meter_ = {};
    said_.clear();
  }

 private:
  void clear_window() {
    nodes_.clear();
    longest_read_ns_ = 0;
    read_place_.clear();
  }

  Window window(const runtime::Executable& program) {
    Window w = meter_.take(nodes_.size());
    w.nodes = nodes_;
    w.program = program.name;
    w.place = place_of(program);
    w.is_compiled = !program.name.starts_with(sync_programs);
    w.read_place = read_place_;
    w.host_op_place = place_of(program, "host");
    return w;
  }

  bool is_news(const Event& event) {
    double& said = said_[{event.kind, event.subject}];
    if (said > 0 && event.cost_ms < 2 * said) return false;
    said = std::max(event.cost_ms, 1e-9);
    return true;
  }

  std::mutex mutex_;
  std::vector<double> nodes_;  // one entry per step since the last window
  WindowMeter meter_;
  std::uint64_t longest_read_ns_ = 0;
  std::string read_place_;
  std::map<std::pair<Kind, std::string>, double> said_;
};

}  // namespace

WindowMeter::Totals WindowMeter::now() {
  Totals t;
  t.time_ns = trace::now_ns();
  timespec cpu{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
  t.thread = std::this_thread::get_id();
  t.thread_ms = 1e3 * cpu.tv_sec + 1e-6 * cpu.tv_nsec;
  const metrics::Snapshot snapshot = metrics::snapshot();
  for (const std::string_view prefix : {"host::", "custom_op::"}) {
    for (const metrics::CounterValue& counter : snapshot.counters)
      if (counter.name.starts_with(prefix)) t.host_ops[counter.name.substr(prefix.size())] = counter.value;
    for (const metrics::MetricValue& metric : snapshot.metrics)
      if (metric.name.starts_with(prefix) && metric.name.ends_with(".Time")) t.host_op_ms += 1e-6 * metric.total;
  }
  const auto sum = [](const char* name) {
    const auto metric = metrics::metric(name);
    return metric ? 1e-6 * metric->total : 0;
  };
  t.compiles = metrics::uncached_compile.value();
  t.evictions = metrics::counter("GraphCacheEvictions");
  t.compile_ms = sum("CompileTime");
  t.checkpoint_ms = sum("CheckpointTime");
  t.wait_ms = sum("HostWaitTime");
  t.input_ms = sum("InputWaitTime");
  t.busy_ms = sum("ExecuteTime");
  t.idle_ms = sum("DeviceIdleTime");
  t.host_op_ms += sum("HostFallbackTime");
  const auto count = [](const char* name) {
    const auto metric = metrics::metric(name);
    return metric ? metric->count : 0;
  };
  t.reads = count("TransferFromDeviceTime");
  t.waits = count("HostWaitTime");
  return t;
}

Window WindowMeter::take(double steps) {
  const Totals now = WindowMeter::now();
  Window w;
  w.steps = steps;
  w.wall_ms = 1e-6 * (now.time_ns - before_.time_ns);
  w.compiles = now.compiles - before_.compiles;
  w.compile_ms = now.compile_ms - before_.compile_ms;
  w.reads = std::min(now.reads - before_.reads, now.waits - before_.waits);
  w.host_wait_ms = now.wait_ms - before_.wait_ms;
  w.input_wait_ms = now.input_ms - before_.input_ms;
  w.busy_ms = now.busy_ms - before_.busy_ms;
  const double checkpoint_ms = now.checkpoint_ms - before_.checkpoint_ms;
  w.idle_ms = std::max(0.0, now.idle_ms - before_.idle_ms - w.compile_ms - w.input_wait_ms - checkpoint_ms);
  if (now.thread == before_.thread) w.host_ms = std::max(0.0, now.thread_ms - before_.thread_ms - w.compile_ms);
  w.evictions = now.evictions - before_.evictions;
  w.host_op_ms = now.host_op_ms - before_.host_op_ms;
  for (const auto& [name, count] : now.host_ops) {
    const auto known = before_.host_ops.find(name);
    const std::uint64_t times = count - (known == before_.host_ops.end() ? 0 : known->second);
    if (times > 0) w.host_ops += fmt::format("{}{} ({} times)", w.host_ops.empty() ? "" : ", ", name, times);
  }
  before_ = now;
  return w;
}

std::vector<Event> judge(const Window& window) {
  std::vector<Event> found;
  if (window.steps < 1 || window.wall_ms <= 0) return found;
  judge_compiles(window, found);
  judge_waits(window, found);
  judge_host_ops(window, found);
  judge_growth(window, found);
  for (Event& event : found) {
    if (event.subject.empty()) event.subject = window.program;
    if (event.place.empty()) event.place = window.place;
  }
  return found;
}

std::string place_of(const runtime::Executable& program, std::string_view category) {
  for (const auto& thunk : program.thunks | std::views::reverse)
    if (!thunk->info.source.empty() && thunk->info.category.starts_with(category)) return thunk->info.source;
  return {};
}

void listen() {
  static std::once_flag once;
  std::call_once(once, [] {
    if (!knobs::debug()) return;
    static auto* news = new News;
    static const auto* sink = new diagnostics::Sink([](const Event& event) {
      if (Event now = event; news->is_news(now)) std::cerr << "weft hint: " << to_string(now) << std::endl;
    });
    (void)sink;
    (void)Live::instance();  // its first window starts here
  });
}

void restart_hints() { Live::instance().restart(); }

void detail::judge_step(const runtime::Executable& program, double nodes) { Live::instance().step(program, nodes); }
void detail::note_compile(const runtime::Executable& program, double ms) { Live::compile(program, ms); }
void detail::note_read(const char* file, std::uint32_t line, std::uint64_t waited_ns) {
  Live::instance().read(file, line, waited_ns);
}

}  // namespace weft::profile
