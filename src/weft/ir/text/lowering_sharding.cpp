// Shardy's operations: constraints, changes of a sharding, manual computations.
#include <algorithm>

#include <weft/ir/ops.h>
#include <weft/ir/text/fields.h>
#include <weft/ir/text/lowering.h>

namespace weft::ir::text {

// sdy.constant is stablehlo.constant, which Shardy does not split per use.
Values Lowering::placed_constant(Graph& graph, const Scope&, const Operation& op) {
  return append(graph, op, ops::constant, {}, flattened(op.result_types), {});
}

// Returns the sharding as text with a mesh of its own, if it names a mesh of a single device; otherwise an empty text.
std::string Lowering::single_device_of(const Attribute& sharding) {
  const std::string text(verbatim_.text(sharding));
  for (const NamedAttribute& mesh : module_.meshes) {
    const std::string device(verbatim_.text(mesh.value));
    const auto at = device.find("<[], device_ids=[");
    if (at != device.npos && text.find(concat("<@", unescape(mesh.name), ",")) != text.npos)
      return concat("#sdy.sharding<mesh", device.substr(at, device.find('>', at) + 1 - at), ", []>");
  }
  return "";
}

Values Lowering::resharded(Graph& graph, const Scope& scope, const Operation& op, const Op& kind, const char* name) {
  const Attribute* how = find(op.attributes, name);
  if (!how) fail(op, concat("expected the attribute ", name));
  std::string text = verbatim_.text(*how);
  if (text.starts_with('<')) text.insert(0, "#sdy.sharding");  // the pretty form omits it
  if (std::string device = single_device_of(*how); !device.empty()) text = std::move(device);
  const ShardingAttributes attributes{text};
  return append(graph, op, kind, operands(scope, op), flattened(op.result_types), {}, &attributes);
}

Values Lowering::sharding(Graph& graph, const Scope& scope, const Operation& op) {
  return resharded(graph, scope, op, *op_named(op.name), "sharding");
}

// The values of a group should be sharded alike, which is a wish that changes no value. Each is sharded as its own uses want it.
Values Lowering::sharding_group(Graph&, const Scope& scope, const Operation& op) {
  if (operands(scope, op).empty()) fail(op, "expected an operand");
  return {};
}

// Shardy's own collectives change how a value is sharded, not the value.
Values Lowering::sharding_change(Graph& graph, const Scope& scope, const Operation& op) {
  Values results = resharded(graph, scope, op, ops::reshard, "out_sharding");
  const Node& operand = *results.front().node->operand(0).node;
  if (op.name == "sdy.all_reduce" && is_parameter(operand)) {
    const Attribute* axes = find(op.attributes, "reduction_axes");
    if (!axes) fail(op, "expected the attribute reduction_axes");
    const std::string text = verbatim_.text(*axes);
    added_arguments_[&operand].push_back({&op, text.substr(std::min(text.find('{'), text.size()))});
  }
  return results;
}

// An argument whose only use is a sum along axes of the mesh is a partial sum along them, of which each device holds its own term, although
// the program does not declare it.
void Lowering::declare_partial_sums(const Graph& graph, std::vector<Annotations>& arguments) const {
  for (const auto& [argument, sums] : added_arguments_) {
    if (argument->graph != &graph) continue;
    Annotations& said = arguments[argument->attributes<ParameterAttributes>().index];
    const auto sharding = std::ranges::find(said, "sdy.sharding", &Annotation::name);
    if (sharding == said.end() || sharding->value.find("unreduced=") != std::string::npos) continue;
    std::ptrdiff_t uses = 0;
    for (const Node* node : graph.nodes()) uses += std::ranges::count(node->operands, argument, &Value::node);
    const auto& [op, axes] = sums.front();
    if (uses != std::ssize(sums) || std::ranges::any_of(sums, [&](const auto& sum) { return sum.axes != axes; }))
      fail(*op, "the summed argument is not declared unreduced, and is used in other ways as well");
    std::string& text = sharding->value;
    text.insert(text.rfind('>'), concat(", unreduced=", axes.substr(0, axes.find('}') + 1)));
  }
}

// The generic form has attributes of the dialect, from which the pretty form shows only the contents.
Values Lowering::manual_computation(Graph& graph, const Scope& scope, const Operation& op) {
  const auto text_of = [&](const char* name, std::string_view before, std::string_view behind) {
    const Attribute* attribute = find(op.attributes, name);
    if (!attribute) fail(op, concat("expected the attribute ", name));
    const std::string text(verbatim_.text(*attribute));
    return text.starts_with('#') ? text : concat(before, text, behind);
  };
  const std::string in = text_of("in_shardings", "#sdy.sharding_per_value<", ">"),
                    out = text_of("out_shardings", "#sdy.sharding_per_value<", ">"),
                    axes = text_of("manual_axes", "#sdy<manual_axes", ">");
  const ManualComputationAttributes attributes{in, out, axes};
  return append(graph, op, *op_named(op.name), operands(scope, op), flattened(op.result_types),
                closed_regions(op, scope, {}), &attributes);
}

}  // namespace weft::ir::text
