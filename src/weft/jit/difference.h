// What differs between a call and the specialisations that are known, in the user's words.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <weft/jit/explanation.h>
#include <weft/jit/specialization.h>

namespace weft::jit {

// What a call differs in from a specialisation.
struct Difference {
  std::vector<std::string> types;  // types, structure, state: what asks for another program
  std::vector<std::string>
      values;  // numbers, switches, other instances: inputs of one program, if the function does the same
  std::vector<std::string> sizes;  // of arguments, that are all that differs in a type: dimension 0 of argument images

  bool none() const { return types.empty() && values.empty(); }
  // `about_sizes`: said where sizes differ.
  std::string text(const std::string& about_sizes) const;
};

// From the one from which the least differs; none: it is known, or nothing is.
Difference nearest_difference(std::span<const std::shared_ptr<const Specialization>> known,
                              std::span<const Leaf> leaves, std::span<const std::string> paths, const Context& now);

// What a replay of `known` would have done otherwise than what was recorded now; empty: nothing.
std::string difference_of_replay(const Specialization& known, const Specialization& recorded);

Explanation::Program describe(const Specialization& specialization);

}  // namespace weft::jit
