#include <weft/runtime/queue.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <iterator>
#include <utility>

#include <weft/base/log.h>
#include <weft/base/metrics.h>
#include <weft/runtime/device_backend.h>
#include <weft/runtime/parallel.h>
#include <weft/runtime/spin_pause.h>

namespace weft::metrics {
// Recorded at each launch, including it: how far the host is ahead of the device.
inline constinit Metric run_ahead_launches("RunAheadLaunches", Unit::count);
inline constinit Metric run_ahead_bytes("RunAheadBytes", Unit::bytes);
}  // namespace weft::metrics

namespace weft::runtime {

namespace {
constinit std::atomic<std::uint64_t> next_id = 0;

std::size_t slot_of(const Executable& program, std::size_t slots) {
  return (reinterpret_cast<std::uintptr_t>(&program) >> 6) % slots;
}

bool is_same(const std::weak_ptr<const Executable>& a, const std::shared_ptr<const Executable>& b) {
  return !a.owner_before(b) && !b.owner_before(a);
}
}  // namespace

Queue::Queue(const DeviceOptions& options, DeviceBackend& backend, Executor& executor)
    : options_(options), backend_(backend), executor_(executor), thread_([this] { work(); }) {
  const std::lock_guard lock(mutex_);
  incoming_.reserve(usual_launches);
  spare_records_.reserve(usual_launches);
}

Queue::~Queue() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  arrived_.notify_one();
  thread_.join();
  for (auto& worker : workers_) worker = nullptr;
  for (std::size_t kind = 0; kind < stream_kinds; ++kind) backend_.stream(static_cast<StreamKind>(kind)).drain();
  tidy();
}

LaunchPtr Queue::new_record() {
  tidy();
  LaunchPtr record;
  {
    const std::lock_guard lock(mutex_);
    if (spare_records_.empty()) return std::make_unique<LaunchRecord>();
    record = std::move(spare_records_.back());
    spare_records_.pop_back();
  }
  record->donors.clear();
  record->blocks.clear();
  record->accounted = false;
  record->error = nullptr;
  record->outcome = LaunchRecord::Outcome::done;
  return record;
}

std::uint64_t Queue::submit(LaunchPtr launch, trace::Scope& scope, bool may_run_here) {
  std::unique_lock lock(mutex_);
  const std::uint64_t waited_ns = await_run_ahead(launch->bytes, lock);
  const bool runs_here = may_run_here && should_run_here(*launch);
  launch->queue = this;
  launch->number = launches_++;
  launch->id = next_id.fetch_add(1, std::memory_order_relaxed);
  launch->accepted_ns = trace::now_ns();
  scope.set_number(launch->id);
  bytes_in_flight_ += launch->bytes;
  peak_run_ahead_ = std::max(peak_run_ahead_, ++in_flight_);
  peak_run_ahead_bytes_ = std::max(peak_run_ahead_bytes_, bytes_in_flight_);
  metrics::run_ahead_launches.add(in_flight_);
  metrics::run_ahead_bytes.add(bytes_in_flight_);
  launch->has_parts = launch->flight != nullptr;
  if (launch->has_parts) start_flight(*launch);
  asked_ += launch->has_parts ? 0 : 1;
  if (runs_here) {
    runs_here_ = true;
    lock.unlock();
    run_here(std::move(launch));
    return waited_ns;
  }
  incoming_.push_back(std::move(launch));
  has_incoming_.store(true, std::memory_order_release);
  const bool first = incoming_.size() == 1;
  lock.unlock();
  if (first) arrived_.notify_one();
  return waited_ns;
}

void Queue::submit(ReadPtr read) {
  std::unique_lock lock(mutex_);
  reads_.push(std::move(read));
  ++asked_;
  if (in_flight_ > 0) return;  // otherwise the device's thread may never look at it
  lock.unlock();
  tidy();
}

void Queue::submit_copy(std::shared_ptr<Event> done, std::function<void()> copy) {
  const std::lock_guard lock(mutex_);
  last_copy_ = std::move(done);
  worker(StreamKind::copy).add(std::move(copy));
}

void Queue::add_reads(const Buffer& of, std::vector<ReadPtr>& to) const {
  const std::lock_guard lock(mutex_);
  std::ranges::copy_if(reads_, std::back_inserter(to), [&](const ReadPtr& read) { return read->of_ == &of; });
}

