#include <weft/compiler/compiler.h>

#include <algorithm>
#include <chrono>
#include <unordered_map>

#include <weft/base/diagnostics.h>
#include <weft/base/knobs.h>
#include <weft/base/log.h>
#include <weft/base/trace.h>
#include <weft/compiler/cache/kernel_cache.h>
#include <weft/compiler/dump.h>
#include <weft/compiler/fusion/fuse.h>
#include <weft/compiler/hlo.h>
#include <weft/compiler/memory_plan.h>
#include <weft/compiler/passes.h>
#include <weft/compiler/thunks/kernel_thunk.h>
#include <weft/ir/op.h>

namespace weft::compiler {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t elide_in_profiles = 16;  // elements of a constant

class Phase {
 public:
  Phase(Report& report, const char* name)
      : report_(report), name_(name), start_(Clock::now()), scope_("compile", name) {}
  ~Phase() {
    report_.passes.push_back(
        {name_, std::chrono::duration<double, std::milli>(Clock::now() - start_).count(), changed});
  }
  bool changed = true;

 private:
  Report& report_;
  const char* name_;
  Clock::time_point start_;
  trace::Scope scope_;
};

// Equal kernels are compiled once: `index` says which of the distinct ones each unit runs.
struct Kernels {
  KernelCache::Found code;
  std::vector<int> index;
};

Kernels make_kernels(const std::vector<Unit>& units, const Dump& dump, Report& report) {
  Kernels result;
  std::vector<KernelSource> distinct;
  std::vector<std::string> keys;
  std::unordered_map<std::string, int> known;
  for (const Unit& unit : units) {
    result.index.push_back(-1);
    if (!unit.loop) continue;
    const auto [at, first] = known.try_emplace(unit.loop->key(), static_cast<int>(distinct.size()));
    if (first) {
      distinct.emplace_back(&*unit.loop);
      keys.push_back(at->first);
      dump.kernel(unit.info.name, *unit.loop);
    }
    result.index.back() = at->second;
    ++report.kernels;
  }
  report.distinct_kernels = static_cast<int>(distinct.size());
  result.code = KernelCache::instance().get(distinct, keys);
  report.loaded_kernels = static_cast<int>(result.code.loaded);
  report.compiled_kernels = static_cast<int>(result.code.compiled);
  return result;
}

[[noreturn]] void only_interpreted(const ir::Graph& graph, std::string feature) {
  throw UnsupportedError(concat("compile: ", graph.name, " uses ", feature, ", which only the interpreter knows"),
                         feature);
}

void require_compilable(const ir::Graph& graph) {
  for (const ir::Node* node : graph.nodes()) {
    if (node->op->interpreted) only_interpreted(graph, concat(node->op->dialect, '.', node->op->name));
    for (const Type type : node->types)
      if (is_narrow(type.dtype())) only_interpreted(graph, std::string(name(type.dtype())));
    for (const ir::Graph* region : node->regions) require_compilable(*region);
  }
}

}  // namespace

void clear_kernel_cache() { KernelCache::instance().clear(); }

Options Options::from_knobs() {
  Options options;
  options.strict = knobs::strict();
  options.fuse = knobs::fuse();
  return options;
}

std::shared_ptr<const runtime::Executable> compile(const ir::Graph& graph, const Options& options, Report* report) {
  Report local;
  Report& out = report ? *report : local;
  out = {};
  const auto start = Clock::now();
  out.nodes = static_cast<int>(graph.nodes().size());
  require_compilable(graph);

  Dump dump(graph.name);
  const auto optimised = run_pipeline(graph, options, out, &dump);
  std::vector<Unit> units;
  {
    const Phase phase(out, "fuse");
    units = fuse(*optimised, options, out.fallbacks);
  }
  if (options.observer) options.observer->units(*optimised, units);
  auto executable = std::make_shared<runtime::Executable>();
  executable->name = graph.name;
  if (trace::enabled()) executable->hlo = print_hlo(*optimised, units, elide_in_profiles);
  MemoryPlan plan;
  {
    const Phase phase(out, "plan-memory");
    plan = plan_memory(*optimised, units, options.donatable, *executable);
  }
  Kernels kernels;
  {
    const Phase phase(out, "generate-kernels");
    kernels = make_kernels(units, dump, out);
  }
  {
    const Phase phase(out, "make-thunks");
    for (std::size_t u = 0; u < units.size(); ++u) {
      Unit& unit = units[u];
      std::unique_ptr<runtime::Thunk> thunk;
      if (unit.loop) {
        std::vector<runtime::Slice> buffers = plan.reads[u];
        buffers.insert(buffers.end(), plan.writes[u].begin(), plan.writes[u].end());
        const auto kernel = reinterpret_cast<Kernel>(kernels.code.kernels[static_cast<std::size_t>(kernels.index[u])]);
        thunk = std::make_unique<KernelThunk>(*unit.loop, kernel, std::move(buffers));
      } else {
        thunk = unit.make(plan.reads[u], plan.writes[u], plan.scratch[u]);
      }
      thunk->info = std::move(unit.info);
      thunk->reads = std::move(plan.reads[u]);
      thunk->writes = std::move(plan.writes[u]);
      if (plan.scratch[u].bytes) thunk->writes.push_back(plan.scratch[u]);
      executable->thunks.push_back(std::move(thunk));
    }
  }
  executable->code = std::make_shared<std::vector<std::shared_ptr<const void>>>(std::move(kernels.code.owners));
  out.thunks = static_cast<int>(executable->thunks.size());
  out.peak_bytes = executable->peak_bytes;
  out.total_ms = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  if (options.observer) options.observer->executable(*executable, out);
  WEFT_LOG(compile, graph.name, ": ", out.nodes, " nodes, ", out.thunks, " thunks, ", out.distinct_kernels, " of ",
           out.kernels, " kernels distinct, ", out.compiled_kernels, " compiled, ", out.loaded_kernels, " from disk, ",
           out.total_ms, " ms, peak ", out.peak_bytes, " bytes");
  for (const std::string& fallback : out.fallbacks) {
    WEFT_LOG(perf_hints, graph.name, ": ", fallback);
    WEFT_DIAGNOSE({.kind = diagnostics::Kind::host_fallback, .subject = graph.name, .reason = fallback});
  }
  return executable;
}

}  // namespace weft::compiler
