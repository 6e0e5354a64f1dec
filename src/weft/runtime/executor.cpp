#include <weft/runtime/executor.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include <weft/base/diagnostics.h>
#include <weft/base/error.h>
#include <weft/base/trace.h>
#include <weft/runtime/parallel.h>

namespace weft::runtime {

namespace {

// The first error that an input carries, in the order of the inputs; waits for all of them.
std::exception_ptr input_error(const LaunchRecord& launch) {
  for (const Event* event : launch.awaited)
    if (auto error = event->error()) return error;
  return nullptr;
}

// The current exception, with the place where it was thrown added to its message.
std::exception_ptr with_place(const std::string& place) {
  try {
    throw;
  } catch (const InternalError& error) {
    return std::make_exception_ptr(InternalError(error.what() + place));
  } catch (const std::bad_alloc&) {
    return std::make_exception_ptr(Error("out of memory" + place));
  } catch (const std::exception& error) {
    return std::make_exception_ptr(Error(error.what() + place));
  } catch (...) {
    return std::make_exception_ptr(Error("an exception of an unknown type" + place));
  }
}

std::string place_of(const LaunchRecord& launch, std::size_t thunk) {
  std::string place = " (";
  if (thunk < launch.executable->thunks.size()) {
    const ThunkInfo& info = launch.executable->thunks[thunk]->info;
    place += concat(info.name, info.source.empty() ? "" : " from ", info.source, ", ");
  }
  return place + concat("step ", launch.number, " of ", launch.executable->name, ")");
}

// The thunk that makes an output.
std::size_t writer_of(const Executable& executable, std::uint32_t allocation) {
  const auto writes = [&](const std::shared_ptr<const Thunk>& thunk) {
    return std::ranges::any_of(thunk->writes, [&](const Slice& slice) { return slice.allocation == allocation; });
  };
  return static_cast<std::size_t>(std::ranges::find_if(executable.thunks, writes) - executable.thunks.begin());
}

}  // namespace

Executor::Outcome Executor::run(LaunchRecord& launch, std::exception_ptr& error) {
  error = input_error(launch);
  if (error) return Outcome::skipped;
  thunk_ = launch.executable->thunks.size();
  allocating_ = -1;
  try {
    bind(launch);
    if (!simulated_) {
      adopt_thread_count();
      const Computing computing;
      if (launch.executable->preparation) launch.executable->preparation->run();
      if (profiling_.load(std::memory_order_relaxed) || trace::enabled()) {
        run_thunks_timed(launch);
      } else {
        run_thunks(launch);
      }
    }
  } catch (...) {
    if (allocating_ >= 0) thunk_ = writer_of(*launch.executable, static_cast<std::uint32_t>(allocating_));
    error = with_place(place_of(launch, thunk_));
    outputs_.clear();
    return Outcome::failed;
  }
  for (std::size_t i = 0; i < outputs_.size(); ++i) *launch.outputs[i] = std::move(outputs_[i]);
  return Outcome::done;
}

void Executor::bind(LaunchRecord& launch) {
  const Executable& executable = *launch.executable;
  inputs_.resize(launch.inputs.size());
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const LaunchRecord::Input& input = launch.inputs[i];
    inputs_[i] = input.address ? input.address : input.slot->get();
  }
  std::byte* const temporaries = workspace(executable.temporary_bytes);
  bind_outputs(launch);
  bases_.resize(executable.allocations.size());
  for (std::size_t i = 0; i < bases_.size(); ++i) {
    const Allocation& allocation = executable.allocations[i];
    switch (allocation.kind) {
      case Allocation::Kind::input: bases_[i] = inputs_[allocation.index]; break;
      case Allocation::Kind::output: bases_[i] = outputs_[allocation.index].get(); break;
      case Allocation::Kind::constant: bases_[i] = const_cast<std::byte*>(allocation.constant.get()); break;
      case Allocation::Kind::temporary: bases_[i] = temporaries + allocation.offset; break;
    }
  }
}

