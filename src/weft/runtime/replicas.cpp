#include <weft/runtime/replicas.h>

#include <algorithm>

#include <weft/base/error.h>
#include <weft/runtime/program_description.h>
#include <weft/runtime/schedule.h>

namespace weft::runtime {

namespace {

using Thunks = std::span<const std::shared_ptr<const Thunk>>;

constexpr std::uint64_t alignment_of_temporaries = 64;  // of each device

// Calls `each(thunk, device)` for the thunks of each device up to the next meeting, `all(thunk)` for the meeting, and so on.
// The thunks of one device stay together, because they read from the caches what the device has just written; but all devices
// come to a thunk that waits for another stream (`waits`, by thunk) before one of them goes on.
template <class Each, class All>
void in_order(Thunks thunks, std::uint32_t devices, Each&& each, All&& all, const std::vector<bool>& waits = {}) {
  const auto ends = [&](std::size_t t) { return thunks[t]->meets || (!waits.empty() && waits[t]); };
  for (std::size_t begin = 0, end = 0; begin < thunks.size(); begin = end) {
    if (thunks[begin]->meets) {
      all(begin);
      end = begin + 1;
      continue;
    }
    for (end = begin + 1; end < thunks.size() && !ends(end);) ++end;
    for (std::uint32_t device = 0; device < devices; ++device)
      for (std::size_t t = begin; t < end; ++t) each(t, device);
  }
}

// Returns which thunks wait for other streams: in this launch, or in the launch before, whose outputs are inputs of this one as `updated`
// says.
std::vector<bool> waiting_thunks(const Executable& executable, std::span<const std::int32_t> updated) {
  std::vector<bool> waits(executable.thunks.size());
  if (!executable.schedule) return waits;
  const std::span<const Schedule::Part> parts = executable.schedule->parts;
  std::vector<std::size_t> written(
      executable.outputs.size());  // one more than the last thunk of another stream that writes the output
  for (const Schedule::Part& part : parts.subspan(1))
    for (const Schedule::Task& task : part.tasks)
      for (const Slice& slice : executable.thunks[task.thunk]->writes) {
        const Allocation& a = executable.allocations[slice.allocation];
        if (a.kind == Allocation::Kind::output) written[a.index] = task.thunk + 1;
      }
  std::size_t awaited = 0;  // of those writes; the others of a stream come before
  for (const Schedule::Task& task : parts[0].tasks) {
    waits[task.thunk] = !task.waits.empty();
    for (const Slice& slice : executable.thunks[task.thunk]->reads) {
      const Allocation& a = executable.allocations[slice.allocation];
      if (a.kind != Allocation::Kind::input || a.index >= updated.size() || updated[a.index] < 0) continue;
      if (written[updated[a.index]] <= awaited) continue;
      waits[task.thunk] = true;
      awaited = written[updated[a.index]];
    }
  }
  return waits;
}

// `index` counts the devices of this process.
Launch launch_of(const Launch& all, LocalDevices devices, std::uint32_t index, std::size_t allocations) {
  return {.bases = all.bases.subspan(index * allocations, allocations),
          .step = all.step,
          .device = devices.first + index,
          .context = all.context,
          .queue = all.queue};
}

// Adds the slices of the device with this number.
void add_moved(std::vector<Slice>& to, std::span<const Slice> slices, std::uint32_t index, std::size_t allocations) {
  for (Slice slice : slices) {
    slice.allocation += index * allocations;
    to.push_back(slice);
  }
}

// A thunk that runs for one device.
class OnDevice final : public Thunk {
 public:
  OnDevice(std::shared_ptr<const Thunk> of, LocalDevices devices, std::uint32_t index, std::size_t allocations)
      : of_(std::move(of)), devices_(devices), index_(index), allocations_(allocations) {
    info = of_->info;
    info.name += concat('@', devices.first + index);
    reads.reserve(of_->reads.size());
    writes.reserve(of_->writes.size());
    add_moved(reads, of_->reads, index, allocations);
    add_moved(writes, of_->writes, index, allocations);
    stream = of_->stream;
    on_device = of_->on_device;
    has_side_effect = of_->has_side_effect;
  }
  void run(const Launch& launch) const override { of_->run(launch_of(launch, devices_, index_, allocations_)); }
  void prepare() const override { of_->prepare(); }

 private:
  std::shared_ptr<const Thunk> of_;
  LocalDevices devices_;
  std::uint32_t index_;
  std::size_t allocations_;  // of each device
};

// A thunk in which all devices meet.
class OnAllDevices final : public Thunk {
 public:
  OnAllDevices(std::shared_ptr<const Thunk> of, LocalDevices devices, std::size_t allocations)
      : of_(std::move(of)), devices_(devices), allocations_(allocations) {
    info = of_->info;
    info.flops *= devices.count;
    info.bytes *= devices.count;
    reads.reserve(devices.count * of_->reads.size());
    writes.reserve(devices.count * of_->writes.size());
    for (std::uint32_t index = 0; index < devices.count; ++index) {
      add_moved(reads, of_->reads, index, allocations);
      add_moved(writes, of_->writes, index, allocations);
    }
    // Processes exchange messages in the same order only if one stream does it, in the order of the program.
    const bool is_across_processes = ranks().count > 1;
    stream = is_across_processes ? StreamKind::communication : of_->stream;
    on_device = of_->on_device;
    has_side_effect = of_->has_side_effect || is_across_processes;
  }
  void run(const Launch& launch) const override {
    std::vector<Launch> launches;
    for (std::uint32_t index = 0; index < devices_.count; ++index)
      launches.push_back(launch_of(launch, devices_, index, allocations_));
    of_->run_together(launches);
  }
  void prepare() const override { of_->prepare(); }

