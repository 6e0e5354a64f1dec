#include <weft/jit/explanation.h>

#include <ostream>
#include <sstream>

#include <nlohmann/json.hpp>

namespace weft {

std::string Explanation::text() const {
  std::ostringstream out;
  out << function << ": " << calls << " calls, recorded " << recorded << " times, compiled " << compiles << " times";
  if (evicted != 0) out << ", " << evicted << " programs forgotten";
  out << '\n';
  for (std::size_t i = 0; i < programs.size(); ++i) {
    const Program& p = programs[i];
    out << "program " << i << ": " << p.nodes << " operations, " << p.kernels << " kernels, " << p.inputs << " inputs, "
        << p.updates << " parameters updated, " << static_cast<double>(p.peak_bytes) / 1e6 << " MB at its peak; ";
    if (p.compile_ms > 0) {
      out << "compiled in " << p.compile_ms << " ms, ";
    } else {
      out << "an equal program was known, ";
    }
    out << "replayed " << p.replays << " times\n";
    const auto list = [&](const char* title, const std::vector<std::string>& lines) {
      for (const std::string& line : lines) out << "  " << title << line << '\n';
    };
    list("argument ", p.arguments);
    list("guard: ", p.guards);
    list("frozen: ", p.frozen);
    out << "  moves " << p.moved_bytes / 1e6 << " MB and computes " << p.flops / 1e6 << " Mflop in a launch\n";
    for (const Kernel& k : p.launches)
      out << "  kernel " << k.name << " (" << k.category << "): " << k.bytes / 1e6 << " MB, " << k.flops / 1e6
          << " Mflop" << (k.source.empty() ? "" : ", ") << k.source << '\n';
    for (const compiler::Fusion& f : p.fusions)
      out << (f.refused.empty() ? "  fused " : "  not fused ") << f.name << ": "
          << (f.refused.empty() ? f.operations : f.refused) << (f.source.empty() ? "" : ", ") << f.source << '\n';
    list("autotuned: ", p.choices);
    if (p.distinct_kernels != 0)
      out << "  generated kernels: " << p.distinct_kernels << " distinct, " << p.compiled_kernels << " compiled, "
          << p.loaded_kernels << " from the disk or an artifact" << (p.cache_miss.empty() ? "" : "; missed: ")
          << p.cache_miss << '\n';
    for (const compiler::PassTiming& phase : p.phases) out << "  phase " << phase.name << ": " << phase.ms << " ms\n";
    if (!p.rerecorded_because.empty()) out << "  recorded in every call, for " << p.rerecorded_because << '\n';
  }
  for (const Break& cut : breaks)
    out << "graph break: " << cut.reason << (cut.place.empty() ? "" : " at ") << cut.place << ", " << cut.count
        << " times, " << cut.ms << " ms in all\n";
  for (const std::string& recompile : recompiles) out << recompile << '\n';
  return std::move(out).str();
}

std::string Explanation::json() const {
  using nlohmann::json;
  json all{{"function", function},          {"calls", calls},          {"recorded", recorded},
           {"compiles", compiles},          {"evicted", evicted},      {"programs", json::array()},
           {"graph_breaks", json::array()}, {"recompiles", recompiles}};
  for (const Program& p : programs) {
    all["programs"].push_back({{"arguments", p.arguments},
                               {"guards", p.guards},
                               {"frozen", p.frozen},
                               {"rerecorded_because", p.rerecorded_because},
                               {"nodes", p.nodes},
                               {"kernels", p.kernels},
                               {"inputs", p.inputs},
                               {"updates", p.updates},
                               {"replays", p.replays},
                               {"peak_bytes", p.peak_bytes},
                               {"compile_ms", p.compile_ms},
                               {"flops", p.flops},
                               {"moved_bytes", p.moved_bytes},
                               {"launches", json::array()},
                               {"fusions", json::array()},
                               {"autotuned", p.choices},
                               {"distinct_kernels", p.distinct_kernels},
                               {"compiled_kernels", p.compiled_kernels},
                               {"loaded_kernels", p.loaded_kernels},
                               {"cache_miss", p.cache_miss},
                               {"phases", json::array()}});
    json& program = all["programs"].back();
    for (const Kernel& k : p.launches)
      program["launches"].push_back(
          {{"name", k.name}, {"category", k.category}, {"source", k.source}, {"flops", k.flops}, {"bytes", k.bytes}});
    for (const compiler::Fusion& f : p.fusions)
      program["fusions"].push_back(
          {{"name", f.name}, {"operations", f.operations}, {"source", f.source}, {"refused", f.refused}});
    for (const compiler::PassTiming& phase : p.phases)
      program["phases"].push_back({{"name", phase.name}, {"ms", phase.ms}});
  }
  for (const Break& cut : breaks)
    all["graph_breaks"].push_back({{"reason", cut.reason}, {"place", cut.place}, {"count", cut.count}, {"ms", cut.ms}});
  return all.dump(2);
}

std::ostream& operator<<(std::ostream& out, const Explanation& explanation) { return out << explanation.text(); }

}  // namespace weft
