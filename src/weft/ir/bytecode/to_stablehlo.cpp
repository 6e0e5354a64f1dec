#include <algorithm>
#include <iterator>
#include <utility>

#include <weft/ir/bytecode/operation_kind.h>

namespace weft::ir::bytecode {

namespace {

bool is_empty(const Attribute& a) {
  return a.text.empty() && a.items.empty() && a.fields.empty() && a.integers.empty();
}
bool is_word(const Attribute& a, std::string_view word) { return a.kind == Attribute::Kind::word && a.text == word; }
bool is_integer(const Attribute& a, std::int64_t value) {
  return a.kind == Attribute::Kind::integer && a.integer == value;
}

// Returns whether every element of a dense attribute of integers is this small number.
bool is_all(const Attribute& a, char number) {
  if (!a.is_raw || !a.type || a.type.is_complex) return false;
  const Type type = a.type.part;
  if (!is_integer(type.dtype()) && type.dtype() != DType::boolean) return false;
  const std::size_t width = byte_size(type.dtype());
  if (a.text.size() != width && std::cmp_not_equal(a.text.size(), type.bytes())) return false;
  for (std::size_t i = 0; i < a.text.size(); ++i)
    if (a.text[i] != (i % width == 0 ? number : '\0')) return false;
  return true;
}

bool is_unspecified(const Attribute& a) { return is_word(a, "NOTYPE"); }
bool is_original(const Attribute& a) { return is_integer(a, 1); }
bool is_zero(const Attribute& a) { return is_integer(a, 0); }
bool is_false(const Attribute& a) { return a.kind == Attribute::Kind::boolean && a.integer == 0; }
bool is_all_ones(const Attribute& a) { return is_all(a, 1); }
bool is_all_zeros(const Attribute& a) { return is_all(a, 0); }
bool is_default_precision(const Attribute& a) {
  return std::ranges::all_of(a.items, [](const Attribute& item) { return is_word(item, "DEFAULT"); });
}
bool is_default_accuracy(const Attribute& a) {
  constexpr std::string_view zero = "0.000000e+00";
  const auto field = [&](std::string_view name) { return text::find(a.fields, name); };
  const Attribute *atol = field("atol"), *rtol = field("rtol"), *ulps = field("ulps"), *mode = field("mode");
  return atol && atol->text == zero && rtol && rtol->text == zero && ulps && is_zero(*ulps) && mode &&
         is_word(*mode, "DEFAULT");
}

// Attributes that StableHLO's text leaves out if they have their default; the list is that of VhloLegalizeToStablehlo.cpp.
struct Default {
  std::string_view attribute;
  bool (*is_default)(const Attribute&);
};
constexpr Default defaults[] = {
    {"api_version", is_original},
    {"backend_config", is_empty},
    {"base_dilations", is_all_ones},
    {"called_computations", is_empty},
    {"channel_id", is_zero},
    {"compare_type", is_unspecified},
    {"composite_attributes", is_empty},
    {"has_dynamic_root", is_false},
    {"infeed_config", is_empty},
    {"known_expanding_dimensions", is_empty},
    {"known_nonexpanding_dimensions", is_empty},
    {"layout", is_empty},
    {"lhs_dilation", is_all_ones},
    {"outfeed_config", is_empty},
    {"output_operand_aliases", is_empty},
    {"padding", is_all_zeros},
    {"precision_config", is_default_precision},
    {"result_accuracy", is_default_accuracy},
    {"result_tilings", is_empty},
    {"rhs_dilation", is_all_ones},
    {"use_global_device_ids", is_false},
    {"version", is_zero},
    {"window_dilations", is_all_ones},
    {"window_reversal", is_all_zeros},
    {"window_strides", is_all_ones},
};

bool is_omitted(const NamedAttribute& attribute) {
  const auto* const known = std::ranges::find(defaults, attribute.name, &Default::attribute);
  return known != std::end(defaults) && known->is_default(attribute.value);
}

// Layouts are given for all operands and results or for none; an operation without operands has an empty list of them.
void drop_empty_layouts(std::vector<NamedAttribute>& attributes) {
  constexpr std::string_view names[] = {"operand_layouts", "result_layouts"};
  for (const std::string_view name : names) {
    const Attribute* layouts = text::find(attributes, name);
    if (!layouts || !is_empty(*layouts)) return;
  }
  std::erase_if(attributes,
                [&](const NamedAttribute& a) { return std::ranges::find(names, a.name) != std::end(names); });
}

void to_symbols(Attribute& value) {
  if (value.kind == Attribute::Kind::string) value.kind = Attribute::Kind::symbol;
  for (Attribute& item : value.items) to_symbols(item);
}

// VHLO's names of the fields of StableHLO's channel_handle.
std::string_view stablehlo_field(std::string_view field) {
  if (field == "channel_id") return "handle";
  if (field == "channel_type") return "type";
  return field;
}

// Returns the attribute of this name, which is appended if there is none.
Attribute& structure(std::vector<NamedAttribute>& attributes, std::string_view name) {
  const auto found = std::ranges::find(attributes, name, &NamedAttribute::name);
  if (found != attributes.end()) return found->value;
  Attribute& added = attributes.emplace_back(NamedAttribute{name, {}}).value;
  added.kind = Attribute::Kind::dictionary;
  return added;
}

}  // namespace

void to_stablehlo(const OperationKind& kind, std::vector<NamedAttribute>& attributes) {
  if (attributes.empty()) return;
  std::erase_if(attributes, is_omitted);
  drop_empty_layouts(attributes);
  std::vector<NamedAttribute> result;
  for (NamedAttribute& attribute : attributes) {
    const bool names_functions =
        attribute.name == "callee" || attribute.name == "decomposition" || attribute.name == "called_computations";
    if (names_functions) to_symbols(attribute.value);
    const std::string_view field = stablehlo_field(attribute.name);
    const auto member = std::ranges::find(kind.members, field, [](const auto& m) { return m.first; });
    if (member == kind.members.end()) {
      result.push_back(std::move(attribute));
      continue;
    }
    Attribute& whole = structure(result, member->second);
    whole.at = attribute.value.at;
    whole.fields.push_back({field, std::move(attribute.value)});
  }
  attributes = std::move(result);
}

}  // namespace weft::ir::bytecode
