#include <weft/jit/aliases.h>

#include <algorithm>
#include <bit>

#include <weft/base/hash.h>
#include <weft/record/tensor_impl.h>

namespace weft::jit {

namespace {

using record::TensorImpl;

// A hash table of the first place of each tensor. For speed, increasing the round number clears the table.
class Firsts {
 public:
  void begin(std::size_t most) {
    if (const std::size_t slots = std::bit_ceil(2 * most + 1); slots > slots_.size()) slots_.assign(slots, {});
    ++round_;
  }
  Finding put(const TensorImpl* tensor, Finding finding) {
    Slot& slot = slot_of(tensor);
    if (slot.round != round_) slot = {tensor, round_, finding};
    return slot.first;
  }

 private:
  struct Slot {
    const TensorImpl* tensor = nullptr;
    std::uint64_t round = 0;
    Finding first = {};
  };

  Slot& slot_of(const TensorImpl* tensor) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t i = mix(0, reinterpret_cast<std::uintptr_t>(tensor)) & mask;
    while (slots_[i].round == round_ && slots_[i].tensor != tensor) i = (i + 1) & mask;
    return slots_[i];
  }

  std::vector<Slot> slots_;
  std::uint64_t round_ = 0;
};

// Returns whether the tensor has holders other than its parameter.
bool is_shared(const TensorImpl& tensor) { return tensor.references.load(std::memory_order_relaxed) > 1; }

}  // namespace

void find_aliases(std::span<const Leaf> leaves, std::span<const ParameterGuard> parameters,
                  std::span<const Tensor> captured, std::vector<Alias>& found) {
  thread_local Firsts firsts;
  firsts.begin(leaves.size() + parameters.size() + captured.size());
  found.clear();
  const auto look = [&](Finding::Kind kind, std::size_t index, const TensorImpl* tensor) {
    const Finding again{kind, static_cast<std::uint32_t>(index)}, first = firsts.put(tensor, again);
    if (first != again) found.push_back({first, again});
  };
  for (std::size_t i = 0; i < leaves.size(); ++i)
    if (leaves[i].tensor_impl) look(Finding::Kind::argument, i, leaves[i].tensor_impl);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Tensor& value = parameters[i].parameter->unobserved();
    if (value.defined() && is_shared(value.impl())) look(Finding::Kind::parameter, i, &value.impl());
  }
  for (std::size_t i = 0; i < captured.size(); ++i) look(Finding::Kind::captured, i, &captured[i].impl());
  std::ranges::sort(found);
}

}  // namespace weft::jit
