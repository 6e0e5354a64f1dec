#include <weft/jit/explanation.h>

#include <algorithm>
#include <ostream>
#include <sstream>

#include <nlohmann/json.hpp>

#include <weft/base/json.h>

namespace weft {

namespace {

constexpr std::size_t most_shown = 32;  // programs in a text

void write_lines(std::ostream& out, const char* title, const std::vector<std::string>& lines) {
  for (const std::string& line : lines) out << "  " << title << line << '\n';
}

std::string in_modules(const std::vector<std::string>& modules) {
  constexpr std::size_t most = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(modules.size(), most); ++i) text += (i == 0 ? " in " : ", ") + modules[i];
  return modules.size() > most ? concat(text, " and ", modules.size() - most, " more modules") : text;
}

void write(std::ostream& out, const Explanation::Graph& g) {
  out << "  moves " << g.moved_bytes / 1e6 << " MB and computes " << g.flops / 1e6 << " Mflop in a launch\n";
  for (const Explanation::Kernel& k : g.launches)
    out << "  kernel " << k.name << " (" << k.category << "): " << k.bytes / 1e6 << " MB, " << k.flops / 1e6 << " Mflop"
        << (k.source.empty() ? "" : ", ") << k.source << '\n';
  for (const compiler::Fusion& f : g.fusions)
    out << (f.refused.empty() ? "  fused " : "  not fused ") << f.name << ": "
        << (f.refused.empty() ? f.operations : f.refused) << (f.source.empty() ? "" : ", ") << f.source << '\n';
  for (const compiler::SharedCode& s : g.shared)
    out << "  shared: the code of " << s.name << " is made once and called " << s.calls << " times"
        << (s.source.empty() ? "" : ", ") << s.source << in_modules(s.modules) << '\n';
  write_lines(out, "autotuned: ", g.choices);
  if (g.distinct_kernels != 0)
    out << "  generated kernels: " << g.distinct_kernels << " distinct, " << g.compiled_kernels << " compiled, "
        << g.loaded_kernels << " from the disk or an artifact" << (g.cache_miss.empty() ? "" : "; missed: ")
        << g.cache_miss << '\n';
  for (const compiler::PassTiming& phase : g.phases) out << "  phase " << phase.name << ": " << phase.ms << " ms\n";
}

nlohmann::json to_json(const Explanation::Graph& g) {
  using nlohmann::json;
  json graph{{"ended_by", g.ended_by},
             {"nodes", g.nodes},
             {"kernels", g.kernels},
             {"peak_bytes", g.peak_bytes},
             {"flops", g.flops},
             {"moved_bytes", g.moved_bytes},
             {"launches", json::array()},
             {"fusions", json::array()},
             {"shared", json::array()},
             {"autotuned", g.choices},
             {"distinct_kernels", g.distinct_kernels},
             {"compiled_kernels", g.compiled_kernels},
             {"loaded_kernels", g.loaded_kernels},
             {"cache_miss", g.cache_miss},
             {"phases", json::array()}};
  for (const Explanation::Kernel& k : g.launches)
    graph["launches"].push_back(
        {{"name", k.name}, {"category", k.category}, {"source", k.source}, {"flops", k.flops}, {"bytes", k.bytes}});
  for (const compiler::Fusion& f : g.fusions)
    graph["fusions"].push_back(
        {{"name", f.name}, {"operations", f.operations}, {"source", f.source}, {"refused", f.refused}});
  for (const compiler::SharedCode& s : g.shared)
    graph["shared"].push_back({{"name", s.name}, {"source", s.source}, {"calls", s.calls}, {"modules", s.modules}});
  for (const compiler::PassTiming& phase : g.phases)
    graph["phases"].push_back({{"name", phase.name}, {"ms", phase.ms}});
  return graph;
}

}  // namespace

std::string Explanation::text() const {
  std::ostringstream out;
  out << function << ": " << calls << " calls, recorded " << recorded << " times, compiled " << compiles << " times";
  if (compiled_ahead != 0) out << " and " << compiled_ahead << " programs ahead in the background";
  if (evicted != 0) out << ", " << evicted << " programs forgotten";
  out << '\n';
  if (!sizes.empty()) out << "sizes: " << sizes << '\n';
  const std::size_t shown = std::min(programs.size(), most_shown);
  for (std::size_t i = 0; i < shown; ++i) {
    const Program& p = programs[i];
    out << "program " << i << ": " << p.nodes << " operations, " << p.kernels << " kernels, " << p.inputs << " inputs, "
        << p.updates << " parameters updated, " << static_cast<double>(p.peak_bytes) / 1e6 << " MB at its peak; ";
    if (p.compile_ms > 0) {
      out << "compiled in " << p.compile_ms << " ms, ";
    } else {
      out << "an equal program was known, ";
    }
    out << "replayed " << p.replays << " times\n";
    write_lines(out, "argument ", p.arguments);
    write_lines(out, "guard: ", p.guards);
    write_lines(out, "frozen: ", p.frozen);
    write(out, p);
    if (!p.rerecorded_because.empty()) out << "  recorded in every call, for " << p.rerecorded_because << '\n';
    for (std::size_t k = 0; k < p.before.size(); ++k) {
      const Graph& g = p.before[k];
      out << "graph " << k << " before program " << i << ": " << g.nodes << " operations, " << g.kernels << " kernels, "
          << static_cast<double>(g.peak_bytes) / 1e6 << " MB at its peak; ended by a break: " << g.ended_by << '\n';
      write(out, g);
    }
  }
  if (shown < programs.size())
    out << "and " << programs.size() - shown << " more that were used before these: json() has all of them\n";
  for (const Break& cut : breaks)
    out << "graph break: " << cut.reason << (cut.place.empty() ? "" : " at ") << cut.place << ", " << cut.count
        << " times, " << cut.ms << " ms in all\n";
  for (const std::string& recompile : recompiles) out << recompile << '\n';
  return std::move(out).str();
}

std::string Explanation::json() const {
  using nlohmann::json;
  json all{{"function", function},
           {"calls", calls},
           {"recorded", recorded},
           {"compiles", compiles},
           {"evicted", evicted},
           {"programs", json::array()},
           {"graph_breaks", json::array()},
           {"recompiles", recompiles},
           {"sizes", sizes},
           {"compiled_ahead", compiled_ahead}};
  for (const Program& p : programs) {
    json program = to_json(p);
    program.update({{"arguments", p.arguments},
                    {"guards", p.guards},
                    {"frozen", p.frozen},
                    {"rerecorded_because", p.rerecorded_because},
                    {"inputs", p.inputs},
                    {"updates", p.updates},
                    {"replays", p.replays},
                    {"compile_ms", p.compile_ms},
                    {"before", json::array()}});
    for (const Graph& g : p.before) program["before"].push_back(to_json(g));
    all["programs"].push_back(std::move(program));
  }
  for (const Break& cut : breaks)
    all["graph_breaks"].push_back({{"reason", cut.reason}, {"place", cut.place}, {"count", cut.count}, {"ms", cut.ms}});
  return print_json(all, 2);
}

std::ostream& operator<<(std::ostream& out, const Explanation& explanation) { return out << explanation.text(); }

}  // namespace weft
