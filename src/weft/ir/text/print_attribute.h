// Prints attributes that were not read from text.
#pragma once

#include <string>
#include <string_view>

#include <weft/ir/text/syntax.h>

namespace weft::ir::text {

// Appends a name, in quotes unless it is an identifier. Its escapes are unresolved, as in the text of a string.
void print_name(std::string& out, std::string_view name);

// Appends the attribute as MLIR prints it: 1 : i32, 1.000000e+00 : f32, [true, "a"], {b = @f}. An attribute that has text is appended as it
// is; a unit attribute is nothing. A word is printed without its dialect, and complex elements are left out.
void print_attribute(std::string& out, const Attribute& attribute);

}  // namespace weft::ir::text
