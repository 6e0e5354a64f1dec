// The attributes that VHLO always writes, and that StableHLO's text may leave out: what they are where they are left out.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <weft/ir/text/syntax.h>

namespace weft::ir::bytecode {

// Returns whether the attribute has its default; false if attributes of this name have none.
bool has_default(const text::NamedAttribute& attribute);

// Returns whether an attribute that was read is to be left out: it has its default, and StableHLO's own converter leaves it out, too.
bool is_left_out(const text::NamedAttribute& attribute);

// Returns whether there is a value with which an attribute of this name is left out.
bool can_be_left_out(std::string_view name);

// Returns the default of attributes of this name; nullopt if they have none. It lives as long as the process. `dimensions` is the number of
// dimensions for which a list has numbers.
std::optional<text::Attribute> default_of(std::string_view name, std::int64_t dimensions);

}  // namespace weft::ir::bytecode
