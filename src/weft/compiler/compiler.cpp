#include <weft/compiler/compiler.h>

#include <algorithm>
#include <chrono>
#include <unordered_map>

#include <weft/base/diagnostics.h>
#include <weft/base/knobs.h>
#include <weft/base/log.h>
#include <weft/base/trace.h>
#include <weft/compiler/autotune.h>
#include <weft/compiler/cache/kernel_cache.h>
#include <weft/compiler/dump.h>
#include <weft/compiler/fusion/fuse.h>
#include <weft/compiler/hlo.h>
#include <weft/compiler/memory_plan.h>
#include <weft/compiler/passes.h>
#include <weft/compiler/recompute.h>
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

// What the units need of generated code: their kernels, and what their thunks call. Equal ones are compiled once.
class CodeRequest {
 public:
  explicit CodeRequest(const Dump& dump) : dump_(dump) {}

  // Its number among the distinct ones.
  int add(const std::string& name, const KernelSource& source, const std::string& key) {
    ++asked_;
    const auto [at, is_first] = known_.try_emplace(key, static_cast<int>(sources_.size()));
    if (is_first) {
      sources_.push_back(source);
      keys_.push_back(key);
      dump_.kernel(name, source);
      if (logging::enabled(logging::Channel::output_code))
        WEFT_LOG(output_code, name, "\n", show_kernel(source, CodeForm::optimised_llvm));
    }
    return at->second;
  }

  KernelCache::Found get(Report& report) const {
    KernelCache::Found code = KernelCache::instance().get(sources_, keys_);
    report.kernels = asked_;
    report.distinct_kernels = static_cast<int>(sources_.size());
    report.loaded_kernels = static_cast<int>(code.loaded);
    report.compiled_kernels = static_cast<int>(code.compiled);
    report.cache_miss = code.miss;
    return code;
  }

 private:
  const Dump& dump_;
  std::vector<KernelSource> sources_;
  std::vector<std::string> keys_;
  std::unordered_map<std::string, int> known_;
  int asked_ = 0;
};

struct Kernels {
  KernelCache::Found code;
  std::vector<int> index;  // of each unit's loop among them

  Kernel of(std::size_t unit) const {
    return reinterpret_cast<Kernel>(code.kernels[static_cast<std::size_t>(index[unit])]);
  }
};

Kernels make_kernels(const std::vector<Unit>& units, const Dump& dump, Report& report) {
  Kernels result;
  CodeRequest request(dump);
  std::vector<std::pair<Routine*, int>> routines;
  for (const Unit& unit : units) {
    result.index.push_back(unit.loop ? request.add(unit.info.name, &*unit.loop, unit.loop->key()) : -1);
    for (std::size_t i = 0; i < unit.routines.size(); ++i) {
      Routine& routine = *unit.routines[i];
      const std::string name = i == 0 ? unit.info.name : concat(unit.info.name, '.', i);
      routines.emplace_back(&routine, request.add(name, routine.source, routine.key));
    }
  }
  result.code = request.get(report);
  for (const auto& [routine, index] : routines) routine->address = result.code.kernels[static_cast<std::size_t>(index)];
  return result;
}

// The graph that computes again what it cannot keep within the budget.
Recomputation keep_less(const ir::Graph& graph, const Options& options, Report& report) {
  Report ignored;
  Recomputation again = recompute(graph, fuse(graph, options, ignored), options.activation_bytes);
  report.recomputed = again.nodes;
  WEFT_LOG(compile, graph.name, ": ", again.nodes, " nodes are computed again: of ", again.waiting_before,
           " bytes that waited for a later use, ", again.waiting_after, " do");
  if (again.waiting_after > options.activation_bytes)
    WEFT_LOG(perf_hints, graph.name, ": ", again.waiting_after, " bytes wait for a later use, more than the ",
             options.activation_bytes, " asked for: nothing more can be computed again");
  return again;
}

[[noreturn]] void only_interpreted(const ir::Graph& graph, const ir::Node& node, std::string feature) {
  std::string place;
  if (node.location.line != 0) place = concat(": ", node.op->name, " at ", node.location.file, ':', node.location.line);
  throw UnsupportedError(
      concat("compile: ", graph.name, " uses ", feature, ", which only the interpreter knows", place), feature);
}

// Of what the outputs need: what nobody holds any more is no reason to refuse the rest.
void require_compilable(const ir::Graph& graph) {
  std::vector<bool> needed(graph.nodes().size());
  for (const ir::Value v : graph.outputs()) needed[v.node->id] = true;
  for (std::size_t i = needed.size(); i-- > 0;) {
    const ir::Node* node = graph.nodes()[i];
    if (!needed[i] && !ir::has_side_effect(*node)) continue;
    for (const ir::Value v : node->operands) needed[v.node->id] = true;
    if (node->op->interpreted) only_interpreted(graph, *node, concat(node->op->dialect, '.', node->op->name));
    for (const Type type : node->types)
      if (is_narrow(type.dtype())) only_interpreted(graph, *node, std::string(name(type.dtype())));
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
  auto optimised = run_pipeline(graph, options, out, &dump);
  if (options.autotune && !options.strict) {
    const Phase phase(out, "autotune");
    optimised = autotune(std::move(optimised), options, out);
  }
  Recomputation again;
  if (options.activation_bytes != 0) {
    const Phase phase(out, "recompute");
    again = keep_less(*optimised, options, out);
    if (again.graph) optimised = again.graph;
  }
  std::vector<Unit> units;
  {
    const Phase phase(out, "fuse");
    units = fuse(*optimised, options, out, again.graph ? &again : nullptr);
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
        thunk = std::make_unique<KernelThunk>(*unit.loop, kernels.of(u), std::move(buffers));
      } else {
        thunk = unit.make(plan.reads[u], plan.writes[u], plan.scratch[u]);
      }
      out.flops += unit.info.flops;
      out.moved_bytes += unit.info.bytes;
      thunk->info = std::move(unit.info);
      thunk->reads = std::move(plan.reads[u]);
      thunk->writes = std::move(plan.writes[u]);
      if (plan.scratch[u].bytes) thunk->writes.push_back(plan.scratch[u]);
      executable->thunks.push_back(std::move(thunk));
    }
  }
  if (options.keeps_memory) executable->kept_blocks = std::make_shared<runtime::KeptBlocks>(executable->outputs.size());
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
  for (const Fusion& fusion : out.fusions)
    WEFT_LOG(fusion, graph.name, ": ", fusion.name, fusion.refused.empty() ? ": " : " stay apart: ",
             fusion.refused.empty() ? fusion.operations : fusion.refused,
             fusion.source.empty() ? "" : concat(" (", fusion.source, ")"));
  return executable;
}

}  // namespace weft::compiler
