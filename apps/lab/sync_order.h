// Which part of a sync waits for the execution before it: none in weft. The other orders are three stages of PyTorch/XLA (its issue
// #3434), where an input is known by the address of its bytes, which must therefore exist. They give the same results and cost time.
#pragma once

#include <cstdint>
#include <memory>

namespace weft::record {
class SyncStages;
}

namespace weft::lab {

enum class SyncOrder : std::uint8_t {
  logical_ids,         // nothing: an input is known by its place in the recording
  lock_at_collect,     // all of it
  early_walk,          // all but the walk over the graph (pull request #3457)
  early_placeholders,  // the buffers of the results, too, are made before (#4011)
};

// What this thread's syncs do while it lives.
class SyncOrderScope {
 public:
  explicit SyncOrderScope(SyncOrder order);
  ~SyncOrderScope();
  SyncOrderScope(const SyncOrderScope&) = delete;
  SyncOrderScope& operator=(const SyncOrderScope&) = delete;

  // How long the syncs since it began have waited for the device because of the order.
  double waited_us() const;

 private:
  class Stages;
  std::unique_ptr<Stages> stages_;  // null: nothing waits
  record::SyncStages* before_;
};

}  // namespace weft::lab
