#include <weft/compiler/compiler.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <set>

#include <weft/base/diagnostics.h>
#include <weft/base/log.h>
#include <weft/base/process.h>
#include <weft/base/trace.h>
#include <weft/compiler/cache/kernel_cache.h>
#include <weft/compiler/dump.h>
#include <weft/compiler/loop/lower.h>
#include <weft/compiler/nested_compiler.h>
#include <weft/compiler/passes/pipeline.h>
#include <weft/compiler/passes/rewrite.h>
#include <weft/compiler/passes/widen_narrow_types.h>
#include <weft/compiler/phase.h>
#include <weft/compiler/plan/fuse.h>
#include <weft/compiler/plan/horizontal.h>
#include <weft/compiler/plan/memory_plan.h>
#include <weft/compiler/plan/recompute.h>
#include <weft/compiler/plan/unit_order.h>
#include <weft/compiler/program.h>
#include <weft/compiler/thunks/thunk_maker.h>
#include <weft/compiler/tuning/autotune.h>
#include <weft/compiler/tuning/stored_algorithms.h>
#include <weft/compiler/tuning/tilings.h>
#include <weft/ir/op.h>
#include <weft/ir/ops.h>
#include <weft/ir/several_devices.h>

namespace weft::compiler {

namespace {

using Clock = std::chrono::steady_clock;

// Collects the generated code that units need: their kernels and the routines that their thunks call. Equal sources are compiled once.
class CodeRequest {
 public:
  explicit CodeRequest(Dump& dump) : dump_(dump) {}

  // Returns the number of a unit's loop among the distinct ones. Equal units share their loop.
  int add(const std::string& name, const Loop& loop, const Target& target) {
    const auto [at, is_first] = of_loops_.try_emplace({&loop, &target}, 0);
    if (is_first)
      at->second = add(name, &loop, loop.key(), target);
    else
      ++asked_;
    return at->second;
  }
  int add(const std::string& name, const KernelSource& source, const std::string& key, const Target& target) {
    ++asked_;
    const auto [at, is_first] = known_.try_emplace({key, &target}, static_cast<int>(sources_.size()));
    if (is_first) {
      sources_.push_back(source);
      keys_.push_back(key);
      targets_.push_back(&target);
      dump_.kernel(name, source, target);
      if (logging::enabled(logging::Channel::output_code))
        WEFT_LOG(output_code, name, "\n", show_kernel(source, CodeForm::optimised_llvm, target));
    }
    return at->second;
  }

  // Counts a call of a source by the kernel with this name and place.
  int called(int index, const runtime::ThunkInfo& by) {
    calls_.resize(sources_.size());
    SharedCode& code = calls_[index];
    if (code.calls++ == 0) {
      code.name = by.name;
      code.source = by.source;
    }
    if (!by.scope.empty() && std::ranges::find(code.modules, by.scope) == code.modules.end())
      code.modules.push_back(by.scope);
    return index;
  }

  KernelCache::Found get(Report& report) const {
    KernelCache::Found code;
    code.kernels.resize(sources_.size());
    for (const Target* const target : std::set(targets_.begin(), targets_.end())) add_code(*target, code);
    report.kernels = asked_;
    report.distinct_kernels = sources_.size();
    report.loaded_kernels = code.loaded;
    report.compiled_kernels = code.compiled;
    report.cache_miss = code.miss;
    std::ranges::copy_if(calls_, std::back_inserter(report.shared), [](const SharedCode& c) { return c.calls > 1; });
    return code;
  }

 private:
  void add_code(const Target& target, KernelCache::Found& to) const {
    std::vector<KernelSource> sources;
    std::vector<std::string> keys;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      if (targets_[i] != &target) continue;
      sources.push_back(sources_[i]);
      keys.push_back(keys_[i]);
      places.push_back(i);
    }
    KernelCache::Found found = KernelCache::instance().get(sources, keys, target);
    for (std::size_t i = 0; i < places.size(); ++i) to.kernels[places[i]] = found.kernels[i];
    std::ranges::move(found.owners, std::back_inserter(to.owners));
    to.loaded += found.loaded;
    to.compiled += found.compiled;
    if (to.miss.empty()) to.miss = found.miss;
  }

  Dump& dump_;
  std::vector<KernelSource> sources_;
  std::vector<std::string> keys_;
  std::vector<const Target*> targets_;
  std::vector<SharedCode> calls_;  // for each source
  std::map<std::pair<std::string, const Target*>, int> known_;
  std::map<std::pair<const Loop*, const Target*>, int> of_loops_;
  int asked_ = 0;
};

struct Kernels {
  KernelCache::Found code;
  std::vector<std::vector<int>> indices;  // for each unit: the indices of its loops among the kernels

