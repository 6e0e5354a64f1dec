#include <weft/profile/provenance.h>

#include <algorithm>
#include <limits>
#include <utility>

#include <weft/base/error.h>
#include <weft/base/type.h>

namespace weft::profile {

namespace {

using Sizes = std::vector<std::int64_t>;
using Dims = std::vector<std::string>;
using Operands = std::vector<const TracedValue*>;

// dimensions={0,2} of an instruction's attributes.
Sizes listed(const HloInstruction& instruction, std::string_view key) {
  const std::string wanted = concat(key, "={");
  auto at = instruction.attributes.find(wanted);
  while (at != std::string::npos && at != 0 && instruction.attributes[at - 1] != ' ')
    at = instruction.attributes.find(wanted, at + 1);
  if (at == std::string::npos) return {};
  const auto end = instruction.attributes.find('}', at);
  return integers(std::string_view(instruction.attributes).substr(at + wanted.size(), end - at - wanted.size()));
}

bool contains(const Sizes& sizes, std::size_t dim) {
  return std::ranges::find(sizes, static_cast<std::int64_t>(dim)) != sizes.end();
}

// Kept short: what is longer says no more to people.
std::string kept_short(std::string text) {
  constexpr std::size_t longest = 96;
  return text.size() <= longest ? text : concat(text.substr(0, longest), "...");
}

std::string bracketed(const std::string& text) {
  return text.find_first_of("+*/") == std::string::npos || text.starts_with('(') ? text : concat('(', text, ')');
}

std::string joined(const Dims& dims, const char* operation) {
  std::string text;
  for (const std::string& dim : dims) text = kept_short(concat(text, text.empty() ? "" : operation, bracketed(dim)));
  return text;
}

// The product, or the greatest number where it is greater than any.
std::int64_t product(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  return __builtin_mul_overflow(a, b, &result) ? std::numeric_limits<std::int64_t>::max() : result;
}

// Runs of dimensions whose sizes have the same product belong together: one and one are the same dimension, several became one by
// multiplication, one became several by division.
Dims reshaped(const TracedValue& from, const Sizes& to) {
  Dims result(to.size(), "1");
  std::size_t i = 0, j = 0;
  while (j < to.size()) {
    std::size_t first = i, begin = j;
    std::int64_t have = i < from.sizes.size() ? from.sizes[i++] : 1, want = to[j++];
    while (have != want) {
      if (have < want && i < from.sizes.size())
        have = product(have, from.sizes[i++]);
      else if (j < to.size())
        want = product(want, to[j++]);
      else
        break;
    }
    Dims sources;
    for (; first < i; ++first)
      if (from.sizes[first] != 1) sources.push_back(from.dims[first]);
    const std::string source = sources.empty() ? "1" : joined(sources, " * ");
    std::vector<std::size_t> parts;
    for (std::size_t d = begin; d < j; ++d)
      if (to[d] != 1) parts.push_back(d);
    for (const std::size_t d : parts) {
      std::int64_t others = 1;
      for (const std::size_t other : parts)
        if (other != d) others = product(others, to[other]);
      result[d] = parts.size() == 1 ? source : kept_short(concat(bracketed(source), " / ", others));
    }
  }
  return result;
}

// A dimension that has its size only because the one it meets has it.
bool is_filler(const std::string& dim) { return dim.starts_with("broadcast to ") || dim.starts_with("constant "); }

// The dimensions of a result while they are found. Indices come from attributes of the text, which may not fit the shapes: those
// that are out of range are left out.
class ResultDims {
 public:
  ResultDims(const HloInstruction& instruction, std::size_t rank)
      : dims_(rank, kept_short(concat("made by ", instruction.opcode))) {}

  void set(std::int64_t at, std::string text) {
    if (is_index(at, dims_)) dims_[static_cast<std::size_t>(at)] = std::move(text);
  }
  void copy(std::int64_t at, const TracedValue& from, std::int64_t dim) {
    if (is_index(dim, from.dims)) set(at, from.dims[static_cast<std::size_t>(dim)]);
  }
  Dims take() && { return std::move(dims_); }

 private:
  static bool is_index(std::int64_t at, const Dims& dims) { return at >= 0 && std::cmp_less(at, dims.size()); }

