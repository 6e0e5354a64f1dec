#include <weft/record/immediates.h>

#include <algorithm>
#include <cstring>

namespace weft::record {

bool ImmediatePool::in_use(const Block& block) {
  // If buffers share their memory, a launch keeps the first of them.
  const runtime::BufferPtr& first = block.buffers.front();
  if (first.use_count() > 1) return true;
  // The count is read without ordering; making and dropping a copy orders the reads of earlier launches before the next writes.
  const runtime::BufferPtr copy = first;
  return false;
}

ImmediatePool::Block ImmediatePool::make(std::span<const runtime::BufferPtr> inputs, std::span<const Type> types,
                                         std::size_t count) {
  Block block;
  auto bytes = std::make_shared<std::vector<Immediate>>(count);
  block.numbers = bytes->front().data();
  block.memory = runtime::Memory(std::shared_ptr<std::byte>(bytes, block.numbers));
  block.buffers.reserve(count);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i]) continue;
    const runtime::Memory at(block.memory, block.numbers + block.buffers.size() * sizeof(Immediate));
    block.buffers.push_back(std::make_shared<runtime::Buffer>(types[i], at));
  }
  return block;
}

void ImmediatePool::fill(std::span<runtime::BufferPtr> inputs, std::span<const Type> types,
                         std::span<const Immediate> values) {
  if (values.empty()) return;
  auto block = std::ranges::find_if_not(blocks_, in_use);
  if (block == blocks_.end()) block = blocks_.insert(block, make(inputs, types, values.size()));
  std::memcpy(block->numbers, values.data(), values.size_bytes());
  auto next = block->buffers.begin();
  for (runtime::BufferPtr& input : inputs) {
    if (!input) input = *next++;
  }
}

}  // namespace weft::record
