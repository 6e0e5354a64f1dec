#include <weft/runtime/device.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>

#include <weft/base/error.h>
#include <weft/base/knobs.h>
#include <weft/base/metrics.h>
#include <weft/base/trace.h>
#include <weft/runtime/device_backend.h>
#include <weft/runtime/executor.h>
#include <weft/runtime/queue.h>

namespace weft::runtime {

DeviceOptions DeviceOptions::from_knobs() {
  DeviceOptions options;
  options.run_ahead_launches = std::clamp<std::int64_t>(knobs::run_ahead_launches(), 1, 1 << 20);
  options.run_ahead_bytes = knobs::run_ahead_bytes();
  options.memory_bytes = knobs::memory_bytes();
  options.synchronous = knobs::synchronous();
  options.profile = knobs::profile();
  return options;
}

struct Device::Impl {
  Impl(std::unique_ptr<DeviceBackend> made, const DeviceOptions& given)
      : options(given), backend(std::move(made)), executor(*backend), queue(options, *backend, executor) {
    if (options.profile) executor.tallies().set_on(true);
  }

  const DeviceOptions options;
  const std::unique_ptr<DeviceBackend> backend;
  Executor executor;
  Queue queue;
};

Device::Device(std::unique_ptr<DeviceBackend> backend, DeviceOptions options)
    : impl_(std::make_unique<Impl>(std::move(backend), options)),
      id_(DeviceId::next(std::string(impl_->backend->kind()), impl_->backend->memory_space())),
      target_(impl_->backend->target()) {}

Device::~Device() {
  if (!impl_->options.profile) return;
  synchronize();
  std::fputs(thunk_table(thunk_times()).c_str(), stderr);
}

void Device::promise(std::span<const Type> types, std::vector<BufferPtr>& outputs) {
  Promise promise(impl_->backend->new_event(), types.size(), id_);
  outputs.clear();
  outputs.reserve(types.size());
  for (const Type type : types) outputs.push_back(promise.next(type));
}

namespace {

// Returns the bytes of memory that a launch adds.
std::uint64_t new_bytes(const Executable& executable) {
  std::uint64_t bytes = 0;
  for (const Output& output : executable.outputs) {
    const Allocation& allocation = executable.allocations[output.allocation];
    if (allocation.kind == Allocation::Kind::output && output.donated_input < 0) bytes += allocation.bytes;
  }
  return bytes * executable.devices;
}

void check_upload(Type type, std::span<const std::byte> bytes) {
  require(std::cmp_equal(bytes.size(), type.bytes()), "upload: ", type, " has ", type.bytes(), " bytes, got ",
          bytes.size());
}

void copy_to_device(const MemorySpace& space, const Memory& memory, std::span<const std::byte> bytes) {
  const metrics::Timer timer(metrics::transfer_to_device_time);
  const trace::Scope scope("copy", "copy to the device");
  metrics::outbound_data.add(bytes.size());
  space.copy_to_device(memory.device_address(), bytes.data(), bytes.size());
}

}  // namespace

struct Device::LaunchArguments {
  std::shared_ptr<const Executable> executable;
  std::span<const BufferPtr> inputs;
  std::vector<BufferPtr>* given = nullptr;  // holds the inputs, if the caller gives them up
  std::shared_ptr<const void> context = {};
  std::shared_ptr<Event>* done = nullptr;  // gets the event of the end of the launch
  bool may_run_here = false;               // on the calling thread, if the program is short
};

std::vector<BufferPtr> Device::launch(std::shared_ptr<const Executable> executable, std::span<const BufferPtr> inputs) {
  std::vector<BufferPtr> outputs;
  launch(std::move(executable), inputs, outputs);
  return outputs;
}

std::uint64_t Device::launch(std::shared_ptr<const Executable> executable, std::span<const BufferPtr> inputs,
                             std::vector<BufferPtr>& outputs) {
  return launch({.executable = std::move(executable), .inputs = inputs}, outputs, [] {});
}

std::uint64_t Device::launch(std::shared_ptr<const Executable> executable, std::vector<BufferPtr>&& inputs,
                             std::vector<BufferPtr>& outputs, const std::function<void()>& accepted) {
  return launch({.executable = std::move(executable), .inputs = inputs, .given = &inputs}, outputs, accepted);
}

std::shared_ptr<Event> Device::launch_with_context(std::shared_ptr<const Executable> executable,
                                                   std::vector<BufferPtr>&& inputs, std::vector<BufferPtr>& outputs,
                                                   std::shared_ptr<const void> context) {
  std::shared_ptr<Event> done;
  launch({.executable = std::move(executable),
          .inputs = inputs,
          .given = &inputs,
          .context = std::move(context),
          .done = &done,
          .may_run_here = true},
         outputs, [] {});
  return done;
}

// The outputs come with the launch or, if it has a schedule, with the groups of the schedule.
void Device::promise_outputs(LaunchRecord& record, std::vector<BufferPtr>& outputs) {
  const Executable& executable = *record.executable;
  const std::size_t count = executable.outputs.size();
  if (!record.flight) {
    Promise promise(record.done, count, id_);
    outputs.reserve(count);
    const LayoutId* const layouts = executable.output_layouts.empty() ? nullptr : executable.output_layouts.data();
    for (std::size_t i = 0; i < count; ++i)
      outputs.push_back(promise.next(executable.outputs[i].type, layouts ? layouts[i] : LayoutId()));
    return;
  }
  outputs.resize(count);
  for (const Schedule::Group& group : executable.schedule->groups) {
    const std::shared_ptr<Event> event = impl_->backend->new_event();
    event->comes_out_of_stream_order();
    Promise promise(event, group.outputs.size(), id_);
    for (const std::uint32_t output : group.outputs)
      outputs[output] = promise.next(executable.outputs[output].type, executable.output_layout(output));
    record.groups.push_back(event);
  }
}

std::uint64_t Device::launch(LaunchArguments arguments, std::vector<BufferPtr>& outputs,
                             const std::function<void()>& accepted) {
  trace::Scope scope("host", "launch");
  auto& [executable, inputs, given, context, end, may_run_here] = arguments;
  Impl& d = *impl_;
  check_inputs(*executable, inputs, id_);
  if (!outputs.empty()) check_promised(*executable, outputs);
  LaunchPtr record = d.queue.new_record();
  record->bytes = new_bytes(*executable);
  record->done = outputs.empty() ? d.backend->new_event() : outputs.front()->event();
  const bool needs_origins = executable->schedule != nullptr || d.backend->needs_origins();
  record_inputs(*executable, inputs, given != nullptr, id_, needs_origins, *record);
  if (record->takes_what_is_read) [[unlikely]] {
    for (const BufferPtr& input : inputs)
      if (input->donated() && input->read()) d.queue.add_reads(*input, record->reads);
  }
  d.queue.add_readers(inputs, *record);
  record->executable = std::move(executable);
  record->context = std::move(context);
  if (const auto& schedule = record->executable->schedule) {
    record->flight = d.executor.make_flight(*record, schedule);
    record->done->comes_out_of_stream_order();
  }
  if (given) given->clear();
  if (outputs.empty()) promise_outputs(*record, outputs);
  record_outputs(outputs, *record);
  d.backend->launch_accepted(*record);
  accepted();

  const std::shared_ptr<Event> done = record->done;
  if (end) *end = done;
  const std::uint64_t waited_ns = d.queue.submit(std::move(record), scope, may_run_here);
  if (d.options.synchronous) done->error();
  return waited_ns;
}

BufferPtr Device::upload(Type type, std::span<const std::byte> bytes) {
  check_upload(type, bytes);
  Memory memory = allocate(bytes.size());
  copy_to_device(id_.memory_space(), memory, bytes);
  return std::make_shared<Buffer>(type, std::move(memory), id_);
}

BufferPtr Device::upload(Type type, std::span<const std::byte> bytes, LayoutId layout) {
  if (!layout) return upload(type, bytes);
  check_upload(type, bytes);
  std::vector<std::byte> shards(layout.bytes(type));
  layout->divide(type, bytes.data(), shards.data());
  Memory memory = allocate(shards.size());
  copy_to_device(id_.memory_space(), memory, shards);
  return std::make_shared<Buffer>(type, std::move(memory), id_, layout);
}

BufferPtr Device::upload(Type type, std::span<const std::byte> bytes, std::shared_ptr<const void> owner) {
  // Waking the copy stream costs the host 15 microseconds, as much as copying these bytes itself.
  constexpr std::size_t few_bytes = std::size_t{1} << 18;
  if (bytes.size() < few_bytes || impl_->options.synchronous) return upload(type, bytes);
  check_upload(type, bytes);
  auto buffer = std::make_shared<Buffer>(type, id_);
  Memory memory = allocate(bytes.size());
  impl_->queue.submit_copy(buffer->event(), [buffer, memory = std::move(memory), bytes, owner = std::move(owner),
                                             space = &id_.memory_space()]() mutable {
    try {
      copy_to_device(*space, memory, bytes);
      owner = nullptr;
      buffer->fulfil(std::move(memory));
    } catch (...) {
      buffer->fail(std::current_exception());
    }
  });
  return buffer;
}

void Device::read(const BufferPtr& buffer, ReadPtr read) {
  require(buffer != nullptr, "read: the buffer is null");
  require(!buffer->donated(), "read: the buffer ", buffer->type(), " was donated to an earlier launch");
  if (!buffer->usable_on(id_)) [[unlikely]]
    fail("read: the buffer ", buffer->type(), " is on ", buffer->device().text(), ", but the read was asked of ",
         id_.text());
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
  impl_->backend->host_synchronized();
}

void Device::host_works(std::uint64_t items) { impl_->backend->host_works(items); }

Memory Device::allocate(std::uint64_t bytes) { return impl_->backend->allocate(bytes); }

void Device::release_cached() {
  impl_->executor.release_workspace();
  impl_->backend->release_cached();
}

DeviceStats Device::stats() const {
  const MemoryStats memory = impl_->backend->memory_stats();
  DeviceStats stats{.donation_copies = impl_->executor.donation_copies(),
                    .bytes_in_use = memory.bytes_in_use,
                    .peak_bytes_in_use = memory.peak_bytes_in_use,
                    .bytes_limit = memory.bytes_limit,
                    .system_allocations = memory.system_allocations};
  impl_->queue.add_to(stats);
  impl_->backend->add_to(stats);
  return stats;
}

std::vector<std::uint64_t> Device::recent_gaps_ns() const {
  if (auto gaps = impl_->backend->recent_gaps_ns()) return *std::move(gaps);
  return impl_->queue.gaps_ns();
}

void Device::set_profiling(bool on) { impl_->executor.tallies().set_on(on); }

std::vector<ThunkTime> Device::thunk_times() const { return impl_->executor.tallies().times(); }

}  // namespace weft::runtime
