#include <weft/ir/bytecode/to_vhlo.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include <weft/ir/bytecode/operation_kind.h>
#include <weft/ir/bytecode/vhlo_defaults.h>

namespace weft::ir::bytecode {

namespace {

using text::NamedAttribute;
using text::Operation;

// Returns the name without the dialect; functions are part of VHLO.
std::string_view vhlo_name(const Operation& operation, const WriteContext& context) {
  for (const std::string_view dialect : {"stablehlo.", "func."})
    if (operation.name.starts_with(dialect)) return operation.name.substr(dialect.size());
  context.fail("StableHLO has no such operation; it cannot be written as bytecode");
}

// Returns a call of the composite's decomposition, which computes the same.
Operation call_of_decomposition(const Operation& composite) {
  Operation call = composite;
  call.name = "func.call";
  call.attributes.clear();
  for (const NamedAttribute& attribute : composite.attributes)
    if (attribute.name == "decomposition")
      call.attributes.push_back({"callee", attribute.value});
    else if (attribute.name.find('.') != attribute.name.npos)
      call.attributes.push_back(attribute);
  return call;
}

// In attributes with fields, StableHLO's text writes a list of numbers like any other list: [0, 1].
text::Attribute with_numbers(text::Attribute field) {
  if (field.kind != text::Attribute::Kind::list) return field;
  field.kind = text::Attribute::Kind::integers;
  for (const text::Attribute& item : field.items) field.integers.push_back(item.integer);
  field.items.clear();
  return field;
}

// Returns the attributes with the fields of attributes that VHLO does not have in their place.
std::vector<NamedAttribute> flattened(const Operation& operation) {
  const std::vector<Member> members = members_of(operation.name);
  std::vector<NamedAttribute> result;
  for (const NamedAttribute& attribute : operation.attributes) {
    if (std::ranges::find(members, attribute.name, &Member::attribute) == members.end()) {
      result.push_back(attribute);
      continue;
    }
    for (const NamedAttribute& field : attribute.value.fields) {
      const auto is_member = [&](const Member& m) { return m.attribute == attribute.name && m.field == field.name; };
      const auto member = std::ranges::find_if(members, is_member);
      if (member != members.end()) result.push_back({member->vhlo, with_numbers(field.value)});
    }
  }
  return result;
}

// Returns the number of dimensions in which the operation's windows move.
std::int64_t window_dimensions(const Operation& operation, const std::vector<NamedAttribute>& attributes) {
  if (const text::Attribute* spatial = text::find(attributes, "input_spatial_dimensions"))
    return std::ssize(spatial->integers);
  return operation.operand_types.empty() ? 0 : operation.operand_types[0].part.rank();
}

bool has_property(const OperationForm& form, std::string_view name) {
  const std::vector<Property> properties = properties_of(form);
  return std::ranges::find(properties, name, &Property::name) != properties.end();
}

// Throws Error unless a form without the attribute means the same.
void require_without(const NamedAttribute& attribute, std::string_view name, const WriteContext& context) {
  const auto forms = vhlo_forms(name);
  const auto found = std::ranges::find_if(forms, [&](const auto& form) { return has_property(form, attribute.name); });
  const bool is_of_none = found == forms.end();
  if (has_default(attribute) || (is_of_none && attribute.name == "channel_type")) return;
  if (is_of_none) context.fail(concat("StableHLO's operation has no attribute ", attribute.name));
  context.require_since(found->since, concat(attribute.name, " exists"));
}

void require_one_operand(const Operation& operation, const OperationForm& form, const WriteContext& context) {
  if (!form.takes_one_operand || operation.operand_types.size() == 1) return;
  context.require_since((&form + 1)->since, "takes several operands");
}

// Reductions could not always compute in another type than their operands have.
void require_types(const Operation& operation, std::string_view name, const WriteContext& context) {
  constexpr StablehloVersion reduces_in_other_types{0, 17};
  constexpr std::string_view reductions[] = {"all_reduce",    "reduce",  "reduce_scatter",
                                             "reduce_window", "scatter", "select_and_scatter"};
  if (std::ranges::find(reductions, name) == std::end(reductions)) return;
  for (std::size_t i = 0; i < std::min(operation.operand_types.size(), operation.result_types.size()); ++i)
    if (operation.operand_types[i].part.dtype() != operation.result_types[i].part.dtype())
      context.require_since(reduces_in_other_types, "computes in another type than its operands have");
}

}  // namespace

const OperationForm& form_of(std::string_view name, const WriteContext& context) {
  const auto forms = vhlo_forms(name);
  if (forms.empty()) context.fail("StableHLO has no such operation; it cannot be written as bytecode");
  context.require_since(forms.front().since, "exists");
  const auto found = std::ranges::find_if(forms, [&](const auto& form) { return context.target <= form.until; });
  WEFT_ASSERT(found != forms.end(), "no form of ", name, " reaches version ", context.target);
  return *found;
}

VhloOperation to_vhlo(const Operation& operation, const WriteContext& context) {
  constexpr StablehloVersion has_composites{0, 19};
  if (operation.name == "stablehlo.composite" && context.target < has_composites)
    return to_vhlo(call_of_decomposition(operation), context);
  const std::string_view name = vhlo_name(operation, context);
  const OperationForm& form = form_of(name, context);
  require_one_operand(operation, form, context);
  require_types(operation, name, context);
  std::vector<NamedAttribute> attributes = flattened(operation);
  const std::int64_t dimensions = window_dimensions(operation, attributes);
  VhloOperation result{&form, {}, {}};
  for (const Property& property : properties_of(form)) {
    const auto given = std::ranges::find(attributes, property.name, &NamedAttribute::name);
    if (given != attributes.end()) {
      result.properties.push_back(std::move(*given));
      attributes.erase(given);
    } else if (auto value = default_of(property.name, dimensions)) {
      result.properties.push_back({property.name, std::move(*value)});
    } else {
      context.fail(concat("has no attribute ", property.name));
    }
  }
  for (NamedAttribute& attribute : attributes)
    if (attribute.name.find('.') == attribute.name.npos)
      require_without(attribute, name, context);
    else
      result.others.push_back(std::move(attribute));
  return result;
}

}  // namespace weft::ir::bytecode
