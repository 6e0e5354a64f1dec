// Identifies a recording if buffers are identified by the address of their bytes, as in PyTorch/XLA. The emulated orders of a
// sync (sync_order.h) need this; weft does not.
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include <weft/base/hash.h>
#include <weft/ir/graph.h>
#include <weft/record/recording.h>

namespace weft::lab {

class AddressIdentity {
 public:
  // Visits every node on which the outputs depend, operands first.
  void walk(std::span<const ir::Value> outputs);
  // Returns a hash of which visited inputs share a buffer. Needs the bytes of all of them.
  Fingerprint scan_leaves(std::span<const record::Recording::Input> inputs) const;

  std::size_t nodes() const { return order_.size(); }

 private:
  enum class State : std::uint8_t { emitting, emitted };

  std::unordered_map<const ir::Node*, State> states_;
  std::vector<const ir::Node*> stack_, order_;
};

}  // namespace weft::lab
