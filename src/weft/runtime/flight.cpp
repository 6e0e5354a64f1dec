#include <weft/runtime/flight.h>

#include <algorithm>
#include <utility>

#include <weft/base/error.h>
#include <weft/runtime/queue.h>

namespace weft::runtime {

using Outcome = LaunchRecord::Outcome;

Flight::Flight(LaunchRecord& launch, std::shared_ptr<const Schedule> schedule, LaunchMemory& memory,
               ThunkTallies& tallies)
    : launch_(launch),
      schedule_(std::move(schedule)),
      memory_(memory),
      timer_(launch, tallies),
      parts_(schedule_->parts.size()),
      parts_left_(schedule_->parts.size()),
      outputs_(launch.executable->outputs.size()),
      inputs_(launch.executable->inputs.size()),
      is_settled_(schedule_->groups.size()) {
  launch_.staged.resize(inputs_.size());
  for (Part& part : parts_) part.bases.resize(launch.executable->allocations.size());
}

void Flight::run(std::uint32_t p, Stream& stream) {
  const auto self = shared_from_this();
  const Schedule::Part& part = schedule_->parts[p];
  const Launch view{.bases = parts_[p].bases, .step = launch_.number, .context = launch_.context.get()};
  bool is_open = false;
  const auto close = [&](std::uint32_t tasks) {
    stream.end(parts_[p].segments.emplace_back(*this, p, tasks));
    is_open = false;
  };
  for (std::uint32_t i = 0; i < part.tasks.size(); ++i) {
    const Schedule::Task& task = part.tasks[i];
    const Thunk& thunk = *executable().thunks[task.thunk];
    if (!prepare(p, task, stream)) break;
    try {
      if (!std::exchange(is_open, true)) stream.begin(executable());
      if (timer_.is_on()) {
        stream.run_timed(thunk, view, task.thunk, timer_);
      } else {
        stream.run(thunk, view);
      }
    } catch (...) {
      fail(with_place(std::current_exception(), place_of(launch_, &thunk)), Outcome::failed);
      break;
    }
    if (task.is_awaited) close(i + 1);
  }
  if (p == 0) find_addresses(p, schedule_->untouched, nullptr, stream);
  const bool has_failed = !await({}), is_ordered = is_in_stream_order();
  if (!has_failed && is_ordered) {
    const std::lock_guard lock(mutex_);
    settle_groups(true);
  }
  close(end_of(p));  // may end the launch
  // Later launches in the stream's order look for this launch's error or its outputs' memory when they are passed to the
  // stream.
  if (has_failed && is_ordered) stream.drain();
}

// Returns whether the task may run: waits for what it waits for and for the addresses of what it touches; false if the launch
// has failed.
bool Flight::prepare(std::uint32_t part, const Schedule::Task& task, Stream& stream) {
  return find_addresses(part, task.allocations, executable().thunks[task.thunk].get(), stream) && await(task.waits);
}

// Finds the addresses of the allocations, which `thunk` touches (null: no thunk does). Returns false if the launch has failed.
bool Flight::find_addresses(std::uint32_t part, std::span<const std::uint32_t> allocations, const Thunk* thunk,
                            Stream& stream) {
  for (const std::uint32_t allocation : allocations) {
    const Allocation& a = executable().allocations[allocation];
    try {
      if (a.kind == Allocation::Kind::input) await_input(a.index);
      if (a.kind == Allocation::Kind::output && executable().outputs[a.index].donated_input >= 0)
        await_input(executable().outputs[a.index].donated_input);
    } catch (...) {
      fail(std::current_exception(), Outcome::skipped);
      return false;
    }
    try {
      parts_[part].bases[allocation] = address_of(part, allocation, stream);
    } catch (...) {
      fail(with_place(std::current_exception(), place_of(launch_, thunk)), Outcome::failed);
      return false;
    }
  }
  return true;
}

// Waits for an input. Throws the error that its event carries.
void Flight::await_input(std::uint32_t input) const {
  const Event* event = nullptr;
  if (!launch_.origins.empty()) {
    event = launch_.origins[input].event;
  } else {
    const auto found = std::ranges::lower_bound(launch_.awaited, input, {}, &LaunchRecord::Awaited::input);
    if (found != launch_.awaited.end() && found->input == input) event = found->event;
  }
  if (!event) return;  // the input is there, or comes before this launch in the stream's order
  if (const auto error = event->error()) std::rethrow_exception(error);
}

bool Flight::is_reached(std::span<const Schedule::Wait> waits) const {
  return std::ranges::all_of(waits,
                             [this](const Schedule::Wait& wait) { return parts_[wait.part].done >= wait.tasks; });
}

bool Flight::await(std::span<const Schedule::Wait> waits) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return has_failed_ || is_reached(waits); });
  return !has_failed_;
}

// Returns the address of an allocation, after waiting for the input if it needs one. Throws Error if there is no memory.
std::byte* Flight::address_of(std::uint32_t part, std::uint32_t allocation, Stream& stream) {
  const Allocation& a = executable().allocations[allocation];
  switch (a.kind) {
    case Allocation::Kind::input: return address_of_input(a.index) + a.offset;
    case Allocation::Kind::constant: return memory_.address_of(a);
    case Allocation::Kind::temporary: allocate(); return launch_.workspace.device_address() + a.offset;
    case Allocation::Kind::output: break;
  }
  const std::int32_t donated = executable().outputs[a.index].donated_input;
  if (donated < 0) {
    allocate();
    return outputs_[a.index].device_address() + a.offset;
  }
  const std::uint32_t input = donated;
  address_of_input(input);
  // Earlier launches may still read the input, which is about to be overwritten: on the compute stream, whose order this part
  // does not follow, and on other streams.
  if (part != 0) launch_.queue->await_computed(launch_.number);
  for (const auto& reader : launch_.readers) reader->error();
  return take_donated(a.index, input, stream) + a.offset;
}

