#include <weft/jit/trace.h>

#include <algorithm>
#include <unordered_set>
#include <utility>

#include <weft/record/mesh.h>
#include <weft/record/recording.h>
#include <weft/record/sync.h>
#include <weft/record/synchronizer.h>

namespace weft::jit {

using record::TensorImpl;

namespace {

runtime::BufferPtr without_elements(Type type) {
  return runtime::Promise(std::make_shared<runtime::Event>(), 1, device().id()).next(type);
}

}  // namespace

Trace::Trace(Options options, std::span<const Leaf> leaves, std::vector<std::string> paths)
    : options_(std::move(options)), leaves_(leaves), found_(options_.ignores_aliases) {
  made_->arguments.assign(leaves.begin(), leaves.end());
  made_->function = options_.function;
  made_->paths = std::move(paths);
  made_->context = Context::now();
}

Trace::~Trace() {
  if (is_open_) undo();
}

bool Trace::capture(const Run& run) {
  record::Recording::current().sync(record::Recording::Keep::graph);  // earlier operations are not part of the function
  stand_in();
  try {
    const Attached attached(*this);
    results_ = run();
    for (std::size_t i = 0; i < results_.size(); ++i)
      require(results_[i].defined(), options_.function, ": result ", i,
              " is a default-constructed Tensor, which has no value: leave it out, or return std::optional<Tensor>");
  } catch (...) {
    if (!rejected_with_) throw;
  }
  if (rejected_with_) std::rethrow_exception(rejected_with_);
  end_last_break();
  if (aliases_do_not_matter()) {
    forget();
    return false;
  }
  find_escapes(results_);
  note_lines(results_);
  let_go_of_replaced();
  return true;
}

bool Trace::launch() {
  finishing_ = true;
  is_postponed_ = false;
  bool is_launched = false;
  {
    const Attached attached(*this);
    is_launched = record::Recording::current().sync(record::Recording::Keep::graph);
  }
  if (rejected_with_) std::rethrow_exception(rejected_with_);
  if (!is_launched) return false;
  backend_.reset();
  finish(results_);
  for (Tensor& result : results_) result = original_of(result);
  for (const Written& written : written_)
    if (Tensor& value = written.parameter->unobserved(); value.defined()) value = original_of(value);
  restore_arguments();
  is_open_ = false;
  return true;
}

void Trace::undo() {
  backend_.reset();
  restore_arguments();
  roll_back();
  is_open_ = false;
}

void Trace::forget() {
  results_.clear();
  record::Synchronizer(record::Recording::current()).run_as_sample(false);
  undo();
}

void Trace::stand_in() {
  is_open_ = true;
  std::unordered_map<const void*, std::uint32_t> seen;
  stand_ins_.reserve(leaves_.size());
  for (std::uint32_t i = 0; i < leaves_.size(); ++i) {
    const Leaf& leaf = leaves_[i];
    if (!leaf.at || leaf.kind == Leaf::Kind::value) continue;
    if (const auto [first, is_new] = seen.try_emplace(leaf.at, i); !is_new) {
      made_->same.emplace_back(first->second, i);
      continue;
    }
    if (leaf.kind != Leaf::Kind::tensor || !leaf.type) continue;
    auto& argument = *const_cast<Tensor*>(&leaf.tensor());  // owned by the call, or by a struct that only the call uses
    const TensorImpl& original = argument.impl();
    found_.add(original, Finding::Kind::argument, i);
    const Type type = is_sample() ? options_.types[i] : leaf.type;
    const Tensor* const known = found_.known_as(original, type);
    const Tensor stand_in(known             ? *known
                          : has_elements(i) ? Tensor(argument.buffer())
                                            : Tensor(without_elements(type)));
    stand_ins_.push_back({&argument, std::exchange(argument, stand_in), stand_in});
    if (known) continue;
    stand_in.impl().stands_for(original);
    places_[&stand_in.impl()] = {.kind = Place::Kind::argument, .index = i};
    found_.record_as(original, stand_ins_.back().stand_in);
  }
}

// If so, one program serves the calls with and without aliases. Not after a graph break, because the launched graphs
// depend on the aliases.
bool Trace::aliases_do_not_matter() const { return found_.has_aliases() && !made_->aliases_matter && breaks_.empty(); }

// Tensors that the function passes through are returned as the original tensors, as in an uncompiled run.
Tensor Trace::original_of(const Tensor& recorded) {
  const auto found = places_.find(&recorded.impl());
  if (found == places_.end() || found->second.is_copy) return recorded;
  const Place& place = found->second;
  if (place.kind == Place::Kind::argument) {
    const auto is_it = [&](const StandIn& stand_in) { return &stand_in.stand_in.impl() == &recorded.impl(); };
    return std::ranges::find_if(stand_ins_, is_it)->original;
  }
  const auto written = std::ranges::find(written_, place.parameter, &Written::parameter);
  const Tensor& held = written == written_.end() ? place.parameter->unobserved() : written->before.held();
  return held.defined() && held.impl().buffer == recorded.impl().buffer ? held : recorded;
}

// Releases these tensors, because otherwise the program could not write results over the parameters' earlier values.
void Trace::let_go_of_replaced() {
  for (const Tensor& reading : replaced_)
    if (reading.impl().references.load(std::memory_order_relaxed) == 1) places_.erase(&reading.impl());
  replaced_.clear();
}

// Restores all arguments except those that the function assigned.
void Trace::restore_arguments() {
  for (StandIn& stand_in : stand_ins_) {
    Tensor& argument = *stand_in.argument;
    if (argument.defined() && places_.contains(&argument.impl())) argument = std::move(stand_in.original);
  }
}

void Trace::roll_back() {
  if (launched_) return;
  for (Written& written : written_) written.parameter->unobserved() = written.before.held();
  for (const Generated& generated : generators_)
    if (!record::has_ended(generated.lifetime)) *generated.generator = generated.before;
}

Trace::Before::Before(const Tensor& tensor, bool comes_back) : tensor_(tensor) {
  if (comes_back || !tensor.defined() || !tensor.impl().buffer) return;
  // One reference is this one, the other is the parameter's, which is about to change.
  lets_go_ = tensor.impl().references.load(std::memory_order_relaxed) <= 2;
  if (lets_go_) tensor.impl().buffer->remove_holder();
}

const Tensor& Trace::Before::held() {
  if (std::exchange(lets_go_, false)) tensor_.impl().buffer->add_holder();
  return tensor_;
}

void Trace::Before::put_back(Tensor& parameter) {
  let_go_before_ = lets_go_;
  held();
  std::swap(tensor_, parameter);
}

void Trace::Before::take_again(Tensor& parameter) {
  std::swap(tensor_, parameter);
  lets_go_ = std::exchange(let_go_before_, false);
  if (lets_go_) tensor_.impl().buffer->remove_holder();
}

void Trace::parameter_made(const Parameter& parameter) { local_.insert(&parameter); }

const Tensor& Trace::parameter_read(const Parameter& parameter) {
  if (const auto found = readings_.find(&parameter); found != readings_.end()) return found->second;
  const Tensor& value = parameter.unobserved();
  if (local_.contains(&parameter) || !value.defined() || !value.impl().buffer) return value;
  record::move_state(value.impl());
  const TensorImpl& original = value.impl();
  found_.add(original, Finding::Kind::parameter, made_->parameters.size());
  const Tensor* const known = found_.known_as(original, value.type());
  const Tensor& reading = readings_.emplace(&parameter, known ? *known : Tensor(original.buffer)).first->second;
  if (!known) {
    reading.impl().becomes_state();
    reading.impl().stands_for(original);
    places_[&reading.impl()] = {.kind = Place::Kind::parameter, .parameter = &parameter};
    found_.record_as(original, reading);
  }
  made_->parameters.push_back({&parameter, value.type(), value.impl().layout});
  if (leaf_at(&parameter) < 0) lifetimes_.try_emplace(&parameter, parameter.lifetime().watch());
  return reading;
}

void Trace::parameter_written(Parameter& parameter, const Tensor& next) {
  if (local_.contains(&parameter)) return;
  if (std::ranges::find(written_, &parameter, &Written::parameter) == written_.end()) {
    written_.push_back({&parameter, Before(parameter.unobserved(), is_discarded_)});
    if (leaf_at(&parameter) < 0) lifetimes_.try_emplace(&parameter, parameter.lifetime().watch());
  }
  const auto [found, is_first] = readings_.try_emplace(&parameter, next);
  if (is_first) return;
  Tensor& reading = found->second;
  if (const Tensor& before = parameter.unobserved(); before.defined())
    found_.forget_recorded_as(before.impl(), reading);
  if (reading.defined() && places_.contains(&reading.impl())) replaced_.push_back(reading);
  reading = next;
}

Trace::Origin Trace::origin(const void* value, const record::Lifetime& lifetime) const {
  const auto found = copies_.find(value);
  return found == copies_.end() ? Origin{value, lifetime.watch()} : found->second;
}

void Trace::value_copied(const void* from, const record::Lifetime& lifetime, const void* to) {
  copies_[to] = origin(from, lifetime);
}

void Trace::value_read(const void* read, std::size_t bytes, const record::Lifetime& own, const char* name) {
  const auto [value, lifetime] = origin(read, own);
  if (record::has_ended(lifetime)) return;  // an object that the function itself created
  for (const ValueGuard& guard : values_)
    if (guard.value == value) return;
  const std::int32_t leaf = leaf_at(value);
  if (leaf >= 0 && leaves_[leaf].kind == Leaf::Kind::value) return;  // values among the arguments are always guards
  ValueGuard guard{value, leaf, static_cast<std::uint32_t>(bytes), 0, name, record::Recording::current().scope()};
  if (const ir::Graph& graph = record::Recording::current().graph(); !graph.nodes().empty())
    guard.after = graph.location();
  guard.bits = guard.now(leaves_);
  values_.push_back(guard);
  if (leaf < 0) lifetimes_.try_emplace(value, lifetime);
}

void Trace::value_written(const void* value) {
  if (copies_.erase(value) != 0) return;  // the copy is independent from now on
  cannot_replay("it changes a Scalar or Flag, which a replay would not do");
}

void Trace::ended(const void* object) {
  if (copies_.erase(object) != 0) return;
  if (local_.erase(static_cast<const Parameter*>(object)) != 0) return;
  if (readings_.contains(static_cast<const Parameter*>(object))) cannot_replay("it ends a parameter");
  std::erase_if(written_, [object](const Written& written) { return written.parameter == object; });
  std::erase_if(values_, [object](const ValueGuard& guard) { return guard.value == object; });
  lifetimes_.erase(object);
  for (record::ImmediateSource& source : sources_)
    if (source.scalar == object) source.scalar = nullptr;
}

std::uint32_t Trace::drew(random::Generator& generator) {
  auto found = std::ranges::find(generators_, &generator, &Generated::generator);
  if (found == generators_.end()) {
    random::Generator before = generator;
    --before.calls;
    found = generators_.insert(found, {&generator, before, generator.lifetime.watch()});
  }
  drawn_.emplace_back(found - generators_.begin(), found->count++);
  return drawn_.size();
}

void Trace::parameter_copied(const TensorImpl& from, const Tensor& to) {
  const auto found = places_.find(&from);
  if (found == places_.end()) return;
  Place place = found->second;
  place.is_copy = true;
  places_.emplace(&to.impl(), place);
  copied_.push_back(to);
}

void Trace::input(TensorImpl& tensor) {
  end_last_break();
  if (const auto found = places_.find(&tensor); found != places_.end()) {
    made_->inputs.push_back(found->second);
  } else {
    made_->inputs.push_back({.kind = Place::Kind::constant, .constant = found_.captured()[found_.capture(tensor)]});
  }
}

TensorImpl* Trace::stand_in_for(TensorImpl& tensor) {
  if (places_.contains(&tensor)) return nullptr;
  const Tensor* const known = found_.known_as(tensor, tensor.type);
  if (!known || &known->impl() == &tensor) return nullptr;
  found_.capture(tensor);
  return &known->impl();
}

std::string Trace::name_of(const TensorImpl& tensor) const {
  const auto found = places_.find(&tensor);
  return concat(made_->name_of(found != places_.end() ? found->second : Place{.kind = Place::Kind::constant}), " of ",
                options_.function);
}

std::string Trace::name_of_input(std::size_t index) const {
  const Place& place = made_->inputs[index];
  const bool has_name =
      place.kind == Place::Kind::argument || (place.kind == Place::Kind::parameter && !place.parameter->name().empty());
  return has_name ? made_->name_of(place) : "";
}

void Trace::input(const record::ImmediateSource& source) {
  end_last_break();
  made_->inputs.push_back({});
  record::ImmediateSource from = source;
  if (from.scalar) {
    const auto [value, lifetime] = origin(from.scalar, from.scalar->lifetime());
    from.scalar = record::has_ended(lifetime) ? nullptr : static_cast<const Scalar*>(value);
    if (from.scalar && leaf_at(value) < 0) lifetimes_.try_emplace(value, lifetime);
  }
  sources_.push_back(from);
}

void Trace::cannot_replay(std::string reason) {
  if (made_->rerecorded_because.empty()) made_->rerecorded_because = std::move(reason);
}

void Trace::launching(const record::Launching& launching) {
  if (is_discarded_) return;
  made_->compiled |= launching.compiled;
  if (launching.compiled)
    for (const ir::SizeRelation& relation : record::Synchronizer::last().broken_relations)
      made_->broken_relations.push_back(
          relation.text([&](std::size_t input) { return made_->name_of(made_->inputs[input]); }));
  if (!finishing_) {
    const GraphBreak& cut = breaks_.back();
    made_->before.push_back({launching.plan, launching.graph.nodes().size(),
                             concat(cut.reason, cut.place.empty() ? "" : " at ", cut.place)});
    made_->inputs.clear();
    sources_.clear();
    return;
  }
  kept_ = launching.kept;
  output_values_.assign(launching.outputs.begin(), launching.outputs.end());
  made_->nodes = launching.graph.nodes().size();
  made_->plan = launching.plan;
  made_->graph = kept_ ? kept_->program->graph : launching.plan->graph;
  if (kept_)
    made_->output_values = output_values_;
  else if (made_->graph)
    made_->output_values.assign(made_->graph->outputs().begin(), made_->graph->outputs().end());
  made_->operations = launching.graph.fingerprint();
  for (const ir::Value output : launching.outputs)
    made_->outputs.add(std::uint64_t{output.node->id} << 16 | output.index);
  made_->immediates.assign(launching.immediates.begin(), launching.immediates.end());
  std::vector<const ir::Node*> first_use(launching.graph.nodes().size());
  for (const ir::Node* node : launching.graph.nodes())
    for (const ir::Value operand : node->operands)
      if (const ir::Node*& first = first_use[operand.node->id]; !first) first = node;
  for (const ir::Value input : launching.graph.inputs()) {
    const ir::Node* first = first_use[input.node->id];
    made_->first_uses.push_back(first ? first->location : ir::Location());
  }
}

void Trace::launched(std::span<const runtime::BufferPtr> results) {
  if (finishing_) {
    launched_ = true;
    outputs_.assign(results.begin(), results.end());
    return;
  }
  if (is_discarded_) return;
  // What was launched cannot be undone.
  for (Written& written : written_) {
    const Tensor& now = written.parameter->unobserved();
    written.before = Before(now.defined() && now.impl().buffer ? Tensor(now.impl().buffer) : Tensor(), false);
  }
  for (Generated& generated : generators_)
    if (!record::has_ended(generated.lifetime)) generated.before = *generated.generator;
}

std::int32_t Trace::leaf_at(const void* object) const {
  const auto found = std::ranges::find(leaves_, object, &Leaf::at);
  return found == leaves_.end() ? -1 : found - leaves_.begin();
}

}  // namespace weft::jit
