#include <weft/jit/specialization.h>

#include <algorithm>
#include <chrono>
#include <cstring>

#include <weft/base/knobs.h>
#include <weft/base/metrics.h>
#include <weft/base/trace.h>
#include <weft/jit/call_scratch.h>
#include <weft/jit/parameter_buffers.h>
#include <weft/profile/hints.h>
#include <weft/record/mesh.h>
#include <weft/record/sync.h>
#include <weft/record/synchronizer.h>
#include <weft/record/wrong_device.h>

namespace weft::jit {

using record::TensorImpl;

Context Context::now() {
  return {.device = &weft::device(),
          .strict = knobs::strict(),
          .fuse = knobs::fuse(),
          .backend = record::backend(),
          .autocast = Autocast::current(),
          .mesh = record::mesh() ? std::optional(*record::mesh()) : std::nullopt};
}

std::uint64_t ValueGuard::now(std::span<const Leaf> leaves) const {
  std::uint64_t now = 0;
  std::memcpy(&now, leaf < 0 ? value : leaves[leaf].at, bytes);
  return now;
}

namespace {

// Whether the function returns a tensor that it received or captured.
bool is_passed(const Place& place) {
  return place.kind == Place::Kind::argument || place.kind == Place::Kind::parameter ||
         place.kind == Place::Kind::constant;
}

random::Key key_of(const random::Generator& generator, std::uint64_t draw) {
  return random::fold_in(random::Key(generator.seed), generator.calls + draw);
}

void write_number(const Number& number, const Specialization& s, std::span<const Leaf> leaves,
                  record::Immediate& bytes) {
  if (number.generator >= 0) {
    const Draws& draws = s.draws[number.generator];
    const std::uint64_t bits = key_of(draws.of_this_thread(), number.draw).bits;
    std::memcpy(bytes.data(), &bits, sizeof bits);
    return;
  }
  const Scalar& scalar = number.leaf >= 0 ? leaves[number.leaf].scalar() : *number.scalar;
  HostNumber(scalar).write_unobserved(number.dtype, bytes.data(), "compile");
}

// The launch reports an input on the wrong device only by its number; this function reports its name and place.
void require_here(const Specialization& s, std::span<const runtime::BufferPtr> inputs) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i]->usable_on(device().id())) continue;
    const std::string use = place_text(s.first_uses[i]);
    record::fail_on_wrong_device(concat(s.function, ": ", s.name_of(s.inputs[i]), use.empty() ? "" : ", used at ", use),
                                 *inputs[i]);
  }
}

// These loops are most of a replay. Without `flatten`, GCC calls functions of the standard library for each input.
[[gnu::flatten]] void gather(std::span<const Place> places, std::span<const Leaf> leaves,
                             std::vector<runtime::BufferPtr>& inputs) {
  inputs.reserve(places.size());
  for (const Place& place : places)
    inputs.push_back(place.kind == Place::Kind::number ? nullptr : buffer_of(place.tensor(leaves)));
}
[[gnu::flatten]] void drop(std::vector<runtime::BufferPtr>& inputs) { inputs.clear(); }

// Moves tensors that are on one device to the devices of the mesh. Parameters stay there.
void move_to_mesh(const Specialization& s, std::span<runtime::BufferPtr> inputs) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const runtime::LayoutId layout = s.plan->executable->input_layouts[i];
    if (!layout || inputs[i]->layout()) continue;
    if (const Place& place = s.inputs[i]; place.kind == Place::Kind::parameter && !place.is_copy) {
      TensorImpl& state = place.parameter->unobserved().impl();
      record::move_state(state, layout);
      inputs[i] = state.buffer;
    } else {
      inputs[i] = record::moved(inputs[i], layout);
    }
  }
}

}  // namespace

CallScratch& CallScratch::of_this_thread() {
  thread_local CallScratch scratch;  // threads may call the same function at once
  return scratch;
}

bool Specialization::holds(std::span<const Leaf> leaves, const Context& now) const {
  if (!std::ranges::equal(leaves, arguments, [](const Leaf& a, const Leaf& b) { return a.same_signature(b); }))
    return false;
  if (!(context == now) || !is_alive()) return false;
  for (const ValueGuard& guard : values)
    if (guard.now(leaves) != guard.bits) return false;
  for (const ParameterGuard& guard : parameters)
    if (!guard.holds()) return false;
  const auto is_one = [&](const auto& pair) { return leaves[pair.first].at == leaves[pair.second].at; };
  return std::ranges::all_of(same, is_one) && same_aliases(leaves);
}

bool Specialization::same_aliases(std::span<const Leaf> leaves) const {
  if (!aliases_matter) return true;
  return CallScratch::of_this_thread().aliases.find(leaves, parameters, captured) == aliases;
}

bool Specialization::is_alive() const { return std::ranges::none_of(lifetimes, record::has_ended); }

std::string Specialization::name_of(const Place& place) const {
  switch (place.kind) {
    case Place::Kind::argument: return concat("argument ", paths[place.index]);
    case Place::Kind::parameter: {
      const std::string_view name = place.parameter->name();
      return name.empty() ? "a parameter" : concat("parameter ", name);
    }
    case Place::Kind::constant: return "a captured tensor";
    case Place::Kind::number: return "a number";
    case Place::Kind::result: return "a result";
    case Place::Kind::update: return "the new value of a parameter";
    case Place::Kind::again: return "another result";
  }
  WEFT_ASSERT(false, "a place of no kind");
}

