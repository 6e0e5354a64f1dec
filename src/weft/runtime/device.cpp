#include <weft/runtime/device.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <utility>

#include <unistd.h>

#include <weft/base/error.h>
#include <weft/base/knobs.h>
#include <weft/base/metrics.h>
#include <weft/base/process.h>
#include <weft/base/trace.h>
#include <weft/runtime/allocator.h>
#include <weft/runtime/executor.h>
#include <weft/runtime/node_pool.h>
#include <weft/runtime/queue.h>
#include <weft/runtime/virtual_clock.h>

namespace weft::runtime {

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
        queue(options, *allocator, executor) {
    if (options.profile) executor.set_profiling(true);
  }
  std::shared_ptr<Event> new_event() const { return virtual_clock ? virtual_clock->promise() : make_pooled<Event>(); }

  const DeviceOptions options;
  const std::shared_ptr<Allocator> allocator;
  Executor executor;
  const std::shared_ptr<VirtualClock> virtual_clock;
  Queue queue;
};

Device::Device(DeviceOptions options)
    : id_(DeviceId::next(options.simulated)), impl_(std::make_unique<Impl>(options)) {}

Device::~Device() {
  if (!impl_->options.profile) return;
  synchronize();
  std::fputs(thunk_table(thunk_times()).c_str(), stderr);
}

namespace {

// Statics end in the reverse order of their making, and what kernels use of LLVM and oneDNN is made by the first that needs
// it: it ends before the CPU does. What the main thread keeps for itself ends before all statics, so there the process waits.
struct WaitsAtExit {
  ~WaitsAtExit() {
    if (::getpid() == ::gettid()) Device::cpu().synchronize();
  }
};

}  // namespace

Device& Device::cpu() {
  static Device device(DeviceOptions::from_knobs());
  thread_local const WaitsAtExit waits;
  return device;
}

void Device::promise(std::span<const Type> types, std::vector<BufferPtr>& outputs) {
  Promise promise(impl_->new_event(), types.size(), id_);
  outputs.clear();
  outputs.reserve(types.size());
  for (const Type type : types) outputs.push_back(promise.next(type));
}

namespace {

// What a launch adds to memory.
std::uint64_t new_bytes(const Executable& executable) {
  std::uint64_t bytes = 0;
  for (const Output& output : executable.outputs) {
    const Allocation& allocation = executable.allocations[output.allocation];
    if (allocation.kind == Allocation::Kind::output && output.donated_input < 0) bytes += allocation.bytes;
  }
  return bytes;
}

}  // namespace

std::vector<BufferPtr> Device::launch(std::shared_ptr<const Executable> executable, std::span<const BufferPtr> inputs) {
  std::vector<BufferPtr> outputs;
  launch(std::move(executable), inputs, outputs);
  return outputs;
}

std::uint64_t Device::launch(std::shared_ptr<const Executable> executable, std::span<const BufferPtr> inputs,
                             std::vector<BufferPtr>& outputs) {
  return launch(std::move(executable), inputs, nullptr, outputs, [] {});
}

std::uint64_t Device::launch(std::shared_ptr<const Executable> executable, std::vector<BufferPtr>&& inputs,
                             std::vector<BufferPtr>& outputs, const std::function<void()>& accepted) {
  return launch(std::move(executable), inputs, &inputs, outputs, accepted);
}

std::uint64_t Device::launch(std::shared_ptr<const Executable> executable, std::span<const BufferPtr> inputs,
                             std::vector<BufferPtr>* given, std::vector<BufferPtr>& outputs,
                             const std::function<void()>& accepted) {
  trace::Scope scope("host", "launch");
  Impl& d = *impl_;
  check_inputs(*executable, inputs, id_);
  if (!outputs.empty()) check_promised(*executable, outputs);
  LaunchPtr record = d.queue.new_record();
  record->bytes = new_bytes(*executable);
  record->done = outputs.empty() ? d.new_event() : outputs.front()->event();
  if (d.virtual_clock) d.virtual_clock->launch(*record->done, record->bytes);
  record_inputs(*executable, inputs, given != nullptr, *record);
  if (record->takes_what_is_read) [[unlikely]] {
    for (const BufferPtr& input : inputs)
      if (input->donated() && input->read()) d.queue.add_reads(*input, record->reads);
  }
  if (given) given->clear();
  if (outputs.empty()) {
    Promise promise(record->done, executable->outputs.size(), id_);
    outputs.reserve(executable->outputs.size());
    for (const Output& output : executable->outputs) outputs.push_back(promise.next(output.type));
  }
  record_outputs(outputs, *record);
  record->executable = std::move(executable);
  accepted();

  const std::shared_ptr<Event> done = record->done;
  const std::uint64_t waited_ns = d.queue.submit(std::move(record), scope);
  if (d.options.synchronous) done->error();
  return waited_ns;
}

BufferPtr Device::upload(Type type, std::span<const std::byte> bytes) {
  require(std::cmp_equal(bytes.size(), type.bytes()), "upload: ", type, " has ", type.bytes(), " bytes, got ",
          bytes.size());
  const metrics::Timer timer(metrics::transfer_to_device_time);
  const trace::Scope scope("copy", "copy to the device");
  metrics::outbound_data.add(bytes.size());
  Memory memory = allocate(bytes.size());
  if (!bytes.empty()) std::memcpy(memory.get(), bytes.data(), bytes.size());
  return std::make_shared<Buffer>(type, std::move(memory), id_);
}

void Device::read(const BufferPtr& buffer, ReadPtr read) {
  require(buffer != nullptr, "read: there is no buffer");
  require(!buffer->donated(), "read: the buffer ", buffer->type(), " was donated to an earlier launch");
  require(buffer->usable_on(id_), "read: the buffer ", buffer->type(), " is of ", buffer->device().text(),
          ", and the read was asked of ", id_.text());
  read->begin(buffer);
  impl_->queue.submit(std::move(read));
}

ReadPtr Device::read(const BufferPtr& buffer, std::function<void(std::span<const std::byte>)> reader) {
  class Call final : public Read {
   public:
    explicit Call(std::function<void(std::span<const std::byte>)> reader) : reader_(std::move(reader)) {}

   private:
    void take(std::span<const std::byte> bytes) override { reader_(bytes); }
    std::function<void(std::span<const std::byte>)> reader_;
  };
  auto call = std::make_shared<Call>(std::move(reader));
  read(buffer, call);
  return call;
}

void Device::synchronize() {
  const trace::Scope scope("host", "synchronize");
  impl_->queue.synchronize();
  if (impl_->virtual_clock) impl_->virtual_clock->host_reaches_device();
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
  DeviceStats stats{.donation_copies = impl_->executor.donation_copies(),
                    .bytes_in_use = memory.bytes_in_use,
                    .peak_bytes_in_use = memory.peak_bytes_in_use,
                    .bytes_limit = memory.bytes_limit,
                    .system_allocations = memory.system_allocations};
  impl_->queue.add_to(stats);
  if (impl_->virtual_clock) impl_->virtual_clock->add_to(stats);
  return stats;
}

std::vector<std::uint64_t> Device::recent_gaps_ns() const {
  if (impl_->virtual_clock) return impl_->virtual_clock->gaps_ns();
  return impl_->queue.gaps_ns();
}

void Device::set_profiling(bool on) { impl_->executor.set_profiling(on); }

std::vector<ThunkTime> Device::thunk_times() const { return impl_->executor.thunk_times(); }

}  // namespace weft::runtime
