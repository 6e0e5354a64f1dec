// Describes guards in the user's words.
#pragma once

#include <cstdint>
#include <string>

#include <weft/jit/specialization.h>

namespace weft::jit {

// Returns how a sharded tensor is held: " sharded as [{"data"}, {}] over data=8"; empty for one on one device.
std::string layout_text(runtime::LayoutId layout);

// Returns the characters that a text leaf holds.
std::string characters_of(const Leaf& leaf);
// Returns the number as text, such as "true" or "0.5".
std::string number_text(const ValueGuard& guard, std::uint64_t bits);
// Returns the name of the guarded value or a description, such as "training" or "a Flag".
std::string name_of(const ValueGuard& guard);
// Returns the path of the parameter to which the flag belongs, or of the module that reads it; empty if unknown.
std::string owner_of(const ValueGuard& guard, const Specialization& s);
// Describes an alias, such as "argument 0.x and what parameter w holds".
std::string alias_text(const Alias& alias, const Specialization& s);

}  // namespace weft::jit