  Dims dims_;
};

Dims broadcast_dims(const HloInstruction& i, const Sizes& sizes, const TracedValue& from) {
  ResultDims dims(i, sizes.size());
  for (std::size_t d = 0; d < sizes.size(); ++d)
    dims.set(static_cast<std::int64_t>(d), concat("broadcast to ", sizes[d]));
  std::int64_t k = 0;
  for (const std::int64_t d : listed(i, "dimensions")) dims.copy(d, from, k++);
  return std::move(dims).take();
}

Dims transpose_dims(const HloInstruction& i, const Sizes& sizes, const TracedValue& from) {
  ResultDims dims(i, sizes.size());
  std::int64_t d = 0;
  for (const std::int64_t k : listed(i, "dimensions")) dims.copy(d++, from, k);
  return std::move(dims).take();
}

Dims reduce_dims(const HloInstruction& i, const Sizes& sizes, const TracedValue& from) {
  ResultDims dims(i, sizes.size());
  const Sizes reduced = listed(i, "dimensions");
  std::int64_t d = 0;
  for (std::size_t k = 0; k < from.dims.size(); ++k)
    if (!contains(reduced, k)) dims.copy(d++, from, static_cast<std::int64_t>(k));
  return std::move(dims).take();
}

Dims dot_dims(const HloInstruction& i, const Sizes& sizes, const TracedValue& lhs, const TracedValue& rhs) {
  ResultDims dims(i, sizes.size());
  std::int64_t d = 0;
  for (const std::int64_t k : listed(i, "lhs_batch_dims")) dims.copy(d++, lhs, k);
  for (const auto& [operand, name] : {std::pair(&lhs, "lhs"), std::pair(&rhs, "rhs")}) {
    const Sizes batch = listed(i, concat(name, "_batch_dims")),
                contracted = listed(i, concat(name, "_contracting_dims"));
    for (std::size_t k = 0; k < operand->dims.size(); ++k)
      if (!contains(batch, k) && !contains(contracted, k)) dims.copy(d++, *operand, static_cast<std::int64_t>(k));
  }
  return std::move(dims).take();
}

Dims concatenate_dims(const HloInstruction& i, const Sizes& sizes, const Operands& operands) {
  ResultDims dims(i, sizes.size());
  for (std::size_t d = 0; d < sizes.size(); ++d)
    dims.copy(static_cast<std::int64_t>(d), *operands[0], static_cast<std::int64_t>(d));
  const Sizes along = listed(i, "dimensions");
  if (along.size() != 1) return std::move(dims).take();
  Dims parts;
  for (const TracedValue* operand : operands)
    if (along[0] >= 0 && std::cmp_less(along[0], operand->dims.size()))
      parts.push_back(operand->dims[static_cast<std::size_t>(along[0])]);
  if (!parts.empty()) dims.set(along[0], joined(parts, " + "));
  return std::move(dims).take();
}

// Operands of the result's shape give it their dimensions, else an operand of as many dimensions gives those that it keeps.
Dims elementwise_dims(const HloInstruction& i, const Sizes& sizes, const Operands& operands) {
  Dims dims(sizes.size());
  bool found = false;
  for (const TracedValue* operand : operands) {
    if (operand->sizes != sizes) continue;
    for (std::size_t d = 0; d < sizes.size(); ++d)
      if (!found || (is_filler(dims[d]) && !is_filler(operand->dims[d]))) dims[d] = operand->dims[d];
    found = true;
  }
  if (found) return dims;
  const auto same_rank =
      std::ranges::find_if(operands, [&](const TracedValue* o) { return o->sizes.size() == sizes.size(); });
  const TracedValue* const like = same_rank == operands.end() ? nullptr : *same_rank;
  for (std::size_t d = 0; d < sizes.size(); ++d)
    dims[d] = like && like->sizes[d] == sizes[d] ? like->dims[d]
              : like                             ? kept_short(concat(i.opcode, " of ", bracketed(like->dims[d])))
              : i.opcode == "constant" || i.opcode == "iota" ? concat("constant ", sizes[d])
                                                             : kept_short(concat("made by ", i.opcode));
  return dims;
}

// Returns where the dimensions of one result with these sizes come from.
Dims result_dims(const HloInstruction& i, const Sizes& sizes, const Operands& operands) {
  if (operands.empty()) return elementwise_dims(i, sizes, operands);
  const TracedValue& first = *operands[0];
  if (i.opcode == "broadcast") return broadcast_dims(i, sizes, first);
  if (i.opcode == "transpose") return transpose_dims(i, sizes, first);
  if (i.opcode == "reduce") return reduce_dims(i, sizes, first);
  if (i.opcode == "dot" && operands.size() > 1) return dot_dims(i, sizes, first, *operands[1]);
  if (i.opcode == "reshape" || i.opcode == "bitcast") return reshaped(first, sizes);
  if (i.opcode == "concatenate") return concatenate_dims(i, sizes, operands);
  return elementwise_dims(i, sizes, operands);
}

// f32[8,256]{1,0}: what stands between the first brackets. Cuts it, and what stands before it, from the text.
std::string_view take_brackets(std::string_view& shape) {
  const auto open = std::min(shape.find('['), shape.size()), close = std::min(shape.find(']', open), shape.size());
  const std::string_view inside = shape.substr(open, close - open);
  shape.remove_prefix(close);
  return inside;
}

Sizes bounded(Sizes sizes) { return std::cmp_greater(sizes.size(), Type::max_rank) ? Sizes() : std::move(sizes); }

// (f32[2], s32[]) has two elements.
std::vector<Sizes> tuple_sizes(std::string_view shape) {
  std::vector<Sizes> all;
  for (std::string_view inside; !(inside = take_brackets(shape)).empty();) all.push_back(bounded(integers(inside)));
  return all;
}

}  // namespace

std::vector<std::int64_t> sizes_of(std::string_view shape) {
  return shape.starts_with('(') ? Sizes() : bounded(integers(take_brackets(shape)));
}

Provenance::Provenance(const HloModule& module) : module_(module) {
  if (const HloComputation* entry = module.entry()) follow(*entry, nullptr);
}

const std::vector<std::string>& Provenance::of(const HloInstruction& instruction) const {
  static const Dims none;
  const auto found = known_.find(&instruction);
  return found == known_.end() ? none : found->second.dims;
}

void Provenance::follow(const HloComputation& computation, const Values* arguments) {
  Names names;
  for (const HloInstruction& instruction : computation.instructions) {
    TracedValue value = value_of(instruction, names, arguments);
    names[instruction.name] = &(known_[&instruction] = std::move(value));
  }
}

TracedValue Provenance::value_of(const HloInstruction& i, const Names& names, const Values* arguments) {
  const Sizes sizes = sizes_of(i.shape);
  if (i.opcode == "parameter") {
    const Sizes number = i.operands.empty() ? Sizes() : integers(i.operands[0]);
    const std::int64_t index = number.empty() ? 0 : number[0];
    const bool is_given = arguments && index >= 0 && std::cmp_less(index, arguments->size());
    if (is_given && (*arguments)[static_cast<std::size_t>(index)]->sizes.size() == sizes.size())
      return {sizes, (*arguments)[static_cast<std::size_t>(index)]->dims};
    Dims dims;
    for (std::size_t d = 0; d < sizes.size(); ++d) dims.push_back(concat("input ", index, " dim ", d));
    return {sizes, std::move(dims)};
  }
  Values operands;
  if (!i.has_literal_operand())
    for (const std::string& name : i.operands)
      if (const auto found = names.find(name); found != names.end()) operands.push_back(found->second);
  if (i.opcode == "tuple") return {.elements = std::make_shared<const Values>(std::move(operands))};
  if (i.opcode == "get-tuple-element" && !operands.empty()) return element_of_tuple(i, *operands[0]);
  if (const HloComputation* const fused = module_.fused(i)) return result_of_fusion(i, *fused, operands);
  if (i.shape.starts_with('(')) return tuple_of_results(i, std::move(operands));
  return {sizes, result_dims(i, sizes, operands)};
}

TracedValue Provenance::element_of_tuple(const HloInstruction& i, const TracedValue& tuple) {
  const Sizes sizes = sizes_of(i.shape);
  const auto at = i.attributes.find("index=");
  const Sizes index = at == std::string::npos ? Sizes() : integers(std::string_view(i.attributes).substr(at));
  const bool is_known =
      tuple.elements && !index.empty() && index[0] >= 0 && std::cmp_less(index[0], tuple.elements->size());
  const TracedValue* const element = is_known ? (*tuple.elements)[static_cast<std::size_t>(index[0])] : nullptr;
  return {sizes, element && element->dims.size() == sizes.size() ? element->dims : result_dims(i, sizes, {})};
}

TracedValue Provenance::result_of_fusion(const HloInstruction& i, const HloComputation& fused, const Values& operands) {
  follow(fused, &operands);
  const Sizes sizes = sizes_of(i.shape);
  const auto root = std::ranges::find_if(fused.instructions, &HloInstruction::is_root);
  const TracedValue* const result = root == fused.instructions.end() ? nullptr : &known_.at(&*root);
  if (!result || result->dims.size() != sizes.size()) return {sizes, result_dims(i, sizes, operands)};
  return {sizes, result->dims, result->elements};
}

// Loops and branches give back what they take; others make several values of their operands, of which the first will do.
TracedValue Provenance::tuple_of_results(const HloInstruction& i, Values operands) {
  if (!operands.empty() && operands[0]->elements) return {.elements = operands[0]->elements};
  constexpr std::size_t most_operands = 64;
  operands.resize(std::min(operands.size(), most_operands));
  Values results;
  for (const Sizes& sizes : tuple_sizes(i.shape)) {
    results_.push_back({sizes, result_dims(i, sizes, operands)});
    results.push_back(&results_.back());
  }
  return {.elements = std::make_shared<const Values>(std::move(results))};
}

}  // namespace weft::profile
