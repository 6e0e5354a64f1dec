// Describes, for messages, how a call differs from the known specialisations.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <weft/jit/explanation.h>
#include <weft/jit/specialization.h>

namespace weft::jit {

// The differences between a call and a specialisation.
struct Difference {
  std::vector<std::string> types;  // types, structure, state: differences that need another program
  // Numbers, switches, other instances: inputs of the same program if the function does the same.
  std::vector<std::string> values;
  // Dimensions whose size is the only difference of a type: dimension 0 of argument images.
  std::vector<std::string> sizes;

  bool none() const { return types.empty() && values.empty(); }
  // Returns the differences as text; appends `about_sizes` if sizes differ.
  std::string text(const std::string& about_sizes) const;
};

// Returns the differences from the specialisation with the fewest differences; none if the call fits one, or if nothing
// is known.
Difference nearest_difference(std::span<const std::shared_ptr<const Specialization>> known,
                              std::span<const Leaf> leaves, std::span<const std::string> paths, const Context& now);

// Returns what a replay of `known` would have done differently from `recorded`; empty if nothing.
std::string difference_of_replay(const Specialization& known, const Specialization& recorded);

Explanation::Program describe(const Specialization& specialization, const ExplainOptions& options);

}  // namespace weft::jit
