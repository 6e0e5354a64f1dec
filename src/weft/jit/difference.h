// What differs between a call and the specialisations that are known, in the user's words.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <weft/jit/explanation.h>
#include <weft/jit/specialization.h>

namespace weft::jit {

// All that differs from the specialisation from which the least differs.
std::string nearest_difference(std::span<const std::shared_ptr<Specialization>> known, std::span<const Leaf> leaves,
                               std::span<const std::string> paths, const Context& now);

// What a replay of `known` would have done otherwise than what was recorded now; empty: nothing.
std::string difference_of_replay(const Specialization& known, const Specialization& recorded);

Explanation::Program describe(const Specialization& specialization);

}  // namespace weft::jit
