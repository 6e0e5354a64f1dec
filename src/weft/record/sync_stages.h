// Sees the stages of a thread's syncs, to measure or to delay them: other engines wait for the device in stages where weft does not
// (apps/lab/sync_order.h). Called on the thread that syncs, by each sync that launches something; what it throws leaves the recording
// as it was.
#pragma once

#include <span>

#include <weft/ir/value.h>
#include <weft/record/recording.h>

namespace weft::record {

class SyncStages {
 public:
  struct Collected {
    std::span<const ir::Value> outputs;
    std::span<const Recording::Input> inputs;
  };

  virtual ~SyncStages() = default;
  // Nothing is collected yet.
  virtual void begins() = 0;
  // What is launched is known; the program is not. Results get their buffers, which hold nothing yet, between the two calls.
  virtual void collected(const Collected& collected) = 0;
  virtual void promised(const Collected& collected) = 0;
};

}  // namespace weft::record
