// The clock of a simulated device and its host. It moves only with launches and waits, so it is the same in every run.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

#include <weft/runtime/buffer.h>
#include <weft/runtime/device.h>
#include <weft/runtime/launch_record.h>
#include <weft/runtime/recent.h>
#include <weft/runtime/schedule.h>
#include <weft/runtime/simulated/simulated_device.h>

namespace weft::runtime {

class VirtualClock : public std::enable_shared_from_this<VirtualClock> {
 public:
  VirtualClock(const Simulation& simulation, const DeviceOptions& options)
      : simulation_(simulation), options_(options) {}

  // Returns an event for the end of a future launch; waiting for it advances the host's time to that end.
  std::shared_ptr<Event> promise();
  // Runs a launch whose events were made by promise(), and sets the times at which these come.
  void launch(const LaunchRecord& launch);
  void host_works(std::uint64_t items);
  void host_reaches(double us);  // the host has waited until time `us`
  void host_reaches_device();
  void add_to(DeviceStats& stats) const;
  std::vector<std::uint64_t> gaps_ns() const;

 private:
  struct Launched {
    double end_us;
    std::uint64_t bytes;
  };
  // A thunk of another stream that takes CPUs from the compute stream.
  struct Taker {
    double begin_us, end_us, left_us;  // left: what it still takes
  };
  void wait_for_room(std::uint64_t bytes);
  double lost_us(double start_us, double us);
  double run_as_one(const LaunchRecord& launch);
  double run_by_schedule(const LaunchRecord& launch, const Schedule& schedule);
  void compute(double start_us, double us, bool begins_launch);
  void wait_until(double us);
  void land();  // removes the launches that have ended by the host's time

  const Simulation simulation_;
  const DeviceOptions options_;
  mutable std::mutex mutex_;
  std::deque<Launched> launched_;
  std::uint64_t bytes_in_flight_ = 0, host_waits_ = 0, peak_run_ahead_ = 0, peak_run_ahead_bytes_ = 0;
  double host_us_ = 0, busy_us_ = 0, idle_us_ = 0, waited_us_ = 0;
  std::array<double, stream_kinds> stream_us_{};  // the time at which each stream has done all its work
  std::vector<Taker> takers_;
  ScheduleCache schedules_;
  Recent gaps_ns_;
  bool has_computed_ = false;
};

}  // namespace weft::runtime
