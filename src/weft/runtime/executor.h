// Gives launches to a device's compute stream: binds addresses and hands over the thunks in order. Used by the device's thread alone,
// but for what is marked otherwise.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <unordered_map>
#include <vector>

#include <weft/runtime/device_backend.h>
#include <weft/runtime/executable.h>
#include <weft/runtime/flight.h>
#include <weft/runtime/launch_memory.h>
#include <weft/runtime/launch_record.h>
#include <weft/runtime/schedule.h>
#include <weft/runtime/thunk_tallies.h>

namespace weft::runtime {

class Executor {
 public:
  // The backend outlives it.
  explicit Executor(DeviceBackend& backend) : backend_(backend), memory_(backend) {}

  // Gives the launch to the stream, which tells the launch when it has got to its end. A launch whose inputs carry an error, or that
  // cannot have its memory, has got to its end at once. One that has a flight gets its first part run.
  void submit(LaunchRecord& launch);

  // Thread-safe.
  std::shared_ptr<Flight> make_flight(LaunchRecord& launch, std::shared_ptr<const Schedule> schedule) {
    return std::make_shared<Flight>(launch, std::move(schedule), memory_, tallies_);
  }
  void release_workspace() { release_workspace_ = true; }  // before the next launch
  std::uint64_t donation_copies() const { return memory_.donation_copies(); }
  ThunkTallies& tallies() { return tallies_; }
  const ThunkTallies& tallies() const { return tallies_; }

 private:
  void bind(LaunchRecord& launch);
  void bind_outputs(LaunchRecord& launch);
  void use_workspace(LaunchRecord& launch);
  void stage(LaunchRecord& launch);
  void run_thunks(LaunchRecord& launch);
  void run_thunks_timed(LaunchRecord& launch);

  DeviceBackend& backend_;
  LaunchMemory memory_;
  ThunkTallies tallies_;
  ScheduleCache schedules_;
  Memory workspace_;  // of the temporaries of every launch, as large as the largest needs
  std::uint64_t workspace_bytes_ = 0;
  std::atomic<bool> release_workspace_ = false;

  // Of the launch that is submitted; kept to reuse their memory.
  std::vector<std::byte*> inputs_;
  std::vector<Memory> outputs_;
  std::vector<std::uint64_t> thunk_ns_;
  std::size_t thunk_ = 0;
  std::int64_t allocating_ = -1;  // the output that memory is asked for
};

}  // namespace weft::runtime