void Queue::synchronize() {
  std::unique_lock lock(mutex_);
  const std::uint64_t target = asked_, launches = launches_;
  const std::shared_ptr<Event> last_copy = std::move(last_copy_);
  while (done_ < target || has_flight_before(launches)) {
    if (tidy_one(lock)) continue;
    // Another thread performs it, or its bytes come from elsewhere, and nothing here will be notified.
    if (!reads_.empty() && (in_flight_ == 0 || reads_.front()->due())) {
      const ReadPtr read = reads_.front();
      lock.unlock();
      read->perform();
      read->done_.error();
      lock.lock();
      continue;
    }
    ++waiting_;
    retired_.wait(lock);
    --waiting_;
  }
  lock.unlock();
  if (last_copy) last_copy->error();
}

void Queue::add_to(DeviceStats& stats) const {
  const std::lock_guard lock(mutex_);
  stats.launches = launches_;
  stats.failed_launches = failed_;
  stats.skipped_launches = skipped_;
  stats.host_waits = host_waits_;
  stats.host_wait_ns = host_wait_ns_;
  stats.peak_run_ahead = peak_run_ahead_;
  stats.peak_run_ahead_bytes = peak_run_ahead_bytes_;
  stats.busy_ns = busy_ns_;
  stats.idle_ns = idle_ns_;
}

std::vector<std::uint64_t> Queue::gaps_ns() const {
  const std::lock_guard lock(mutex_);
  return gaps_.values();
}

void Queue::work() {
  trace::name_thread("device");
  std::vector<LaunchPtr> launches;
  launches.reserve(usual_launches);
  for (;;) {
    {
      if (stays_awake_) await_awake();
      std::unique_lock lock(mutex_);
      arrived_.wait(lock, [this] { return (!incoming_.empty() || stopping_) && !runs_here_; });
      if (incoming_.empty()) return;
      std::swap(launches, incoming_);
      has_incoming_.store(false, std::memory_order_relaxed);
    }
    for (LaunchPtr& launch : launches) {
      stays_awake_ = launch->executable->kept_blocks != nullptr;
      run(std::move(launch));
    }
    launches.clear();
  }
}

// Spins for a while, since falling asleep and being woken takes longer than a small program.
void Queue::await_awake() const {
  constexpr std::uint64_t most_ns = 50'000;
  const std::uint64_t end = trace::now_ns() + most_ns;
  while (!has_incoming_.load(std::memory_order_acquire) && trace::now_ns() < end) spin_pause();
}

void Queue::run(LaunchPtr owned) {
  LaunchRecord& launch = *owned.release();  // complete() takes it back
  WEFT_LOG(launches, launch.executable->name, ", launch ", launch.number, ": starts");
  launch.start_ns = trace::now_ns();
  for (const ReadPtr& read : launch.reads) {
    read->perform();
    read->done_.error();
  }
  expected_end_.store(launch.start_ns + times_of(*launch.executable).least(), std::memory_order_relaxed);
  executor_.submit(launch);
}

void Queue::add_duration(const LaunchRecord& launch) {
  Durations& known = durations_[slot_of(*launch.executable, durations_.size())];
  if (!is_same(known.program, launch.executable)) {
    const auto computes = [](const auto& thunk) { return thunk->stream == StreamKind::compute; };
    known = {.program = launch.executable, .only_computes = std::ranges::all_of(launch.executable->thunks, computes)};
  }
  known.before = std::exchange(known.last, launch.busy_ns);
}

// If no launch is in flight, the device's thread uses nothing of the executor.
bool Queue::should_run_here(const LaunchRecord& launch) const {
  constexpr std::uint64_t short_ns = 20'000;  // about as long as it takes to wake a thread and to wait for it
  if (in_flight_ != 0 || runs_here_ || launch.flight || !launch.awaited.empty() || !launch.reads.empty() ||
      !launch.readers.empty())
    return false;
  const Durations& known = durations_[slot_of(*launch.executable, durations_.size())];
  return known.before != 0 && std::max(known.last, known.before) < short_ns &&
         is_same(known.program, launch.executable);
}

void Queue::run_here(LaunchPtr launch) {
  {
    const BorrowedThread thread;
    run(std::move(launch));
  }
  const std::lock_guard lock(mutex_);
  runs_here_ = false;
  if (!incoming_.empty()) arrived_.notify_one();
}

void LaunchRecord::reached(StreamError stream_error) {
  if (!flight) queue->computed(*this);
  queue->complete(LaunchPtr(this), std::move(stream_error));
}

