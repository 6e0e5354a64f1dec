// Formats elements of arrays for people: integers in full, booleans as words, and floats with the fewest digits that give the
// same number when they are read back in the element's type.
#pragma once

#include <cstdint>
#include <string>

#include <weft/ir/array.h>

namespace weft::ir {

// Returns element `i` in row-major order: "-9223372036854775808", "true", "0.1", "1e+20", "nan".
std::string element_text(const Array& array, std::int64_t i);

}  // namespace weft::ir