  std::vector<KernelAddress> of(std::size_t unit) const {
    std::vector<KernelAddress> kernels;
    for (const int index : indices[unit]) kernels.push_back(code.kernels[index]);
    return kernels;
  }
};

Kernels make_kernels(const std::vector<Unit>& units, const Target& target, Dump& dump, Report& report) {
  Kernels result;
  CodeRequest request(dump);
  std::vector<std::pair<Routine*, int>> routines;
  for (const Unit& unit : units) {
    auto& indices = result.indices.emplace_back();
    if (const GeneratedKernels* generated = unit.kernels())
      for (const auto& loop : generated->loops)
        indices.push_back(request.called(request.add(unit.info.name, *loop, code_target(unit, target)), unit.info));
    const HandwrittenThunk* const thunk = unit.handwritten();
    for (std::size_t i = 0; thunk && i < thunk->routines.size(); ++i) {
      Routine& routine = *thunk->routines[i];
      const std::string name = i == 0 ? unit.info.name : concat(unit.info.name, '.', i);
      routines.emplace_back(
          &routine,
          request.called(request.add(name, routine.source, routine.key, code_target(routine, target)), unit.info));
    }
  }
  result.code = request.get(report);
  for (const auto& [routine, index] : routines) routine->address = result.code.kernels[index];
  return result;
}

// Returns the graph that recomputes what does not fit into the budget.
Recomputation recompute_within_budget(const ir::Graph& graph, const Options& options, const UnitMaker& maker,
                                      Report& report) {
  Report ignored;
  Recomputation again = recompute(graph, fuse(graph, options, maker, ignored), options.activation_bytes);
  report.recomputed = again.nodes;
  WEFT_LOG(compile, graph.name, ": ", again.nodes,
           " nodes are computed again: the bytes that wait for a later use drop from ", again.waiting_before, " to ",
           again.waiting_after);
  if (again.waiting_after > options.activation_bytes)
    WEFT_LOG(perf_hints, graph.name, ": ", again.waiting_after, " bytes wait for a later use, more than the ",
             options.activation_bytes, " asked for: nothing more can be computed again");
  return again;
}

[[noreturn]] void only_interpreted(const ir::Graph& graph, const ir::Node& node, std::string feature) {
  std::string place;
  if (node.location.line != 0) place = concat(": ", node.op->name, " at ", node.location.file, ':', node.location.line);
  throw UnsupportedError(
      concat("compile: ", graph.name, " uses ", feature, ", which only the interpreter supports", place), feature);
}

// Checks the ops that the outputs need; an op whose result nobody uses is no reason to refuse the graph. Collectives are refused in a
// module for several devices (`is_split`), since they need other participants.
void require_compilable(const ir::Graph& graph, bool is_split) {
  std::vector<bool> needed(graph.nodes().size());
  for (const ir::Value v : graph.outputs()) needed[v.node->id] = true;
  for (std::size_t i = needed.size(); i-- > 0;) {
    const ir::Node* node = graph.nodes()[i];
    if (!needed[i] && !ir::has_side_effect(*node)) continue;
    for (const ir::Value v : node->operands) needed[v.node->id] = true;
    if (node->op->interpreted) only_interpreted(graph, *node, concat(node->op->dialect, '.', node->op->name));
    for (const Type type : node->types)
      if (is_narrow(type.dtype())) only_interpreted(graph, *node, std::string(name(type.dtype())));
    if (is_split && node->op->single_process) ir::refuse_several_devices(*node);
    for (const ir::Graph* region : node->regions) require_compilable(*region, is_split);
  }
}

}  // namespace

void clear_kernel_cache() { KernelCache::instance().clear(); }

