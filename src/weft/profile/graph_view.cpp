#include <weft/profile/graph_view.h>

#include <algorithm>
#include <spawn.h>
#include <unordered_map>
#include <unordered_set>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <weft/base/error.h>
#include <weft/base/file.h>
#include <weft/base/temporary_folder.h>
#include <weft/profile/serialize.h>
#include <weft/runtime/hlo_text.h>

namespace weft::profile {

namespace {

using runtime::Computation;
using runtime::Instruction;
using runtime::ProgramDescription;
using Shown = std::unordered_set<const Instruction*>;

std::string without_layout(const Instruction& i) { return hlo_shape(i.shape, false); }

// Returns the instructions of the entry that the view shows: those within a number of edges of the center, in either direction.
Shown shown_of(const Computation& entry, const GraphViewOptions& options) {
  Shown shown;
  if (options.around.empty()) {
    for (const Instruction& i : entry.instructions) shown.insert(&i);
    return shown;
  }
  std::string wanted = options.around.starts_with('%') ? options.around.substr(1) : options.around;
  wanted = runtime::hlo_name(wanted);
  std::unordered_map<const Instruction*, std::vector<const Instruction*>> next;
  for (const Instruction& i : entry.instructions)
    for (const std::uint32_t operand : i.operands) {
      next[&i].push_back(&entry.instructions[operand]);
      next[&entry.instructions[operand]].push_back(&i);
    }
  const auto center = std::ranges::find(entry.instructions, wanted, &Instruction::name);
  require(center != entry.instructions.end(), "explain: the program has no operation %", wanted);
  std::vector<const Instruction*> front = {&*center};
  shown.insert(&*center);
  for (int d = 0; d < options.distance; ++d) {
    std::vector<const Instruction*> further;
    for (const Instruction* i : front)
      for (const Instruction* other : next[i])
        if (shown.insert(other).second) further.push_back(other);
    front = std::move(further);
  }
  return shown;
}

const Computation& entry_of(const ProgramDescription& program) {
  const Computation* const entry = program.entry();
  require(entry != nullptr, "explain: the recording has no description of the program");
  return *entry;
}

std::string place(const Instruction& i) {
  const std::string source = i.source();
  const std::string place = i.scope.empty() || source.empty() ? i.scope + source : concat(i.scope, ", ", source);
  return place.empty() ? "" : concat("  # ", place);
}

std::string dims_text(const Instruction& i, const std::string& indent) {
  std::string text;
  for (std::size_t d = 0; d < i.dims.size(); ++d)
    text += concat(text.empty() ? "" : "; ", i.shape.types[0].size(d), " = ", printable(i.dims[d]));
  return text.empty() ? "" : concat(indent, "dims: ", text, '\n');
}

std::string line(const Computation& computation, const Instruction& i) {
  const bool is_root = &i == &computation.instructions[computation.root];
  const char* const mark = i.opcode == "parameter" || i.opcode == "constant" ? "" : "%";
  std::string operands;
  for (const std::string& operand : hlo_operands(computation, i))
    operands += concat(operands.empty() ? "" : ", ", mark, operand);
  return concat(printable(concat(is_root ? "ROOT " : "", '%', i.name, " = ", without_layout(i), ' ', i.opcode, '(',
                                 operands, ')', place(i))),
                '\n');
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    c == '\n' ? out += "\\n" : out += c;
  }
  return out + '"';
}

// Returns the colour of an instruction, by its kind.
const char* color_of(const Instruction& i) {
  if (i.opcode == "parameter" || i.opcode == "constant") return "#eceff3";
  if (i.opcode == "fusion") return "#dbe7fb";
  if (i.opcode == "dot" || i.opcode == "convolution") return "#fbe6cf";
  return "#e3f2ea";
}

class Dot {
 public:
  Dot(const ProgramDescription& program, const GraphViewOptions& options)
      : program_(program), options_(options), shown_(shown_of(entry_of(program), options)) {}

  std::string write() {
    out_ = concat("digraph ", quoted(program_.name),
                  " {\n  rankdir=TB;\n  node [shape=box, style=\"rounded,filled\", color=\"#8a93a0\", "
                  "fontname=\"Helvetica\", fontsize=10];\n"
                  "  edge [color=\"#8a93a0\", arrowsize=0.6];\n");
    for (const Instruction& i : entry_of(program_).instructions)
      if (shown_.contains(&i)) node(i, "", "  ");
    edges(entry_of(program_), "", shown_);
    return out_ + "}\n";
  }

