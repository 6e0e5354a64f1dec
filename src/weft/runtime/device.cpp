#include <weft/runtime/device.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <thread>
#include <utility>
#include <variant>

#include <weft/base/error.h>
#include <weft/base/knobs.h>
#include <weft/base/log.h>
#include <weft/base/metrics.h>
#include <weft/base/process.h>
#include <weft/base/trace.h>
#include <weft/runtime/allocator.h>
#include <weft/runtime/executor.h>
#include <weft/runtime/node_pool.h>
#include <weft/runtime/recent.h>
#include <weft/runtime/virtual_clock.h>

namespace weft::metrics {
// At each launch, with it: how far the host is ahead of the device.
inline constinit Metric run_ahead_launches("RunAheadLaunches", Unit::count);
inline constinit Metric run_ahead_bytes("RunAheadBytes", Unit::bytes);
}  // namespace weft::metrics

namespace weft::runtime {

namespace {

using LaunchPtr = std::unique_ptr<LaunchRecord>;
struct Read {
  BufferPtr buffer;
  std::function<void(std::span<const std::byte>)> reader;
  std::promise<void> done;
};
using Task = std::variant<LaunchPtr, Read>;

void check_inputs(const Executable& executable, std::span<const BufferPtr> inputs) {
  require(inputs.size() == executable.inputs.size(), "launch: ", executable.name, " takes ", executable.inputs.size(),
          " inputs, got ", inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Buffer* input = inputs[i].get();
    if (input && input->type() == executable.inputs[i] && !input->donated()) [[likely]]
      continue;
    require(input != nullptr, "launch: ", executable.name, ": input ", i, " is no buffer");
    require(!input->donated(), "launch: ", executable.name, ": input ", i, " ", input->type(),
            " was donated to an earlier launch");
    fail("launch: ", executable.name, ": input ", i, " is ", input->type(), ", expected ", executable.inputs[i]);
  }
}

void check_promised(const Executable& executable, std::span<const BufferPtr> outputs) {
  require(outputs.size() == executable.outputs.size(), "launch: ", executable.name, " makes ",
          executable.outputs.size(), " outputs, got ", outputs.size(), " promised buffers");
  for (std::size_t i = 0; i < outputs.size(); ++i)
    require(outputs[i]->type() == executable.outputs[i].type, "launch: ", executable.name, ": output ", i, " is ",
            executable.outputs[i].type, ", the promised buffer ", outputs[i]->type());
}

// Marks the inputs that outputs take over. Returns those whose bytes must be copied because a holder, or another input of the
// same launch, reaches them too.
void donate_inputs(const Executable& executable, std::span<const BufferPtr> inputs,
                   std::vector<std::uint32_t>& copied) {
  std::ptrdiff_t donated = 0;
  for (const Output& output : executable.outputs) {
    if (output.donated_input < 0) continue;
    Buffer& input = *inputs[static_cast<std::size_t>(output.donated_input)];
    if (!input.held() && input.donate()) {
      ++donated;
    } else {
      copied.push_back(static_cast<std::uint32_t>(output.donated_input));
    }
  }
  if (donated == 0 || std::ranges::count_if(inputs, [](const BufferPtr& input) { return input->donated(); }) == donated)
    return;
  for (const Output& output : executable.outputs) {
    if (output.donated_input < 0) continue;
    if (std::ranges::count(inputs, inputs[static_cast<std::size_t>(output.donated_input)]) > 1)
      copied.push_back(static_cast<std::uint32_t>(output.donated_input));
  }
}

void add_block(std::vector<SlotsRef>& blocks, Slots& slots) {
  if (blocks.empty() || blocks.back().get() != &slots) blocks.emplace_back(slots);
}

// Whether who keeps the memory of one keeps that of the other too, as the numbers of a recording do. Both are there.
bool share_memory(const Buffer& a, const Buffer& b) {
  return b.event()->succeeded() && !a.memory().owner_before(b.memory()) && !b.memory().owner_before(a.memory());
}

// What the device needs of the buffers, which it does not touch: memory and events, and what keeps these.
void refer_to(std::span<const BufferPtr> inputs, std::span<const BufferPtr> outputs, LaunchRecord& record) {
  record.inputs.clear();
  record.awaited.clear();
  const Event* last = nullptr;
  for (const BufferPtr& input : inputs) {
    const Event* const event = input->event().get();
    const bool is_there = event->succeeded();
    record.inputs.push_back({.slot = &input->memory()});
    if (input->donated()) {
      add_block(record.donors, input->slots());
    } else if (is_there && !record.kept.empty() && share_memory(*input, *record.kept.back())) {
      record.inputs.back() = {.slot = &record.kept.back()->memory(), .address = input->memory().get()};
    } else {
      record.kept.push_back(input);
    }
    if (event != last && !is_there) record.awaited.push_back(event);
    last = event;
  }
  record.outputs.clear();
  for (const BufferPtr& output : outputs) {
    record.outputs.push_back(&output->memory());
    add_block(record.blocks, output->slots());
  }
}

}  // namespace

DeviceOptions DeviceOptions::from_knobs() {
  DeviceOptions options;
  options.run_ahead_launches = static_cast<int>(std::clamp<std::int64_t>(knobs::run_ahead_launches(), 1, 1 << 20));
  options.run_ahead_bytes = static_cast<std::uint64_t>(knobs::run_ahead_bytes());
  options.memory_bytes = static_cast<std::uint64_t>(knobs::memory_bytes());
  options.synchronous = knobs::synchronous();
  options.profile = knobs::profile();
  return options;
}

struct Device::Impl {
  explicit Impl(const DeviceOptions& given)
      : options(given),
        allocator(Allocator::make(given.memory_bytes ? given.memory_bytes : available_memory())),
        executor(allocator, given.simulated),
        virtual_clock(given.simulated ? std::make_shared<VirtualClock>(given) : nullptr),
        thread([this] { work(); }) {
    {
      const std::lock_guard lock(mutex);
      incoming.reserve(usual_tasks);
    }
    if (options.profile) executor.set_profiling(true);
  }
  struct Times {
    std::uint64_t last = 0, before = 0;  // of the last two launches: the first may have taken much longer than others
  };
  static constexpr std::size_t usual_tasks = 256;  // that wait: room for them is made once

