// Syntax to graphs: names become values, attributes become structs, calls become what they call, regions become closed graphs.
#pragma once

#include <string_view>

#include <weft/ir/text/lexer.h>
#include <weft/ir/text/syntax.h>
#include <weft/ir/text/text.h>

namespace weft::ir::text {

// The operation's name with its dialect, which `call` and `return` may leave out.
std::string_view full_name(std::string_view written);

// Whether the operation can be lowered.
bool is_known(std::string_view name);

Module lower(const Source& source, const SyntaxModule& module, const ParseLimits& limits);

}  // namespace weft::ir::text
