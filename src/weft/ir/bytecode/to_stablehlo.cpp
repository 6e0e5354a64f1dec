#include <algorithm>
#include <iterator>
#include <utility>

#include <weft/ir/bytecode/operation_kind.h>
#include <weft/ir/bytecode/vhlo_defaults.h>

namespace weft::ir::bytecode {

namespace {

// Layouts are given for all operands and results or for none; an operation without operands has an empty list of them.
void drop_empty_layouts(std::vector<NamedAttribute>& attributes) {
  constexpr std::string_view names[] = {"operand_layouts", "result_layouts"};
  for (const std::string_view name : names) {
    const Attribute* layouts = text::find(attributes, name);
    if (!layouts || !has_default({name, *layouts})) return;
  }
  std::erase_if(attributes,
                [&](const NamedAttribute& a) { return std::ranges::find(names, a.name) != std::end(names); });
}

void to_symbols(Attribute& value) {
  if (value.kind == Attribute::Kind::string) value.kind = Attribute::Kind::symbol;
  for (Attribute& item : value.items) to_symbols(item);
}

// Returns the attribute of this name, which is appended if there is none.
Attribute& structure(std::vector<NamedAttribute>& attributes, std::string_view name) {
  const auto found = std::ranges::find(attributes, name, &NamedAttribute::name);
  if (found != attributes.end()) return found->value;
  Attribute& added = attributes.emplace_back(NamedAttribute{name, {}}).value;
  added.kind = Attribute::Kind::dictionary;
  return added;
}

void gather_members(const OperationKind& kind, std::vector<NamedAttribute>& attributes) {
  std::vector<NamedAttribute> result;
  result.reserve(attributes.size());
  for (NamedAttribute& attribute : attributes) {
    const auto member = std::ranges::find(kind.members, attribute.name, &Member::vhlo);
    if (member == kind.members.end()) {
      result.push_back(std::move(attribute));
      continue;
    }
    Attribute& whole = structure(result, member->attribute);
    whole.at = attribute.value.at;
    whole.fields.push_back({member->field, std::move(attribute.value)});
  }
  attributes = std::move(result);
}

}  // namespace

bool names_functions(std::string_view attribute) {
  return attribute == "callee" || attribute == "decomposition" || attribute == "called_computations";
}

void to_stablehlo(const OperationKind& kind, std::vector<NamedAttribute>& attributes) {
  if (attributes.empty()) return;
  if (kind.has_layouts) drop_empty_layouts(attributes);
  if (kind.refers_to_functions)
    for (NamedAttribute& attribute : attributes)
      if (names_functions(attribute.name)) to_symbols(attribute.value);
  if (!kind.members.empty()) gather_members(kind, attributes);
}

}  // namespace weft::ir::bytecode