void Queue::computed(LaunchRecord& launch) {
  const std::uint64_t end = trace::now_ns();
  // On a stream that works asynchronously, a launch is submitted while the one before still runs.
  const std::uint64_t start = std::max(launch.start_ns, last_end_);
  launch.busy_ns = end - start;
  launch.queued_ns = start - launch.accepted_ns;
  launch.follows = last_end_ != 0;
  launch.idle_ns = launch.follows ? start - last_end_ : 0;
  last_end_ = end;
  times_of(*launch.executable).add(launch.busy_ns);
  if (trace::enabled()) {
    trace::keep(launch.executable);
    trace::add("queue", launch.executable->name.c_str(), launch.accepted_ns, start, launch.id);
    trace::add("device", launch.executable->name.c_str(), start, end, launch.id);
    trace::add("memory", "bytes in use", end, end, backend_.memory_stats().bytes_in_use);
  }
  computed_.fetch_add(1, std::memory_order_release);
  computed_.notify_all();
}

void Queue::await_computed(std::uint64_t number) const {
  for (std::uint64_t computed = computed_.load(std::memory_order_acquire); computed < number;
       computed = computed_.load(std::memory_order_acquire))
    computed_.wait(computed, std::memory_order_acquire);
}

void Queue::complete(LaunchPtr launch, StreamError stream_error) {
  using Outcome = LaunchRecord::Outcome;
  for (const Event* event : launch->ordered) {
    if (launch->outcome != Outcome::done) break;
    if ((launch->error = event->error())) launch->outcome = Outcome::skipped;
  }
  if (launch->outcome == Outcome::done && stream_error.error) {
    launch->error = with_place(stream_error.error, place_of(*launch, stream_error.thunk));
    launch->outcome = Outcome::failed;
  }
  WEFT_LOG(launches, launch->executable->name, ", launch ", launch->number, ": ", launch->busy_ns / 1e3, " us",
           launch->outcome == Outcome::done     ? ""
           : launch->outcome == Outcome::failed ? ", failed"
                                                : ", skipped");
  launch->workspace = nullptr;
  launch->staged.clear();
  bool is_last = false, is_asynchronous = false;
  {
    const std::lock_guard lock(mutex_);
    is_last = --in_flight_ == 0;
    is_asynchronous = !runs_here_ && std::this_thread::get_id() != thread_.get_id();
    if (launch->outcome == Outcome::done && !launch->has_parts) add_duration(*launch);
    bytes_in_flight_ -= launch->bytes;
    failed_ += launch->outcome == Outcome::failed;
    skipped_ += launch->outcome == Outcome::skipped;
    busy_ns_ += launch->busy_ns;
    idle_ns_ += launch->idle_ns;
    if (launch->follows) gaps_.add(launch->idle_ns);
  }
  if (is_last) {  // before the events are set, so that whoever waits for them finds the metrics complete
    tidy();
    account(*launch);
  }
  if (launch->error) {
    // A stream that works asynchronously may have later launches that read the outputs. It will run them to their end, although they
    // are skipped, so the outputs keep their memory.
    if (launch->groups.empty() && !is_asynchronous) {
      for (Memory* const output : launch->outputs) *output = nullptr;
    }
    for (const SlotsRef& donor : launch->donors) donor->may_keep_memory();
    launch->donors.clear();  // releases the memory that was not taken over
    Slots::settle(*launch->done);
    launch->done->set_error(std::move(launch->error));
  } else {
    Slots::settle(*launch->done);
    launch->done->set();
  }
  {
    const std::lock_guard lock(mutex_);
    ended_.push(std::move(launch));
    if (waiting_ > 0) retired_.notify_all();
  }
  if (is_last) tidy();
}

void Queue::add_readers(std::span<const BufferPtr> inputs, LaunchRecord& launch) const {
  if (flight_count_.load(std::memory_order_acquire) == 0) [[likely]]
    return;
  const std::lock_guard lock(mutex_);
  for (const InFlight& flight : flights_) {
    const bool reads = std::ranges::any_of(inputs, [&](const BufferPtr& input) {
      return input->donated() && std::ranges::find(flight.inputs, input.get()) != flight.inputs.end();
    });
    if (reads) launch.readers.push_back(flight.done);
  }
}

// Starts the parts on streams other than the compute stream.
void Queue::start_flight(const LaunchRecord& launch) {
  const std::shared_ptr<Flight> flight = launch.flight;
  InFlight& entry = flights_.emplace_back(InFlight{.number = launch.number, .inputs = {}, .done = launch.done});
  for (const BufferPtr& input : launch.kept) entry.inputs.push_back(input.get());
  flight_count_.store(flights_.size(), std::memory_order_release);
  const auto& parts = flight->schedule().parts;
  for (std::uint32_t p = 1; p < parts.size(); ++p) {
    Stream& stream = backend_.stream(parts[p].stream);
    worker(parts[p].stream).add([flight, p, &stream] { flight->run(p, stream); });
  }
}

