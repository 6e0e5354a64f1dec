#include <weft/compiler/dim_sources.h>

#include <algorithm>
#include <limits>
#include <utility>

#include <weft/compiler/describe_attributes.h>
#include <weft/ir/ops.h>
#include <weft/ir/place_text.h>

namespace weft::compiler {

namespace {

namespace ops = ir::ops;
using ir::Ints;
using ir::Node;
using DimNames = std::vector<std::string>;

struct TracedValue {
  Type type;  // static
  const DimNames* dims;
};

bool contains(Ints numbers, int dim) { return std::ranges::find(numbers, dim) != numbers.end(); }

// Shortens the text: more would not help a reader.
std::string kept_short(std::string text) {
  constexpr std::size_t longest = 96;
  return text.size() <= longest ? text : concat(text.substr(0, longest), "...");
}

std::string bracketed(const std::string& text) {
  return text.find_first_of("+*/") == std::string::npos || text.starts_with('(') ? text : concat('(', text, ')');
}

std::string joined_dims(const DimNames& dims, const char* operation) {
  std::string text;
  for (const std::string& dim : dims) text = kept_short(concat(text, text.empty() ? "" : operation, bracketed(dim)));
  return text;
}

// Returns the product; the greatest number if it overflows.
std::int64_t product(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  return __builtin_mul_overflow(a, b, &result) ? std::numeric_limits<std::int64_t>::max() : result;
}

// The dimensions [begin, end) of a shape.
struct Run {
  int begin, end;
};

// Appends the sources of the dimensions that a run was reshaped to. A dimension that stays one dimension keeps its source; several that
// become one are multiplied; one that becomes several is divided.
void reshape_run(const TracedValue& from, Run source_run, Type to, Run run, DimNames& result) {
  DimNames sources;
  for (int d = source_run.begin; d < source_run.end; ++d)
    if (from.type.size(d) != 1) sources.push_back((*from.dims)[d]);
  const std::string source = sources.empty() ? "1" : joined_dims(sources, " * ");
  std::vector<int> parts;
  for (int d = run.begin; d < run.end; ++d)
    if (to.size(d) != 1) parts.push_back(d);
  for (const int d : parts) {
    std::int64_t others = 1;
    for (const int other : parts)
      if (other != d) others = product(others, to.size(other));
    result[d] = parts.size() == 1 ? source : kept_short(concat(bracketed(source), " / ", others));
  }
}

// Matches runs of dimensions whose sizes have the same product.
DimNames reshaped(const TracedValue& from, Type to) {
  DimNames result(to.rank(), "1");
  int i = 0, j = 0;
  while (j < to.rank()) {
    const int first = i, begin = j;
    std::int64_t have = i < from.type.rank() ? from.type.size(i++) : 1, want = to.size(j++);
    while (have != want) {
      if (have < want && i < from.type.rank())
        have = product(have, from.type.size(i++));
      else if (j < to.rank())
        want = product(want, to.size(j++));
      else
        break;
    }
    reshape_run(from, {first, i}, to, {begin, j}, result);
  }
  return result;
}

// Returns whether a dimension has its size only in order to match another one.
bool is_filler(const std::string& dim) {
  return dim.starts_with("broadcast to ") || dim.starts_with("constant ") || dim.starts_with("made by ");
}

const std::string& dim_of(const TracedValue& value, std::int64_t dim) { return (*value.dims)[dim]; }

DimNames broadcast_dims(const ir::BroadcastAttributes& attributes, Type type, const TracedValue& from) {
  DimNames dims;
  for (int d = 0; d < type.rank(); ++d) dims.push_back(concat("broadcast to ", type.size(d)));
  int k = 0;
  for (const std::int64_t d : attributes.dimensions) {
    if (from.type.size(k) == type.size(static_cast<int>(d))) dims[d] = dim_of(from, k);
    ++k;
  }
  return dims;
}

DimNames transpose_dims(const ir::TransposeAttributes& attributes, const TracedValue& from) {
  DimNames dims;
  for (const std::int64_t k : attributes.permutation) dims.push_back(dim_of(from, k));
  return dims;
}

void append_others(DimNames& dims, const TracedValue& from, Ints batch, Ints contracted) {
  for (int k = 0; k < from.type.rank(); ++k)
    if (!contains(batch, k) && !contains(contracted, k)) dims.push_back(dim_of(from, k));
}

DimNames dot_dims(const ir::DotAttributes& a, const TracedValue& lhs, const TracedValue& rhs) {
  DimNames dims;
  for (const std::int64_t k : a.lhs_batching) dims.push_back(dim_of(lhs, k));
  append_others(dims, lhs, a.lhs_batching, a.lhs_contracting);
  append_others(dims, rhs, a.rhs_batching, a.rhs_contracting);
  return dims;
}

DimNames concatenate_dims(const ir::ConcatenateAttributes& attributes, std::span<const TracedValue> operands) {
  const std::size_t along = attributes.dimension;
  DimNames dims = *operands[0].dims, parts;
  for (const TracedValue& operand : operands) parts.push_back((*operand.dims)[along]);
  dims[along] = joined_dims(parts, " + ");
  return dims;
}

// Takes the dimensions of operands with the result's shape; otherwise those dimensions that an operand of the same rank keeps.
DimNames elementwise_dims(const Node& node, Type type, std::span<const TracedValue> operands) {
  DimNames dims(type.rank());
  bool found = false;
  for (const TracedValue& operand : operands) {
    if (!std::ranges::equal(operand.type.dims(), type.dims())) continue;
    for (std::size_t d = 0; d < dims.size(); ++d)
      if (!found || (is_filler(dims[d]) && !is_filler((*operand.dims)[d]))) dims[d] = (*operand.dims)[d];
    found = true;
  }
  if (found) return dims;
  const auto like = std::ranges::find_if(operands, [&](const TracedValue& o) { return o.type.rank() == type.rank(); });
  const std::string opcode = hlo_opcode(node);
  for (int d = 0; d < type.rank(); ++d) {
    std::string& dim = dims[d];
    if (like == operands.end())
      dim = node.operands.empty() ? concat("constant ", type.size(d)) : kept_short(concat("made by ", opcode));
    else
      dim = like->type.size(d) == type.size(d) ? dim_of(*like, d)
                                               : kept_short(concat(opcode, " of ", bracketed(dim_of(*like, d))));
  }
  return dims;
}

// Returns the sources of the dimensions of one result of that type.
DimNames result_dims(const Node& node, Type type, std::span<const TracedValue> operands) {
  if (const auto* a = node.attributes_if<ir::BroadcastAttributes>()) return broadcast_dims(*a, type, operands[0]);
  if (const auto* a = node.attributes_if<ir::TransposeAttributes>()) return transpose_dims(*a, operands[0]);
  if (const auto* a = node.attributes_if<ir::DotAttributes>()) return dot_dims(*a, operands[0], operands[1]);
  if (const auto* a = node.attributes_if<ir::ConcatenateAttributes>()) return concatenate_dims(*a, operands);
  if (node.op == &ops::reshape) return reshaped(operands[0], type);
  if (const auto* a = node.attributes_if<ir::DimensionsAttributes>(); a && node.op->kind == ir::Kind::reduction) {
    DimNames dims;
    append_others(dims, operands[0], a->dimensions, {});
    return dims;
  }
  // The operands of a branch op are not its results.
  if (node.op->flow == ir::Flow::branches) operands = {};
  return elementwise_dims(node, type, operands);
}

DimNames constant_dims(Type type, std::size_t bytes) {
  const bool is_splat = bytes == static_cast<std::size_t>(byte_size(type.dtype()));
  DimNames dims;
  for (int d = 0; d < type.rank(); ++d) dims.push_back(concat(is_splat ? "broadcast to " : "constant ", type.size(d)));
  return dims;
}

}  // namespace

DimSources::DimSources(const ir::Graph& graph, const SizeValues& sizes,
                       std::span<const std::vector<std::byte>> constants) {
  const std::size_t taken = graph.inputs().size() - constants.size();
  for (std::size_t i = 0; i < graph.inputs().size(); ++i) {
    const Type type = sizes(graph.inputs()[i].type());
    DimNames& dims = known_[graph.inputs()[i]];
    if (i >= taken) dims = constant_dims(type, constants[i - taken].size());
    const std::string* const known = i < graph.input_dims.size() ? graph.input_dims[i].data() : nullptr;
    for (int d = 0; i < taken && d < type.rank(); ++d) dims.push_back(known ? known[d] : ir::dim_name(graph, i, d));
  }
  for (Node* const node : graph.nodes()) {
    if (ir::is_parameter(*node)) continue;
    std::vector<TracedValue> operands;
    for (const ir::Value v : node->operands) operands.push_back({sizes(v.type()), &known_.at(v)});
    // A loop or a barrier returns values of the same types as its operands.
    const bool gives_operands = node->op->flow == ir::Flow::loop || node->op->flow == ir::Flow::barrier;
    for (std::uint32_t i = 0; i < node->types.size(); ++i) {
      const Type type = sizes(node->types[i]);
      const ir::Literal* literal = ir::literal_of(node->result(i));
      known_[node->result(i)] = literal          ? constant_dims(type, literal->bytes.size())
                                : gives_operands ? *operands[i].dims
                                                 : result_dims(*node, type, operands);
    }
  }
}

const std::vector<std::string>& DimSources::of(ir::Value value) const {
  static const DimNames none;
  const auto found = known_.find(value);
  return found == known_.end() ? none : found->second;
}

}  // namespace weft::compiler
