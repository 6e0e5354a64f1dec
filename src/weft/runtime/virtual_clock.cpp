#include <weft/runtime/virtual_clock.h>

#include <algorithm>
#include <utility>

#include <weft/runtime/node_pool.h>

namespace weft::runtime {

namespace {

class SimulatedEvent : public Event {
 public:
  explicit SimulatedEvent(std::shared_ptr<VirtualClock> clock) : clock_(std::move(clock)) {}
  void comes_at(double us) { us_ = us; }

 private:
  void waited() const override { clock_->host_reaches(us_); }

  std::shared_ptr<VirtualClock> clock_;
  double us_ = 0;
};

}  // namespace

std::shared_ptr<Event> VirtualClock::promise() { return make_pooled<SimulatedEvent>(shared_from_this()); }

void VirtualClock::host_works(std::uint64_t items) {
  const std::lock_guard lock(mutex_);
  host_us_ += static_cast<double>(items) * options_.simulation.host_item_us;
}

void VirtualClock::launch(Event& done, std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  host_us_ += options_.simulation.host_us;
  land();
  const auto full = [&] {
    return !flights_.empty() && (std::cmp_greater_equal(flights_.size(), options_.run_ahead_launches) ||
                                 bytes_in_flight_ + bytes > options_.run_ahead_bytes);
  };
  if (full()) ++host_waits_;
  while (full()) {
    wait_until(flights_.front().end_us);
    land();
  }
  const double start = std::max(host_us_, device_us_);
  if (std::exchange(launched_, true)) {
    idle_us_ += start - device_us_;
    gaps_ns_.add(static_cast<std::uint64_t>((start - device_us_) * 1e3));
  }
  device_us_ = start + options_.simulation.launch_us;
  busy_us_ += options_.simulation.launch_us;
  flights_.push_back({device_us_, bytes});
  bytes_in_flight_ += bytes;
  peak_run_ahead_ = std::max<std::uint64_t>(peak_run_ahead_, flights_.size());
  peak_run_ahead_bytes_ = std::max(peak_run_ahead_bytes_, bytes_in_flight_);
  static_cast<SimulatedEvent&>(done).comes_at(device_us_);
}

void VirtualClock::host_reaches(double us) {
  const std::lock_guard lock(mutex_);
  wait_until(us);
}

void VirtualClock::host_reaches_device() {
  const std::lock_guard lock(mutex_);
  wait_until(device_us_);
}

void VirtualClock::wait_until(double us) {
  if (us <= host_us_) return;
  waited_us_ += us - host_us_;
  host_us_ = us;
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
  stats.host_ns = static_cast<std::uint64_t>(host_us_ * 1e3);
  stats.host_wait_ns = static_cast<std::uint64_t>(waited_us_ * 1e3);
  stats.peak_run_ahead_bytes = peak_run_ahead_bytes_;
  stats.peak_run_ahead = peak_run_ahead_;
  stats.busy_ns = static_cast<std::uint64_t>(busy_us_ * 1e3);
  stats.idle_ns = static_cast<std::uint64_t>(idle_us_ * 1e3);
}

std::vector<std::uint64_t> VirtualClock::gaps_ns() const {
  const std::lock_guard lock(mutex_);
  return gaps_ns_.values();
}

}  // namespace weft::runtime
