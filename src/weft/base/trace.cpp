#include <weft/base/trace.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <thread>
#include <unordered_set>
#include <utility>

#include <unistd.h>

#include <weft/base/error.h>

namespace weft::trace {

namespace {

// Filled without a lock: each writer owns the slot that it got from `next`.
struct Page {
  std::vector<Span> spans;
  std::atomic<std::size_t> next = 0;
};

struct Recorder {
  std::mutex mutex;  // guards everything except the pages that writers fill
  std::vector<std::string> threads;
  std::vector<std::any> kept;
  std::unordered_set<const void*> known;  // everything kept since the start

  Page pages[2];
  std::atomic<Page*> current = &pages[0];
  std::atomic<int> writers = 0;  // threads inside add()

  static Recorder& instance() {
    static auto* recorder = new Recorder;  // never destroyed: threads add spans until the process ends
    return *recorder;
  }

  std::uint32_t new_thread(std::string name) {
    const std::lock_guard lock(mutex);
    threads.push_back(name.empty() ? concat("thread ", threads.size()) : std::move(name));
    return threads.size() - 1;
  }
};

constexpr std::uint32_t unnamed = ~std::uint32_t{0};
thread_local std::uint32_t thread_index = unnamed;  // spans name their thread by it

bool is_main_thread() { return ::getpid() == ::gettid(); }

std::uint32_t this_thread() {
  if (thread_index == unnamed) thread_index = Recorder::instance().new_thread(is_main_thread() ? "main thread" : "");
  return thread_index;
}

}  // namespace

std::uint64_t now_ns() { return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count(); }

namespace {

// Takes the contents of a page to which no writer will write any more.
Recording take(Recorder& r, Page& page) {
  while (r.writers.load() != 0) std::this_thread::yield();
  const std::size_t added = page.next.load(), capacity = page.spans.size();
  const auto filled = page.spans.begin() + std::min(added, capacity);
  Recording recording{.spans = {page.spans.begin(), filled},
                      .threads = r.threads,
                      .dropped = added - std::min(added, capacity),
                      .kept = std::exchange(r.kept, {})};
  page.next = 0;
  std::ranges::sort(recording.spans, [](const Span& a, const Span& b) {
    return a.begin_ns != b.begin_ns ? a.begin_ns < b.begin_ns : a.end_ns > b.end_ns;
  });
  return recording;
}

}  // namespace

void start(std::size_t capacity) {
  auto& r = Recorder::instance();
  const std::lock_guard lock(r.mutex);
  require(!enabled(), "trace::start: a recording is on");
  for (Page& page : r.pages) {
    page.spans.assign(capacity, Span{});
    page.next = 0;
  }
  r.kept.clear();
  r.known.clear();
  detail::on = true;
}

Recording stop() {
  auto& r = Recorder::instance();
  const std::lock_guard lock(r.mutex);
  if (!detail::on.exchange(false)) return {};
  Recording recording = take(r, *r.current.load());
  for (Page& page : r.pages) page.spans = {};
  return recording;
}

Recording drain() {
  auto& r = Recorder::instance();
  const std::lock_guard lock(r.mutex);
  if (!enabled()) return {};
  Page* const full = r.current.load();
  r.current = full == &r.pages[0] ? &r.pages[1] : &r.pages[0];
  return take(r, *full);
}

void add(const char* category, const char* name, std::uint64_t begin_ns, std::uint64_t end_ns, std::uint64_t number) {
  const std::uint32_t thread = this_thread();
  auto& r = Recorder::instance();
  r.writers.fetch_add(1);
  if (detail::on.load()) {  // checked after the increment: either stop() sees this writer or the writer sees stop()
    Page& page = *r.current.load();
    const std::size_t slot = page.next.fetch_add(1, std::memory_order_relaxed);
    if (slot < page.spans.size()) page.spans[slot] = {category, name, begin_ns, end_ns, number, thread};
  }
  r.writers.fetch_sub(1);
}

void detail::keep(const void* identity, std::any owner) {
  auto& r = Recorder::instance();
  const std::lock_guard lock(r.mutex);
  if (enabled() && r.known.insert(identity).second) r.kept.push_back(std::move(owner));
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
