// Words that were meant to be others.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

// How many letters are to be changed, added or left out to make one word of the other.
std::size_t letters_between(std::string_view from, std::string_view to);

namespace knobs {

struct Misspelled {
  std::string variable, meant;  // the knob's
};
// Of unknown_variables() (knobs.h), those that are almost the variable of a knob.
std::vector<Misspelled> misspelled_variables();

}  // namespace knobs
}  // namespace weft
