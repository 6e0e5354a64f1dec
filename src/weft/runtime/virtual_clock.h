// The time of a simulated device and of its host. It moves only with launches and waits, so it is the same in every run.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

#include <weft/runtime/buffer.h>
#include <weft/runtime/device.h>
#include <weft/runtime/recent.h>

namespace weft::runtime {

class VirtualClock : public std::enable_shared_from_this<VirtualClock> {
 public:
  explicit VirtualClock(const DeviceOptions& options) : options_(options) {}

  // An event for the end of a launch to come; its waiters move the host's time there.
  std::shared_ptr<Event> promise();
  // The host makes a launch whose outputs take `bytes` and whose end is `done`, which was made by promise().
  void launch(Event& done, std::uint64_t bytes);
  void host_works(std::uint64_t items);
  void host_reaches(double us);  // the host has waited for what happens at that time
  void host_reaches_device();
  void add_to(DeviceStats& stats) const;
  std::vector<std::uint64_t> gaps_ns() const;

 private:
  struct Flight {
    double end_us;
    std::uint64_t bytes;
  };
  void wait_until(double us);
  void land();  // forgets the launches that have ended for the host

  const DeviceOptions options_;
  mutable std::mutex mutex_;
  std::deque<Flight> flights_;
  std::uint64_t bytes_in_flight_ = 0, host_waits_ = 0, peak_run_ahead_ = 0, peak_run_ahead_bytes_ = 0;
  double host_us_ = 0, device_us_ = 0, busy_us_ = 0, idle_us_ = 0, waited_us_ = 0;
  Recent gaps_ns_;
  bool launched_ = false;
};

}  // namespace weft::runtime
