#include <weft/jit/aliases.h>

#include <algorithm>
#include <bit>

#include <weft/base/hash.h>
#include <weft/record/tensor_impl.h>

namespace weft::jit {

namespace {

using record::TensorImpl;

// Returns whether the tensor has holders other than its parameter.
bool is_shared(const TensorImpl& tensor) { return tensor.references.load(std::memory_order_relaxed) > 1; }

}  // namespace

const std::vector<Alias>& AliasFinder::find(std::span<const Leaf> leaves, std::span<const ParameterGuard> parameters,
                                            std::span<const Tensor> captured) {
  const std::size_t most = leaves.size() + parameters.size() + captured.size();
  if (const std::size_t slots = std::bit_ceil(2 * most + 1); slots > slots_.size()) slots_.assign(slots, {});
  ++round_;
  found_.clear();
  for (std::uint32_t i = 0; i < leaves.size(); ++i)
    if (leaves[i].tensor_impl) look(*leaves[i].tensor_impl, {Finding::Kind::argument, i});
  for (std::uint32_t i = 0; i < parameters.size(); ++i) {
    const Tensor& value = parameters[i].parameter->unobserved();
    if (value.defined() && is_shared(value.impl())) look(value.impl(), {Finding::Kind::parameter, i});
  }
  for (std::uint32_t i = 0; i < captured.size(); ++i) look(captured[i].impl(), {Finding::Kind::captured, i});
  std::ranges::sort(found_);
  return found_;
}

void AliasFinder::look(const TensorImpl& tensor, Finding finding) {
  Slot& slot = slot_of(tensor);
  if (slot.round != round_)
    slot = {&tensor, round_, finding};
  else
    found_.push_back({slot.first, finding});
}

AliasFinder::Slot& AliasFinder::slot_of(const TensorImpl& tensor) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t i = mix(0, reinterpret_cast<std::uintptr_t>(&tensor)) & mask;
  while (slots_[i].round == round_ && slots_[i].tensor != &tensor) i = (i + 1) & mask;
  return slots_[i];
}

}  // namespace weft::jit