namespace {

// A sum over an unknown size is computed in one piece. In strict mode its order must be the same as with a known size.
std::vector<const ir::Node*> sums_of_unknown_sizes(const ir::Graph& graph) {
  std::vector<const ir::Node*> sums;
  for (const ir::Node* node : graph.nodes())
    if (node->op->kind == ir::Kind::reduction && can_lower(*node) && !node->operand(0).type().is_static())
      sums.push_back(node);
  return sums;
}

// Orders the units so that computation hides collectives, as far as memory allows: if that takes much more memory, they keep their
// order, or collectives run in turn with computation.
std::vector<Unit> hide_collectives(const ir::Graph& graph, const std::vector<Unit>& units, const Options& options,
                                   const UnitMaker& maker, Report& report) {
  constexpr double most_memory =
      1.25;  // ZeRO-1 keeps a bucket of gradients that would otherwise be gone, which is a fifth of its memory
  constexpr double least_gain = 0.01;  // for another order than the program's
  const auto peak = [&](std::vector<Unit> ordered) {
    const MemoryPlan plan = plan_memory(graph, ordered, options.donatable, maker);
    return peak_bytes(plan, ordered);
  };
  const auto seconds = [&](const Unit& unit) {
    const Size bytes = unit.bytes.value_or(0), flops = unit.flops;
    double moved = bytes.is_constant() ? static_cast<double>(bytes.value()) : 0;
    if (!unit.bytes)
      for (const auto* values : {&unit.reads, &unit.writes})
        for (const ir::Value v : *values) moved += v.type().is_static() ? static_cast<double>(v.type().bytes()) : 0;
    return options.devices_together() *
           options.target->seconds(flops.is_constant() ? static_cast<double>(flops.value()) : 0, moved);
  };
  std::vector<Unit> in_turn = units;
  for (Unit& unit : in_turn)
    if (unit.stream == runtime::StreamKind::communication) unit.stream = runtime::StreamKind::compute;
  const std::uint64_t least = peak(in_turn),
                      bound = static_cast<std::uint64_t>(most_memory * static_cast<double>(least));
  std::optional<BesideCollectives> best;
  std::uint64_t of_first = 0;
  for (const Priority priority : {Priority::program, Priority::longest_link, Priority::longest_chain}) {
    BesideCollectives made = beside_collectives(units, seconds, priority);
    if (best && made.seconds > (1 - least_gain) * best->seconds) continue;
    const std::uint64_t bytes = peak(made.units);
    if (of_first == 0) of_first = bytes;
    if (bytes <= bound) best = std::move(made);
  }
  if (best) return std::move(best->units);
  const bool may_overlap = peak(units) <= bound;
  report.not_hidden = concat("operations keep their order, because hiding collectives would take ",
                             format_bytes(of_first), " at the peak instead of ", format_bytes(least),
                             may_overlap ? "" : "; collectives run in turn with computation");
  return may_overlap ? units : in_turn;
}

// Inputs and outputs have the types of the program, whose narrow types have the same bytes as what they are held in.
void set_boundary_types(MemoryPlan& plan, const ir::Graph& given) {
  for (std::size_t i = 0; i < plan.inputs.size(); ++i) plan.inputs[i] = given.inputs()[i].type();
  for (std::size_t i = 0; i < plan.outputs.size(); ++i) plan.outputs[i].type = given.outputs()[i].type();
}

// Makes everything but the thunks, which need numbers for the sizes.
std::shared_ptr<const Program> make_program(const ir::Graph& given, const Options& options, Report& report) {
  report.nodes = given.nodes().size();
  const std::shared_ptr<const ir::Graph> widened = widen_narrow_types(given);
  const ir::Graph& graph = widened ? *widened : given;
  require_compilable(graph, options.devices == 1 && ir::device_count(graph) > 1);
  Dump dump(graph.name);
  ProgramParts parts{.name = options.name.empty() ? graph.name : options.name,
                     .target = options.target,
                     .keeps_memory = options.keeps_memory};
  parts.graph = run_pipeline(graph, options, report,
                             [&](const ir::Graph& now, std::string_view stage) { dump.graph(now, stage); });
  if (parts.graph.get() == &graph)
    parts.graph = without_dead_nodes(graph);  // no pass ran; the program outlives its graph
  // Products on a GPU are measured there, when a launch first needs them.
  const bool measures_products = options.tuning == Tuning::all && !options.strict && options.target->is_nvidia();
  const ThunkMaker maker(options, nested_compiler(), measures_products ? &stored_algorithms() : nullptr);
  // All other trials run on this machine and say nothing about another one.
  const bool may_tune = !options.strict && options.target == &Target::host();
  const Tuning tuning = may_tune ? options.tuning : Tuning::none;
  if (tuning != Tuning::none) {
    const Phase phase(report, "autotune");
    parts.graph = autotune(std::move(parts.graph), options, maker, report);
  }
  Recomputation again;
  if (options.activation_bytes != 0) {
    const Phase phase(report, "recompute");
    again = recompute_within_budget(*parts.graph, options, maker, report);
    if (again.graph) parts.graph = again.graph;
  }
  {
    const Phase phase(report, "fuse");
    parts.units = fuse(*parts.graph, options, maker, report, again.late);
  }
  if (tuning == Tuning::all) {
    const Phase phase(report, "tile");
    tile(parts.units, graph.name, report);
  }
  if (options.fuse) {
    const Phase phase(report, "join");
    parts.units = join_small_kernels(std::move(parts.units), options.sizes, report);
  }
  const auto communicates = [](const Unit& unit) { return unit.stream == runtime::StreamKind::communication; };
  if (std::ranges::any_of(parts.units, communicates)) {
    const Phase phase(report, "hide-collectives");
    parts.units = hide_collectives(*parts.graph, std::move(parts.units), options, maker, report);
  }
  if (options.observer) options.observer->units(*parts.graph, parts.units);
  {
    const Phase phase(report, "plan-memory");
    parts.plan = plan_memory(*parts.graph, parts.units, options.donatable, maker);
    if (widened) set_boundary_types(parts.plan, given);
  }
  {
    const Phase phase(report, "generate-kernels");
    Kernels kernels = make_kernels(parts.units, *options.target, dump, report);
    for (std::size_t u = 0; u < parts.units.size(); ++u) parts.kernels.push_back(kernels.of(u));
    parts.code = std::make_shared<std::vector<std::shared_ptr<const void>>>(std::move(kernels.code.owners));
  }
  if (options.strict) parts.ordered_sums = sums_of_unknown_sizes(*parts.graph);
  return std::make_shared<const Program>(std::move(parts));
}

// Logs what runs slower than it could, and which nodes were fused or not.
void tell(const std::string& name, const Report& report) {
  for (const std::string& fallback : report.fallbacks)
    WEFT_DIAGNOSE(host_fallback, .subject = name, .reason = fallback);
  for (const Fusion& fusion : report.fusions)
    WEFT_LOG(fusion, name, ": ", fusion.name, fusion.refused.empty() ? ": " : " stay apart: ",
             fusion.refused.empty() ? fusion.operations : fusion.refused,
             fusion.source.empty() ? "" : concat(" (", fusion.source, ")"));
}

// Adds the thunks of a program for a GPU that run on the host.
void add_host_thunks(const runtime::Executable& executable, Report& report) {
  for (const auto& thunk : executable.thunks) {
    if (thunk->on_device) continue;
    std::uint64_t bytes = 0;
    for (const auto* slices : {&thunk->reads, &thunk->writes})
      for (const runtime::Slice& slice : *slices) bytes += slice.bytes;
    const std::string place = thunk->info.source.empty() ? "" : concat(" (", thunk->info.source, ')');
    report.fallbacks.push_back(concat(thunk->info.name, place, " runs on the host, which waits for the GPU and copies ",
                                      format_bytes(bytes), " in each launch"));
  }
}

void finish(const Options& options, const runtime::Executable& executable, Clock::time_point start, Report& report) {
  describe_launch(executable, report);
  if (options.target->is_nvidia()) add_host_thunks(executable, report);
  report.total_ms = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  if (options.observer) options.observer->executable(executable, report);
  WEFT_LOG(compile, executable.name, ": ", report.nodes, " nodes, ", report.thunks, " thunks, ",
           report.distinct_kernels, " of ", report.kernels, " kernels distinct, ", report.compiled_kernels,
           " compiled, ", report.loaded_kernels, " from disk, ", report.total_ms, " ms, peak ", report.peak_bytes,
           " bytes");
  tell(executable.name, report);
}

}  // namespace

