// The processes of one program. A program runs as a grid of replicas and partitions, each process in its own thread; this file is
// where the processes meet. If a process fails, or if the waiting processes can never be served, all waits end with an error.
#pragma once

#include <compare>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <weft/ir/array.h>
#include <weft/ir/process_groups.h>

namespace weft::ir::interpreter {

// Thread-safe.
class ProcessGrid {
 public:
  // `infeed` holds the tensors that the infeeds of the processes receive, in this order.
  ProcessGrid(std::int64_t replicas, std::int64_t partitions, std::vector<std::vector<Array>> infeed = {});

  std::int64_t replicas() const { return replicas_; }
  std::int64_t partitions() const { return partitions_; }

  using Offer = std::vector<Array>;  // the tensors that one process brings
  // Waits until every process of the group has called this with the same purpose and channel. Returns what each brought, in the
  // order of the group. Throws Error if that can no longer happen.
  std::shared_ptr<const std::vector<Offer>> meet(std::string_view purpose, std::int64_t channel,
                                                 const ProcessGroup& group, ProcessId me, Offer offer);

  void send(std::int64_t channel, Offer offer);  // does not wait
  Offer receive(std::int64_t channel);           // waits for the next offer; throws Error if none can come
  Offer infeed();                                // throws Error if there is no more

  // Say that a process finished, or failed.
  void finish();
  void fail(const std::string& reason);

 private:
  struct Waiter {
    std::condition_variable wake;
    bool woken = false;
  };
  struct Meeting {
    std::vector<Offer> offers;
    std::size_t present = 0;
    std::vector<Waiter*> waiting;
  };
  struct Place {
    std::string purpose;
    std::int64_t channel;
    ProcessGroup group;
    friend auto operator<=>(const Place&, const Place&) = default;
  };

  void require_running(std::string_view purpose) const;
  void wait(std::unique_lock<std::mutex>& lock, Waiter& waiter, std::string_view purpose);
  void wake(Waiter& waiter);
  void stop_if_stuck();
  void stop(const std::string& reason);

  const std::int64_t replicas_, partitions_;
  std::mutex mutex_;
  std::map<Place, std::shared_ptr<Meeting>> meetings_;  // meetings that are not complete yet
  std::map<std::int64_t, std::deque<Offer>> sent_;      // by channel
  std::map<std::int64_t, std::deque<Waiter*>> receivers_;
  std::deque<Offer> infeed_;
  std::int64_t running_;
  std::vector<Waiter*> waiting_;
  std::string stopped_;  // the reason for stopping; empty while the program runs
};

}  // namespace weft::ir::interpreter
