// The operations that bytecode has, in every version of VHLO, with the attributes that they encode without their names.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include <weft/ir/bytecode/stablehlo_version.h>

namespace weft::ir::bytecode {

// An operation whose name has a version (gather_v2) exists in this form from one version of StableHLO to another.
struct OperationForm {
  std::string_view name;  // with the dialect: vhlo.gather_v2
  std::string_view properties;
  StablehloVersion since = oldest_stablehlo, until = newest_stablehlo;
  bool takes_one_operand = false;  // later forms take several
};

// Returns the form with this name; nullptr if there is none.
const OperationForm* find_form(std::string_view name);

// Returns the forms of a VHLO operation, oldest first; `name` is without the dialect and the version: gather.
std::span<const OperationForm> vhlo_forms(std::string_view name);

// An attribute that bytecode encodes without its name.
struct Property {
  std::string_view name;
  bool is_optional = false;
};

// Returns the properties in the order of their encoding.
std::vector<Property> properties_of(const OperationForm& form);

}  // namespace weft::ir::bytecode
