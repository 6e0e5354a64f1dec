#include <weft/profile/provenance.h>

#include <algorithm>
#include <charconv>
#include <numeric>

#include <weft/base/error.h>

namespace weft::profile {

namespace {

using Sizes = std::vector<std::int64_t>;
using Dims = std::vector<std::string>;

Sizes integers(std::string_view text) {
  Sizes found;
  for (std::size_t at = 0; at < text.size();) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), value);
    at = error == std::errc() ? static_cast<std::size_t>(end - text.data()) : at + 1;
    if (error == std::errc()) found.push_back(value);
  }
  return found;
}

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
std::string shortened(std::string text) {
  constexpr std::size_t longest = 96;
  return text.size() <= longest ? text : concat(text.substr(0, longest), "...");
}

std::string bracketed(const std::string& text) {
  return text.find_first_of("+*/") == std::string::npos || text.starts_with('(') ? text : concat('(', text, ')');
}

std::string joined(const Dims& dims, const char* operation) {
  std::string text;
  for (const std::string& dim : dims) text += concat(text.empty() ? "" : operation, bracketed(dim));
  return shortened(text);
}

// A value and its sizes, as an operand.
struct Operand {
  Sizes sizes;
  Dims dims;
};

// Runs of dimensions whose sizes have the same product belong together: one and one are the same dimension, several became one by
// multiplication, one became several by division.
Dims reshaped(const Operand& from, const Sizes& to) {
  Dims result(to.size(), "1");
  std::size_t i = 0, j = 0;
  while (j < to.size()) {
    std::size_t first = i, begin = j;
    std::int64_t have = i < from.sizes.size() ? from.sizes[i++] : 1, want = to[j++];
    while (have != want) {
      if (have < want && i < from.sizes.size())
        have *= from.sizes[i++];
      else if (j < to.size())
        want *= to[j++];
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
        if (other != d) others *= to[other];
      result[d] = parts.size() == 1 ? source : shortened(concat(bracketed(source), " / ", others));
    }
  }
  return result;
}

// A dimension that has its size only because the one it meets has it.
bool is_filler(const std::string& dim) { return dim.starts_with("broadcast to ") || dim.starts_with("constant "); }

// Of one result with these sizes. Ops that move or combine dimensions each in their way; all others keep those of
// operands of the same shape.
Dims result_dims(const HloInstruction& i, const Sizes& sizes, const std::vector<Operand>& operands) {
  Dims dims(sizes.size());
  const auto say = [&](std::size_t d, std::string text) { dims[d] = std::move(text); };
  const Sizes listed_dims = listed(i, "dimensions");
  const Operand* const first = operands.empty() ? nullptr : &operands[0];
  if (i.opcode == "broadcast" && first) {
    for (std::size_t d = 0; d < sizes.size(); ++d) say(d, concat("broadcast to ", sizes[d]));
    for (std::size_t k = 0; k < listed_dims.size() && k < first->dims.size(); ++k)
      say(static_cast<std::size_t>(listed_dims[k]), first->dims[k]);
  } else if (i.opcode == "transpose" && first && listed_dims.size() == sizes.size()) {
    for (std::size_t d = 0; d < sizes.size(); ++d) say(d, first->dims[static_cast<std::size_t>(listed_dims[d])]);
  } else if (i.opcode == "reduce" && first) {
    std::size_t d = 0;
    for (std::size_t k = 0; k < first->dims.size() && d < sizes.size(); ++k)
      if (!contains(listed_dims, k)) say(d++, first->dims[k]);
  } else if (i.opcode == "dot" && operands.size() > 1) {
    std::size_t d = 0;
    for (const std::int64_t k : listed(i, "lhs_batch_dims")) say(d++, first->dims[static_cast<std::size_t>(k)]);
    for (const auto& [side, name] : {std::pair(0, "lhs"), std::pair(1, "rhs")}) {
      const Operand& operand = operands[static_cast<std::size_t>(side)];
      const Sizes batch = listed(i, concat(name, "_batch_dims")),
                  contracted = listed(i, concat(name, "_contracting_dims"));
      for (std::size_t k = 0; k < operand.dims.size() && d < sizes.size(); ++k)
        if (!contains(batch, k) && !contains(contracted, k)) say(d++, operand.dims[k]);
    }
  } else if ((i.opcode == "reshape" || i.opcode == "bitcast") && first) {
    return reshaped(*first, sizes);
  } else if (i.opcode == "concatenate" && first && listed_dims.size() == 1) {
    dims = first->dims;
    Dims parts;
    for (const Operand& operand : operands) parts.push_back(operand.dims[static_cast<std::size_t>(listed_dims[0])]);
    say(static_cast<std::size_t>(listed_dims[0]), joined(parts, " + "));
  } else {
    bool found = false;
    for (const Operand& operand : operands) {
      if (operand.sizes != sizes) continue;
      for (std::size_t d = 0; d < sizes.size(); ++d)
        if (!found || (is_filler(dims[d]) && !is_filler(operand.dims[d]))) dims[d] = operand.dims[d];
      found = true;
    }
    if (found) return dims;
    const auto same_rank =
        std::ranges::find_if(operands, [&](const Operand& o) { return o.sizes.size() == sizes.size(); });
    for (std::size_t d = 0; d < sizes.size(); ++d) {
      const bool is_kept = same_rank != operands.end() && same_rank->sizes[d] == sizes[d];
      say(d, is_kept                       ? same_rank->dims[d]
             : same_rank != operands.end() ? shortened(concat(i.opcode, " of ", bracketed(same_rank->dims[d])))
             : i.opcode == "constant" || i.opcode == "iota" ? concat("constant ", sizes[d])
                                                            : concat("made by ", i.opcode));
    }
  }
  return dims;
}

