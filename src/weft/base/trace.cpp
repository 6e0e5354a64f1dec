#include <weft/base/trace.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <thread>
#include <utility>

#include <weft/base/error.h>

namespace weft::trace {

namespace {

struct Recorder {
  std::mutex mutex;  // of everything but the spans
  std::vector<std::string> threads;
  std::vector<std::shared_ptr<const void>> kept;

  std::vector<Span> spans;  // written without a lock: each writer owns the slot that `next` gave it
  std::atomic<std::size_t> next = 0;
  std::atomic<int> writers = 0;  // inside add(): stop() waits for them

  static Recorder& instance() {
    static auto* recorder = new Recorder;  // never destroyed: threads add spans until the process ends
    return *recorder;
  }

  std::uint32_t new_thread(std::string name) {
    const std::lock_guard lock(mutex);
    threads.push_back(name.empty() ? concat("thread ", threads.size()) : std::move(name));
    return static_cast<std::uint32_t>(threads.size() - 1);
  }
};

constexpr std::uint32_t unnamed = ~std::uint32_t{0};
thread_local std::uint32_t thread_index = unnamed;

std::uint32_t this_thread() {
  if (thread_index == unnamed) thread_index = Recorder::instance().new_thread("");
  return thread_index;
}

}  // namespace

std::uint64_t now_ns() {
  return static_cast<std::uint64_t>(
      std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count());
}

void start(std::size_t capacity) {
  auto& r = Recorder::instance();
  const std::lock_guard lock(r.mutex);
  require(!enabled(), "trace::start: a recording is on");
  r.spans.assign(capacity, Span{});
  r.kept.clear();
  r.next = 0;
  detail::on = true;
}

Recording stop() {
  auto& r = Recorder::instance();
  const std::lock_guard lock(r.mutex);
  if (!detail::on.exchange(false)) return {};
  while (r.writers.load() != 0) std::this_thread::yield();
  const std::size_t added = r.next.load(), capacity = r.spans.size();
  Recording recording{.spans = std::exchange(r.spans, {}),
                      .threads = r.threads,
                      .dropped = added - std::min(added, capacity),
                      .kept = std::exchange(r.kept, {})};
  recording.spans.resize(std::min(added, capacity));
  std::ranges::sort(recording.spans, [](const Span& a, const Span& b) {
    return a.begin_ns != b.begin_ns ? a.begin_ns < b.begin_ns : a.end_ns > b.end_ns;
  });
  return recording;
}

void add(const char* category, const char* name, std::uint64_t begin_ns, std::uint64_t end_ns, std::uint64_t number) {
  const std::uint32_t thread = this_thread();
  auto& r = Recorder::instance();
  r.writers.fetch_add(1);
  if (detail::on.load()) {  // after the announcement: stop() either sees this writer or is seen by it
    const std::size_t slot = r.next.fetch_add(1, std::memory_order_relaxed);
    if (slot < r.spans.size()) r.spans[slot] = {category, name, begin_ns, end_ns, number, thread};
  }
  r.writers.fetch_sub(1);
}

void keep(const std::shared_ptr<const void>& owner) {
  auto& r = Recorder::instance();
  const std::lock_guard lock(r.mutex);
  if (enabled() && std::ranges::find(r.kept, owner) == r.kept.end()) r.kept.push_back(owner);
}

void name_thread(std::string name) {
  if (thread_index == unnamed) {
    thread_index = Recorder::instance().new_thread(std::move(name));
  } else {
    auto& r = Recorder::instance();
    const std::lock_guard lock(r.mutex);
    r.threads[thread_index] = std::move(name);
  }
}

}  // namespace weft::trace
