// Lowers syntax to graphs: names become values, attributes become structs, calls are replaced by the function that they call, and
// regions become closed graphs.
#pragma once

#include <string_view>

#include <weft/ir/text/lexer.h>
#include <weft/ir/text/syntax.h>
#include <weft/ir/text/text.h>

namespace weft::ir::text {

// Returns the operation's name with its dialect, which the text may omit for `call` and `return`.
std::string_view full_name(std::string_view written);

// Returns whether the operation can be lowered.
bool is_known(std::string_view name);

Module lower(const Source& source, const SyntaxModule& module, const ParseLimits& limits);

}  // namespace weft::ir::text