// (f32[2], s32[]) has two elements.
std::vector<Sizes> tuple_sizes(const std::string& shape) {
  std::vector<Sizes> all;
  for (auto open = shape.find('['); open != std::string::npos; open = shape.find('[', open + 1))
    all.push_back(integers(std::string_view(shape).substr(open, shape.find(']', open) - open)));
  return all;
}

}  // namespace

std::vector<std::int64_t> sizes_of(const std::string& shape) {
  if (shape.starts_with('(')) return {};
  const auto open = shape.find('[');
  return open == std::string::npos ? Sizes() : integers(std::string_view(shape).substr(open, shape.find(']') - open));
}

Provenance::Provenance(const HloModule& module) : module_(module) {
  if (const HloComputation* entry = module.entry()) follow(*entry, nullptr);
}

const std::vector<std::string>& Provenance::of(const HloInstruction& instruction) const {
  static const Dims none;
  const auto found = known_.find(&instruction);
  return found == known_.end() ? none : found->second;
}

void Provenance::follow(const HloComputation& computation, const std::vector<Dims>* arguments) {
  std::unordered_map<std::string, const HloInstruction*> by_name;
  for (const HloInstruction& instruction : computation.instructions) {
    known_[&instruction] = dims_of(instruction, by_name, arguments);
    by_name[instruction.name] = &instruction;
  }
}

Provenance::Dims Provenance::dims_of(const HloInstruction& i,
                                     const std::unordered_map<std::string, const HloInstruction*>& by_name,
                                     const std::vector<Dims>* arguments) {
  const Sizes sizes = sizes_of(i.shape);
  if (i.opcode == "parameter") {
    const Sizes number = i.operands.empty() ? Sizes() : integers(i.operands[0]);
    const auto index = number.empty() ? 0 : static_cast<std::size_t>(number[0]);
    if (arguments && index < arguments->size() && (*arguments)[index].size() == sizes.size())
      return (*arguments)[index];
    Dims dims;
    for (std::size_t d = 0; d < sizes.size(); ++d) dims.push_back(concat("input ", index, " dim ", d));
    return dims;
  }
  std::vector<Operand> operands;
  const HloInstruction* first = nullptr;
  if (!i.has_literal_operand()) {
    for (const std::string& name : i.operands) {
      const auto found = by_name.find(name);
      if (found == by_name.end()) continue;
      if (!first) first = found->second;
      operands.push_back({sizes_of(found->second->shape), known_.at(found->second)});
    }
  }
  if (i.opcode == "tuple") {
    for (const Operand& operand : operands) elements_[&i].push_back(operand.dims);
    return {};
  }
  if (i.opcode == "get-tuple-element" && first) {
    const auto at = i.attributes.find("index=");
    const Sizes index = at == std::string::npos ? Sizes() : integers(std::string_view(i.attributes).substr(at));
    const auto made = elements_.find(first);
    if (!index.empty() && made != elements_.end() && static_cast<std::size_t>(index[0]) < made->second.size())
      return made->second[static_cast<std::size_t>(index[0])];
    return result_dims(i, sizes, {});
  }
  if (i.opcode == "fusion" && !i.calls.empty()) {
    const HloComputation* const fused = module_.computation(i.calls[0]);
    if (!fused) return result_dims(i, sizes, operands);
    std::vector<Dims> given;
    for (const Operand& operand : operands) given.push_back(operand.dims);
    follow(*fused, &given);
    const auto root = std::ranges::find_if(fused->instructions, &HloInstruction::is_root);
    if (root == fused->instructions.end()) return result_dims(i, sizes, operands);
    if (const auto tuple = elements_.find(&*root); tuple != elements_.end()) elements_[&i] = tuple->second;
    return known_.at(&*root);
  }
  if (i.shape.starts_with('(')) {  // loops and branches give back what they take; others make several of one
    if (const auto carried = first ? elements_.find(first) : elements_.end(); carried != elements_.end()) {
      elements_[&i] = carried->second;
    } else {
      for (const Sizes& element : tuple_sizes(i.shape)) elements_[&i].push_back(result_dims(i, element, operands));
    }
    return {};
  }
  return result_dims(i, sizes, operands);
}

}  // namespace weft::profile
