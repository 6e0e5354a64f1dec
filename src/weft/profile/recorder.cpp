#include <weft/profile/recorder.h>

#include <any>
#include <chrono>
#include <csignal>
#include <ctime>
#include <memory>
#include <tuple>
#include <utility>

#include <pthread.h>
#include <unistd.h>

#include <weft/base/error.h>
#include <weft/base/metrics.h>
#include <weft/base/process.h>
#include <weft/base/version.h>
#include <weft/profile/hints.h>
#include <weft/profile/load_meter.h>
#include <weft/profile/machine.h>
#include <weft/profile/serialize.h>
#include <weft/profile/settings.h>
#include <weft/runtime/parallel.h>
#include <weft/runtime/ranks.h>

namespace weft::profile {

namespace {

using nlohmann::json;

constexpr auto metering_period = std::chrono::milliseconds(100);
constexpr std::size_t page_spans = std::size_t{1} << 17;  // capacity between two periods
constexpr std::size_t most_events = 10'000;               // number of events that wait to be written
constexpr std::uint64_t most_events_written = 100'000;
constexpr int metrics_every = 10;  // in periods

std::filesystem::path made(const std::filesystem::path& folder) {
  std::error_code wrong;
  std::filesystem::create_directories(folder, wrong);
  if (wrong) weft::detail::fail_with_errno("make", folder, wrong.value());
  return folder / recording_file;
}

std::uint64_t thread_cpu_ns() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

// Measures what one span costs the thread that adds it. The spans of the measurement are removed from the recording.
double calibrate() {
  constexpr int tries = 2000;
  const std::uint64_t start = trace::now_ns();
  for (int i = 0; i < tries; ++i) const trace::Scope scope("calibration", "");
  const auto ns = static_cast<double>(trace::now_ns() - start) / tries;
  (void)trace::drain();
  return ns;
}

json metrics_now() {
  json now = json::parse(metrics::json());
  now["time_ns"] = trace::now_ns();
  return now;
}

}  // namespace

Recorder::Recorder(RecorderOptions options)
    : options_(std::move(options)), writer_(made(options_.folder)), sink_([this](const diagnostics::Event& event) {
        const std::lock_guard lock(mutex_);
        if (events_.size() < most_events)
          events_.push_back(event);
        else
          ++events_dropped_;
      }) {
  restart_hints();
  trace::start(page_spans);
  try {
    span_ns_ = calibrate();
    write_about();
    writer_.write(ChunkKind::metrics, dump(metrics_now()));
    thread_ = std::thread([this] { work(); });
  } catch (...) {
    (void)trace::stop();
    throw;
  }
}

Recorder::~Recorder() { std::ignore = stop(); }

Status Recorder::stop() {
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(stopped_, true)) return status_;
    stopping_ = true;
  }
  stop_now_.notify_all();
  thread_.join();
  const std::lock_guard lock(mutex_);
  return status_;
}

void Recorder::write_about() {
  about_ = {{"version", version()},
            {"command", options_.command},
            {"host", host_name()},
            {"cpu", cpu_name()},
            {"cpus", usable_cpus()},
            {"threads", runtime::thread_count()},
            {"settings", settings_now()},
            {"process", ::getpid()},
            {"rank", runtime::ranks().rank},
            {"ranks", runtime::ranks().count},
            {"unix_ns", std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count()},
            {"steady_ns", trace::now_ns()}};
  writer_.write(ChunkKind::about, dump(about_));
}

template <class Body>
void Recorder::guarded(Body&& body) {
  {
    const std::lock_guard lock(mutex_);
    if (!status_) return;
  }
  try {
    body();
  } catch (const std::exception& wrong) {
    const std::lock_guard lock(mutex_);
    status_ = Status::failed(wrong.what());
  }
}

