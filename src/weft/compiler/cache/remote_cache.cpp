#include <weft/compiler/cache/remote_cache.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <utility>

#include <unistd.h>

#include <weft/base/diagnostics.h>
#include <weft/base/error.h>
#include <weft/base/knobs.h>
#include <weft/base/log.h>
#include <weft/base/metrics.h>
#include <weft/base/threads.h>
#include <weft/compiler/cache/disk_cache.h>

namespace weft::compiler {

namespace {

using What = RemoteCounts::What;

constexpr std::chrono::nanoseconds most_patience = std::chrono::seconds(1), upload_time = std::chrono::seconds(30);
constexpr std::uint64_t largest_remote_entry = std::uint64_t{64} << 20;
constexpr int most_failures_in_a_row = 3;

std::uint64_t bytes_of(const SignedEntry& entry) {
  std::uint64_t bytes = 0;
  for (const StoredKernel& kernel : entry.kernels) bytes += kernel.key.size() + kernel.object.size();
  return bytes;
}

void warn_of_store(const std::string& url, const std::string& reason, const std::string& remedy, double cost_ms = 0) {
  WEFT_DIAGNOSE(cache_store, .subject = url, .reason = reason, .remedy = remedy, .cost_ms = cost_ms);
}

RemoteCache* open_remote_cache(const std::string& url) {
  try {
    return new RemoteCache(url, ObjectStoreSettings::read(ObjectStorePlace::parse(url)));
  } catch (const Error& error) {
    warn_of_store(url, error.what(), "");
    return nullptr;
  }
}

std::uint64_t us_of(std::chrono::nanoseconds time) {
  return std::chrono::duration_cast<std::chrono::microseconds>(time).count();
}

}  // namespace

// The cache is never destroyed, since other static objects may compile while the process ends. Its uploads end before OpenSSL, which its
// constructor starts, cleans up.
RemoteCache* RemoteCache::from_knobs() {
  if (!knobs::cache() || knobs::cache_url().empty()) return nullptr;
  static RemoteCache* const cache = open_remote_cache(knobs::cache_url());
  struct Ending {
    ~Ending() {
      if (!cache || cache->is_in_child()) return;
      cache->finish();
      WEFT_LOG(cache, cache->url(), ": ", cache->counts().told());
      cache->counts().add_to(DiskCache::default_folder());
    }
  };
  static const Ending ending;
  return cache;
}

RemoteCache::RemoteCache(std::string url, const ObjectStoreSettings& settings)
    : url_(std::move(url)), store_(ObjectStore::open(settings)), process_(::getpid()) {}

// Threads do not survive a fork, so a child neither uploads nor waits for them.
bool RemoteCache::is_in_child() const { return ::getpid() != process_; }

// Returns how long the process may wait for the store now.
RemoteCache::Nanoseconds RemoteCache::patience() const {
  const std::lock_guard lock(mutex_);
  return std::clamp(most_patience + saved_ - waited_, Nanoseconds(0), most_patience);
}

Result<std::vector<StoredKernel>> RemoteCache::read(const std::string& name) {
  if (!is_read_ || is_in_child()) return Status::failed("it is not asked any more");
  const auto start = std::chrono::steady_clock::now();
  ObjectAnswer answer{.kind = ObjectAnswer::Kind::too_late, .reason = "its answers take too long"};
  if (const auto time = patience(); time.count() > 0) answer = store_->get(name, largest_remote_entry, time);
  add_waiting(std::chrono::steady_clock::now() - start);
  auto kernels = take(name, std::move(answer));
  WEFT_LOG(cache, kernels ? "found " : "missed ", name, " at ", url_, kernels ? "" : ": ", kernels.reason());
  return kernels;
}

Result<std::vector<StoredKernel>> RemoteCache::take(const std::string& name, ObjectAnswer answer) {
  if (answer.kind == ObjectAnswer::Kind::missing) {
    succeeded();
    count(What::misses);
    return Status::failed(std::move(answer.reason));
  }
  if (answer.kind != ObjectAnswer::Kind::done) {
    failed(answer, /*is_upload=*/false);
    return Status::failed(std::move(answer.reason));
  }
  succeeded();
  count(What::bytes_read, answer.body.size());
  auto entry = read_signed_entry(answer.body, name);
  if (!entry) {
    count(What::refused);
    warn(concat("its entry ", name, " is not loaded: ", entry.reason()), "this process replaces the entry by its own");
    return entry.status();
  }
  count(What::hits);
  count(What::saved_us, us_of(entry->made_in));
  const std::lock_guard lock(mutex_);
  saved_ += entry->made_in;
  known_.insert(name);
  return std::move(entry->kernels);
}

void RemoteCache::add_waiting(Nanoseconds waited) {
  count(What::waited_us, us_of(waited));
  const std::lock_guard lock(mutex_);
  waited_ += waited;
}

void RemoteCache::write(SignedEntry entry) {
  if (!is_written_ || is_in_child()) return;
  const std::uint64_t bytes = bytes_of(entry);
  const std::lock_guard lock(mutex_);
  if (waiting_bytes_ + bytes > largest_remote_entry) {
    WEFT_LOG(cache, "did not upload ", entry.name, ": ", waiting_.size(), " entries wait for their upload already");
    return;
  }
  if (uploader_.empty()) uploader_ = start_threads(1, [this](const std::stop_token& stop) { upload_all(stop); });
  if (uploader_.empty()) return;
  known_.insert(entry.name);
  waiting_bytes_ += bytes;
  waiting_.push_back(std::move(entry));
  arrived_.notify_one();
}

bool RemoteCache::has(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  return known_.contains(name);
}

void RemoteCache::upload_all(const std::stop_token& stop) {
  sigset_t all;  // signals are for the threads of the program
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
  std::unique_lock lock(mutex_);
  while (arrived_.wait(lock, stop, [&] { return !waiting_.empty(); })) {
    const SignedEntry entry = std::move(waiting_.front());
    waiting_.pop_front();
    is_uploading_ = true;
    lock.unlock();
    if (is_written_) upload(entry, stop);
    lock.lock();
    is_uploading_ = false;
    waiting_bytes_ -= bytes_of(entry);
    uploaded_.notify_all();
  }
}

void RemoteCache::upload(const SignedEntry& entry, const std::stop_token& stop) {
  try {
    const std::string bytes = write_signed_entry(entry);
    const ObjectAnswer answer = store_->put(entry.name, bytes, upload_time, stop);
    if (stop.stop_requested()) return;
    if (answer.kind != ObjectAnswer::Kind::done) return failed(answer, /*is_upload=*/true);
    succeeded();
    count(What::uploads);
    count(What::bytes_written, bytes.size());
    WEFT_LOG(cache, "uploaded ", entry.name, " to ", url_, ", ", bytes.size(), " bytes");
  } catch (const Error& error) {
    failed({.kind = ObjectAnswer::Kind::impossible,
            .reason = error.what(),
            .remedy = "set WEFT_KEY_FILE to a file for the key"},
           /*is_upload=*/true);
  }
}

// Whoever may read a store may not always write to it, so only a store that fails altogether is not read again.
void RemoteCache::failed(const ObjectAnswer& answer, bool is_upload) {
  count(What::errors);
  const bool is_transient = answer.kind == ObjectAnswer::Kind::transient;
  if (is_transient && ++failures_in_a_row_ < most_failures_in_a_row) {
    WEFT_LOG(cache, url_, ": ", answer.reason);
    return;
  }
  is_written_ = false;
  if (!is_upload || is_transient) is_read_ = false;
  warn(concat(answer.reason, is_read_ ? "; this process uploads nothing more" : "; this process does not ask it again"),
       answer.remedy);
}

void RemoteCache::warn(const std::string& reason, const std::string& remedy) {
  if (is_warned_.exchange(true)) {
    WEFT_LOG(cache, url_, ": ", reason);
  } else {
    constexpr double us_per_ms = 1000;
    warn_of_store(url_, reason, remedy, counts()[What::waited_us] / us_per_ms);
  }
}

void RemoteCache::count(What what, std::uint64_t by) {
  metrics::named_counter(concat("RemoteCache::", RemoteCounts::names[static_cast<std::size_t>(what)])).add(by);
  const std::lock_guard lock(mutex_);
  counts_[what] += by;
}

RemoteCounts RemoteCache::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

Status RemoteCache::probe() {
  const ObjectAnswer answer = store_->get("probe", largest_remote_entry, most_patience);
  using Kind = ObjectAnswer::Kind;
  const bool is_answer = answer.kind == Kind::done || answer.kind == Kind::missing;
  return is_answer ? Status() : Status::failed(answer.reason);
}

void RemoteCache::finish() {
  if (is_in_child()) {
    for (std::jthread& thread : uploader_) thread.detach();
    return;
  }
  const auto time = patience();
  const auto start = std::chrono::steady_clock::now();
  std::size_t unsent = 0;
  {
    std::unique_lock lock(mutex_);
    uploaded_.wait_for(lock, time, [&] { return waiting_.empty() && !is_uploading_; });
    unsent = waiting_.size() + (is_uploading_ ? 1 : 0);
    waiting_.clear();
  }
  const bool is_cut = is_written_.exchange(false) && unsent > 0;
  uploader_.clear();
  add_waiting(std::chrono::steady_clock::now() - start);
  if (is_cut) warn(concat("the process ended before ", unsent, " entries were uploaded"), "");
}

}  // namespace weft::compiler
