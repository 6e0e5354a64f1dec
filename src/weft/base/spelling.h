// Suggestions for unknown words: the known words that were probably meant.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

// Returns how many letters must be changed, added or removed to turn one word into the other.
std::size_t letters_between(std::string_view from, std::string_view to);

namespace knobs {

// Returns one line for each of unknown_variables() (knobs.h): "WEFT_THREADS is not a knob; did you mean WEFT_NUM_THREADS?"
std::vector<std::string> unknown_variable_warnings();

}  // namespace knobs
}  // namespace weft
