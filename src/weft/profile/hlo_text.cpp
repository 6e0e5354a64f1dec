#include <weft/profile/hlo_text.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <set>

#include <weft/base/error.h>
#include <weft/profile/recording.h>
#include <weft/profile/serialize.h>

namespace weft::profile {

namespace {

using Text = std::string_view;

// The end of what starts at `at` and ends before one of `ends` that is in no bracket and no quotes.
std::size_t end_of(Text line, std::size_t at, Text ends) {
  int depth = 0;
  for (bool quoted = false; at < line.size(); ++at) {
    const char c = line[at];
    if (quoted) {
      at += c == '\\';
      quoted = c != '"';
      continue;
    }
    if (depth == 0 && ends.find(c) != ends.npos) return at;
    quoted = c == '"';
    depth += c == '(' || c == '{' || c == '[';
    depth -= c == ')' || c == '}' || c == ']';
  }
  return std::min(at, line.size());
}

Text trimmed(Text text) {
  while (text.starts_with(' ') || text.starts_with(',')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

Text without_percent(Text name) { return name.starts_with('%') ? name.substr(1) : name; }

template <class Take>
void split(Text list, Take&& take) {
  while (!(list = trimmed(list)).empty()) {
    const std::size_t end = end_of(list, 0, ",");
    take(trimmed(list.substr(0, end)));
    list.remove_prefix(end);
  }
}

// Without quotes and escapes; what has none is itself.
std::string unquoted(Text text) {
  if (!text.starts_with('"')) return std::string(text);
  text.remove_prefix(1);
  if (text.ends_with('"')) text.remove_suffix(1);
  const auto is_octal = [](char c) { return c >= '0' && c <= '7'; };
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\\' || at + 1 == text.size()) {
      out += text[at];
    } else if (at + 3 < text.size() && std::ranges::all_of(text.substr(at + 1, 3), is_octal)) {
      const auto digit = [&](std::size_t i) { return text[at + i] - '0'; };
      out += static_cast<char>(digit(1) << 6 | digit(2) << 3 | digit(3));
      at += 3;
    } else {
      out += text[++at];
    }
  }
  return out;
}

// op_name="blocks.0" source_file="a.cpp" source_line=12
void read_metadata(Text metadata, HloInstruction& instruction) {
  if (metadata.starts_with('{')) metadata = metadata.substr(1, metadata.size() - 2);
  std::string file, line;
  while (!(metadata = trimmed(metadata)).empty()) {
    const std::size_t equals = metadata.find('=');
    if (equals == metadata.npos) break;
    const Text key = metadata.substr(0, equals);
    metadata.remove_prefix(equals + 1);
    const std::size_t end = end_of(metadata, 0, " }");
    const std::string value = unquoted(metadata.substr(0, end));
    metadata.remove_prefix(end);
    if (key == "op_name") instruction.scope = value;
    if (key == "source_file") file = value;
    if (key == "source_line") line = value;
  }
  if (!file.empty()) instruction.source = concat(file, ':', line);
}

void read_calls(Text value, HloInstruction& instruction) {
  const auto add = [&](Text name) {
    if (name.starts_with('%')) instruction.calls.emplace_back(without_percent(name));
  };
  if (value.starts_with('{')) {
    split(value.substr(1, value.size() - 2), add);
  } else {
    add(value);
  }
}

HloInstruction read_instruction(Text line) {
  HloInstruction made;
  made.text = trimmed(line);
  Text rest = made.text;
  if ((made.is_root = rest.starts_with("ROOT "))) rest.remove_prefix(5);
  const auto equals = rest.find(" = ");
  require(equals != rest.npos, "no instruction");
  made.name = without_percent(rest.substr(0, equals));
  rest.remove_prefix(equals + 3);
  const std::size_t shape = end_of(rest, 0, " ");
  made.shape = rest.substr(0, shape);
  rest = trimmed(rest.substr(shape));
  const auto open = rest.find('(');
  require(open != rest.npos, "no operands");
  made.opcode = rest.substr(0, open);
  const std::size_t close = end_of(rest, open + 1, ")");
  const Text operands = rest.substr(open + 1, close - open - 1);
  if (made.has_literal_operand()) {
    made.operands.emplace_back(operands);
  } else {
    split(operands, [&](Text name) { made.operands.emplace_back(without_percent(name)); });
  }
  rest.remove_prefix(std::min(close + 1, rest.size()));
  split(rest, [&](Text attribute) {
    const auto at = attribute.find('=');
    const Text key = attribute.substr(0, at), value = at == attribute.npos ? Text() : attribute.substr(at + 1);
    if (key == "metadata") return read_metadata(value, made);
    read_calls(value, made);
    made.attributes += concat(made.attributes.empty() ? "" : ", ", attribute);
  });
  return made;
}

}  // namespace

const HloComputation* HloModule::entry() const {
  return entry_ < computations.size() ? &computations[entry_] : nullptr;
}

const HloComputation* HloModule::computation(std::string_view wanted) const {
  const auto found = computation_index_.find(wanted);
  return found == computation_index_.end() ? nullptr : &computations[found->second];
}

const HloInstruction* HloModule::instruction(std::string_view wanted) const {
  const auto found = instruction_index_.find(wanted);
  return found == instruction_index_.end() ? nullptr : &entry()->instructions[found->second];
}

const HloComputation* HloModule::fused(const HloInstruction& instruction) const {
  return instruction.opcode == "fusion" && !instruction.calls.empty() ? computation(instruction.calls[0]) : nullptr;
}

void HloModule::make_index() {
  entry_ =
      static_cast<std::size_t>(std::ranges::find_if(computations, &HloComputation::is_entry) - computations.begin());
  for (std::size_t i = 0; i < computations.size(); ++i) computation_index_.emplace(computations[i].name, i);
  if (const HloComputation* const main = entry())
    for (std::size_t i = 0; i < main->instructions.size(); ++i)
      instruction_index_.emplace(main->instructions[i].name, i);
}

void HloModule::check_fusions() const {
  std::set<const HloComputation*> all;
  for (const HloComputation& computation : computations) {
    for (const HloInstruction& i : computation.instructions) {
      const HloComputation* const called = fused(i);
      if (!called) continue;
      require(all.insert(called).second, "HLO text: several fusions call %", called->name);
      require(called != entry(), "HLO text: the fusion %", i.name, " calls the entry");
    }
  }
  for (const HloComputation* const computation : all)
    for (const HloInstruction& i : computation->instructions)
      require(!fused(i), "HLO text: the fusion %", i.name, " is within another");
}

HloModule parse_hlo(std::string_view text) {
  HloModule module;
  HloComputation* open = nullptr;
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const Text line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    try {
      if (line.starts_with("HloModule ")) {
        module.name = line.substr(10, line.find(',') - 10);
      } else if (line == "}") {
        open = nullptr;
      } else if (open) {
        open->instructions.push_back(read_instruction(line));
      } else if (line.ends_with('{')) {
        open = &module.computations.emplace_back();
        open->is_entry = line.starts_with("ENTRY ");
        const Text name = open->is_entry ? line.substr(6) : line;
        open->name = without_percent(name.substr(0, name.find(' ')));
      } else {
        require(line.empty(), "neither a computation nor an instruction");
      }
    } catch (const Error& wrong) {
      fail("HLO text, line ", number, ": ", wrong.what());
    }
  }
  module.make_index();
  module.check_fusions();
  return module;
}

std::vector<HloModule> parse_programs(const Recording& recording) {
  std::vector<HloModule> modules;
  for (const Program& program : recording.programs) {
    try {
      modules.push_back(parse_hlo(program.hlo));
    } catch (const Error& wrong) {
      fail("program ", printable(program.name), ": ", wrong.what());
    }
  }
  return modules;
}

std::vector<std::int64_t> integers(std::string_view text) {
  std::vector<std::int64_t> found;
  const char* const last = text.data() + text.size();
  for (const char* at = text.data(); at != last;) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(at, last, value);
    if (error == std::errc()) found.push_back(value);
    at = end == at ? at + 1 : end;
  }
  return found;
}

std::string hlo_name(std::string_view op) {
  std::string name(op);
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '.' && c != '-') c = '_';
  return name;
}

}  // namespace weft::profile
