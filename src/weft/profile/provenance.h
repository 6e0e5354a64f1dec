// Where the sizes of a program's values come from: a dimension is followed through every op back to the inputs, so that "why 256?"
// has an answer: "input 0 dim 0 / 2".
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include <weft/profile/hlo_text.h>

namespace weft::profile {

// f32[8,256]{1,0} has the sizes 8 and 256; a tuple has none here.
std::vector<std::int64_t> sizes_of(const std::string& shape);

class Provenance {
 public:
  explicit Provenance(const HloModule& module);

  // One text for each dimension of an instruction's result: "input 0 dim 1", "(input 0 dim 0) * (input 0 dim 1)", "constant". Empty
  // for tuples.
  const std::vector<std::string>& of(const HloInstruction& instruction) const;

 private:
  using Dims = std::vector<std::string>;

  void follow(const HloComputation& computation, const std::vector<Dims>* arguments);
  Dims dims_of(const HloInstruction& instruction, const std::unordered_map<std::string, const HloInstruction*>& by_name,
               const std::vector<Dims>* arguments);

  const HloModule& module_;
  std::unordered_map<const HloInstruction*, Dims> known_;
  std::unordered_map<const HloInstruction*, std::vector<Dims>> elements_;  // of tuples
};

}  // namespace weft::profile
