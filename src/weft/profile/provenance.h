// Where the sizes of a program's values come from: a dimension is followed through every op back to the inputs, so that "why 256?"
// has an answer: "input 0 dim 0 / 2".
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <weft/profile/hlo_text.h>

namespace weft::profile {

// f32[8,256]{1,0} has the sizes 8 and 256. A tuple has none here, nor has a shape of more dimensions than tensors can have.
std::vector<std::int64_t> sizes_of(std::string_view shape);

// A value of a program, with a text for each dimension that says where its size comes from.
struct TracedValue {
  std::vector<std::int64_t> sizes = {};
  std::vector<std::string> dims = {};                                         // as many as sizes
  std::shared_ptr<const std::vector<const TracedValue*>> elements = nullptr;  // of a tuple whose elements are known
};

class Provenance {
 public:
  explicit Provenance(const HloModule& module);

  // One text for each dimension of an instruction's result: "input 0 dim 1", "(input 0 dim 0) * (input 0 dim 1)", "constant". Empty
  // for tuples.
  const std::vector<std::string>& of(const HloInstruction& instruction) const;

 private:
  using Values = std::vector<const TracedValue*>;
  using Names = std::map<std::string_view, const TracedValue*>;

  void follow(const HloComputation& computation, const Values* arguments);
  TracedValue value_of(const HloInstruction& instruction, const Names& names, const Values* arguments);
  TracedValue result_of_fusion(const HloInstruction& instruction, const HloComputation& fused, const Values& operands);
  TracedValue element_of_tuple(const HloInstruction& instruction, const TracedValue& tuple);
  TracedValue tuple_of_results(const HloInstruction& instruction, Values operands);

  const HloModule& module_;
  std::unordered_map<const HloInstruction*, TracedValue> known_;
  std::deque<TracedValue> results_;  // of instructions with several
};

}  // namespace weft::profile