  ~Impl() {
    {
      const std::lock_guard lock(mutex);
      stopping = true;
    }
    arrived.notify_one();
    thread.join();
    if (options.profile) std::fputs(thunk_table(executor.thunk_times()).c_str(), stderr);
  }

  void work();
  void await_awake() const;
  void run(LaunchRecord& launch);
  static void run(Read& read);
  void retire(Task& task);
  void enqueue(Task task, std::unique_lock<std::mutex>& lock);
  Times& times_of(const Executable& executable);
  std::shared_ptr<Event> new_event() const { return virtual_clock ? virtual_clock->promise() : make_pooled<Event>(); }
  std::uint64_t await_run_ahead(std::uint64_t bytes, std::unique_lock<std::mutex>& lock);
  void doze(std::uint64_t waited_ns, std::unique_lock<std::mutex>& lock) const;
  LaunchPtr new_record();

  const DeviceOptions options;
  const std::shared_ptr<Allocator> allocator;
  Executor executor;
  const std::shared_ptr<VirtualClock> virtual_clock;

  mutable std::mutex mutex;  // of everything up to the thread
  std::condition_variable arrived, retired;
  std::vector<Task> incoming;
  std::atomic<bool> has_incoming = false;  // changed with it
  std::vector<LaunchPtr> spare_records;
  bool stopping = false;
  std::uint64_t enqueued = 0, done = 0;  // tasks
  std::uint64_t launches = 0, in_flight = 0, bytes_in_flight = 0;
  int waiting = 0;  // threads for `retired`
  std::uint64_t failed = 0, skipped = 0, host_waits = 0, host_wait_ns = 0;
  std::uint64_t peak_run_ahead = 0, peak_run_ahead_bytes = 0, busy_ns = 0, idle_ns = 0;
  Recent gaps;

  std::atomic<std::uint64_t> expected_end = 0;  // of the launch that runs, not later than that

  // Of the device's thread.
  std::uint64_t last_end = 0;     // of a launch
  std::array<Times, 16> times{};  // by a hash of the executable: they are estimates
  bool stays_awake = false;