 private:
  std::shared_ptr<const Thunk> of_;
  LocalDevices devices_;
  std::size_t allocations_;  // of each device
};

// Adds the allocations of the device with this number among those of the process. `place` changes those of inputs and outputs.
template <class Place>
void add_device(const Executable& one, std::uint32_t index, Executable& all, Place&& place) {
  const std::uint64_t temporaries =
      (one.temporary_bytes + alignment_of_temporaries - 1) / alignment_of_temporaries * alignment_of_temporaries;
  for (Allocation allocation : one.allocations) {
    switch (allocation.kind) {
      case Allocation::Kind::input:
      case Allocation::Kind::output: place(allocation, index); break;
      case Allocation::Kind::constant: break;  // all devices share its bytes
      case Allocation::Kind::temporary: allocation.offset += index * temporaries; break;
    }
    all.allocations.push_back(std::move(allocation));
  }
  all.temporary_bytes += temporaries;
  all.peak_bytes += one.peak_bytes;
}

// Adds to `all`, which has its inputs and outputs, the allocations and thunks of all devices.
template <class Place>
void add_devices(const Executable& one, LocalDevices devices, std::span<const std::int32_t> updated, Executable& all,
                 Place&& place) {
  all.name = one.name;
  all.allocations.reserve(devices.count * one.allocations.size());
  for (std::uint32_t index = 0; index < devices.count; ++index) add_device(one, index, all, place);
  // For each thunk, the one it was made of. The description shows the program of the first device: the instruction of an op is
  // shown at one op only.
  constexpr std::size_t other_device = -1;
  std::vector<std::size_t> origins;
  in_order(
      one.thunks, devices.count,
      [&](std::size_t t, std::uint32_t index) {
        all.thunks.push_back(std::make_shared<OnDevice>(one.thunks[t], devices, index, one.allocations.size()));
        origins.push_back(index == 0 ? t : other_device);
      },
      [&](std::size_t t) {
        all.thunks.push_back(std::make_shared<OnAllDevices>(one.thunks[t], devices, one.allocations.size()));
        origins.push_back(t);
      },
      waiting_thunks(one, updated));
  all.schedule = schedule_streams(all);
  all.preparation = one.preparation;
  all.code = one.code;
  if (one.describe)
    all.describe = [describe = one.describe, origins = std::move(origins)] {
      ProgramDescription of_one = describe(), of_all = of_one;
      of_all.thunks.clear();
      for (const std::size_t origin : origins)
        of_all.thunks.push_back(origin < of_one.thunks.size() ? of_one.thunks[origin]
                                                              : ProgramDescription::no_instruction);
      return of_all;
    };
  if (one.kept_blocks) all.kept_blocks = std::make_shared<KeptBlocks>(all.outputs.size());
}

}  // namespace

std::shared_ptr<Executable> for_devices(const std::shared_ptr<const Executable>& one, LocalDevices devices,
                                        std::span<const Placed> inputs, std::span<const Placed> outputs,
                                        std::span<const std::int32_t> updated) {
  auto all = std::make_shared<Executable>();
  all->devices = devices.count;
  for (const Placed& input : inputs) {
    all->inputs.push_back(input.whole);
    all->input_layouts.push_back(input.layout);
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    Output output = one->outputs[i];
    output.type = outputs[i].whole;
    all->outputs.push_back(output);
    all->output_layouts.push_back(outputs[i].layout);
  }
  add_devices(*one, devices, updated, *all, [&](Allocation& allocation, std::uint32_t index) {
    const bool is_shared = allocation.kind == Allocation::Kind::input && !all->input_layout(allocation.index);
    if (!is_shared) allocation.offset = index * allocation.bytes;
  });
  return all;
}

std::shared_ptr<Executable> for_separate_shards(const std::shared_ptr<const Executable>& one, LocalDevices devices) {
  require(ranks().count == 1, one->name, ": its devices must be in this process");
  auto all = std::make_shared<Executable>();
  for (const Type type : one->inputs) all->inputs.insert(all->inputs.end(), devices.count, type);
  for (Output output : one->outputs)
    for (std::uint32_t index = 0; index < devices.count; ++index) {
      all->outputs.push_back(output);
      Output& shard = all->outputs.back();
      shard.allocation += index * static_cast<std::uint32_t>(one->allocations.size());
      if (output.donated_input >= 0)
        shard.donated_input = static_cast<std::int32_t>(output.donated_input * devices.count + index);
    }
  add_devices(*one, devices, {}, *all, [&](Allocation& allocation, std::uint32_t index) {
    allocation.index = allocation.index * devices.count + index;
  });
  return all;
}

void run_together(Thunks thunks, std::span<const Launch> launches) {
  in_order(
      thunks, launches.size(), [&](std::size_t t, std::uint32_t device) { thunks[t]->run(launches[device]); },
      [&](std::size_t t) { thunks[t]->run_together(launches); });
}

bool any_meets(const Executable& executable) {
  return std::ranges::any_of(executable.thunks, [](const auto& thunk) { return thunk->meets; });
}

}  // namespace weft::runtime
