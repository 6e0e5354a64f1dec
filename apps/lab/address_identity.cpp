#include <apps/lab/address_identity.h>

#include <weft/ir/ops.h>

namespace weft::lab {

void AddressIdentity::walk(std::span<const ir::Value> outputs) {
  states_.clear();
  order_.clear();
  for (const ir::Value output : outputs) stack_.push_back(output.node);
  while (!stack_.empty()) {
    const ir::Node* const node = stack_.back();
    const auto [at, first] = states_.try_emplace(node, State::emitting);
    if (first) {
      for (const ir::Value operand : node->operands)
        if (!states_.contains(operand.node)) stack_.push_back(operand.node);
      continue;
    }
    stack_.pop_back();
    if (at->second == State::emitted) continue;
    at->second = State::emitted;
    order_.push_back(node);
  }
}

Fingerprint AddressIdentity::scan_leaves(std::span<const record::Recording::Input> inputs) const {
  std::unordered_map<const std::byte*, std::size_t> known;
  Fingerprint sequence;
  for (const ir::Node* node : order_) {
    if (node->op != &ir::ops::parameter) continue;
    const std::size_t index = node->attributes<ir::ParameterAttributes>().index;
    const runtime::BufferPtr& buffer = inputs[index].buffer;
    if (!buffer) continue;  // a number
    sequence.add(known.try_emplace(buffer->memory().device_address(), known.size()).first->second);
  }
  return sequence;
}

}  // namespace weft::lab
