// Selects which part of a sync waits for the previous execution; in weft none does. The other orders are three stages of
// PyTorch/XLA (its issue #3434), where inputs are identified by the address of their bytes, which must therefore exist. All
// orders give the same results; the waiting ones cost time.
#pragma once

#include <cstdint>
#include <memory>

namespace weft::record {
class SyncStages;
}

namespace weft::lab {

enum class SyncOrder : std::uint8_t {
  logical_ids,         // nothing waits: an input is identified by its place in the recording
  lock_at_collect,     // the whole sync waits
  early_walk,          // all waits except the walk over the graph (pull request #3457)
  early_placeholders,  // the buffers of the results are also allocated before the wait (#4011)
};

// Sets the order of this thread's syncs for the lifetime of this object.
class SyncOrderScope {
 public:
  explicit SyncOrderScope(SyncOrder order);
  ~SyncOrderScope();
  SyncOrderScope(const SyncOrderScope&) = delete;
  SyncOrderScope& operator=(const SyncOrderScope&) = delete;

  // Returns how long the syncs of this scope have waited for the device because of the order.
  double waited_us() const;

 private:
  class Stages;
  std::unique_ptr<Stages> stages_;  // null if nothing waits
  record::SyncStages* before_;
};

}  // namespace weft::lab
