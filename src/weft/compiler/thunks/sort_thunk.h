// sort by one operand: rows of keys that compare as unsigned integers, each with the place it came from.
#pragma once

#include <optional>

#include <weft/compiler/unit.h>

namespace weft::compiler {

// Empty if the comparator is more than a comparison of the two elements of one operand.
std::optional<Unit> sort_unit(const ir::Node& node);

}  // namespace weft::compiler
