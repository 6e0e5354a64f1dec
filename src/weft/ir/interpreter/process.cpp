#include <weft/ir/interpreter/process.h>

#include <algorithm>
#include <utility>

#include <weft/base/error.h>

namespace weft::ir::interpreter {

ProcessGrid::ProcessGrid(std::int64_t replicas, std::int64_t partitions, std::vector<std::vector<Array>> infeed)
    : replicas_(replicas),
      partitions_(partitions),
      infeed_(std::make_move_iterator(infeed.begin()), std::make_move_iterator(infeed.end())),
      running_(replicas * partitions) {}

std::shared_ptr<const std::vector<ProcessGrid::Offer>> ProcessGrid::meet(std::string_view purpose, std::int64_t channel,
                                                                         const ProcessGroup& group, ProcessId me,
                                                                         Offer offer) {
  std::unique_lock lock(mutex_);
  require_running(purpose);
  const Place place{std::string(purpose), channel, group};
  std::shared_ptr<Meeting>& open = meetings_[place];
  if (!open) {
    open = std::make_shared<Meeting>();
    open->offers.resize(group.size());
  }
  const std::shared_ptr<Meeting> meeting = open;
  const std::size_t position = std::ranges::find(group, me) - group.begin();
  WEFT_ASSERT(position < group.size(), purpose, ": a process meets a group that it is not in");
  meeting->offers[position] = std::move(offer);
  if (++meeting->present == group.size()) {
    meetings_.erase(place);  // later arrivals start a new meeting
    for (Waiter* waiter : meeting->waiting) wake(*waiter);
  } else {
    Waiter waiter;
    meeting->waiting.push_back(&waiter);
    wait(lock, waiter, purpose);
  }
  return {meeting, &meeting->offers};
}

void ProcessGrid::send(std::int64_t channel, Offer offer) {
  const std::lock_guard lock(mutex_);
  require_running("send");
  sent_[channel].push_back(std::move(offer));
  auto& receivers = receivers_[channel];
  if (receivers.empty()) return;
  wake(*receivers.front());
  receivers.pop_front();
}

ProcessGrid::Offer ProcessGrid::receive(std::int64_t channel) {
  std::unique_lock lock(mutex_);
  require_running("recv");
  auto& receivers = receivers_[channel];
  while (sent_[channel].empty()) {
    Waiter waiter;
    receivers.push_back(&waiter);
    wait(lock, waiter, "recv");
  }
  Offer offer = std::move(sent_[channel].front());
  sent_[channel].pop_front();
  return offer;
}

ProcessGrid::Offer ProcessGrid::infeed() {
  const std::lock_guard lock(mutex_);
  require(!infeed_.empty(), "infeed: there is no more data");
  Offer offer = std::move(infeed_.front());
  infeed_.pop_front();
  return offer;
}

void ProcessGrid::finish() {
  const std::lock_guard lock(mutex_);
  --running_;
  stop_if_stuck();
}

void ProcessGrid::fail(const std::string& reason) {
  const std::lock_guard lock(mutex_);
  --running_;
  stop(reason);
}

// After a stop, the waiters that are still in a list must not be touched.
void ProcessGrid::require_running(std::string_view purpose) const {
  require(stopped_.empty(), purpose, ": ", stopped_);
}

void ProcessGrid::wait(std::unique_lock<std::mutex>& lock, Waiter& waiter, std::string_view purpose) {
  waiting_.push_back(&waiter);
  stop_if_stuck();
  waiter.wake.wait(lock, [&] { return waiter.woken || !stopped_.empty(); });
  if (!waiter.woken) require_running(purpose);
}

void ProcessGrid::wake(Waiter& waiter) {
  std::erase(waiting_, &waiter);
  waiter.woken = true;
  waiter.wake.notify_one();
}

void ProcessGrid::stop_if_stuck() {
  if (running_ > 0 && std::ssize(waiting_) == running_) stop("every process that still runs waits for another");
}

void ProcessGrid::stop(const std::string& reason) {
  if (!stopped_.empty()) return;
  stopped_ = reason;
  for (Waiter* waiter : waiting_) waiter->wake.notify_one();
}

}  // namespace weft::ir::interpreter
