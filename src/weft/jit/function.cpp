#include <weft/jit/function.h>

#include <algorithm>
#include <utility>

#include <weft/base/diagnostics.h>
#include <weft/base/knobs.h>
#include <weft/base/log.h>
#include <weft/base/trace.h>
#include <weft/compiler/sharding_layout.h>
#include <weft/jit/call_scratch.h>
#include <weft/jit/pipeline.h>
#include <weft/jit/session.h>
#include <weft/record/backend.h>
#include <weft/record/mesh.h>
#include <weft/record/recording.h>
#include <weft/record/size_families.h>
#include <weft/record/sync.h>
#include <weft/record/synchronizer.h>

namespace weft {

StanceScope::StanceScope(Stance chosen) : before_(std::exchange(jit::session.stance, chosen)) {}
StanceScope::~StanceScope() { jit::session.stance = before_; }
Stance current_stance() { return jit::session.stance; }

}  // namespace weft

namespace weft::jit {

namespace {

compiler::Tuning tuning(const CompileOptions& options) {
  if (measures(options.mode)) return compiler::Tuning::all;
  return options.shape_padding ? compiler::Tuning::padding : compiler::Tuning::none;
}

class EagerScope {
 public:
  explicit EagerScope(record::Backend backend)
      : backend_(backend), before_(std::exchange(session.runs_eagerly, true)) {}
  ~EagerScope() { session.runs_eagerly = before_; }
  EagerScope(const EagerScope&) = delete;
  EagerScope& operator=(const EagerScope&) = delete;

