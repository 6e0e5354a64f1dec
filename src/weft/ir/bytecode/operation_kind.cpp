#include <weft/ir/bytecode/operation_kind.h>

#include <weft/ir/bytecode/vhlo_defaults.h>
#include <weft/ir/legalize/dynamic.h>
#include <weft/ir/ops.h>
#include <weft/ir/text/fields.h>

namespace weft::ir::bytecode {

namespace {

// Fields of StableHLO's attribute algorithm of dot_general.
constexpr std::string_view algorithm_fields[] = {
    "accumulation_type",        "allow_imprecise_accumulation", "lhs_component_count", "lhs_precision_type",
    "num_primitive_operations", "rhs_component_count",          "rhs_precision_type",
};

std::string stablehlo_name(std::string_view dialect, std::string_view name) {
  if (dialect != "vhlo") return concat(dialect, '.', name);
  const std::string_view without_version = name.substr(0, name.rfind("_v"));
  const bool is_function = without_version == "func" || without_version == "call";
  return concat(is_function ? "func." : "stablehlo.", without_version);
}

// Returns the op whose attributes an operation of this name has once it is lowered.
const Op* lowered_op(std::string_view name) {
  const legalize::DynamicOperation* dynamic = legalize::find_dynamic(name);
  const std::string_view becomes = dynamic ? dynamic->becomes : name;
  return find_op(becomes.substr(becomes.find('.') + 1));
}

// VHLO's name for a field.
std::string_view vhlo_name(std::string_view field, std::string_view attribute) {
  if (attribute != "channel_handle") return field;
  return field == "handle" ? "channel_id" : "channel_type";
}

}  // namespace

std::vector<Member> members_of(std::string_view name) {
  std::vector<Member> members;
  if (const Op* op = lowered_op(name)) {
    for (const std::string_view field : text::field_names(*op)) {
      const auto dot = field.find('.');
      if (dot == field.npos) continue;
      const std::string_view attribute = field.substr(0, dot), member = field.substr(dot + 1);
      members.push_back({vhlo_name(member, attribute), member, attribute});
    }
  }
  for (const std::string_view field : algorithm_fields)
    if (name == "stablehlo.dot_general") members.push_back({field, field, "algorithm"});
  return members;
}

OperationKind operation_kind(std::string_view dialect, std::string_view name) {
  OperationKind kind{stablehlo_name(dialect, name), {}, {}};
  if (const OperationForm* form = find_form(concat(dialect, '.', name)))
    for (const Property& property : properties_of(*form))
      kind.properties.push_back({property, can_be_left_out(property.name)});
  kind.members = members_of(kind.name);
  for (const Property& property : kind.properties) {
    kind.has_layouts = kind.has_layouts || property.name == "operand_layouts";
    kind.refers_to_functions = kind.refers_to_functions || names_functions(property.name);
  }
  return kind;
}

}  // namespace weft::ir::bytecode