std::byte* Flight::address_of_input(std::uint32_t k) {
  const LaunchRecord::Input& input = launch_.inputs[k];
  const std::lock_guard lock(mutex_);
  if (inputs_[k] == nullptr) {
    inputs_[k] = input.address ? input.address : input.slot->device_address();
    if (memory_.must_stage(launch_, k)) {
      launch_.staged[k] = memory_.stage(inputs_[k], executable().input_layout(k).bytes(executable().inputs[k]));
      inputs_[k] = launch_.staged[k].device_address();
    }
  }
  return inputs_[k];
}

std::byte* Flight::take_donated(std::uint32_t output, std::uint32_t input, Stream& stream) {
  const std::lock_guard lock(mutex_);
  if (!outputs_[output])
    outputs_[output] = memory_.may_take(launch_, input) ? std::move(*launch_.inputs[input].slot)
                                                        : memory_.copy_donated(launch_, output, inputs_[input], stream);
  return outputs_[output].device_address();
}

// Allocates everything that the launch needs at once, before any input gives up its memory, so that a launch without memory
// leaves its inputs intact.
void Flight::allocate() {
  const std::lock_guard lock(mutex_);
  if (is_allocated_) return;
  if (executable().temporary_bytes != 0) launch_.workspace = memory_.allocate(executable().temporary_bytes);
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    const Output& output = executable().outputs[i];
    const Allocation& allocation = executable().allocations[output.allocation];
    const bool owns = allocation.kind == Allocation::Kind::output && allocation.index == i;
    if (owns && output.donated_input < 0) outputs_[i] = memory_.allocate_output(executable(), i);
  }
  is_allocated_ = true;
}

void Flight::fail(const std::exception_ptr& error, Outcome outcome) {
  const std::lock_guard lock(mutex_);
  if (std::exchange(has_failed_, true)) return;  // the first error wins
  launch_.error = error;
  launch_.outcome = outcome;
  changed_.notify_all();
}

// Notes that a part has done `tasks` of its tasks.
void Flight::advance(std::uint32_t part, std::uint32_t tasks, StreamError error) {
  const auto self = shared_from_this();
  if (error.error) fail(with_place(error.error, place_of(launch_, error.thunk)), Outcome::failed);
  // Must precede the end of this part: the last part to end gives the launch away.
  if (part == 0 && tasks == end_of(part)) launch_.queue->computed(launch_);
  bool is_last = false;
  {
    const std::lock_guard lock(mutex_);
    parts_[part].done = tasks;
    is_last = tasks == end_of(part) && --parts_left_ == 0;
    if (!has_failed_) settle_groups(false);
    changed_.notify_all();
  }
  if (is_last) end();
}

// Puts the memory of outputs into their slots.
void Flight::give_outputs(std::span<const std::uint32_t> outputs) {
  const auto allocation_of = [&](std::uint32_t i) -> const Allocation& {
    return executable().allocations[executable().outputs[i].allocation];
  };
  for (const std::uint32_t i : outputs) {
    const Allocation& allocation = allocation_of(i);
    if (allocation.kind == Allocation::Kind::output) {
      if (allocation.index != i) *launch_.outputs[i] = outputs_[allocation.index];
      continue;
    }
    const LaunchRecord::Input& input = launch_.inputs[allocation.index];
    if (memory_.must_stage(launch_, allocation.index)) {
      *launch_.outputs[i] = launch_.staged[allocation.index];
    } else {
      *launch_.outputs[i] = input.address ? Memory(*input.slot, input.address) : *input.slot;
    }
  }
  for (const std::uint32_t i : outputs)  // last, because outputs that share the memory have taken it by now
    if (allocation_of(i).kind == Allocation::Kind::output && allocation_of(i).index == i)
      *launch_.outputs[i] = std::move(outputs_[i]);
}

// Settles the groups of outputs that are complete, or `all` of them.
void Flight::settle_groups(bool all) {
  for (std::size_t g = 0; g < schedule_->groups.size(); ++g) {
    const Schedule::Group& group = schedule_->groups[g];
    if (is_settled_[g] || (!all && !is_reached(group.waits))) continue;
    is_settled_[g] = true;
    give_outputs(group.outputs);
    if (launch_.groups.empty()) continue;  // all outputs come with the end of the launch
    Slots::settle(*launch_.groups[g]);
    launch_.groups[g]->set();
  }
}

// Ends the launch. Called when no other part uses the flight any more.
void Flight::end() {
  outputs_.clear();  // their memory is in the slots
  if (!launch_.groups.empty()) {
    for (std::size_t g = 0; g < is_settled_.size(); ++g) {
      if (is_settled_[g]) continue;
      Slots::settle(*launch_.groups[g]);
      launch_.groups[g]->set_error(launch_.error);
    }
  }
  launch_.reached({});
}

}  // namespace weft::runtime
