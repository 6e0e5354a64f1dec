// What the reader must know of an operation besides what ir/text knows: the attributes that it encodes without their names, and how the
// attributes of VHLO differ from those of StableHLO.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <weft/ir/bytecode/attributes.h>
#include <weft/ir/bytecode/operation_forms.h>

namespace weft::ir::bytecode {

// An attribute of VHLO that StableHLO has as a field of another attribute.
struct Member {
  std::string_view vhlo, field, attribute;
};

// A property, and what the reader has learned of it.
struct KnownProperty : Property {
  bool can_be_left_out = false;              // for some value, StableHLO leaves the attribute out
  std::optional<std::size_t> left_out = {};  // the last attribute seen that StableHLO leaves out, by its position
};

struct OperationKind {
  std::string name;  // as in StableHLO: stablehlo.add for add_v1 of vhlo
  std::vector<KnownProperty> properties;
  std::vector<Member> members;
  bool refers_to_functions = false;  // has attributes that name functions
  bool has_layouts = false;          // of operands and results
  bool is_known = false;             // operations of this name can be lowered; set by who has checked it
  std::size_t last_attributes = 0;   // how many attributes the last operation had as properties; set by the reader
};

// Returns whether attributes of this name in VHLO are names of functions, which it has as strings.
bool names_functions(std::string_view attribute);

// Returns the members of the attributes of an operation of StableHLO, whose name includes the dialect.
std::vector<Member> members_of(std::string_view name);

// Returns what is known of an operation by the name of its dialect and its name in the bytecode.
OperationKind operation_kind(std::string_view dialect, std::string_view name);

// Brings the attributes of an operation, without those that StableHLO leaves out, from VHLO's form into StableHLO's: gathers fields into the
// attributes that have them, and makes names of functions of strings.
void to_stablehlo(const OperationKind& kind, std::vector<NamedAttribute>& attributes);

}  // namespace weft::ir::bytecode
