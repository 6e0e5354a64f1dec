#include <weft/runtime/simulated/virtual_clock.h>

#include <algorithm>
#include <utility>

#include <weft/runtime/flight.h>
#include <weft/runtime/node_pool.h>

namespace weft::runtime {

namespace {

class SimulatedEvent : public Event {
 public:
  explicit SimulatedEvent(std::shared_ptr<VirtualClock> clock) : clock_(std::move(clock)) {}
  void comes_at(double us) { us_ = us; }
  double us() const { return us_; }

 private:
  void waited() const override { clock_->host_reaches(us_); }

  std::shared_ptr<VirtualClock> clock_;
  double us_ = 0;
};

}  // namespace

std::shared_ptr<Event> VirtualClock::promise() { return make_pooled<SimulatedEvent>(shared_from_this()); }

void VirtualClock::host_works(std::uint64_t items) {
  const std::lock_guard lock(mutex_);
  host_us_ += items * simulation_.host_item_us;
}

namespace {

constexpr auto compute_stream = static_cast<std::size_t>(StreamKind::compute);

// Returns when an event comes; 0 if the clock does not know it.
double arrival_us(const Event* event) {
  const auto* const simulated = dynamic_cast<const SimulatedEvent*>(event);
  return simulated ? simulated->us() : 0;
}

}  // namespace

void VirtualClock::launch(const LaunchRecord& launch) {
  const std::lock_guard lock(mutex_);
  host_us_ += simulation_.host_us;
  land();
  wait_for_room(launch.bytes);
  double end_us = 0;
  if (launch.flight) {
    end_us = run_by_schedule(launch, launch.flight->schedule());
  } else if (simulation_.thunk_us) {
    end_us = run_by_schedule(launch, *schedules_.get(launch.executable));
  } else {
    end_us = run_as_one(launch);
  }
  launched_.push_back({end_us, launch.bytes});
  bytes_in_flight_ += launch.bytes;
  peak_run_ahead_ = std::max<std::uint64_t>(peak_run_ahead_, launched_.size());
  peak_run_ahead_bytes_ = std::max(peak_run_ahead_bytes_, bytes_in_flight_);
  static_cast<SimulatedEvent&>(*launch.done).comes_at(end_us);
}

void VirtualClock::wait_for_room(std::uint64_t bytes) {
  const auto full = [&] {
    return !launched_.empty() && (std::cmp_greater_equal(launched_.size(), options_.run_ahead_launches) ||
                                  bytes_in_flight_ + bytes > options_.run_ahead_bytes);
  };
  if (full()) ++host_waits_;
  while (full()) {
    wait_until(std::ranges::min(launched_, {}, &Launched::end_us).end_us);
    land();
  }
}

double VirtualClock::run_as_one(const LaunchRecord& launch) {
  double start = std::max(host_us_, stream_us_[compute_stream]);
  const Event* last = nullptr;  // most inputs come with the same event as the one before
  for (const LaunchRecord::Origin& input : launch.origins)
    if (std::exchange(last, input.event) != input.event) start = std::max(start, arrival_us(input.event));
  compute(start, simulation_.launch_us, true);
  return stream_us_[compute_stream];
}

// Lets the compute stream work for `us`, from `start_us` on.
void VirtualClock::compute(double start_us, double us, bool begins_launch) {
  double& stream_us = stream_us_[compute_stream];
  if (std::exchange(has_computed_, true)) {
    idle_us_ += start_us - stream_us;
    if (begins_launch) gaps_ns_.add(static_cast<std::uint64_t>((start_us - stream_us) * 1e3));
  }
  busy_us_ += us;
  stream_us = start_us + us;
}

// Returns by how much longer the compute stream takes for work from `start_us` on, because others take CPUs from it: while both run, each
// gets half of them.
double VirtualClock::lost_us(double start_us, double us) {
  std::erase_if(takers_, [&](const Taker& taker) { return taker.end_us <= start_us || taker.left_us <= 0; });
  double lost = 0;
  for (Taker& taker : takers_) {
    const double beside = us - std::max(taker.begin_us - start_us, 0.0);
    const double taken = std::clamp(beside, 0.0, taker.left_us);
    taker.left_us -= taken;
    lost += taken;
  }
  return lost;
}

// Runs a launch by its schedule: every task begins as soon as its stream has done its earlier work and the task's dependencies
// are there.
double VirtualClock::run_by_schedule(const LaunchRecord& launch, const Schedule& schedule) {
  const Executable& executable = *launch.executable;
  struct Place {
    std::uint32_t thunk, part, task;
  };
  std::vector<Place> order;  // the executable's order: each thunk depends only on earlier ones
  for (std::uint32_t p = 0; p < schedule.parts.size(); ++p)
    for (std::uint32_t i = 0; i < schedule.parts[p].tasks.size(); ++i)
      order.push_back({schedule.parts[p].tasks[i].thunk, p, i});
  std::ranges::sort(order, {}, &Place::thunk);

  const double computed_before = stream_us_[compute_stream];
  // Returns when an allocation can be touched.
  const auto allocation_us = [&](std::uint32_t part, std::uint32_t allocation) {
    const Allocation& a = executable.allocations[allocation];
    if (a.kind == Allocation::Kind::input) return arrival_us(launch.origins[a.index].event);
    if (a.kind != Allocation::Kind::output || executable.outputs[a.index].donated_input < 0) return 0.0;
    double us = arrival_us(launch.origins[executable.outputs[a.index].donated_input].event);
    if (part != 0) us = std::max(us, computed_before);
    for (const auto& reader : launch.readers) us = std::max(us, arrival_us(reader.get()));
    return us;
  };
  std::vector<std::vector<double>> ends(schedule.parts.size());
  const auto end_us = [&](const Schedule::Wait& wait) {
    const auto& part = ends[wait.part];
    return part.empty() ? host_us_ : part[std::min<std::size_t>(wait.tasks, part.size()) - 1];
  };
  bool begins = true;
  for (const auto [thunk, p, i] : order) {
    const Schedule::Part& part = schedule.parts[p];
    const Schedule::Task& task = part.tasks[i];
    double& stream_us = stream_us_[static_cast<std::size_t>(part.stream)];
    double start = std::max(host_us_, stream_us);
    for (const std::uint32_t allocation : task.allocations) start = std::max(start, allocation_us(p, allocation));
    for (const Schedule::Wait& wait : task.waits) start = std::max(start, end_us(wait));
    const Thunk& run = *executable.thunks[thunk];
    const double us = simulation_.thunk_us ? simulation_.thunk_us(run) : 0;
    if (p == 0) {
      compute(start, us + lost_us(start, us) + (begins ? simulation_.launch_us : 0), begins);
      begins = false;
    } else {
      stream_us = start + us;
      if (simulation_.taken_us) takers_.push_back({start, stream_us, simulation_.taken_us(run)});
    }
    if (simulation_.ran) simulation_.ran(run, start, stream_us);
    ends[p].push_back(stream_us);
  }
  // Inputs that no task touches are waited for at the end.
  double start = std::max(host_us_, stream_us_[compute_stream]);
  for (const std::uint32_t allocation : schedule.untouched) start = std::max(start, allocation_us(0, allocation));
  if (begins) compute(start, simulation_.launch_us, true);
  ends[0].push_back(std::max(start, stream_us_[compute_stream]));

  double last_us = 0;
  for (const auto& part : ends)
    if (!part.empty()) last_us = std::max(last_us, part.back());
  for (std::size_t g = 0; g < launch.groups.size(); ++g) {
    double us = 0;
    for (const Schedule::Wait& wait : schedule.groups[g].waits) us = std::max(us, end_us(wait));
    static_cast<SimulatedEvent&>(*launch.groups[g]).comes_at(us);
  }
  return last_us;
}

void VirtualClock::host_reaches(double us) {
  const std::lock_guard lock(mutex_);
  wait_until(us);
}

void VirtualClock::host_reaches_device() {
  const std::lock_guard lock(mutex_);
  wait_until(launched_.empty() ? stream_us_[compute_stream]
                               : std::ranges::max(launched_, {}, &Launched::end_us).end_us);
}

void VirtualClock::wait_until(double us) {
  if (us <= host_us_) return;
  waited_us_ += us - host_us_;
  host_us_ = us;
}

void VirtualClock::land() {
  std::erase_if(launched_, [this](const Launched& launched) {
    const bool has_ended = launched.end_us <= host_us_;
    if (has_ended) bytes_in_flight_ -= launched.bytes;
    return has_ended;
  });
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