  std::thread thread;  // last: it uses what stands above
};

void Device::Impl::work() {
  trace::name_thread("device");
  std::vector<Task> tasks;
  tasks.reserve(usual_tasks);
  for (;;) {
    {
      if (stays_awake) await_awake();
      std::unique_lock lock(mutex);
      arrived.wait(lock, [this] { return !incoming.empty() || stopping; });
      if (incoming.empty()) return;
      std::swap(tasks, incoming);
      has_incoming.store(false, std::memory_order_relaxed);
    }
    for (Task& task : tasks) {
      if (auto* launch = std::get_if<LaunchPtr>(&task)) {
        run(**launch);
      } else {
        run(std::get<Read>(task));
      }
      retire(task);
    }
    tasks.clear();
  }
}

// Falling asleep and being woken takes longer than a small program.
void Device::Impl::await_awake() const {
  constexpr std::uint64_t most_ns = 50'000;
  const std::uint64_t end = trace::now_ns() + most_ns;
  while (!has_incoming.load(std::memory_order_acquire) && trace::now_ns() < end) __builtin_ia32_pause();
}

void Device::Impl::run(LaunchRecord& launch) {
  stays_awake = launch.executable->kept_blocks != nullptr;
  const std::uint64_t start = trace::now_ns();
  metrics::queue_time.add(start - launch.accepted_ns);
  Times& taken = times_of(*launch.executable);
  expected_end.store(start + std::min(taken.last, taken.before), std::memory_order_relaxed);
  std::exception_ptr error;
  const auto outcome = executor.run(launch, error);
  const std::uint64_t end = trace::now_ns(), ns = end - start;
  taken = {ns, taken.last};
  metrics::execute_time.add(ns);
  if (trace::enabled()) {
    trace::keep(launch.executable);
    trace::add("queue", launch.executable->name.c_str(), launch.accepted_ns, start, launch.number);
    trace::add("device", launch.executable->name.c_str(), start, end, launch.number);
    trace::add("memory", "bytes in use", end, end, allocator->stats().bytes_in_use);
  }
  WEFT_LOG(launches, launch.executable->name, ", launch ", launch.number, ": ", static_cast<double>(ns) / 1e3, " us",
           outcome == Executor::Outcome::done     ? ""
           : outcome == Executor::Outcome::failed ? ", failed"
                                                  : ", skipped");
  if (last_end != 0) metrics::device_idle_time.add(start - last_end);
  {
    const std::lock_guard lock(mutex);
    failed += outcome == Executor::Outcome::failed;
    skipped += outcome == Executor::Outcome::skipped;
    busy_ns += ns;
    if (last_end != 0) {
      idle_ns += start - last_end;
      gaps.add(start - last_end);
    }
    last_end = end;
  }
  for (const SlotsRef& block : launch.blocks) block->settle();
  if (error) {
    launch.donors.clear();  // with the memory that was not taken
    launch.done->set_error(std::move(error));
  } else {
    launch.done->set();
  }
}

void Device::Impl::run(Read& read) {
  try {
    const metrics::Timer timer(metrics::transfer_from_device_time);
    const trace::Scope scope("copy", "read");
    if (const auto error = read.buffer->event()->error()) std::rethrow_exception(error);
    const std::span<const std::byte> bytes(read.buffer->memory().get(),
                                           static_cast<std::size_t>(read.buffer->type().bytes()));
    metrics::inbound_data.add(bytes.size());
    read.reader(bytes);
    read.done.set_value();
  } catch (...) {
    read.done.set_exception(std::current_exception());
  }
}

void Device::Impl::retire(Task& task) {
  auto* const launch = std::get_if<LaunchPtr>(&task);
  const std::uint64_t bytes = launch ? (*launch)->bytes : 0;
  if (launch) {  // outside the lock: what is let go of here may be the last owner of memory
    (*launch)->kept.clear();
    (*launch)->executable = nullptr;
    (*launch)->done = nullptr;
  } else {
    task = Read{};
  }
  const std::lock_guard lock(mutex);
  ++done;
  if (launch) {
    --in_flight;
    bytes_in_flight -= bytes;
    spare_records.push_back(std::move(*launch));
  }
  if (waiting > 0) retired.notify_all();
}

void Device::Impl::enqueue(Task task, std::unique_lock<std::mutex>& lock) {
  incoming.push_back(std::move(task));
  has_incoming.store(true, std::memory_order_release);
  ++enqueued;
  const bool first = incoming.size() == 1;
  lock.unlock();
  if (first) arrived.notify_one();
}

Device::Impl::Times& Device::Impl::times_of(const Executable& executable) {
  return times[(reinterpret_cast<std::uintptr_t>(&executable) >> 6) % times.size()];
}

// To wake a thread costs the device's thread tens of microseconds between two launches. So the host, while there are more of them,
// wakes by itself a little after the one that runs should have ended, and looks again after a small part of what it has waited.
void Device::Impl::doze(std::uint64_t waited_ns, std::unique_lock<std::mutex>& lock) const {
  const std::uint64_t expected = expected_end.load(std::memory_order_relaxed), now = trace::now_ns();
  const std::uint64_t until_expected = expected > now ? expected - now : 0;
  const std::uint64_t late = (waited_ns + until_expected) / 64 + 50'000;
  lock.unlock();
  std::this_thread::sleep_for(std::chrono::nanoseconds(until_expected + late));
  lock.lock();
}

std::uint64_t Device::Impl::await_run_ahead(std::uint64_t bytes, std::unique_lock<std::mutex>& lock) {
  const auto may_go = [&] {
    return in_flight == 0 ||
           (std::cmp_less(in_flight, options.run_ahead_launches) && bytes_in_flight + bytes <= options.run_ahead_bytes);
  };
  if (may_go()) return 0;
  const trace::Scope scope("host", "wait for the device");
  const std::uint64_t start = trace::now_ns();
  ++host_waits;
  metrics::run_ahead_waits.add();
  while (in_flight > 2 && !may_go()) doze(trace::now_ns() - start, lock);
  ++waiting;
  retired.wait(lock, may_go);
  --waiting;
  const std::uint64_t waited_ns = trace::now_ns() - start;
  host_wait_ns += waited_ns;
  return waited_ns;
}

LaunchPtr Device::Impl::new_record() {
  LaunchPtr record;
  {
    const std::lock_guard lock(mutex);
    if (spare_records.empty()) return std::make_unique<LaunchRecord>();
    record = std::move(spare_records.back());
    spare_records.pop_back();
  }
  record->donors.clear();
  record->blocks.clear();
  return record;
}

Device::Device(DeviceOptions options) : impl_(std::make_unique<Impl>(options)) {}

Device::~Device() = default;

Device& Device::cpu() {
  static Device device(DeviceOptions::from_knobs());
  return device;
}

void Device::promise(std::span<const Type> types, std::vector<BufferPtr>& outputs) {
  Promise promise(impl_->new_event(), types.size());
  outputs.clear();
  outputs.reserve(types.size());
  for (const Type type : types) outputs.push_back(promise.next(type));
}

std::vector<BufferPtr> Device::launch(std::shared_ptr<const Executable> executable, std::span<const BufferPtr> inputs) {
  std::vector<BufferPtr> outputs;
  launch(std::move(executable), inputs, outputs);
  return outputs;
}

std::uint64_t Device::launch(std::shared_ptr<const Executable> executable, std::span<const BufferPtr> inputs,
                             std::vector<BufferPtr>& outputs) {
  return launch(std::move(executable), inputs, outputs, [] {});
}

std::uint64_t Device::launch(std::shared_ptr<const Executable> executable, std::span<const BufferPtr> inputs,
                             std::vector<BufferPtr>& outputs, const std::function<void()>& accepted) {
  trace::Scope scope("host", "launch");
  Impl& d = *impl_;
  check_inputs(*executable, inputs);
  if (!outputs.empty()) check_promised(*executable, outputs);
  LaunchPtr record = d.new_record();
  record->bytes = 0;
  for (const Output& output : executable->outputs) {
    const Allocation& allocation = executable->allocations[output.allocation];
    if (allocation.kind == Allocation::Kind::output && output.donated_input < 0) record->bytes += allocation.bytes;
  }
  record->done = outputs.empty() ? d.new_event() : outputs.front()->event();
  if (outputs.empty()) {
    Promise promise(record->done, executable->outputs.size());
    outputs.reserve(executable->outputs.size());
    for (const Output& output : executable->outputs) outputs.push_back(promise.next(output.type));
  }
  if (d.virtual_clock) d.virtual_clock->launch(*record->done, record->bytes);
  record->copied.clear();
  donate_inputs(*executable, inputs, record->copied);
  refer_to(inputs, outputs, *record);
  record->executable = std::move(executable);
  accepted();

  const std::shared_ptr<Event> done = record->done;
  std::uint64_t waited_ns = 0;
  {
    std::unique_lock lock(d.mutex);
    waited_ns = d.await_run_ahead(record->bytes, lock);
    record->number = d.launches++;
    record->accepted_ns = trace::now_ns();
    scope.set_number(record->number);
    d.bytes_in_flight += record->bytes;
    d.peak_run_ahead = std::max(d.peak_run_ahead, ++d.in_flight);
    d.peak_run_ahead_bytes = std::max(d.peak_run_ahead_bytes, d.bytes_in_flight);
    metrics::run_ahead_launches.add(d.in_flight);
    metrics::run_ahead_bytes.add(d.bytes_in_flight);
    d.enqueue(std::move(record), lock);
  }
  if (d.options.synchronous) done->error();
  return waited_ns;
}

BufferPtr Device::upload(Type type, std::span<const std::byte> bytes) {
  require(std::cmp_equal(bytes.size(), type.bytes()), "upload: ", type, " has ", type.bytes(), " bytes, got ",
          bytes.size());
  const metrics::Timer timer(metrics::transfer_to_device_time);
  const trace::Scope scope("copy", "upload");
  metrics::outbound_data.add(bytes.size());
  Memory memory = allocate(bytes.size());
  if (!bytes.empty()) std::memcpy(memory.get(), bytes.data(), bytes.size());
  return std::make_shared<Buffer>(type, std::move(memory));
}

std::future<void> Device::read(const BufferPtr& buffer, std::function<void(std::span<const std::byte>)> reader) {
  require(buffer != nullptr, "read: there is no buffer");
  require(!buffer->donated(), "read: the buffer ", buffer->type(), " was donated to an earlier launch");
  Read read{buffer, std::move(reader), {}};
  auto future = read.done.get_future();
  std::unique_lock lock(impl_->mutex);
  impl_->enqueue(std::move(read), lock);
  return future;
}

void Device::synchronize() {
  const trace::Scope scope("host", "synchronize");
  Impl& d = *impl_;
  {
    std::unique_lock lock(d.mutex);
    ++d.waiting;
    d.retired.wait(lock, [&d, target = d.enqueued] { return d.done >= target; });
    --d.waiting;
  }
  if (d.virtual_clock) d.virtual_clock->host_reaches_device();
}

void Device::host_works(std::uint64_t items) {
  if (impl_->virtual_clock) impl_->virtual_clock->host_works(items);
}

Memory Device::allocate(std::uint64_t bytes) { return impl_->allocator->allocate(bytes, impl_->options.simulated); }

void Device::release_cached() {
  impl_->executor.release_workspace();
  impl_->allocator->release_cached();
}

DeviceStats Device::stats() const {
  const AllocatorStats memory = impl_->allocator->stats();
  const std::lock_guard lock(impl_->mutex);
  DeviceStats stats{.launches = impl_->launches,
                    .failed_launches = impl_->failed,
                    .skipped_launches = impl_->skipped,
                    .host_waits = impl_->host_waits,
                    .host_wait_ns = impl_->host_wait_ns,
                    .peak_run_ahead = impl_->peak_run_ahead,
                    .peak_run_ahead_bytes = impl_->peak_run_ahead_bytes,
                    .donation_copies = impl_->executor.donation_copies(),
                    .busy_ns = impl_->busy_ns,
                    .idle_ns = impl_->idle_ns,
                    .bytes_in_use = memory.bytes_in_use,
                    .peak_bytes_in_use = memory.peak_bytes_in_use,
                    .bytes_limit = memory.bytes_limit,
                    .system_allocations = memory.system_allocations};
  if (impl_->virtual_clock) impl_->virtual_clock->add_to(stats);
  return stats;
}

std::vector<std::uint64_t> Device::recent_gaps_ns() const {
  if (impl_->virtual_clock) return impl_->virtual_clock->gaps_ns();
  const std::lock_guard lock(impl_->mutex);
  return impl_->gaps.values();
}

void Device::set_profiling(bool on) { impl_->executor.set_profiling(on); }

std::vector<ThunkTime> Device::thunk_times() const { return impl_->executor.thunk_times(); }

}  // namespace weft::runtime
