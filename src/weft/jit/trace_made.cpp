// Turns a recording into a specialisation: determines where results and new parameter values come from and how numbers
// are obtained, and whether a replay would do the same.
#include <algorithm>
#include <cstring>
#include <utility>

#include <weft/jit/trace.h>
#include <weft/record/recording.h>

namespace weft::jit {

using record::TensorImpl;

// Finds tensors of this recording that are still held elsewhere than in the result and in parameters, because a replay
// would not update them.
void Trace::find_escapes(std::span<const Tensor> results) {
  std::map<const TensorImpl*, std::uint32_t> known;
  // One reference by the result, one by the list of its tensors.
  for (const Tensor& result : results) known[&result.impl()] += 2;
  for (const Written& written : written_) {
    if (const Tensor& value = written.parameter->unobserved(); value.defined())
      known[&value.impl()] += readings_.contains(written.parameter) ? 2 : 1;
  }
  const record::Recording& recording = record::Recording::current();
  for (const TensorImpl* live = recording.first_live(); live; live = recording.next_live(*live)) {
    const auto found = known.find(live);
    const std::uint32_t expected = found == known.end() ? 0 : found->second;
    if (live->references.load(std::memory_order_relaxed) <= expected) continue;
    const std::string place = place_text(live->value.node->location);
    cannot_replay(concat("it keeps a tensor of type ", live->type, place.empty() ? "" : ", made at ", place,
                         ", beyond the call: return it, or hold it in a Parameter"));
    return;
  }
}

void Trace::note_lines(std::span<const Tensor> results) {
  const auto note = [&](const Tensor& tensor) {
    const bool is_recorded = tensor.defined() && tensor.impl().recording && !tensor.impl().is_input;
    made_->made_at.push_back(is_recorded ? tensor.impl().value.node->location : ir::Location());
  };
  for (const Tensor& result : results) note(result);
  for (const Written& written : written_) note(written.parameter->unobserved());
}

// Returns the place of a result or of a parameter's new value.
Place Trace::place_of(const Tensor& tensor, const char* what) {
  if (const auto found = places_.find(&tensor.impl()); found != places_.end()) return found->second;
  const runtime::BufferPtr buffer = tensor.buffer();
  if (const auto found = std::ranges::find(outputs_, buffer); found != outputs_.end())
    return {.kind = Place::Kind::result, .index = static_cast<std::uint32_t>(found - outputs_.begin())};
  cannot_replay(concat(what, " is a tensor that was not made by the function's program"));
  return {.kind = Place::Kind::constant, .constant = tensor};
}

void Trace::bind_numbers() {
  std::vector<bool> used(drawn_.size());
  auto next = sources_.begin();
  std::uint32_t index = 0;
  bool other_keys = false;  // keys that do not come from generators
  for (std::size_t i = 0; i < made_->inputs.size(); ++i) {
    if (made_->inputs[i].kind == Place::Kind::constant) made_->frozen.push_back({Frozen::Kind::tensor, i});
    if (made_->inputs[i].kind != Place::Kind::number) continue;
    const record::ImmediateSource source = *next++;
    const DType dtype = made_->plan->executable->inputs[i].dtype();
    if (source.draw != 0) {
      const auto [generator, draw] = drawn_[source.draw - 1];
      used[source.draw - 1] = true;
      made_->numbers.push_back({.index = index, .generator = static_cast<std::int32_t>(generator), .draw = draw});
    } else if (source.scalar) {
      made_->numbers.push_back(
          {.index = index, .dtype = dtype, .leaf = leaf_at(source.scalar), .scalar = source.scalar});
    } else if (source.is_key) {
      other_keys = true;
      made_->frozen.push_back({Frozen::Kind::key, i});
    } else {
      double value = 0;
      visit(dtype, [&](auto tag) {
        std::memcpy(&tag, made_->immediates[index].data(), sizeof tag);
        value = tag;
      });
      made_->frozen.push_back({Frozen::Kind::number, i, value});
    }
    ++index;
  }
  if (std::ranges::find(used, false) != used.end() || (other_keys && !drawn_.empty()))
    cannot_replay("it makes other random keys out of those that a generator gave it");
}

void Trace::bind_generators() {
  for (const Generated& generated : generators_) {
    if (record::has_ended(generated.lifetime)) {
      cannot_replay("it ends a random generator");
      continue;
    }
    const random::Generator& now = *generated.generator;
    if (now.seed != generated.before.seed || now.calls != generated.before.calls + generated.count)
      cannot_replay("it sets the state of a random generator");
    const bool is_default = generated.generator == &random::default_generator();
    made_->draws.push_back({is_default ? nullptr : generated.generator, generated.count});
    if (!is_default) made_->lifetimes.push_back(generated.lifetime);
  }
}

void Trace::finish(std::span<const Tensor> results) {
  Specialization& s = *made_;
  s.values = values_;
  for (const auto& [object, lifetime] : lifetimes_) s.lifetimes.push_back(lifetime);
  if (!s.plan) {  // or nothing follows the last cut
    cannot_replay(records_nothing);
    return;
  }
  bind_numbers();
  bind_generators();
  const auto one_of = [](std::span<const TensorImpl* const> known,
                         const Tensor& tensor) -> std::optional<std::uint32_t> {
    const auto at = std::ranges::find(known, &tensor.impl());
    if (at == known.end()) return std::nullopt;
    return static_cast<std::uint32_t>(at - known.begin());
  };
  std::vector<const TensorImpl*> updated, returned;
  for (const Written& written : written_) {
    const Tensor& value = written.parameter->unobserved();
    if (!value.defined()) {
      cannot_replay("it leaves a parameter without a value");
      continue;
    }
    const auto earlier = one_of(updated, value);
    s.updates.emplace_back(
        earlier ? Place{.kind = Place::Kind::update, .index = *earlier} : place_of(value, "a parameter's new value"),
        written.parameter);
    updated.push_back(&value.impl());
  }
  for (const Tensor& result : results) {
    if (const auto update = one_of(updated, result)) {
      s.results.push_back({.kind = Place::Kind::update, .index = *update});
    } else if (const auto earlier = one_of(returned, result)) {
      s.results.push_back({.kind = Place::Kind::again, .index = *earlier});
    } else {
      s.results.push_back(place_of(result, "a result"));
    }
    returned.push_back(&result.impl());
  }
  if (s.aliases_matter) s.aliases = found_.aliases();
  s.captured.assign(found_.captured().begin(), found_.captured().end());
  keep_for_gradients();
}

void Trace::keep_for_gradients() {
  if (!kept_) return;
  made_->differentiable = DifferentiableProgram::make(*made_, *kept_, output_values_);
  if (made_->differentiable) kept_->program = made_->differentiable->program();
  std::vector<runtime::BufferPtr> arguments;
  for (const StandIn& stand_in : stand_ins_) {
    const TensorImpl& original = stand_in.original.impl();
    if (!original.buffer) continue;
    arguments.push_back(original.buffer);
    for (record::LaunchedGraph::Known& known : kept_->known) {
      if (known.buffer_id != original.buffer->id()) continue;
      if (original.origin && !known.origin) kept_->follow(known, original.origin);
      known.is_lost |= original.cut;
    }
  }
  // For other calls that are recorded every time, the caller must keep the arguments; otherwise each call would hold
  // its own.
  if (made_->differentiable && options_.is_first_of_kind) made_->differentiable->holds(kept_, arguments);
}

}  // namespace weft::jit
