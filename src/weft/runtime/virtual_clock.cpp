#include <weft/runtime/virtual_clock.h>

#include <algorithm>
#include <utility>

namespace weft::runtime {

namespace {

class SimulatedEvent : public Event {
 public:
  SimulatedEvent(std::shared_ptr<VirtualClock> clock, double us) : clock_(std::move(clock)), us_(us) {}

 private:
  void waited() const override { clock_->host_reaches(us_); }

  std::shared_ptr<VirtualClock> clock_;
  double us_;
};

}  // namespace

std::shared_ptr<Event> VirtualClock::launch(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  host_us_ += options_.simulation.host_us;
  land();
  const auto full = [&] {
    return !flights_.empty() && (std::cmp_greater_equal(flights_.size(), options_.run_ahead_launches) ||
                                 bytes_in_flight_ + bytes > options_.run_ahead_bytes);
  };
  if (full()) ++host_waits_;
  while (full()) {
    host_us_ = flights_.front().end_us;
    land();
  }
  const double start = std::max(host_us_, device_us_);
  if (std::exchange(launched_, true)) idle_us_ += start - device_us_;
  device_us_ = start + options_.simulation.launch_us;
  busy_us_ += options_.simulation.launch_us;
  flights_.push_back({device_us_, bytes});
  bytes_in_flight_ += bytes;
  peak_run_ahead_ = std::max<std::uint64_t>(peak_run_ahead_, flights_.size());
  return std::make_shared<SimulatedEvent>(shared_from_this(), device_us_);
}

void VirtualClock::host_reaches(double us) {
  const std::lock_guard lock(mutex_);
  host_us_ = std::max(host_us_, us);
}

void VirtualClock::host_reaches_device() {
  const std::lock_guard lock(mutex_);
  host_us_ = std::max(host_us_, device_us_);
}

void VirtualClock::land() {
  while (!flights_.empty() && flights_.front().end_us <= host_us_) {
    bytes_in_flight_ -= flights_.front().bytes;
    flights_.pop_front();
  }
}

void VirtualClock::add_to(DeviceStats& stats) const {
  const std::lock_guard lock(mutex_);
  stats.host_waits = host_waits_;
  stats.peak_run_ahead = peak_run_ahead_;
  stats.busy_ns = static_cast<std::uint64_t>(busy_us_ * 1e3);
  stats.idle_ns = static_cast<std::uint64_t>(idle_us_ * 1e3);
}

}  // namespace weft::runtime
