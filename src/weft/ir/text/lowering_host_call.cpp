// Lowers calls of functions of the host. What a typed call says besides its target is kept as text.
#include <algorithm>

#include <weft/ir/ops.h>
#include <weft/ir/text/fields.h>
#include <weft/ir/text/literal.h>
#include <weft/ir/text/lowering.h>

namespace weft::ir::text {

namespace {

std::string integers(std::span<const std::int64_t> values) {
  std::string out = "array<i64";
  for (std::size_t i = 0; i < values.size(); ++i) out += concat(i == 0 ? ": " : ", ", values[i]);
  return out += '>';
}

std::string complex_positions(std::span<const WrittenType> types) {
  std::vector<std::int64_t> positions;
  for (std::size_t i = 0; i < types.size(); ++i)
    if (types[i].is_complex) positions.push_back(static_cast<std::int64_t>(i));
  return integers(positions);
}

// [array<i64: 0, 1>, array<i64>]: the dimensions of each value, the one whose elements lie side by side first.
std::string layouts(const Source& source, const Attribute& attribute) {
  std::string out;
  for (const Attribute& item : attribute.items) {
    Arena arena;
    const Literal literal = read_literal(source, item, item.type.part, arena);
    std::vector<std::int64_t> order;
    for (std::int64_t d = 0; d < item.type.part.elements(); ++d) order.push_back(literal.at<std::int64_t>(d));
    out += (out.empty() ? "[" : ", ") + integers(order);
  }
  return out.empty() ? "[]" : out + ']';
}

}  // namespace

namespace {

// Returns the dictionary of a typed call: its backend_config if its api_version is 4, or the attribute that JAX adds instead. Returns null for
// other calls.
const Attribute* dictionary_of(const Operation& op) {
  static constexpr Attribute::Kind dictionary = Attribute::Kind::dictionary;
  static const Attribute empty = [] {
    Attribute made;
    made.kind = dictionary;
    return made;
  }();
  const Attribute *version = find(op.attributes, "api_version"), *config = find(op.attributes, "backend_config"),
                  *added = find(op.attributes, "mhlo.backend_config");
  if (version && version->integer == 4) return config ? config : &empty;
  return added && added->kind == dictionary ? added : nullptr;
}

}  // namespace

bool is_typed_call(const Operation& op) { return dictionary_of(op) != nullptr; }

std::string Lowering::typed_call_config(const Operation& op) {
  std::string out = "{";
  const auto add = [&](std::string_view name, const std::string& value) {
    out += concat(out.size() > 1 ? ", " : "", name, " = ", value);
  };
  add("attributes", verbatim_.text(*dictionary_of(op)));
  for (const std::string_view name : {"operand_layouts", "result_layouts"})
    if (const Attribute* attribute = find(op.attributes, name))
      add(name, layouts(source_, resolve(source_, module_, *attribute)));
  if (const Attribute* aliases = find(op.attributes, "output_operand_aliases"))
    add("output_operand_aliases", verbatim_.text(*aliases));
  if (std::ranges::any_of(op.operand_types, &WrittenType::is_complex))
    add("complex_operands", complex_positions(op.operand_types));
  if (std::ranges::any_of(op.result_types, &WrittenType::is_complex))
    add("complex_results", complex_positions(op.result_types));
  return out + '}';
}

Values Lowering::call_of_host(Graph& graph, const Scope& scope, const Operation& op, std::string_view target) {
  const std::vector<Type> types = flattened(op.result_types);
  if (!is_typed_call(op))
    return append(graph, op, ops::custom_call, operands(scope, op), types, closed_regions(op, scope, {}));
  const std::string config = typed_call_config(op), name = unescape(target);
  Operation call = op;  // the dictionary is in `config`
  std::erase_if(call.attributes, [](const NamedAttribute& a) { return a.name == "mhlo.backend_config"; });
  const Attribute* effect = find(op.attributes, "has_side_effect");
  const CustomCallAttributes attributes{
      .target = name, .has_side_effect = effect && effect->integer != 0, .backend_config = config};
  return append(graph, call, ops::custom_call, operands(scope, op), types, closed_regions(op, scope, {}), &attributes);
}

}  // namespace weft::ir::text
