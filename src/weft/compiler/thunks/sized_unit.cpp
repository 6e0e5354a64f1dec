#include <weft/compiler/thunks/sized_unit.h>

#include <algorithm>

#include <weft/compiler/thunks/native.h>
#include <weft/ir/op.h>
#include <weft/ir/ops.h>
#include <weft/ir/resize.h>

namespace weft::compiler {

using ir::Value;

namespace {

// The node with numbers for its sizes, in its own graph, whose inputs are the distinct operands.
struct Sized {
  std::shared_ptr<ir::Graph> graph = std::make_shared<ir::Graph>();
  std::vector<Value> originals;  // the originals of the graph's inputs
  ir::Node* node = nullptr;
};

Sized sized(const ir::Node& node, const SizeValues& sizes) {
  Sized result;
  std::vector<Value> operands;
  for (const Value v : node.operands) {
    const auto known = std::ranges::find(result.originals, v);
    if (known == result.originals.end()) {
      result.originals.push_back(v);
      operands.push_back(result.graph->add_input(sizes(v.type())));
    } else {
      operands.push_back(result.graph->inputs()[known - result.originals.begin()]);
    }
  }
  std::vector<Type> types;
  for (const Type type : node.types) types.push_back(sizes(type));
  result.node = &ir::append_resized(*result.graph, node, operands, types);
  if (const auto* constant = node.attributes_if<ir::ConstantAttributes>()) {
    const ir::ConstantAttributes literal{{types[0], constant->value.bytes}};
    result.node->attribute_data = node.op->attributes->copy(result.graph->arena(), &literal);
  } else if (node.op->has_sizes()) {
    result.node->attribute_data = ir::attributes_at(node, sizes, result.graph->arena());
  }
  std::vector<Value> results;  // all results: any of them may be used in the original graph
  for (std::uint32_t i = 0; i < types.size(); ++i) results.push_back(result.node->result(i));
  result.graph->set_outputs(results);
  return result;
}

}  // namespace

Unit sized_unit(const ir::Node& node, const Options& options, std::vector<std::string>& fallbacks,
                const NestedCompiler& nested) {
  const Sized first = sized(node, options.sizes);
  Unit unit = native_or_interpreted_unit(*first.node, options, fallbacks, nested);
  unit.scratch_bytes = 0;
  unit.order = node.id;
  for (Value& v : unit.reads) {
    const auto input = std::ranges::find(first.graph->inputs(), v);
    WEFT_ASSERT(input != first.graph->inputs().end(), node.op->name, " reads what is no operand");
    v = storage_of(first.originals[input - first.graph->inputs().begin()]);
  }
  for (Value& v : unit.writes) v = {const_cast<ir::Node*>(&node), v.index};
  std::erase_if(unit.in_place,
                [&](const auto& pair) { return std::ranges::count(unit.reads, unit.reads[pair.second]) > 1; });
  std::vector<Size> all;
  for (const Value operand : node.operands)
    for (const Dim dim : operand.type().dims()) all.emplace_back(dim);
  for (const Type type : node.types)
    for (const Dim dim : type.dims()) all.emplace_back(dim);
  if (node.op->has_sizes())
    for (const std::int64_t number : node.op->attributes->sizes(node.attribute_data)) all.emplace_back(number);
  Options unobserved = options;
  unobserved.observer = nullptr;
  const auto at = [&node, &nested, options = std::move(unobserved),
                   reads = unit.reads.size()](const SizeValues& sizes) -> std::optional<Unit> {
    std::vector<std::string> same_fallbacks;
    const Sized now = sized(node, sizes);
    Unit made = native_or_interpreted_unit(*now.node, options, same_fallbacks, nested);
    if (made.reads.size() != reads) return std::nullopt;
    // The thunk may refer to the node, so its maker keeps the graph alive.
    made.thunk().make = [graph = now.graph, make = std::move(made.thunk().make)](auto&&... places) {
      return make(places...);
    };
    return made;
  };
  unit.form = SizedLater{at, std::move(all)};
  return unit;
}

}  // namespace weft::compiler