// First what may fail, so that a launch without memory leaves its inputs whole; then what takes memory from inputs; last what
// shares the memory of another output or input.
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
      const auto& kept = executable.kept_blocks;
      outputs_[i] = kept && !simulated_ ? kept->take(*allocator_, i, allocation_of(i).bytes)
                                        : allocator_->allocate(allocation_of(i).bytes, simulated_);
      continue;
    }
    const auto input = static_cast<std::uint32_t>(donated);
    const bool alone = launch.inputs[input].slot->use_count() == 1;
    if (alone && (launch.copied.empty() || std::ranges::find(launch.copied, input) == launch.copied.end())) continue;
    const std::uint64_t bytes = allocation_of(i).bytes;
    const std::uint64_t start = trace::now_ns();
    outputs_[i] = allocator_->allocate(bytes);
    std::memcpy(outputs_[i].get(), inputs_[input], bytes);
    for (const SlotsRef& donor : launch.donors) donor->may_keep_memory();
    WEFT_DIAGNOSE({.kind = diagnostics::Kind::missed_donation,
                   .subject = executable.name,
                   .place = executable.thunks.empty() ? "" : executable.thunks.back()->info.source,
                   .reason = concat("input ", input, " is still held, so that output ", i, " got a copy of it"),
                   .cost_ms = 1e-6 * static_cast<double>(trace::now_ns() - start),
                   .bytes = bytes});
    inputs_[input] = outputs_[i].get();
    donation_copies_.fetch_add(1, std::memory_order_relaxed);
  }
  allocating_ = -1;
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    const std::int32_t donated = executable.outputs[i].donated_input;
    if (donated >= 0 && !outputs_[i]) outputs_[i] = std::move(*launch.inputs[static_cast<std::size_t>(donated)].slot);
  }
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    const Allocation& allocation = allocation_of(i);
    if (outputs_[i]) continue;
    if (allocation.kind == Allocation::Kind::input) {
      const auto& [slot, address] = launch.inputs[allocation.index];
      outputs_[i] = address ? Memory(*slot, address) : *slot;
    } else {
      outputs_[i] = outputs_[allocation.index];
    }
  }
}

std::byte* Executor::workspace(std::uint64_t bytes) {
  if (release_workspace_.exchange(false) || workspace_bytes_ < bytes) {
    workspace_ = nullptr;  // before the larger one is made
    workspace_bytes_ = 0;
    if (bytes != 0) workspace_ = allocator_->allocate(bytes);
    workspace_bytes_ = bytes;
  }
  return workspace_.get();
}

void Executor::run_thunks(const LaunchRecord& launch) {
  const Launch view{.bases = bases_, .step = launch.number};
  const auto& thunks = launch.executable->thunks;
  for (thunk_ = 0; thunk_ < thunks.size(); ++thunk_) thunks[thunk_]->run(view);
}

void Executor::run_thunks_timed(const LaunchRecord& launch) {
  const Launch view{.bases = bases_, .step = launch.number};
  const auto& thunks = launch.executable->thunks;
  const std::lock_guard lock(profile_mutex_);
  Tally* const tallies = profiling_ ? profile_of(launch.executable).tallies.data() : nullptr;
  if (trace::enabled()) trace::keep(launch.executable);
  std::uint64_t begin = trace::now_ns();
  for (thunk_ = 0; thunk_ < thunks.size(); ++thunk_) {
    thunks[thunk_]->run(view);
    const std::uint64_t end = trace::now_ns();
    if (tallies) tallies[thunk_].add(end - begin);
    if (trace::enabled()) trace::add("thunk", thunks[thunk_]->info.name.c_str(), begin, end, launch.id);
    begin = end;
  }
}

Executor::Profile& Executor::profile_of(const std::shared_ptr<const Executable>& executable) {
  const auto found = std::ranges::find(profiles_, executable, &Profile::executable);
  if (found != profiles_.end()) return *found;
  return profiles_.emplace_back(Profile{executable, std::vector<Tally>(executable->thunks.size())});
}

void Executor::set_profiling(bool on) {
  const std::lock_guard lock(profile_mutex_);
  if (on) profiles_.clear();
  profiling_ = on;
}

std::vector<ThunkTime> Executor::thunk_times() const {
  const std::lock_guard lock(profile_mutex_);
  std::vector<ThunkTime> times;
  for (const auto& [executable, tallies] : profiles_) {
    for (std::size_t i = 0; i < tallies.size(); ++i) {
      const ThunkInfo& info = executable->thunks[i]->info;
      times.push_back({.executable = executable->name,
                       .name = info.name,
                       .category = info.category,
                       .source = info.source,
                       .count = tallies[i].count,
                       .total_ns = tallies[i].ns,
                       .flops = info.flops,
                       .bytes = info.bytes});
    }
  }
  return times;
}

}  // namespace weft::runtime
