#include <weft/runtime/executor.h>

#include <algorithm>
#include <string>
#include <utility>

#include <weft/base/error.h>

namespace weft::runtime {

namespace {

// Returns whether an input comes from elsewhere and is not there yet.
bool waits_for_inputs(const LaunchRecord& launch) {
  return std::ranges::any_of(launch.awaited, [](const LaunchRecord::Awaited& input) { return !input.event->ready(); });
}

// Returns the first error of an input that is known already.
std::exception_ptr input_error(const LaunchRecord& launch) {
  const auto error_of = [](const Event* event) { return event->ready() ? event->error() : nullptr; };
  for (const LaunchRecord::Awaited& input : launch.awaited)
    if (auto error = error_of(input.event)) return error;
  for (const Event* event : launch.ordered)
    if (auto error = error_of(event)) return error;
  return nullptr;
}

// Returns the thunk that writes an allocation.
const Thunk* writer_of(const Executable& executable, std::uint32_t allocation) {
  for (const auto& thunk : executable.thunks)
    if (std::ranges::find(thunk->writes, allocation, &Slice::allocation) != thunk->writes.end()) return thunk.get();
  return nullptr;
}

}  // namespace

void Executor::submit(LaunchRecord& launch) {
  Stream& stream = backend_.stream(StreamKind::compute);
  if (launch.flight) {
    launch.flight->run(0, stream);
    return;
  }
  // Ending before its turn would report the launch out of order, so the earlier ones must end first.
  const auto end_at_once = [&] {
    stream.drain();
    launch.reached({});
  };
  launch.error = input_error(launch);
  if (launch.error) {
    launch.outcome = LaunchRecord::Outcome::skipped;
    end_at_once();
    return;
  }
  if (waits_for_inputs(launch) || !launch.readers.empty()) {
    launch.flight = make_flight(launch, schedules_.get(launch.executable));
    launch.flight->run(0, stream);
    return;
  }
  const auto fail = [&](const Thunk* thunk) {
    launch.outcome = LaunchRecord::Outcome::failed;
    launch.error = with_place(std::current_exception(), place_of(launch, thunk));
  };
  allocating_ = -1;
  try {
    bind(launch);
  } catch (...) {
    fail(allocating_ < 0 ? nullptr : writer_of(*launch.executable, allocating_));
    outputs_.clear();
    end_at_once();
    return;
  }
  for (std::size_t i = 0; i < outputs_.size(); ++i) *launch.outputs[i] = std::move(outputs_[i]);
  const auto& thunks = launch.executable->thunks;
  thunk_ = thunks.size();
  try {
    stream.begin(*launch.executable);
    if (launch.timer.emplace(launch, tallies_).is_on()) {
      run_thunks_timed(launch);
    } else {
      run_thunks(launch);
    }
  } catch (...) {
    fail(thunk_ < thunks.size() ? thunks[thunk_].get() : nullptr);
  }
  stream.end(launch);
}

void Executor::bind(LaunchRecord& launch) {
  const Executable& executable = *launch.executable;
  inputs_.resize(launch.inputs.size());
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const LaunchRecord::Input& input = launch.inputs[i];
    inputs_[i] = input.address ? input.address : input.slot->device_address();
  }
  if (!backend_.memory_space().is_host_visible()) stage(launch);
  use_workspace(launch);
  bind_outputs(launch);
  std::byte* const temporaries = launch.workspace.device_address();
  for (std::size_t i = 0; i < launch.bases.size(); ++i) {
    const Allocation& allocation = executable.allocations[i];
    switch (allocation.kind) {
      case Allocation::Kind::input: launch.bases[i] = inputs_[allocation.index] + allocation.offset; break;
      case Allocation::Kind::output:
        launch.bases[i] = outputs_[allocation.index].device_address() + allocation.offset;
        break;
      case Allocation::Kind::constant: launch.bases[i] = memory_.address_of(allocation); break;
      case Allocation::Kind::temporary: launch.bases[i] = temporaries + allocation.offset; break;
    }
  }
}

