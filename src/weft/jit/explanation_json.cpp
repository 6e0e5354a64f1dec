#include <utility>

#include <nlohmann/json.hpp>

#include <weft/base/json.h>
#include <weft/jit/explanation.h>

namespace weft {

namespace {

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
             {"joined", g.joined},
             {"collectives", g.collectives},
             {"communications", g.communications},
             {"sent_bytes", g.sent_bytes},
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
                    {"inlined", p.inlined},
                    {"differentiated_at", p.differentiated_at},
                    {"compile_ms", p.compile_ms},
                    {"before", json::array()}});
    for (const Graph& g : p.before) program["before"].push_back(to_json(g));
    all["programs"].push_back(std::move(program));
  }
  for (const Break& cut : breaks)
    all["graph_breaks"].push_back({{"reason", cut.reason}, {"place", cut.place}, {"count", cut.count}, {"ms", cut.ms}});
  return print_json(all, 2);
}

}  // namespace weft
