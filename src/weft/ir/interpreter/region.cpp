#include <weft/ir/interpreter/region.h>

#include <algorithm>

#include <weft/ir/interpreter/columns.h>
#include <weft/ir/op.h>
#include <weft/ir/ops.h>

namespace weft::ir::interpreter {

namespace {

bool is_scalar_node(const Node* node) {
  return (node->op->kind == Kind::elementwise || node->op == &ops::parameter || node->op == &ops::constant) &&
         node->type().rank() == 0;
}

}  // namespace

Region::Region(const Graph& graph, const Context& context)
    : graph_(graph), context_(context), elementwise_(std::ranges::all_of(graph.nodes(), is_scalar_node)) {}

void Region::apply(std::int64_t rows, std::span<const std::byte* const> inputs,
                   std::span<std::byte* const> outputs) const {
  WEFT_ASSERT(inputs.size() == graph_.inputs().size() && outputs.size() == graph_.outputs().size(), "a region of ",
              graph_.inputs().size(), " inputs and ", graph_.outputs().size(), " outputs");
  if (elementwise_) {
    apply_columns(rows, inputs, outputs);
  } else {
    for (std::int64_t row = 0; row < rows; ++row) apply_one(row, inputs, outputs);
  }
}

void Region::apply_columns(std::int64_t rows, std::span<const std::byte* const> inputs,
                           std::span<std::byte* const> outputs) const {
  Columns columns(rows);
  std::vector<Scalar> scalars, operands;  // scalars: by node id
  for (const Node* node : graph_.nodes()) {
    const DType dtype = node->type().dtype();
    if (node->op == &ops::parameter) {
      const std::size_t index = node->attributes<ParameterAttributes>().index;
      scalars.push_back(columns.rows(dtype, inputs[index]));
    } else if (node->op == &ops::constant) {
      scalars.push_back(columns.same_for_all(dtype, node->attributes<ConstantAttributes>().value.bytes.data()));
    } else {
      operands.clear();
      for (const Value v : node->operands) operands.push_back(scalars[v.node->id]);
      scalars.push_back(node->op->scalar(columns, {operands, dtype, node->attribute_data}));
    }
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) columns.read(scalars[graph_.outputs()[i].node->id], outputs[i]);
}

void Region::apply_one(std::int64_t row, std::span<const std::byte* const> inputs,
                       std::span<std::byte* const> outputs) const {
  std::vector<Array> arrays;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Type type = graph_.inputs()[i].type();
    const std::size_t width = byte_size(type.dtype());
    arrays.emplace_back(type, std::span(inputs[i] + row * width, width));
  }
  const std::vector<Array> results = run(graph_, pointers(arrays), context_);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const auto bytes = results[i].bytes();
    std::ranges::copy(bytes, outputs[i] + row * bytes.size());
  }
}

}  // namespace weft::ir::interpreter