void describe_launch(const runtime::Executable& executable, Report& report) {
  report.thunks = executable.thunks.size();
  report.peak_bytes = executable.peak_bytes;
  report.flops = report.moved_bytes = 0;
  for (const auto& thunk : executable.thunks) {
    report.flops += thunk->info.flops;
    report.moved_bytes += thunk->info.bytes;
  }
}

std::shared_ptr<const runtime::Executable> compile(const ir::Graph& graph, const Options& options, Report* report) {
  Report local;
  Report& out = report ? *report : local;
  out = {};
  const auto start = Clock::now();
  const auto program = make_program(graph, options, out);
  const auto executable = [&] {
    const Phase phase(out, "make-thunks");
    return program->at({}, {});
  }();
  require(executable.ok(), "compile: ", graph.name, ": ", executable.reason());
  finish(options, **executable, start, out);
  return *executable;
}

std::shared_ptr<const SizedProgram> compile_for_sizes(const ir::Graph& graph, const Options& options, Report* report) {
  Report local;
  Report& out = report ? *report : local;
  out = {};
  const auto start = Clock::now();
  require(options.activation_bytes == 0, "compile: ", graph.name, ": activation_bytes needs known sizes");
  auto program = make_program(graph, options, out);
  out.total_ms = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  WEFT_LOG(compile, program->name(), ": for many sizes, ", out.nodes, " nodes, ", out.distinct_kernels, " of ",
           out.kernels, " kernels distinct, ", out.compiled_kernels, " compiled, ", out.loaded_kernels, " from disk, ",
           out.total_ms, " ms");
  tell(program->name(), out);
  return program;
}

namespace {

class Nested final : public NestedCompiler {
 public:
  std::shared_ptr<const runtime::Executable> compile(const ir::Graph& graph, const Options& options,
                                                     Report& report) const override {
    return compiler::compile(graph, options, &report);
  }
  std::shared_ptr<const SizedProgram> compile_for_sizes(const ir::Graph& graph, const Options& options,
                                                        Report& report) const override {
    return compiler::compile_for_sizes(graph, options, &report);
  }
};

}  // namespace

const NestedCompiler& nested_compiler() {
  static const Nested nested;
  return nested;
}

}  // namespace weft::compiler
