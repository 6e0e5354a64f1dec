// The identity of a recording where a buffer is known by the address of its bytes, as in PyTorch/XLA: what its
// orders of a sync do (sync_order.h) and weft does not.
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
  // Every node that the outputs depend on, operands first.
  void walk(std::span<const ir::Value> outputs);
  // Which of the inputs met on the walk are one buffer. Needs the bytes of all of them.
  Fingerprint scan_leaves(std::span<const record::Recording::Input> inputs) const;

  std::size_t nodes() const { return order_.size(); }

 private:
  enum class State : std::uint8_t { emitting, emitted };

  std::unordered_map<const ir::Node*, State> states_;
  std::vector<const ir::Node*> stack_, order_;
};

}  // namespace weft::lab
