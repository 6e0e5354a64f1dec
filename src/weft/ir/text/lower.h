// Lowers syntax to graphs: names become values, attributes become structs, calls are replaced by the function that they call, and
// regions become closed graphs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <weft/ir/text/lexer.h>
#include <weft/ir/text/syntax.h>
#include <weft/ir/text/text.h>

namespace weft::ir::text {

// Returns the operation's name with its dialect, which the text may omit for `call` and `return`.
std::string_view full_name(std::string_view written);

// Throws UnsupportedError unless operations of this name can be lowered. `quoted` is the name as it is shown in messages.
void require_known(const Source& source, std::size_t at, std::string_view name, const std::string& quoted);

// If `refused` is given, functions that cannot be lowered are left out, and the reasons are appended to it: `@main: 1:2: what is wrong`.
Module lower(const Source& source, const SyntaxModule& module, const ParseLimits& limits,
             std::vector<std::string>* refused = nullptr);

}  // namespace weft::ir::text
