// Patterns of names of parameters, in which * stands for any characters, as in a shell.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <weft/tensor/module.h>

namespace weft {

// Returns for each parameter which pattern is the first that matches its name; nullopt if none does. Throws Error, led by `function`, for
// a pattern that matches nothing, or only parameters that earlier patterns match.
std::vector<std::optional<std::size_t>> first_matches(const std::vector<NamedParameter>& parameters,
                                                      const std::vector<std::string>& patterns, const char* function);

}  // namespace weft