 private:
  void node(const Instruction& i, const std::string& prefix, const std::string& indent) {
    const std::string label = i.opcode == "parameter" ? concat("input ", i.parameter) : i.name;
    out_ += concat(indent, quoted(id_of(i, prefix)), " [label=", label_text(label, without_layout(i), i.source()),
                   ", fillcolor=", quoted(color_of(i)), "];\n");
    if (const Computation* const fused = options_.expand ? program_.fused(i) : nullptr) inside(i, *fused, indent);
  }

  void inside(const Instruction& fusion, const Computation& fused, const std::string& indent) {
    const std::string id = id_of(fusion, ""), prefix = id + '/';
    out_ += concat(indent, "subgraph ", quoted("cluster " + prefix), " {\n", indent,
                   "  label=", quoted("in " + fusion.name),
                   "; color=\"#8a93a0\"; style=rounded; fontname=\"Helvetica\"; fontsize=9;\n");
    Shown all;
    for (const Instruction& member : fused.instructions) {
      all.insert(&member);
      node(member, prefix, indent + "  ");
    }
    out_ += indent + "}\n";
    edges(fused, prefix, all);
    const std::string root = id_of(fused.instructions[fused.root], prefix);
    out_ += concat("  ", quoted(root), " -> ", quoted(id), " [style=dashed];\n");
  }

  // Returns the instruction's name as the id that edges repeat: long names are truncated and numbered.
  std::string id_of(const Instruction& i, const std::string& prefix) {
    constexpr std::size_t longest = 100;
    if (i.name.size() <= longest) return prefix + i.name;
    const auto [at, is_new] = number_of_.try_emplace(&i, number_of_.size());
    return concat(prefix, shortened(i.name, longest), ' ', at->second);
  }

  static std::string label_text(const std::string& name, const std::string& shape, const std::string& source) {
    const auto slash = source.rfind('/');
    const std::string file = slash == std::string::npos ? source : source.substr(slash + 1);
    return quoted(concat(name, "\n", shape, file.empty() ? "" : "\n", file));
  }

  void edges(const Computation& computation, const std::string& prefix, const Shown& shown) {
    for (const Instruction& i : computation.instructions) {
      if (!shown.contains(&i)) continue;
      for (const std::uint32_t operand : i.operands)
        if (const Instruction& from = computation.instructions[operand]; shown.contains(&from))
          out_ += concat("  ", quoted(id_of(from, prefix)), " -> ", quoted(id_of(i, prefix)), ";\n");
    }
  }

  const ProgramDescription& program_;
  const GraphViewOptions& options_;
  Shown shown_;
  std::unordered_map<const Instruction*, std::size_t> number_of_;
  std::string out_;
};

}  // namespace

std::string graph_text(const ProgramDescription& program, const GraphViewOptions& options) {
  const Computation& entry = entry_of(program);
  const Shown shown = shown_of(entry, options);
  std::string text = concat("program ", printable(program.name), ": ", shown.size(), " of ", entry.instructions.size(),
                            " operations\n");
  for (const Instruction& i : entry.instructions) {
    if (!shown.contains(&i)) continue;
    text += line(entry, i) + dims_text(i, "    ");
    const Computation* const fused = options.expand ? program.fused(i) : nullptr;
    if (!fused) continue;
    for (const Instruction& member : fused->instructions)
      text += concat("    | ", line(*fused, member)) + dims_text(member, "    |     ");
  }
  return text;
}

std::string graph_dot(const ProgramDescription& program, const GraphViewOptions& options) {
  return Dot(program, options).write();
}

std::size_t graph_size(const ProgramDescription& program, const GraphViewOptions& options) {
  const Shown shown = shown_of(entry_of(program), options);
  std::size_t count = shown.size();
  for (const Instruction* i : shown)
    if (const Computation* const fused = options.expand ? program.fused(*i) : nullptr)
      count += fused->instructions.size();
  return count;
}

namespace {

// Does not use a shell, because the folder of temporary files may have any name.
bool run_dot(const std::string& graph, const std::string& drawing) {
  const char* const command[] = {"dot", "-Tsvg", "-o", drawing.c_str(), graph.c_str(), nullptr};
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const bool started =
      ::posix_spawnp(&child, command[0], &actions, nullptr, const_cast<char* const*>(command), environ) == 0;
  ::posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  return started && ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

std::string dot_to_svg(const std::string& dot) {
  const TemporaryFolder folder;
  const std::string graph = folder / "graph.dot", drawing = folder / "graph.svg";
  write_file(graph, dot);
  const std::string svg = run_dot(graph, drawing) ? read_file(drawing) : "";
  require(
      !svg.empty(),
      "explain: Graphviz's `dot` is not here, or cannot draw this graph (Debian: graphviz); --format dot needs none");
  return svg;
}

}  // namespace weft::profile
