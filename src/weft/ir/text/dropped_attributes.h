// Checks attributes that do not change results, such as the precision of a product or the layouts of a call's operands. Graphs do
// not keep them, but a program with an invalid one is refused all the same.
#pragma once

#include <cstdint>
#include <string_view>

#include <weft/ir/text/lexer.h>
#include <weft/ir/text/syntax.h>

namespace weft::ir::text {

// A set of such attributes.
using DroppedAttributes = std::uint32_t;

// Returns those that operations of this name may or must have.
DroppedAttributes dropped_attributes_of(std::string_view operation);

// Throws Error if one of them is not what StableHLO's specification allows; `checked` are those of the operation's name.
void check_dropped_attributes(DroppedAttributes checked, const Source& source, const SyntaxModule& module,
                              const Operation& operation);

}  // namespace weft::ir::text
