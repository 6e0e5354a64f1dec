// Finds the program of a recording: a known one, one made from a sized program, or a new one.
#include <chrono>
#include <limits>
#include <utility>

#include <weft/base/diagnostics.h>
#include <weft/base/log.h>
#include <weft/base/metrics.h>
#include <weft/base/trace.h>
#include <weft/profile/hints.h>
#include <weft/record/compiler_options.h>
#include <weft/record/recompile_reason.h>
#include <weft/record/synchronizer.h>

namespace weft {

namespace metrics {
// Graphs that had the fingerprint of another one, and were compiled anew.
inline constinit Counter fingerprint_collisions("FingerprintCollisions");
}  // namespace metrics

namespace record {

namespace {

#ifdef NDEBUG
constexpr int hits_to_verify = 2;
#else
constexpr int hits_to_verify = std::numeric_limits<int>::max();
#endif

// Returns which step could not be compiled, for messages: the recording stays, and can be inspected, changed and synced again.
std::string place(const ir::Graph& graph) {
  const ir::Location *first = nullptr, *last = nullptr;
  for (const ir::Node* node : graph.nodes()) {
    if (node->location.line == 0) continue;
    if (!first) first = &node->location;
    last = &node->location;
  }
  std::string text = concat(" (step ", device().stats().launches, ", ", graph.nodes().size(), " nodes");
  if (first) text += concat(", recorded from ", first->file, ':', first->line, " to ", last->file, ':', last->line);
  return text + "; nothing of it is lost)";
}

}  // namespace

std::shared_ptr<Plan> Synchronizer::known_plan() {
  identity_ = key();
  CompileAhead::wait_for(identity_);
  std::shared_ptr<Plan> plan = find_plan(identity_);
  is_kept_ = plan != nullptr;
  return is_kept_ ? plan : plan_for_sizes();
}

Fingerprint Synchronizer::key(bool strict) const {
  Fingerprint key = recording_.graph().fingerprint();
  for (std::size_t i = 0; i < scratch_.outputs.size(); ++i)
    key.add((std::uint64_t{scratch_.output_ids[i]} << 16) + scratch_.outputs[i].index);
  add_bindings(key, strict);
  key.add(std::uint64_t{uses_symbols()});  // a plan made from a sized program serves only graphs that ask for it
  key.add(sizes_apart());
  return key;
}

Fingerprint Synchronizer::key_without_sizes() const {
  Fingerprint key = ir::fingerprint_without_sizes(recording_.graph(), scratch_.outputs);
  key.add(sizes_apart());
  add_bindings(key, knobs::strict());
  return key;
}

void Synchronizer::add_bindings(Fingerprint& key, bool strict) const {
  std::uint64_t packed = static_cast<std::uint64_t>(backend_);
  int packed_count = 1;
  for (const Binding binding : scratch_.bindings) {
    packed = packed << 2 | static_cast<std::uint64_t>(binding);
    if (++packed_count % 32 == 0) key.add(packed);
  }
  key.add(packed);
  key.add(std::uint64_t{strict} << 1 | std::uint64_t{knobs::fuse()});
  key.add(scratch_.outputs.size());
  const BuildOptions& options = build_options();
  key.add(options.activation_bytes << 3 | static_cast<std::uint64_t>(options.tuning) << 1 |
          std::uint64_t{options.keeps_memory});
  if (const std::string& target = device().target(); target != compiler::Target::host().name)
    key.add(hash_bytes(target));
  if (!mesh_) return;
  key.add(compiler::Options::from_knobs().communication_key());
  key.add(replicated(mesh_->mesh, 0).number());
  for (const runtime::LayoutId layout : mesh_->inputs) key.add(layout.number());
  for (const runtime::LayoutId layout : scratch_.output_layouts) key.add(layout.number());
}

std::shared_ptr<Plan> Synchronizer::find_plan(const Fingerprint& identity) {
  std::shared_ptr<Plan> plan = PlanCache::instance().find(identity);
  if (!plan) return nullptr;
  const std::lock_guard lock(plan->mutex);
  if (plan->graph) {
    recording_.graph().set_outputs({scratch_.outputs.begin(), scratch_.outputs.end()});
    if (!structurally_equal(*plan->graph, recording_.graph())) {
      metrics::fingerprint_collisions.add();
      return nullptr;
    }
    if (++plan->verified_hits == hits_to_verify) plan->graph = nullptr;
  }
  metrics::cached_compile.add();
  return plan;
}

// A program that is cut to a budget of bytes, or divided among devices, is only for its sizes.
bool Synchronizer::uses_symbols() const {
  const BuildOptions& options = build_options();
  return sizes_are_symbols() && backend_ != Backend::interpreter && options.activation_bytes == 0 && !mesh_;
}

std::shared_ptr<Plan> Synchronizer::plan_for_sizes() {
  if (!uses_symbols()) return nullptr;
  recording_.graph().set_outputs({scratch_.outputs.begin(), scratch_.outputs.end()});
  const SizeFamilies::Key family = key_without_sizes();
  CompileAhead::wait_for(family);
  sizes_ = SizeFamilies::instance().find(family, recording_.graph_);
  if (!sizes_.executable) return nullptr;
  auto plan = std::make_shared<Plan>();
  plan->executable = std::move(sizes_.executable);
  plan->report = std::move(sizes_.report);
  plan->graph = recording_.graph_;
  metrics::cached_compile.add();
  return plan;
}

void Synchronizer::run_as_sample(bool keep) {
  if (keep && uses_symbols()) {
    bind();
    recording_.graph().set_outputs({scratch_.outputs.begin(), scratch_.outputs.end()});
    if (!mesh_) SizeFamilies::instance().add_sample(key_without_sizes(), recording_.graph_);
  }
  let_go();
}

std::optional<CompileAhead::Job> Synchronizer::run_as_job() {
  std::optional<CompileAhead::Job> job;
  bind();
  if (backend_ != Backend::interpreter && !scratch_.outputs.empty() && !mesh_) {
    recording_.graph().set_outputs({scratch_.outputs.begin(), scratch_.outputs.end()});
    job = {key(), recording_.graph_, compiler_options(recording_.graph(), backend_, donatable())};
    if (uses_symbols()) job->family = key_without_sizes();
  }
  let_go();
  return job;
}

std::string Synchronizer::why_forgotten() const {
  const PlanCache& cache = PlanCache::instance();
  if (cache.has_evicted(identity_))
    return "it was evicted; WEFT_GRAPH_CACHE_ENTRIES and WEFT_GRAPH_CACHE_BYTES bound the cache";
  if (cache.contains(key(!knobs::strict())))
    return concat("the known program was compiled with WEFT_STRICT=", knobs::strict() ? '0' : '1');
  return {};
}

std::vector<bool> Synchronizer::donatable() const {
  std::vector<bool> donatable;
  for (const Binding binding : scratch_.bindings) donatable.push_back(binding == Binding::donatable);
  return donatable;
}

std::shared_ptr<Plan> Synchronizer::make_plan() {
  profile::listen();
  const metrics::Timer timer(metrics::compile_time);
  const trace::Scope scope("compile", "compile");
  recording_.graph().set_outputs({scratch_.outputs.begin(), scratch_.outputs.end()});
  const auto start = std::chrono::steady_clock::now();
  std::string reason;
  // A compiled function reports its own compilations.
  const std::string name = program_name(recording_.graph());
  const bool is_first = !session.observer && last().places.insert(name).second;
  if (is_first) WEFT_LOG(recompiles, "sync: first compile of ", name);
  if (!session.observer && !is_first && diagnostics::enabled(diagnostics::Kind::recompile))
    reason = concat("no known graph equals this one; compared with the last compiled one: ",
                    recompile_reason(*last().compiled, recording_.graph()));
  if (logging::enabled(logging::Channel::cache))
    if (const std::string why = why_forgotten(); !why.empty())
      WEFT_LOG(cache, "missed the program of ", name, " in memory: ", why);
  auto plan = std::make_shared<Plan>();
  std::optional<compiler::Report> report;
  last().single_size_reason.clear();
  last().broken_relations = std::exchange(sizes_.broken, {});
  try {
    if (uses_symbols()) {
      auto sized = SizeFamilies::instance().compile(
          std::move(sizes_), recording_.graph_, compiler_options(recording_.graph(), backend_, donatable()), report);
      last().single_size_reason = sized.reason();
      if (sized) plan->executable = *std::move(sized);
    }
    last().compiled_for_sizes = plan->executable != nullptr;
    if (!plan->executable) {
      if (sizes_are_sampled() && !sizes_are_symbols())
        SizeFamilies::instance().add_sample(key_without_sizes(), recording_.graph_);
      plan->executable = mesh_ ? build_for_mesh(backend_, recording_.graph(), *mesh_, donatable(), report)
                               : build(backend_, recording_.graph_, donatable(), report);
    }
  } catch (const UnsupportedError& error) {
    throw UnsupportedError(error.what() + place(recording_.graph()), error.feature());
  } catch (const Error& error) {
    throw Error(error.what() + place(recording_.graph()));
  } catch (const InternalError& error) {
    throw InternalError(error.what() + place(recording_.graph()));
  }
  if (report) {
    plan->report = std::make_shared<const compiler::Report>(*report);
    last().report = std::move(report);
  }
  plan->graph = last().compiled = recording_.graph_;
  const double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  if (!reason.empty())
    WEFT_DIAGNOSE(recompile, .subject = plan->executable->name, .place = profile::place_of(*plan->executable),
                  .reason = reason, .cost_ms = ms);
  profile::compile_done(*plan->executable, ms);
  metrics::uncached_compile.add();
  last().stats.compiled = true;
  return plan;
}

}  // namespace record
}  // namespace weft
