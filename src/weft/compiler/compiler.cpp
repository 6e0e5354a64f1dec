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
#include <weft/compiler/passes/split_reductions.h>
#include <weft/compiler/recompute.h>
#include <weft/compiler/rewrite.h>
#include <weft/compiler/sized_program.h>
#include <weft/compiler/thunks/kernel_thunk.h>
#include <weft/ir/op.h>
#include <weft/ir/ops.h>

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
Recomputation keep_less(const ir::Graph& graph, const SizedOptions& options, Report& report) {
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

namespace {

// A graph compiled for all its sizes: everything but the thunks, which come with numbers for the sizes.
class Compilation final : public SizedProgram, public std::enable_shared_from_this<Compilation> {
 public:
  Compilation(const ir::Graph& graph, const SizedOptions& options, Report& report)
      : name_(options.name.empty() ? graph.name : options.name), keeps_memory_(options.keeps_memory) {
    report.nodes = static_cast<int>(graph.nodes().size());
    require_compilable(graph);
    Dump dump(graph.name);
    optimised_ = run_pipeline(graph, options, report, &dump);
    if (optimised_.get() == &graph)
      optimised_ = without_dead_nodes(graph);  // no pass ran; the program outlives its graph
    if (options.autotune && !options.strict) {
      const Phase phase(report, "autotune");
      optimised_ = autotune(std::move(optimised_), options, report);
    }
    Recomputation again;
    if (options.activation_bytes != 0) {
      const Phase phase(report, "recompute");
      again = keep_less(*optimised_, options, report);
      if (again.graph) optimised_ = again.graph;
    }
    {
      const Phase phase(report, "fuse");
      units_ = fuse(*optimised_, options, report, again.graph ? &again : nullptr);
    }
    for (const Unit& unit : units_) {
      report.flops += unit.info.flops;
      report.moved_bytes += unit.info.bytes;
    }
    if (options.observer) options.observer->units(*optimised_, units_);
    {
      const Phase phase(report, "plan-memory");
      plan_ = plan_memory(*optimised_, units_, options.donatable);
    }
    Kernels kernels;
    {
      const Phase phase(report, "generate-kernels");
      kernels = make_kernels(units_, dump, report);
    }
    for (const int index : kernels.index)
      kernels_.push_back(index < 0 ? nullptr
                                   : reinterpret_cast<Kernel>(kernels.code.kernels[static_cast<std::size_t>(index)]));
    kernels_.resize(units_.size());
    code_ = std::make_shared<std::vector<std::shared_ptr<const void>>>(std::move(kernels.code.owners));
    if (options.strict) find_orders_of_sums();
    fill_table();
  }

  const std::string& name() const { return name_; }

  std::shared_ptr<const runtime::Executable> at(std::vector<std::int64_t> symbols,
                                                std::span<const std::span<const std::byte>> constants,
                                                std::string& why_not) const override {
    const SizeValues sizes(std::move(symbols), &table_);
    for (const ir::Node* sum : ordered_sums_)
      if (is_reordered(*sum, sizes)) {
        why_not = concat("in strict mode, the sum over ", sizes(sum->operand(0).type()), " is taken in another order");
        return nullptr;
      }
    std::vector<std::optional<Unit>> sized(units_.size());
    std::vector<std::shared_ptr<const void>> code{code_};
    std::vector<std::uint64_t> scratch;
    for (std::size_t u = 0; u < units_.size(); ++u) {
      if (units_[u].at) {
        sized[u] = units_[u].at(sizes);
        if (!sized[u]) {
          why_not = concat(units_[u].info.name, " from ", units_[u].info.source, " has another form for these sizes");
          return nullptr;
        }
        find_routines(sized[u]->routines, code);
      }
      scratch.push_back(sized[u] ? sized[u]->scratch_bytes : units_[u].scratch_bytes);
    }
    auto executable = std::make_shared<runtime::Executable>();
    executable->name = name_;
    executable->hlo = [self = shared_from_this(),
                       symbols = std::vector(sizes.symbols().begin(), sizes.symbols().end())] {
      return print_hlo(*self->optimised_, self->units_, elide_in_profiles, SizeValues(symbols));
    };
    Layout layout = lay_out(plan_, sizes, scratch, *executable);
    for (std::size_t u = 0; u < units_.size(); ++u) {
      auto& reads = layout.reads[u];
      auto& writes = layout.writes[u];
      std::unique_ptr<runtime::Thunk> thunk;
      if (const auto& loop = units_[u].loop) {
        std::vector<runtime::Slice> buffers = reads;
        buffers.insert(buffers.end(), writes.begin(), writes.end());
        thunk = std::make_unique<KernelThunk>(*loop, kernels_[u], std::move(buffers), sizes(loop->parameters));
      } else {
        thunk = (sized[u] ? sized[u]->make : units_[u].make)(reads, writes, layout.scratch[u]);
      }
      thunk->info = units_[u].info;
      thunk->reads = std::move(reads);
      thunk->writes = std::move(writes);
      if (layout.scratch[u].bytes) thunk->writes.push_back(layout.scratch[u]);
      executable->thunks.push_back(std::move(thunk));
    }
    if (keeps_memory_) executable->kept_blocks = std::make_shared<runtime::KeptBlocks>(executable->outputs.size());
    executable->code = std::make_shared<std::vector<std::shared_ptr<const void>>>(std::move(code));
    bind(constants, *executable);
    return executable;
  }

 private:
  // A sum over a size that is not known is taken in one piece; in strict mode that must be as if the size were.
  void find_orders_of_sums() {
    for (const ir::Node* node : optimised_->nodes())
      if (node->op == &ir::ops::reduce && can_lower(*node) && !node->operand(0).type().is_static())
        ordered_sums_.push_back(node);
  }

  // The code that the thunk of a unit made for these sizes calls; `code` keeps it.
  static void find_routines(std::span<const std::shared_ptr<Routine>> routines,
                            std::vector<std::shared_ptr<const void>>& code) {
    if (routines.empty()) return;
    std::vector<KernelSource> sources;
    std::vector<std::string> keys;
    for (const auto& routine : routines) {
      sources.push_back(routine->source);
      keys.push_back(routine->key);
    }
    KernelCache::Found found = KernelCache::instance().get(sources, keys);
    for (std::size_t i = 0; i < routines.size(); ++i) routines[i]->address = found.kernels[i];
    std::ranges::move(found.owners, std::back_inserter(code));
  }

  static void bind(std::span<const std::span<const std::byte>> constants, runtime::Executable& executable) {
    const std::size_t inputs = executable.inputs.size() - constants.size();
    executable.inputs.resize(inputs);
    for (runtime::Allocation& allocation : executable.allocations) {
      if (allocation.kind != runtime::Allocation::Kind::input || allocation.index < inputs) continue;
      const auto bytes = constants[allocation.index - inputs];
      std::shared_ptr<std::byte[]> copy(new std::byte[bytes.size()]);
      std::ranges::copy(bytes, copy.get());
      allocation.kind = runtime::Allocation::Kind::constant;
      allocation.constant = std::shared_ptr<const std::byte>(copy, copy.get());
    }
  }

  void fill_table() {
    for (const Unit& unit : units_)
      if (unit.loop)
        for (const Size size : unit.loop->parameters) table_.add(size);
    for (const MemoryPlan::Allocation& a : plan_.allocations) table_.add(a.bytes);
    for (const auto& places : {plan_.reads, plan_.writes})
      for (const auto& of_unit : places)
        for (const MemoryPlan::Place& place : of_unit) table_.add(place.bytes);
    for (const ir::Node* node : optimised_->nodes())
      for (const Type type : node->types)
        for (const Dim dim : type.dims()) table_.add(dim);
  }

  std::string name_;
  bool keeps_memory_;
  std::shared_ptr<const ir::Graph> optimised_;
  std::vector<Unit> units_;
  MemoryPlan plan_;
  std::vector<Kernel> kernels_;  // of each unit
  std::shared_ptr<const void> code_;
  std::vector<const ir::Node*> ordered_sums_;
  SizeTable table_;
};

// What runs slower than it might, and what became one kernel or did not.
void tell(const std::string& name, const Report& report) {
  for (const std::string& fallback : report.fallbacks) {
    WEFT_LOG(perf_hints, name, ": ", fallback);
    WEFT_DIAGNOSE({.kind = diagnostics::Kind::host_fallback, .subject = name, .reason = fallback});
  }
  for (const Fusion& fusion : report.fusions)
    WEFT_LOG(fusion, name, ": ", fusion.name, fusion.refused.empty() ? ": " : " stay apart: ",
             fusion.refused.empty() ? fusion.operations : fusion.refused,
             fusion.source.empty() ? "" : concat(" (", fusion.source, ")"));
}

void finish(const Options& options, const runtime::Executable& executable, Clock::time_point start, Report& report) {
  report.thunks = static_cast<int>(executable.thunks.size());
  report.peak_bytes = executable.peak_bytes;
  report.total_ms = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  if (options.observer) options.observer->executable(executable, report);
  WEFT_LOG(compile, executable.name, ": ", report.nodes, " nodes, ", report.thunks, " thunks, ",
           report.distinct_kernels, " of ", report.kernels, " kernels distinct, ", report.compiled_kernels,
           " compiled, ", report.loaded_kernels, " from disk, ", report.total_ms, " ms, peak ", report.peak_bytes,
           " bytes");
  tell(executable.name, report);
}

}  // namespace

std::shared_ptr<const runtime::Executable> compile(const ir::Graph& graph, const Options& options, Report* report) {
  Report local;
  Report& out = report ? *report : local;
  out = {};
  const auto start = Clock::now();
  const auto program = std::make_shared<const Compilation>(graph, SizedOptions{options, {}}, out);
  std::string why_not;
  std::shared_ptr<const runtime::Executable> executable;
  {
    const Phase phase(out, "make-thunks");
    executable = program->at({}, {}, why_not);
  }
  require(executable != nullptr, "compile: ", graph.name, ": ", why_not);
  finish(options, *executable, start, out);
  return executable;
}

std::shared_ptr<const SizedProgram> compile_for_sizes(const ir::Graph& graph, const SizedOptions& options,
                                                      Report* report) {
  Report local;
  Report& out = report ? *report : local;
  out = {};
  const auto start = Clock::now();
  require(!options.autotune && options.activation_bytes == 0, "compile: ", graph.name,
          ": what is measured, or kept within a budget of bytes, needs known sizes");
  auto program = std::make_shared<const Compilation>(graph, options, out);
  out.total_ms = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  WEFT_LOG(compile, program->name(), ": for many sizes, ", out.nodes, " nodes, ", out.distinct_kernels, " of ",
           out.kernels, " kernels distinct, ", out.compiled_kernels, " compiled, ", out.loaded_kernels, " from disk, ",
           out.total_ms, " ms");
  tell(program->name(), out);
  return program;
}

}  // namespace weft::compiler