 private:
  record::BackendScope backend_;
  bool before_;
};

// Returns the mesh of the first sharded tensor; null if there is none.
const ir::Mesh* mesh_of(std::span<const Leaf> leaves) {
  const auto sharded = std::ranges::find_if(leaves, [](const Leaf& leaf) { return bool(leaf.layout); });
  return sharded == leaves.end() ? nullptr : &compiler::sharding_of(sharded->layout).mesh();
}

// Moves the parameters among the arguments, before the guards look at them.
void move_parameters(std::span<Leaf> leaves) {
  for (Leaf& leaf : leaves) {
    if (leaf.kind != Leaf::Kind::object || !leaf.type) continue;
    record::TensorImpl& state = static_cast<const Parameter*>(leaf.at)->unobserved().impl();
    record::move_state(state);
    leaf.layout = state.layout;
  }
}

constexpr const char* own_program_of_bucket =
    "every bucket has a program of its own; the second of the other sizes in it makes one for all of them";

}  // namespace

Function::Function(CompileOptions options, const std::source_location& where) : options_(std::move(options)) {
  program_name_ = options_.name;
  place_ = concat(where.file_name(), ':', where.line());
  if (program_name_.empty()) {
    const std::string_view file = where.file_name();
    program_name_ = concat(file.substr(file.rfind('/') + 1), ':', where.line());
  }
  if (options_.name.empty()) options_.name = concat("the function of ", where.file_name(), ':', where.line());
  require_consistent(options_);
  if (!options_.backend.empty()) backend_ = record::backend_named(options_.backend, "compile: backend");
  build_options_ = {.name = program_name_,
                    .tuning = tuning(options_),
                    .keeps_memory = options_.mode == Mode::reduce_overhead || options_.mode == Mode::max_autotune,
                    .activation_bytes = options_.activation_memory_bytes};
}

bool Function::starts_eagerly() {
  const bool was_called = was_called_.exchange(true, std::memory_order_relaxed);
  return current_stance() == Stance::force_eager || (current_stance() == Stance::eager_then_compile && !was_called);
}

void Function::run_eagerly(Invocation& invocation) {
  using record::Recording;
  Recording::current().sync(Recording::Keep::graph);  // earlier operations are not part of the function
  const EagerScope scope(record::Backend::eager);
  const record::GradientsEndHere gradients_end_here;
  invocation.run();
  Recording::current().sync(Recording::Keep::graph);
}

std::shared_ptr<Function> make_function(CompileOptions options, const std::source_location& where) {
  return std::make_shared<Function>(std::move(options), where);
}
void call(Function& function, Invocation& invocation, const std::shared_ptr<const Specialization>& pinned) {
  function.call(invocation, pinned);
}
std::shared_ptr<const Specialization> last_call(const Function& function) { return function.last(); }
Explanation explain(const Function& function, const ExplainOptions& options) { return function.explain(options); }

bool call_in(Pipeline& pipeline, Function& function, Invocation& invocation) {
  return function.call(invocation, nullptr, &pipeline);
}

bool Function::call(Invocation& invocation, const std::shared_ptr<const Specialization>& pinned, Pipeline* pipeline) {
  if (called_inside()) {
    require(!pipeline, options_.name, ": a pipeline cannot be part of another compiled function, or of a loop");
    run_as_part(invocation);
    return true;
  }
  // Earlier operations are not part of the function, so they do not run on its mesh.
  if (options_.mesh) record::Recording::current().sync(record::Recording::Keep::graph);
  const record::MeshScope mesh_scope(mesh());
  auto turn = this->turn();
  {
    const record::BuildScope scope(backend_, build_options_);
    if (starts_eagerly()) {
      if (pipeline) pipeline->drain();
      run_eagerly(invocation);
      return true;
    }
    CallScratch& scratch = CallScratch::of_this_thread();
    std::vector<Leaf>& leaves = scratch.leaves;
    leaves.clear();
    LeafCollector collector(leaves);
    invocation.collect(collector);
    const record::MeshScope mesh_of_arguments(record::mesh() ? nullptr : mesh_of(leaves));
    if (record::mesh()) move_parameters(leaves);
    const Found found = pinned ? find_pinned(pinned, leaves) : find(leaves);
    if (!turn.owns_lock()) turn = this->turn();  // the call that detected the update may have just ended
    if (found.replayed && pipeline) {
      pipeline->feed(found.replayed, leaves);
      return false;
    }
    if (pipeline) pipeline->drain();
    if (found.replayed) {
      found.replayed->replay(leaves, scratch.results);
      invocation.replay(found.replayed->prototype);
      invocation.fill(scratch.results);
      scratch.results.clear();
      return true;
    }
    if (!found.is_inlined) {
      record(invocation, found);
      return true;
    }
  }
  run_as_part(invocation);
  return true;
}

void Function::run_as_part(Invocation& invocation) const {
  if (options_.mesh) record::Recording::current().runs_on(*options_.mesh, "compile");
  const record::MeshScope mesh_scope(mesh());
  const FullgraphScope part(options_.fullgraph ? &options_.name : nullptr);
  invocation.run();
}

void Function::record(Invocation& invocation, const Found& found) {
  std::vector<Leaf> leaves;  // not shared, because the function may call others
  std::vector<std::string> paths;
  LeafCollector collector(leaves, &paths);
  invocation.collect(collector);
  Body body{.run =
                [&] {
                  invocation.run();
                  return invocation.tensors();
                },
            .sample = nullptr,
            .prototype = [&] { return invocation.prototype(); }};
  if (invocation.may_sample()) body.sample = [&] { return invocation.sample(); };
  std::vector<Tensor> tensors = record(leaves, paths, body, found);
  invocation.fill(tensors);
}

bool Function::called_inside() {
  return record::session.observer != nullptr || session.runs_eagerly || record::Recording::current().is_body();
}

Function::Found Function::find(std::span<const Leaf> leaves) {
  const Context now = Context::now();
  const std::lock_guard lock(mutex_);
  ++calls_;
  const std::shared_ptr<Specialization> found = specializations_.find(leaves, now);
  if (!found) return {.is_first_of_kind = true};
  if (is_inlined(*found)) {
    ++found->inlined;
    return {.is_inlined = true};
  }
  if (!found->rerecorded_because.empty()) return {.replayed = nullptr, .checked = nullptr};
  // NaN checks run only during a sync.
  if (knobs::debug_nans()) return {.replayed = nullptr, .checked = nullptr};
  if (options_.check_replays) return {.replayed = nullptr, .checked = found};
  const std::uint64_t before = found->replays++;
  if (knobs::debug() && (before & (before + 1)) == 0) return {.replayed = nullptr, .checked = found, .is_trial = true};
  return {.replayed = found, .checked = nullptr};
}

Function::Found Function::find_pinned(const std::shared_ptr<const Specialization>& pinned,
                                      std::span<const Leaf> leaves) const {
  pinned->require_structure(leaves);
  if (is_inlined(*pinned)) return {.is_inlined = true};
  if (knobs::debug_nans()) return {.replayed = nullptr, .checked = nullptr};
  if (options_.check_replays) return {.replayed = nullptr, .checked = pinned};
  return {.replayed = pinned, .checked = nullptr};
}

// A call is not inlined if the function has its own backend, because a part of another program would not run on it. It
// is not inlined either if the function takes gradients itself: these end at its arguments, which would be ordinary
// values in the surrounding recording.
bool Function::is_inlined(const Specialization& found) const {
  return found.differentiable && found.differentiable->is_differentiated() && !found.aliases_matter && !backend_ &&
         !options_.check_replays;
}

bool Function::is_full() const {
  const std::lock_guard lock(mutex_);
  return !limit_reached().empty();
}

std::string Function::limit_reached() const {
  if (specializations_.programs() < static_cast<std::size_t>(options_.recompile_limit)) return {};
  return concat(options_.name, ": its recompile_limit of ", options_.recompile_limit, " programs is reached");
}

std::string Function::single_size_reason() const {
  if (options_.mesh) return "a program that is divided among the devices of a mesh is for one size";
  if (options_.activation_memory_bytes != 0)
    return concat("activation_memory_bytes needs a program for each size. ",
                  sizes_.any_buckets() ? "For one program of each bucket"
                                       : "For a few sizes there is mark_buckets; for one program",
                  " leave it out");
  if (options_.dynamic == Dynamic::off && options_.limit_policy != LimitPolicy::generalise)
    return "dynamic off: a program for each size. For one program take Dynamic::automatic, for a few sizes "
           "mark_buckets";
  return {};
}

std::string Function::about_sizes(const Difference& difference, const Specialization& made) {
  if (difference.sizes.empty() || !made.compiled || made.context.backend == record::Backend::interpreter) return {};
  if (std::string reason = single_size_reason(); !reason.empty()) return reason;
  std::string relations;
  for (const std::string& relation : made.broken_relations)
    relations += concat(relations.empty() ? "until now " : ", ", relation);
  if (!relations.empty()) relations += "; ";
  const record::Synchronizer::Last& last = record::Synchronizer::last();
  if (const std::string& why = last.single_size_reason; !why.empty())
    return given_up_ = concat(relations, "every size gets its own program, because ", why,
                              ". Pad to a few sizes and name them with mark_buckets");
  if (!last.compiled_for_sizes)
    return sizes_.any_buckets() ? own_program_of_bucket
                                : "no other size was known for these operations: the next one makes a program for all";
  given_up_.clear();
  const char* const of_bucket = sizes_.any_buckets() ? " of this bucket" : "";
  const std::string general = concat(relations, "one program serves all sizes", of_bucket, " from now on");
  if (!relations.empty() || sizes_.any_dynamic() || options_.dynamic == Dynamic::on) return general;
  const std::size_t more = difference.sizes.size() - 1;
  return concat(general, "; mark_dynamic of ", difference.sizes.front(),
                more == 0 ? "" : concat(" and of ", more, " more"), " before the first call saves this compile");
}

void Function::tell(const Specialization& made, std::span<const GraphBreak> breaks, const Difference& difference,
                    double ms) {
  for (const GraphBreak& cut : breaks) {
    count(cut);
    WEFT_DIAGNOSE(graph_break, .subject = options_.name, .place = cut.place,
                  .reason = concat(cut.reason,
                                   ": the operations before and after it are separate programs, and every call "
                                   "records the function again"),
                  .cost_ms = cut.ms);
  }
  if (breaks.empty() && !made.rerecorded_because.empty())
    WEFT_DIAGNOSE(no_replay, .subject = options_.name, .place = place_, .reason = made.rerecorded_because);
  if (!difference.none()) {
    const std::string reason = difference.text(about_sizes(difference, made));
    if (made.compiled) {
      recompiles_.push_back(concat("compiled again in ", ms, " ms: ", reason));
      WEFT_DIAGNOSE(recompile, .subject = options_.name, .place = place_, .reason = reason, .cost_ms = made.compile_ms);
    } else {
      WEFT_LOG(recompiles, options_.name, ": recorded again, not compiled, in ", ms, " ms: ", reason);
    }
  }
  // A search for NaN keeps every input, so nothing that it causes is the fault of the program.
  if (diagnostics::enabled(diagnostics::Kind::missed_donation) && !knobs::debug_nans()) tell_missed_donations(made);
  if (logging::enabled(logging::Channel::guards)) {
    const Explanation::Program told = describe(made, {.remedies = false});
    for (const std::string& line : told.arguments) WEFT_LOG(guards, options_.name, ": argument ", line);
    for (const std::string& line : told.guards) WEFT_LOG(guards, options_.name, ": ", line);
  }
}

void Function::tell_missed_donations(const Specialization& made) const {
  std::size_t missed = 0;
  std::uint64_t bytes = 0;
  for (const auto& [place, parameter] : made.updates) {
    if (place.kind != Place::Kind::result) continue;
    const runtime::Output& output = made.plan->executable->outputs[place.index];
    const bool is_read = std::ranges::any_of(made.inputs, [&, updated = parameter](const Place& input) {
      return input.kind == Place::Kind::parameter && input.parameter == updated;
    });
    if (output.donated_input >= 0 || !is_read) continue;
    ++missed;
    bytes += output.type.bytes();
  }
  if (missed == 0) return;
  WEFT_DIAGNOSE(
      missed_donation, .subject = options_.name, .place = place_,
      .reason = concat(missed, " of the ", made.updates.size(),
                       " parameters that it updates get new memory in each call, because something held their old "
                       "values when it was recorded, or reads them later"),
      .bytes = bytes);
}

void Function::count(const GraphBreak& cut) {
  auto known = std::ranges::find_if(
      breaks_, [&](const Explanation::Break& b) { return b.reason == cut.reason && b.place == cut.place; });
  if (known == breaks_.end()) known = breaks_.insert(known, {cut.reason, cut.place});
  ++known->count;
  known->ms += cut.ms;
}

void Function::keep(std::shared_ptr<Specialization> made) {
  specializations_.insert(std::move(made));
  while (specializations_.programs() > static_cast<std::size_t>(options_.recompile_limit)) {
    warn_of_limit("the least recently used one is forgotten, and made again when it is needed again");
    const double cost_ms = specializations_.forget_a_program();
    WEFT_DIAGNOSE(cache_thrash, .subject = options_.name, .place = place_,
                  .reason = concat("its recompile_limit of ", options_.recompile_limit,
                                   " programs is exceeded, and the least recently used one is forgotten"),
                  .remedy = "fewer different shapes and types, or a higher recompile_limit", .cost_ms = cost_ms);
    ++evicted_;
  }
}

void Function::warn_of_limit(const std::string& what) {
  if (std::exchange(warned_, true)) return;
  WEFT_LOG(warnings, options_.name, ": its recompile_limit of ", options_.recompile_limit,
           " programs is exceeded: ", what,
           ". WEFT_LOGS=recompiles says what differs; remedies: fewer different shapes and types, or a higher limit");
}

std::shared_ptr<const Specialization> Function::last() const {
  const std::lock_guard lock(mutex_);
  require(!specializations_.empty(), options_.name, ": pinned: call the function once before");
  const auto& last = specializations_.last_used();
  require(last->rerecorded_because.empty(), options_.name, ": pinned: it cannot be replayed, because ",
          last->rerecorded_because);
  return last;
}

Explanation Function::explain(const ExplainOptions& options) const {
  const std::lock_guard lock(mutex_);
  Explanation explanation{.function = options_.name,
                          .calls = calls_,
                          .recorded = recorded_,
                          .compiles = compiles_,
                          .evicted = evicted_,
                          .compiled_ahead = ahead_->load(),
                          .sizes = single_size_reason(),
                          .breaks = breaks_,
                          .recompiles = recompiles_};
  if (explanation.sizes.empty()) explanation.sizes = given_up_;
  if (explanation.sizes.empty() && sizes_.any_buckets()) explanation.sizes = own_program_of_bucket;
  for (const auto& s : specializations_.recent(specializations_.size()))
    explanation.programs.push_back(describe(*s, options));
  return explanation;
}

}  // namespace weft::jit

namespace weft {

bool is_compiling() { return record::session.observer != nullptr; }

}  // namespace weft
