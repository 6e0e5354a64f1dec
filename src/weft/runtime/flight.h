// A Flight runs a launch by its schedule: on several streams, each task as soon as what it needs is there. The thread of each
// stream runs that stream's part (run); whichever part ends last completes the launch. A launch on one stream also uses a
// flight if it has inputs that come from elsewhere, so that only the tasks that need them wait.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include <weft/runtime/launch_memory.h>
#include <weft/runtime/launch_record.h>
#include <weft/runtime/launch_timer.h>
#include <weft/runtime/schedule.h>
#include <weft/runtime/thunk_tallies.h>

namespace weft::runtime {

class Flight : public std::enable_shared_from_this<Flight> {
 public:
  // `launch` owns this flight, and lives until the flight completes it.
  Flight(LaunchRecord& launch, std::shared_ptr<const Schedule> schedule, LaunchMemory& memory, ThunkTallies& tallies);

  const Schedule& schedule() const { return *schedule_; }
  // Passes a part to its stream on the calling thread, and waits for everything the part waits for.
  void run(std::uint32_t part, Stream& stream);

 private:
  // A point in a part's stream: all tasks before it are done.
  struct Segment final : Milestone {
    Segment(Flight& of, std::uint32_t in, std::uint32_t done) : flight(of), part(in), tasks(done) {}
    void reached(StreamError error) override { flight.advance(part, tasks, std::move(error)); }

    Flight& flight;
    std::uint32_t part, tasks;
  };
  struct Part {
    std::vector<std::byte*> bases;  // the address of each allocation that the part touches
    std::deque<Segment> segments;
    std::uint32_t done = 0;  // number of tasks that are done
  };

  bool prepare(std::uint32_t part, const Schedule::Task& task, Stream& stream);
  bool find_addresses(std::uint32_t part, std::span<const std::uint32_t> allocations, const Thunk* thunk,
                      Stream& stream);
  bool await(std::span<const Schedule::Wait> waits);
  void await_input(std::uint32_t input) const;
  std::byte* address_of(std::uint32_t part, std::uint32_t allocation, Stream& stream);
  std::byte* address_of_input(std::uint32_t input);
  std::byte* take_donated(std::uint32_t output, std::uint32_t input, Stream& stream);
  void allocate();
  void fail(const std::exception_ptr& error, LaunchRecord::Outcome outcome);
  void advance(std::uint32_t part, std::uint32_t tasks, StreamError error);
  void give_outputs(std::span<const std::uint32_t> outputs);
  void settle_groups(bool all);
  void end();

  const Executable& executable() const { return *launch_.executable; }
  // Returns whether the outputs come with the end of the flight in the order of the compute stream, as those of other launches
  // do.
  bool is_in_stream_order() const { return launch_.groups.empty() && parts_.size() == 1; }
  bool is_reached(std::span<const Schedule::Wait> waits) const;
  std::uint32_t end_of(std::uint32_t part) const { return schedule_->parts[part].tasks.size() + 1; }

  LaunchRecord& launch_;
  const std::shared_ptr<const Schedule> schedule_;
  LaunchMemory& memory_;
  LaunchTimer timer_;

  std::mutex mutex_;  // guards everything below, except the `bases` of a part, which only that part uses
  std::condition_variable changed_;
  std::vector<Part> parts_;
  std::size_t parts_left_;
  bool is_allocated_ = false, has_failed_ = false;
  std::vector<Memory> outputs_;
  std::vector<std::byte*> inputs_;  // the addresses of inputs that were looked up so far
  std::vector<bool> is_settled_;    // indexed by group
};

}  // namespace weft::runtime
