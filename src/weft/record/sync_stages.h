// Sees the stages of a thread's syncs, to measure or to delay them: other engines wait for the device in stages where weft does
// not (apps/lab/sync_order.h). Called on the thread that syncs, by each sync that launches something; if it throws, the
// recording stays as it was.
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
  // Called before anything is collected.
  virtual void begins() = 0;
  // Called when the inputs and outputs of the launch are known, but not its program. Between collected() and promised(),
  // results get their buffers, which hold nothing yet.
  virtual void collected(const Collected& collected) = 0;
  virtual void promised(const Collected& collected) = 0;
};

}  // namespace weft::record
