// An Executor passes launches to a device's compute stream: it binds addresses and runs the thunks in order. Used only by the
// device's thread, except for the functions marked as thread-safe.
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
  // The backend must outlive the executor.
  explicit Executor(DeviceBackend& backend) : backend_(backend), memory_(backend) {}

  // Passes the launch to the stream, which tells the launch when it reaches its end. A launch whose inputs carry an error, or that
  // gets no memory, ends at once. If the launch has a flight, runs the first part of it.
  void submit(LaunchRecord& launch);

  // Thread-safe.
  std::shared_ptr<Flight> make_flight(LaunchRecord& launch, std::shared_ptr<const Schedule> schedule) {
    return std::make_shared<Flight>(launch, std::move(schedule), memory_, tallies_);
  }
  void release_workspace() { release_workspace_ = true; }  // takes effect before the next launch
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
  Memory workspace_;  // the temporaries, shared by all launches; as large as the largest need so far
  std::uint64_t workspace_bytes_ = 0;
  std::atomic<bool> release_workspace_ = false;

  // State of the launch being submitted; kept to reuse the memory.
  std::vector<std::byte*> inputs_;
  std::vector<Memory> outputs_;
  std::size_t thunk_ = 0;
  std::int64_t allocating_ = -1;  // the output for which memory is being allocated; -1 if none
};

}  // namespace weft::runtime
