#include <weft/profile/graph_view.h>

#include <algorithm>
#include <map>
#include <spawn.h>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <weft/base/error.h>
#include <weft/base/file.h>
#include <weft/base/temporary_folder.h>
#include <weft/profile/provenance.h>
#include <weft/profile/serialize.h>

namespace weft::profile {

namespace {

using Shown = std::unordered_set<const HloInstruction*>;

std::string without_layout(const std::string& shape) {
  std::string text;
  for (bool in_layout = false; const char c : shape) {
    if (c == '{') in_layout = true;
    if (!in_layout) text += c;
    if (c == '}') in_layout = false;
  }
  return text;
}

// The instructions of the entry that the view has: within so many edges, in either direction.
Shown shown_of(const HloComputation& entry, const GraphViewOptions& options) {
  Shown shown;
  if (options.around.empty()) {
    for (const HloInstruction& i : entry.instructions) shown.insert(&i);
    return shown;
  }
  std::string wanted = options.around.starts_with('%') ? options.around.substr(1) : options.around;
  wanted = hlo_name(wanted);
  std::map<std::string_view, const HloInstruction*> by_name;
  std::unordered_map<const HloInstruction*, std::vector<const HloInstruction*>> next;
  for (const HloInstruction& i : entry.instructions) {
    by_name[i.name] = &i;
    if (i.has_literal_operand()) continue;
    for (const std::string& name : i.operands) {
      const auto operand = by_name.find(name);
      if (operand == by_name.end()) continue;
      next[&i].push_back(operand->second);
      next[operand->second].push_back(&i);
    }
  }
  const auto center = by_name.find(wanted);
  require(center != by_name.end(), "explain: the program has no operation %", wanted);
  std::vector<const HloInstruction*> front = {center->second};
  shown.insert(center->second);
  for (int d = 0; d < options.distance; ++d) {
    std::vector<const HloInstruction*> further;
    for (const HloInstruction* i : front)
      for (const HloInstruction* other : next[i])
        if (shown.insert(other).second) further.push_back(other);
    front = std::move(further);
  }
  return shown;
}

const HloComputation& entry_of(const HloModule& module) {
  const HloComputation* const entry = module.entry();
  require(entry != nullptr, "explain: nothing is known of the program's contents");
  return *entry;
}

std::string place(const HloInstruction& i) {
  const std::string place =
      i.scope.empty() || i.source.empty() ? concat(i.scope, i.source) : concat(i.scope, ", ", i.source);
  return place.empty() ? "" : concat("  # ", place);
}

std::string dims_text(const HloInstruction& i, const Provenance& provenance, const std::string& indent) {
  const auto sizes = sizes_of(i.shape);
  const auto& dims = provenance.of(i);
  std::string text;
  for (std::size_t d = 0; d < sizes.size() && d < dims.size(); ++d)
    text += concat(text.empty() ? "" : "; ", sizes[d], " = ", printable(dims[d]));
  return text.empty() || i.opcode == "parameter" ? "" : concat(indent, "dims: ", text, '\n');
}

std::string line(const HloInstruction& i) {
  std::string operands;
  for (const std::string& operand : i.operands)
    operands += concat(operands.empty() ? "" : ", ", i.has_literal_operand() ? "" : "%", operand);
  return concat(printable(concat(i.is_root ? "ROOT " : "", '%', i.name, " = ", without_layout(i.shape), ' ', i.opcode,
                                 '(', operands, ')', place(i))),
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

// The ops that a kind of op is drawn in the colours of.
const char* color_of(const HloInstruction& i) {
  if (i.opcode == "parameter" || i.opcode == "constant") return "#eceff3";
  if (i.opcode == "fusion") return "#dbe7fb";
  if (i.opcode == "dot" || i.opcode == "convolution") return "#fbe6cf";
  return "#e3f2ea";
}

class Dot {
 public:
  Dot(const HloModule& module, const GraphViewOptions& options)
      : module_(module), options_(options), shown_(shown_of(entry_of(module), options)) {}

  std::string write() {
    out_ = concat("digraph ", quoted(module_.name),
                  " {\n  rankdir=TB;\n  node [shape=box, style=\"rounded,filled\", color=\"#8a93a0\", "
                  "fontname=\"Helvetica\", fontsize=10];\n"
                  "  edge [color=\"#8a93a0\", arrowsize=0.6];\n");
    for (const HloInstruction& i : entry_of(module_).instructions)
      if (shown_.contains(&i)) node(i, "", "  ");
    edges(entry_of(module_), "", shown_);
    return out_ + "}\n";
  }

 private:
  void node(const HloInstruction& i, const std::string& prefix, const std::string& indent) {
    const std::string label = i.opcode == "parameter" && !i.operands.empty() ? concat("input ", i.operands[0]) : i.name;
    out_ += concat(indent, quoted(id_of(i, prefix)), " [label=", label_text(label, without_layout(i.shape), i.source),
                   ", fillcolor=", quoted(color_of(i)), "];\n");
    if (const HloComputation* const fused = options_.expand ? module_.fused(i) : nullptr) inside(i, *fused, indent);
  }

  void inside(const HloInstruction& fusion, const HloComputation& fused, const std::string& indent) {
    const std::string id = id_of(fusion, ""), prefix = id + '/';
    out_ += concat(indent, "subgraph ", quoted("cluster " + prefix), " {\n", indent,
                   "  label=", quoted("in " + fusion.name),
                   "; color=\"#8a93a0\"; style=rounded; fontname=\"Helvetica\"; fontsize=9;\n");
    Shown all;
    for (const HloInstruction& member : fused.instructions) {
      all.insert(&member);
      node(member, prefix, indent + "  ");
    }
    out_ += indent + "}\n";
    edges(fused, prefix, all);
    for (const HloInstruction& member : fused.instructions)
      if (member.is_root) out_ += concat("  ", quoted(id_of(member, prefix)), " -> ", quoted(id), " [style=dashed];\n");
  }

  // The instruction's name, as edges repeat it: long ones are cut and numbered.
  std::string id_of(const HloInstruction& i, const std::string& prefix) {
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

  void edges(const HloComputation& computation, const std::string& prefix, const Shown& shown) {
    std::map<std::string_view, const HloInstruction*> by_name;
    for (const HloInstruction& i : computation.instructions) {
      by_name[i.name] = &i;
      if (!shown.contains(&i) || i.has_literal_operand()) continue;
      for (const std::string& operand : i.operands)
        if (const auto from = by_name.find(operand); from != by_name.end() && shown.contains(from->second))
          out_ += concat("  ", quoted(id_of(*from->second, prefix)), " -> ", quoted(id_of(i, prefix)), ";\n");
    }
  }

  const HloModule& module_;
  const GraphViewOptions& options_;
  Shown shown_;
  std::unordered_map<const HloInstruction*, std::size_t> number_of_;
  std::string out_;
};

}  // namespace

std::string graph_text(const HloModule& module, const GraphViewOptions& options) {
  const HloComputation& entry = entry_of(module);
  const Shown shown = shown_of(entry, options);
  const Provenance provenance(module);
  std::string text = concat("program ", printable(module.name), ": ", shown.size(), " of ", entry.instructions.size(),
                            " operations\n");
  for (const HloInstruction& i : entry.instructions) {
    if (!shown.contains(&i)) continue;
    text += line(i) + dims_text(i, provenance, "    ");
    const HloComputation* const fused = options.expand ? module.fused(i) : nullptr;
    if (!fused) continue;
    for (const HloInstruction& member : fused->instructions)
      text += concat("    | ", line(member)) + dims_text(member, provenance, "    |     ");
  }
  return text;
}

std::string graph_dot(const HloModule& module, const GraphViewOptions& options) { return Dot(module, options).write(); }

std::size_t graph_size(const HloModule& module, const GraphViewOptions& options) {
  const Shown shown = shown_of(entry_of(module), options);
  std::size_t count = shown.size();
  for (const HloInstruction* i : shown)
    if (const HloComputation* const fused = options.expand ? module.fused(*i) : nullptr)
      count += fused->instructions.size();
  return count;
}

namespace {

// Without a shell: the folder of temporary files may have any name.
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