void Recorder::work() {
  // Leaves signals to the other threads. Without SIGXFSZ, a full disk is an error of write().
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
  pthread_setname_np(pthread_self(), "weft recorder");
  LoadMeter load;
  guarded([&] { writer_.write(ChunkKind::load, dump(to_json(load.take()))); });
  bool ending = false;
  for (int round = 1; !ending; ++round) {
    {
      std::unique_lock lock(mutex_);
      ending = stop_now_.wait_for(lock, metering_period, [this] { return stopping_; });
    }
    const std::uint64_t start = thread_cpu_ns();
    auto recorded = ending ? trace::stop() : trace::drain();
    guarded([&] {
      take(std::move(recorded));
      add_events();
      writer_.write(ChunkKind::load, dump(to_json(load.take())));
      if (round % metrics_every == 0 || ending) writer_.write(ChunkKind::metrics, dump(metrics_now()));
    });
    work_ns_ += thread_cpu_ns() - start;
  }
  guarded([&] { write_end(); });
}

void Recorder::take(trace::Recording recorded) {
  if (recorded.threads.size() != threads_) {
    threads_ = recorded.threads.size();
    writer_.write(ChunkKind::threads, dump(recorded.threads));
  }
  add_kept(recorded.kept);
  dropped_ += recorded.dropped;
  std::vector<Span> spans;
  for (const trace::Span& span : recorded.spans) {
    if (spans_ == options_.most_spans) {
      ++dropped_;
      continue;
    }
    ++spans_;
    const auto place = place_of_.find(span.name);
    const Place at = place == place_of_.end() ? Place{} : place->second;
    spans.push_back({.category = string_of(span.category),
                     .name = string_of(span.name),
                     .thread = span.thread,
                     .program = at.program,
                     .op = at.op,
                     .begin_ns = span.begin_ns,
                     .end_ns = span.end_ns,
                     .number = span.number});
  }
  write_strings();
  if (!spans.empty()) writer_.write(ChunkKind::spans, std::as_bytes(std::span(spans)));
}

void Recorder::add_kept(const std::vector<std::any>& kept) {
  for (const std::any& owner : kept) {
    kept_.push_back(owner);
    const auto* held = std::any_cast<std::shared_ptr<const runtime::Executable>>(&owner);
    if (!held) continue;
    const runtime::Executable& executable = **held;
    writer_.write(ChunkKind::program, dump(to_json(executable)));
    place_of_[executable.name.c_str()] = {programs_, -1};
    for (std::size_t i = 0; i < executable.thunks.size(); ++i)
      place_of_[executable.thunks[i]->info.name.c_str()] = {programs_, static_cast<std::int32_t>(i)};
    ++programs_;
  }
}

void Recorder::add_events() {
  std::deque<diagnostics::Event> events;
  {
    const std::lock_guard lock(mutex_);
    std::swap(events, events_);
    dropped_ += std::exchange(events_dropped_, 0);
  }
  for (const diagnostics::Event& event : events) {
    if (events_written_ == most_events_written) {
      ++dropped_;
      continue;
    }
    ++events_written_;
    writer_.write(ChunkKind::event, dump(to_json(event)));
  }
}

std::uint32_t Recorder::string_of(const char* text) {
  const auto known = string_of_.find(text);
  if (known != string_of_.end()) return known->second;
  constexpr std::size_t longest = 4096;
  const std::string copy(text, ::strnlen(text, longest));
  const auto [at, is_new] = known_strings_.try_emplace(copy, static_cast<std::uint32_t>(known_strings_.size()));
  if (is_new) new_strings_.push_back(copy);
  string_of_.emplace(text, at->second);
  return at->second;
}

void Recorder::write_strings() {
  if (new_strings_.empty()) return;
  writer_.write(ChunkKind::strings, dump(new_strings_));
  new_strings_.clear();
}

void Recorder::write_end() {
  about_["threads"] = runtime::thread_count();  // the program may have changed the number after the recording began
  writer_.write(ChunkKind::about, dump(about_));
  writer_.write(ChunkKind::roofs, dump(to_json(measure_roofs())));
  const double ns = span_ns_ * (spans_ + dropped_) + work_ns_;
  writer_.write(ChunkKind::end, dump({{"dropped", dropped_}, {"recording_ns", ns}}));
}

}  // namespace weft::profile