std::vector<std::string> Specialization::frozen_results() const {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < prototype.leaves.size(); ++i) {
    const Leaf& leaf = prototype.leaves[i];
    if (leaf.kind != Leaf::Kind::value || leaf.is_structure) continue;
    const std::string &path = prototype.paths[i], value = describe(leaf);
    const bool continues_text = i > 0 && leaf.value_kind == ValueKind::text && path == prototype.paths[i - 1] &&
                                prototype.leaves[i - 1].kind == Leaf::Kind::value;
    if (continues_text) {  // the next eight characters
      texts.back().pop_back();
      texts.back() += value.substr(1);
    } else {
      texts.push_back(concat("the returned value ", path, path.empty() ? "" : ", ", value));
    }
  }
  return texts;
}

void Specialization::require_structure(std::span<const Leaf> leaves) const {
  require(leaves.size() == arguments.size(), function, ": pinned: the arguments hold ", leaves.size(),
          " leaves instead of ", arguments.size());
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    if (leaves[i].same_signature(arguments[i])) [[likely]]
      continue;
    fail(function, ": pinned: argument ", paths[i], " is ", describe(leaves[i]), " instead of ", describe(arguments[i]),
         leaves[i].type && arguments[i].type && leaves[i].type != arguments[i].type
             ? ": a handle serves one type and size: call the function and pin it for each of them"
         : leaves[i].kind == Leaf::Kind::object ? ": it must be the same object as in the pinned call"
         : leaves[i].kind == Leaf::Kind::value
             ? ": numbers must equal those of the pinned call; a number that changes is an "
               "input if it is passed as a weft::Scalar or a Tensor"
             : "");
  }
  require(is_alive(), function, ": pinned: ", is_gone, " since it was recorded: call the function, and pin it anew");
  require(same_aliases(leaves), function,
          ": pinned: other arguments are one and the same tensor, or one that the function captured, than in the "
          "pinned call, and a gradient is taken by them: call the function, and pin it anew");
}

std::vector<record::Immediate> Specialization::immediates_now(std::span<const Leaf> leaves) const {
  std::vector<record::Immediate> now = immediates;
  for (const Number& number : numbers) write_number(number, *this, leaves, now[number.index]);
  for (const Draws& draw : draws) draw.of_this_thread().calls += draw.count;
  return now;
}

void Specialization::replay(std::span<const Leaf> leaves, std::vector<Tensor>& to) const {
  const trace::Scope scope("host", "replay");
  const auto start = std::chrono::steady_clock::now();
  CallScratch& work = CallScratch::of_this_thread();
  drop(work.inputs);
  gather(inputs, leaves, work.inputs);
  if (!plan->executable->input_layouts.empty()) move_to_mesh(*this, work.inputs);
  work.immediates = immediates;
  for (const Number& number : numbers) write_number(number, *this, leaves, work.immediates[number.index]);
  {
    const std::lock_guard lock(plan->mutex);
    plan->immediates.fill(work.inputs, plan->executable->inputs, work.immediates);
  }
  // Tensors that are passed through unchanged are kept, because the updates below may replace them.
  std::vector<Tensor> passed;
  const auto keep = [&](const Place& place) {
    if (!is_passed(place)) return;
    const Tensor& tensor = place.tensor(leaves);
    const runtime::BufferPtr& buffer = buffer_of(tensor);
    passed.push_back(place.is_copy ? Tensor(buffer) : tensor);
  };
  for (const auto& [place, parameter] : updates) keep(place);
  for (const Place& place : this->results) keep(place);

  work.released.clear();
  for (const auto& [place, parameter] : updates)
    if (place.kind == Place::Kind::result) release(*parameter, work.released);
  std::vector<runtime::BufferPtr> made;
  std::uint64_t waited_ns = 0;
  try {
    waited_ns = device().launch(plan->executable, work.inputs, made);
  } catch (...) {
    for (TensorImpl* impl : work.released) impl->buffer->add_holder();
    const std::vector<runtime::BufferPtr> refused = std::exchange(work.inputs, {});
    require_here(*this, refused);
    throw;
  }
  std::shared_ptr<const record::LaunchedGraph> launched;
  if (differentiable) launched = differentiable->launched(leaves, work.inputs, work.immediates, made);
  drop(work.inputs);
  std::ranges::sort(work.released);
  auto next_passed = passed.begin();
  const auto tensor_of = [&](const Place& place) -> Tensor {
    switch (place.kind) {
      case Place::Kind::result: {
        Tensor result(made[place.index]);
        if (launched) differentiable->connect(result, place.index, launched);
        return result;
      }
      case Place::Kind::update: return updates[place.index].second->unobserved();
      case Place::Kind::again: return to[place.index];
      default: return std::move(*next_passed++);
    }
  };
  for (const auto& [place, parameter] : updates) {
    if (place.kind == Place::Kind::result) {
      assign(*parameter, made[place.index], work.released);
    } else {
      parameter->reset(tensor_of(place));
    }
  }
  to.clear();
  for (const Place& place : this->results) to.push_back(tensor_of(place));
  for (const Draws& draw : draws) draw.of_this_thread().calls += draw.count;
  metrics::cached_compile.add();
  metrics::mark_step.add();
  profile::step_done(*plan->executable, nodes);
  const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
  record::Synchronizer::last().stats = {.nodes = nodes,
                                        .inputs = inputs.size(),
                                        .numbers = immediates.size(),
                                        .outputs = made.size(),
                                        .replayed = true,
                                        .host_us = time.count(),
                                        .wait_us = waited_ns / 1e3};
}

}  // namespace weft::jit
