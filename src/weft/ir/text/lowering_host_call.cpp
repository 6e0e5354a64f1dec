// Lowers calls of functions of the host. What a typed call says besides its target is kept as text.
#include <algorithm>
#include <charconv>
#include <ranges>
#include <string>

#include <weft/ir/builder.h>
#include <weft/ir/host_calls.h>
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

using Layout = std::vector<std::int64_t>;  // the dimensions of a value, the one whose elements lie side by side first

std::vector<Layout> read_layouts(const Source& source, const Attribute& attribute) {
  std::vector<Layout> layouts;
  for (const Attribute& item : attribute.items) {
    Arena arena;
    const Literal literal = read_literal(source, item, item.type.part, arena);
    Layout& layout = layouts.emplace_back();
    for (std::int64_t d = 0; d < item.type.part.elements(); ++d) layout.push_back(literal.at<std::int64_t>(d));
  }
  return layouts;
}

// [array<i64: 0, 1>, array<i64>]
std::string text_of(std::span<const Layout> layouts) {
  std::string out;
  for (const Layout& layout : layouts) out += (out.empty() ? "[" : ", ") + integers(layout);
  return out.empty() ? "[]" : out + ']';
}

// Returns the permutation that brings the dimensions into the order in which they lie in memory; empty if they are in this order.
Layout order_in_memory(const Layout& layout) {
  Layout order(layout.rbegin(), layout.rend());
  return std::ranges::is_sorted(order) ? Layout() : order;
}

Layout inverse(const Layout& order) {
  Layout back(order.size());
  for (std::size_t d = 0; d < order.size(); ++d)
    back[static_cast<std::size_t>(order[d])] = static_cast<std::int64_t>(d);
  return back;
}

Type in_order(Type type, const Layout& order) {
  std::vector<Dim> dims;
  for (const std::int64_t d : order) dims.push_back(type.dim(static_cast<int>(d)));
  return {type.dtype(), dims};
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

namespace {

// Returns the number of batch dimensions that JAX gives to a call, mhlo.frontend_attributes = {num_batch_dims = "1"}.
int given_batch_dims(const Operation& op) {
  const Attribute* given = find(op.attributes, "mhlo.frontend_attributes");
  const Attribute* number = given ? find(given->fields, batch_dims_of_call) : nullptr;
  int dims = 0;
  if (number) std::from_chars(number->text.data(), number->text.data() + number->text.size(), dims);
  return std::max(dims, 0);
}

// Returns whether the first dimensions stay the first ones in each of these orders.
bool begin_with(int dims, std::span<const Layout> orders) {
  return std::ranges::all_of(orders, [&](const Layout& order) {
    const int common = std::min(dims, static_cast<int>(order.size()));
    return std::ranges::equal(std::span(order).first(common), std::views::iota(std::int64_t{0}, std::int64_t{common}));
  });
}

}  // namespace

std::string Lowering::typed_call_config(const Operation& op, int batch_dims) {
  std::string out = "{";
  const auto add = [&](std::string_view name, const std::string& value) {
    out += concat(out.size() > 1 ? ", " : "", name, " = ", value);
  };
  if (batch_dims > 0) add(batch_dims_of_call, std::to_string(batch_dims));
  add("attributes", verbatim_.text(*dictionary_of(op)));
  for (const std::string_view name : {"operand_layouts", "result_layouts"})
    if (const Attribute* attribute = find(op.attributes, name))
      add(name, text_of(read_layouts(source_, resolve(source_, module_, *attribute))));
  if (const Attribute* aliases = find(op.attributes, "output_operand_aliases"))
    add("output_operand_aliases", verbatim_.text(*aliases));
  if (std::ranges::any_of(op.operand_types, &WrittenType::is_complex))
    add("complex_operands", complex_positions(op.operand_types));
  if (std::ranges::any_of(op.result_types, &WrittenType::is_complex))
    add("complex_results", complex_positions(op.result_types));
  return out + '}';
}

// Returns for each part of the values (a complex value has two) the order of its dimensions in memory.
std::vector<std::vector<std::int64_t>> Lowering::orders_in_memory(const Operation& op, std::string_view layouts_name,
                                                                  std::span<const WrittenType> types) {
  const Attribute* attribute = find(op.attributes, layouts_name);
  const std::vector<Layout> layouts =
      attribute ? read_layouts(source_, resolve(source_, module_, *attribute)) : std::vector<Layout>();
  std::vector<Layout> orders;
  for (std::size_t i = 0; i < types.size(); ++i)
    orders.insert(orders.end(), types[i].is_complex ? 2 : 1,
                  i < layouts.size() ? order_in_memory(layouts[i]) : Layout());
  return orders;
}

// A function sees its operands and results in the order of their layouts. Transposes bring them into this order here, where they can become
// part of kernels, and those between two calls cancel out.
Values Lowering::call_of_host(Graph& graph, const Scope& scope, const Operation& op, std::string_view target) {
  std::vector<Type> types = flattened(op.result_types);
  if (!is_typed_call(op))
    return append(graph, op, ops::custom_call, operands(scope, op), types, closed_regions(op, scope, {}));
  Values inputs = operands(scope, op);
  const auto input_orders = orders_in_memory(op, "operand_layouts", op.operand_types),
             output_orders = orders_in_memory(op, "result_layouts", op.result_types);
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (!input_orders[i].empty()) inputs[i] = transpose(inputs[i], input_orders[i]);
  for (std::size_t i = 0; i < types.size(); ++i)
    if (!output_orders[i].empty()) types[i] = in_order(types[i], output_orders[i]);
  const int given = given_batch_dims(op);
  const bool is_batched = begin_with(given, input_orders) && begin_with(given, output_orders);
  const std::string config = typed_call_config(op, is_batched ? given : 0), name = unescape(target);
  Operation call = op;  // the dictionary is in `config`
  std::erase_if(call.attributes, [](const NamedAttribute& a) { return a.name == "mhlo.backend_config"; });
  const Attribute* effect = find(op.attributes, "has_side_effect");
  const CustomCallAttributes attributes{
      .target = name, .has_side_effect = effect && effect->integer != 0, .backend_config = config};
  Values results = append(graph, call, ops::custom_call, inputs, types, closed_regions(op, scope, {}), &attributes);
  for (std::size_t i = 0; i < results.size(); ++i)
    if (!output_orders[i].empty()) results[i] = transpose(results[i], inverse(output_orders[i]));
  return results;
}

}  // namespace weft::ir::text
