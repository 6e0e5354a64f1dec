#include <weft/compiler/exchanged_tensors.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include <weft/base/error.h>
#include <weft/compiler/describe_attributes.h>
#include <weft/compiler/spmd/describe_division.h>
#include <weft/compiler/spmd/remedies.h>
#include <weft/ir/place_text.h>

namespace weft::compiler {

namespace {

// Returns what passes keep of a collective: the operation, its results and the user's line.
template <class Types>
std::string likeness(std::string_view opcode, const Types& types, std::string_view file, std::uint32_t line) {
  std::string text = concat(opcode, ' ', file, ':', line);
  for (const Type type : types) text += concat(' ', type);
  return text;
}

// Returns the number at the end of the name of an instruction, which grows with its place in the graph.
std::size_t number_of(const runtime::Instruction& instruction) {
  std::string_view digits = instruction.name;
  digits.remove_prefix(std::min(digits.find_last_of('.') + 1, digits.size()));
  std::size_t number = 0;
  (void)std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

// Returns the thunk of each operation of a division, in the order of the program; -1 for those that passes changed, and for those in
// regions. Alike collectives have the same order in the program and in what it was compiled to.
std::vector<std::int32_t> thunks_of_operations(const Partitioned& program,
                                               const runtime::ProgramDescription& compiled) {
  std::map<std::string, std::vector<std::pair<std::size_t, std::int32_t>>> thunks;  // with their numbers
  for (std::size_t t = 0; t < compiled.thunks.size(); ++t)
    if (const runtime::Instruction* const i = compiled.of_thunk(t))
      thunks[likeness(i->opcode, i->shape.types, i->file, i->line)].emplace_back(number_of(*i),
                                                                                 static_cast<std::int32_t>(t));
  for (auto& [text, alike] : thunks) std::ranges::sort(alike, std::greater());  // the first one at the end
  std::vector<std::int32_t> found;
  for (const ir::Node* node : operations(program)) {
    const ir::Location& at = node->location;
    const auto alike = thunks.find(likeness(hlo_opcode(*node), node->types, at.line ? at.file : "", at.line));
    const bool is_known = node->graph == program.graph.get() && alike != thunks.end() && !alike->second.empty();
    found.push_back(is_known ? alike->second.back().second : -1);
    if (is_known) alike->second.pop_back();
  }
  return found;
}

}  // namespace

std::vector<runtime::ExchangedTensor> exchanged_tensors(const Partitioned& program, const Options& options,
                                                        const runtime::ProgramDescription& compiled) {
  const std::vector<std::int32_t> thunks = thunks_of_operations(program, compiled);
  const NameOfInput name = [&](std::int32_t input) { return ir::input_name(*program.graph, input); };
  Division division = describe_division(program);
  add_remedies(program, options, name, division);
  std::vector<runtime::ExchangedTensor> all;
  for (Division::Collective& c : division.collectives)
    all.push_back({.thunk = thunks[c.operation],
                   .collective = c.name,
                   .axes = c.axes,
                   .sent_bytes = c.sent_bytes,
                   .formula = c.formula,
                   .reason = reason_text(c, name),
                   .remedies = std::move(c.remedies)});
  return all;
}

}  // namespace weft::compiler
