// The attributes that bytecode encodes without their names: the properties of an operation.
#pragma once

#include <string_view>
#include <vector>

namespace weft::ir::bytecode {

struct Property {
  std::string_view name;
  bool is_optional = false;
};

// Returns the properties in the order of their encoding; `operation` is a name such as vhlo.gather_v2. Empty if it has none.
std::vector<Property> properties_of(std::string_view operation);

}  // namespace weft::ir::bytecode
