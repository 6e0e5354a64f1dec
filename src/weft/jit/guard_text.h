// What a guard asks for, in the user's words.
#pragma once

#include <cstdint>
#include <string>

#include <weft/jit/specialization.h>

namespace weft::jit {

// The characters that a leaf of text holds.
std::string characters_of(const Leaf& leaf);
// "true", "0.5".
std::string number_text(const ValueGuard& guard, std::uint64_t bits);
// "training", "a Flag".
std::string name_of(const ValueGuard& guard);
// Returns the path of the parameter whose flag it is, or of the module that reads it; an empty string if it is not known.
std::string owner_of(const ValueGuard& guard, const Specialization& s);
// "argument 0.x and what parameter w holds".
std::string alias_text(const Alias& alias, const Specialization& s);

}  // namespace weft::jit