StreamWorker& Queue::worker(StreamKind kind) {
  constexpr std::array<const char*, stream_kinds> names = {"compute stream", "copy stream", "communication stream",
                                                           "host stream"};
  auto& worker = workers_[static_cast<std::size_t>(kind)];
  if (!worker) worker = std::make_unique<StreamWorker>(names[static_cast<std::size_t>(kind)]);
  return *worker;
}

bool Queue::has_flight_before(std::uint64_t number) const {
  return std::ranges::any_of(flights_, [&](const InFlight& flight) { return flight.number < number; });
}

// Does one thing that a launch left to do; returns false if there is none. Unlocks `lock` meanwhile, because it may release
// memory or call the reader of a read.
bool Queue::tidy_one(std::unique_lock<std::mutex>& lock) {
  if (!ended_.empty()) {
    LaunchPtr launch = ended_.pop();
    const bool has_parts = launch->has_parts;
    if (has_parts) {
      std::erase_if(flights_, [&](const InFlight& flight) { return flight.number == launch->number; });
      flight_count_.store(flights_.size(), std::memory_order_release);
    }
    lock.unlock();
    account(*launch);
    launch->kept.clear();
    launch->reads.clear();
    launch->readers.clear();
    launch->groups.clear();
    launch->flight = nullptr;
    launch->executable = nullptr;
    launch->context = nullptr;
    launch->done = nullptr;
    lock.lock();
    spare_records_.push_back(std::move(launch));
    if (has_parts) {
      if (waiting_ > 0) retired_.notify_all();
      return true;
    }
  } else if (!reads_.empty() && reads_.front()->due()) {
    const ReadPtr read = reads_.front();
    lock.unlock();
    read->perform();
    lock.lock();
    if (!read->done_.ready()) return false;  // another thread performs it
    if (reads_.empty() || reads_.front() != read) return true;
    reads_.pop();
  } else {
    return false;
  }
  ++done_;
  if (waiting_ > 0) retired_.notify_all();
  return true;
}

void Queue::account(LaunchRecord& launch) {
  if (std::exchange(launch.accounted, true)) return;
  metrics::queue_time.add(launch.queued_ns);
  metrics::execute_time.add(launch.busy_ns);
  if (launch.follows) metrics::device_idle_time.add(launch.idle_ns);
}

void Queue::tidy() {
  std::unique_lock lock(mutex_);
  while (tidy_one(lock)) {
  }
}

Queue::Times& Queue::times_of(const Executable& executable) { return times_[slot_of(executable, times_.size())]; }

// Waking a thread costs the device's thread tens of microseconds between two launches. So while there are several launches in
// flight, the host wakes by itself a little after the running launch should have ended, and looks again after a small fraction
// of the time it has waited.
void Queue::doze(std::uint64_t waited_ns, std::unique_lock<std::mutex>& lock) const {
  const std::uint64_t expected = expected_end_.load(std::memory_order_relaxed), now = trace::now_ns();
  const std::uint64_t until_expected = expected > now ? expected - now : 0;
  const std::uint64_t late = (waited_ns + until_expected) / 64 + 50'000;
  lock.unlock();
  std::this_thread::sleep_for(std::chrono::nanoseconds(until_expected + late));
  lock.lock();
}

std::uint64_t Queue::await_run_ahead(std::uint64_t bytes, std::unique_lock<std::mutex>& lock) {
  const auto may_go = [&] {
    return in_flight_ == 0 || (std::cmp_less(in_flight_, options_.run_ahead_launches) &&
                               bytes_in_flight_ + bytes <= options_.run_ahead_bytes);
  };
  if (may_go()) return 0;
  const trace::Scope scope("host", "wait for the device");
  const std::uint64_t start = trace::now_ns();
  ++host_waits_;
  metrics::run_ahead_waits.add();
  while (in_flight_ > 2 && !may_go()) doze(trace::now_ns() - start, lock);
  ++waiting_;
  retired_.wait(lock, may_go);
  --waiting_;
  const std::uint64_t waited_ns = trace::now_ns() - start;
  host_wait_ns_ += waited_ns;
  return waited_ns;
}

}  // namespace weft::runtime
