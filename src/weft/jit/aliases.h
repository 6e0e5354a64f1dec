// Aliases: tensors that a call finds in more than one place, either twice among its arguments or as an argument and as
// a captured tensor. Inside the function they are one tensor, as they are when the function runs uncompiled. Their
// values are the same either way, but a gradient with respect to one is the gradient with respect to all of them.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include <weft/jit/leaves.h>

namespace weft::jit {

struct ParameterGuard {
  const Parameter* parameter;
  Type type;
  runtime::LayoutId layout = {};

  bool holds() const {
    const Tensor& value = parameter->unobserved();
    return value.defined() && value.type() == type && value.impl().layout == layout;
  }
};

// A place where a call finds a tensor.
struct Finding {
  enum class Kind : std::uint8_t { argument, parameter, captured };
  Kind kind;
  std::uint32_t index;  // of the leaf, or of the captured parameter or tensor

  friend auto operator<=>(const Finding&, const Finding&) = default;
};

struct Alias {
  Finding first, again;  // `first` is the first place of the tensor, `again` another one

  friend auto operator<=>(const Alias&, const Alias&) = default;
};

// Finds the aliases of calls, and keeps its memory from one to the next.
class AliasFinder {
 public:
  // Returns the aliases, sorted; they are valid until the next call.
  const std::vector<Alias>& find(std::span<const Leaf> leaves, std::span<const ParameterGuard> parameters,
                                 std::span<const Tensor> captured);

 private:
  struct Slot {
    const record::TensorImpl* tensor = nullptr;
    std::uint64_t round = 0;
    Finding first = {};
  };

  void look(const record::TensorImpl& tensor, Finding finding);
  Slot& slot_of(const record::TensorImpl& tensor);

  std::vector<Slot> slots_;  // a hash table of the first place of each tensor
  std::uint64_t round_ = 0;  // increasing it clears the table
  std::vector<Alias> found_;
};

}  // namespace weft::jit
