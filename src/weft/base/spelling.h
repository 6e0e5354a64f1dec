// Words that are not known, and the known ones that were probably meant.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

// How many letters are to be changed, added or left out to make one word of the other.
std::size_t letters_between(std::string_view from, std::string_view to);

namespace knobs {

// One line for each of unknown_variables() (knobs.h): "WEFT_THREADS is not a knob; did you mean WEFT_NUM_THREADS?"
std::vector<std::string> unknown_variable_warnings();

}  // namespace knobs
}  // namespace weft
