#include <weft/ir/legalize/dynamic.h>

#include <algorithm>
#include <unordered_map>

#include <weft/ir/array.h>
#include <weft/ir/interpreter.h>
#include <weft/ir/ops.h>

namespace weft::ir::legalize {

namespace {

constexpr std::string_view shape_operand[] = {""};
constexpr std::string_view slice_sizes[] = {"slice_sizes"};
constexpr std::string_view pads[] = {"edge_padding_low", "edge_padding_high", "interior_padding"};
constexpr std::string_view padding[] = {"padding"};
constexpr std::string_view bounds[] = {"start_indices", "limit_indices", "strides"};

constexpr DynamicOperation operations[] = {
    {"stablehlo.dynamic_broadcast_in_dim", "stablehlo.broadcast_in_dim", 1, shape_operand},
    {"stablehlo.dynamic_conv", "stablehlo.convolution", 2, padding},
    {"stablehlo.dynamic_gather", "stablehlo.gather", 2, slice_sizes},
    {"stablehlo.dynamic_iota", "stablehlo.iota", 0, shape_operand},
    {"stablehlo.dynamic_pad", "stablehlo.pad", 2, pads},
    {"stablehlo.dynamic_reshape", "stablehlo.reshape", 1, shape_operand},
    {"stablehlo.real_dynamic_slice", "stablehlo.slice", 1, bounds},
};

// Shape computations consist of a few small nodes. Anything larger may be a program that takes long to evaluate.
constexpr std::size_t most_nodes = 256;
constexpr std::int64_t most_elements = 256;

bool is_cheap(const Node& node) {
  switch (node.op->kind) {
    case Kind::elementwise:
    case Kind::shape:
    case Kind::source: break;
    default: return false;
  }
  return node.op != &ops::parameter && node.type().is_static() && node.type().elements() <= most_elements;
}

// Returns the nodes on which a value depends, in order; empty if there are too many or one of them is not cheap.
std::vector<Node*> origin_of(Value value) {
  std::vector<Node*> origin{value.node};
  for (std::size_t i = 0; i < origin.size(); ++i) {
    if (origin.size() > most_nodes || !is_cheap(*origin[i])) return {};
    for (const Value v : origin[i]->operands)
      if (std::ranges::find(origin, v.node) == origin.end()) origin.push_back(v.node);
  }
  std::ranges::sort(origin, {}, &Node::id);
  return origin;
}

}  // namespace

const DynamicOperation* find_dynamic(std::string_view name) {
  const auto* found = std::ranges::find(operations, name, &DynamicOperation::name);
  return found == std::end(operations) ? nullptr : found;
}

std::optional<std::vector<std::int64_t>> constant_integers(Value value) {
  if (!is_integer(value.dtype())) return std::nullopt;
  std::unordered_map<const Node*, Array> results;
  for (const Node* node : origin_of(value)) {
    std::vector<Array> operands;
    for (const Value v : node->operands) operands.push_back(results.at(v.node));
    results.emplace(node, std::move(interpret_node(*node, operands)[0]));
  }
  if (results.empty()) return std::nullopt;
  const Array& array = results.at(value.node);
  return visit(array.dtype(), [&]<class T>(T) {
    const auto elements = array.data<T>();
    std::vector<std::int64_t> integers(elements.size());
    std::ranges::transform(elements, integers.begin(), [](T element) { return static_cast<std::int64_t>(element); });
    return integers;
  });
}

}  // namespace weft::ir::legalize