// Binds first what may fail, so that a launch without memory leaves its inputs intact; then the outputs that take memory from
// inputs; last those that share the memory of another output or input.
void Executor::bind_outputs(LaunchRecord& launch) {
  const Executable& executable = *launch.executable;
  outputs_.clear();
  outputs_.resize(executable.outputs.size());
  const auto allocation_of = [&](std::size_t output) -> const Allocation& {
    return executable.allocations[executable.outputs[output].allocation];
  };
  const auto owns = [&](std::size_t output) {
    return allocation_of(output).kind == Allocation::Kind::output && allocation_of(output).index == output;
  };
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    if (!owns(i)) continue;
    allocating_ = executable.outputs[i].allocation;
    const std::int32_t donated = executable.outputs[i].donated_input;
    if (donated < 0) {
      outputs_[i] = memory_.allocate_output(executable, i);
      continue;
    }
    const std::uint32_t input = donated;
    if (memory_.may_take(launch, input)) continue;
    outputs_[i] = memory_.copy_donated(launch, i, inputs_[input], backend_.stream(StreamKind::compute));
    inputs_[input] = outputs_[i].device_address();
  }
  allocating_ = -1;
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    const std::int32_t donated = executable.outputs[i].donated_input;
    if (donated >= 0 && !outputs_[i]) outputs_[i] = std::move(*launch.inputs[donated].slot);
  }
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    const Allocation& allocation = allocation_of(i);
    if (outputs_[i]) continue;
    if (allocation.kind == Allocation::Kind::input) {
      const LaunchRecord::Input& input = launch.inputs[allocation.index];
      if (memory_.must_stage(launch, allocation.index)) {
        outputs_[i] = launch.staged[allocation.index];
      } else {
        outputs_[i] = input.address ? Memory(*input.slot, input.address) : *input.slot;
      }
    } else {
      outputs_[i] = outputs_[allocation.index];
    }
  }
}

// Copies the inputs that lie in the host's memory to memory that the device sees.
void Executor::stage(LaunchRecord& launch) {
  launch.staged.resize(inputs_.size());
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    if (!launch.origins[i].is_host) continue;
    launch.staged[i] =
        memory_.stage(inputs_[i], launch.executable->input_layout(i).bytes(launch.executable->inputs[i]));
    inputs_[i] = launch.staged[i].device_address();
  }
}

// A stream may still work in a block that is too small now: its launches keep it alive.
void Executor::use_workspace(LaunchRecord& launch) {
  const std::uint64_t bytes = launch.executable->temporary_bytes;
  if (release_workspace_.exchange(false) || workspace_bytes_ < bytes) {
    workspace_ = nullptr;  // freed before the larger one is allocated
    workspace_bytes_ = 0;
    if (bytes != 0) workspace_ = backend_.allocate(bytes);
    workspace_bytes_ = bytes;
  }
  if (bytes != 0) launch.workspace = workspace_;
}

void Executor::run_thunks(LaunchRecord& launch) {
  Stream& stream = backend_.stream(StreamKind::compute);
  const Launch view{.bases = launch.bases, .step = launch.number, .context = launch.context.get()};
  if (stream.run_all(launch.executable, view)) return;
  const auto& thunks = launch.executable->thunks;
  for (thunk_ = 0; thunk_ < thunks.size(); ++thunk_) stream.run(*thunks[thunk_], view);
}

void Executor::run_thunks_timed(LaunchRecord& launch) {
  Stream& stream = backend_.stream(StreamKind::compute);
  const Launch view{.bases = launch.bases, .step = launch.number, .context = launch.context.get()};
  const auto& thunks = launch.executable->thunks;
  for (thunk_ = 0; thunk_ < thunks.size(); ++thunk_) stream.run_timed(*thunks[thunk_], view, thunk_, *launch.timer);
}

}  // namespace weft::runtime
