#include <weft/record/synchronizer.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <utility>

#include <weft/base/diagnostics.h>
#include <weft/base/knobs.h>
#include <weft/base/metrics.h>
#include <weft/base/trace.h>
#include <weft/compiler/sharding_layout.h>
#include <weft/ir/ops.h>
#include <weft/profile/hints.h>
#include <weft/record/compiler_options.h>
#include <weft/record/nan_check.h>
#include <weft/record/session.h>
#include <weft/record/sync_stages.h>
#include <weft/runtime/devices.h>

namespace weft {

namespace metrics {
inline constinit Metric sync_time("SyncTime");  // host time of a sync, including compilation
inline constinit Metric nodes_per_sync("NodesPerSync", Unit::count);
}  // namespace metrics

namespace record {

Synchronizer::ThreadState& Synchronizer::of_this_thread() {
  thread_local ThreadState state;  // a thread syncs what it recorded, without a lock
  return state;
}

bool Synchronizer::run(std::shared_ptr<LaunchedGraph> kept) {
  kept_ = std::move(kept);
  const trace::Scope scope("host", "sync");
  const auto start = std::chrono::steady_clock::now();
  scratch_.results.clear();
  device().host_works(recording_.graph().nodes().size());  // the time of recording them
  if (session.sync_stages) [[unlikely]]
    session.sync_stages->begins();
  collect();
  if (scratch_.outputs.empty()) {
    commit();
  } else if (!run_program()) {
    return false;
  }
  if (session.observer && !scratch_.results.empty()) session.observer->launched(scratch_.results);
  const std::vector<runtime::BufferPtr> checked = debugs_nans_ ? scratch_.results : std::vector<runtime::BufferPtr>();
  scratch_.results.clear();
  const auto time = std::chrono::steady_clock::now() - start;
  metrics::sync_time.add(std::chrono::nanoseconds(time).count());
  if (scratch_.outputs.empty()) return true;
  last().stats.host_us = std::chrono::duration<double, std::micro>(time).count();
  last().stats.wait_us = waited_ns_ / 1e3;
  if (debugs_nans_) require_finite(checked);
  return true;
}

// Called last, when the recording has been replaced by its results, so that the user can look at them.
void Synchronizer::require_finite(const std::vector<runtime::BufferPtr>& results) {
  const auto why = find_nan(launched_graph_, backend_, launched_inputs_, results);
  require(!why, "sync: ", why.value_or(""), " (step ", device().stats().launches - 1, ")");
}

bool Synchronizer::run_program() {
  SyncStats& stats = last().stats;
  stats = {.nodes = recording_.graph().nodes().size(),
           .inputs = scratch_.bindings.size(),
           .numbers = recording_.immediates_.size(),
           .outputs = scratch_.outputs.size()};
  for (const Binding binding : scratch_.bindings) stats.donatable += binding == Binding::donatable;
  if (session.sync_stages) [[unlikely]]
    show_stages();
  std::shared_ptr<Plan> plan = known_plan();
  if (session.observer) [[unlikely]] {
    const Observer::Verdict verdict = plan ? session.observer->knows(*plan) : session.observer->compiling();
    if (verdict == Observer::Verdict::stop) return false;
    if (verdict == Observer::Verdict::look_again) {
      backend_ = backend();
      collect();
      plan = known_plan();
    }
  }
  const bool compiled = plan == nullptr;
  if (compiled) recording_.graph().input_names.clear();  // of an attempt that failed
  if (compiled && session.observer)
    for (std::size_t i = 0; i < recording_.inputs().size(); ++i)
      recording_.graph().input_names.push_back(session.observer->name_of_input(i));
  if (compiled) plan = make_plan();
  if (session.observer) [[unlikely]]
    session.observer->launching({plan, compiled, recording_.graph(), scratch_.outputs, recording_.immediates_, kept_});
  launch(*plan);
  // Kept only now, because the graph can no longer grow.
  if (!is_kept_) PlanCache::instance().insert(identity_, plan);
  metrics::mark_step.add();
  metrics::nodes_per_sync.add(stats.nodes);
  profile::step_done(*plan->executable, stats.nodes);
  return true;
}

void Synchronizer::collect() {
  bind();
  device().host_works(scratch_.bindings.size() + scratch_.places.size());
}

void Synchronizer::bind() {
  bind_inputs();
  collect_outputs();
  find_mesh();
}

void Synchronizer::show_stages() {
  const SyncStages::Collected collected{scratch_.outputs, recording_.inputs_};
  session.sync_stages->collected(collected);
  promise_results();
  session.sync_stages->promised(collected);
}

void Synchronizer::promise_results() {
  scratch_.result_types.clear();
  for (const ir::Value value : scratch_.outputs) scratch_.result_types.push_back(value.type());
  device().promise(scratch_.result_types, scratch_.results);
  device().host_works(scratch_.results.size());
}

void Synchronizer::bind_inputs() {
  scratch_.bindings.clear();
  is_sharded_ = session.mesh != nullptr || recording_.mesh_.has_value();
  for (const auto& input : recording_.inputs_) {
    const runtime::BufferPtr& buffer = input.buffer;
    // One holder is the recording itself.
    scratch_.bindings.push_back(!buffer                                   ? Binding::number
                                : buffer->holders() == 1 && !debugs_nans_ ? Binding::donatable
                                                                          : Binding::kept);
  }
}

// Tensors that are on one device move to all devices of the mesh.
void Synchronizer::find_mesh() {
  mesh_.reset();
  if (!is_sharded_) [[likely]]
    return;
  scratch_.output_layouts.resize(scratch_.outputs.size());
  std::optional<ir::Mesh> mesh = recording_.mesh_;
  if (!mesh && session.mesh) mesh = *session.mesh;
  for (std::size_t i = 0; i < scratch_.outputs.size(); ++i) {
    if (!scratch_.output_layouts[i]) continue;
    const ir::Mesh& other = compiler::sharding_of(scratch_.output_layouts[i]).mesh();
    if (!mesh) mesh = other;
    require(other == *mesh, "sync: a parameter ", scratch_.outputs[i].type(), " is on the mesh (", other,
            "), and the program that computes its value runs on the mesh (", *mesh, ')');
  }
  mesh_.emplace(*mesh);
  mesh_->outputs = scratch_.output_layouts;
  for (const Recording::Input& input : recording_.inputs_)
    mesh_->inputs.push_back(!input.buffer  ? runtime::LayoutId()
                            : input.layout ? input.layout
                                           : replicated(*mesh, input.buffer->type().rank()));
}

void Synchronizer::move_to_mesh(std::span<runtime::BufferPtr> arguments) const {
  for (std::size_t i = 0; i < arguments.size(); ++i)
    if (mesh_->inputs[i] && !arguments[i]->layout()) arguments[i] = moved(arguments[i], mesh_->inputs[i]);
}

void Synchronizer::collect_outputs() {
  scratch_.outputs.clear();
  scratch_.output_ids.clear();
  scratch_.output_layouts.clear();
  scratch_.places.clear();
  scratch_.live.clear();
  scratch_.first_output.resize(std::max(scratch_.first_output.size(), recording_.graph().nodes().size()));
  ++scratch_.sync;
  for (TensorImpl* impl = recording_.live_.next; impl != &recording_.live_; impl = impl->next) {
    scratch_.live.push_back(impl);
    scratch_.places.push_back(place_of(*impl));
  }
}

// Tensors with the same value, and copies, share one output; a tensor that is an input needs none.
Synchronizer::Place Synchronizer::place_of(const TensorImpl& impl) {
  const bool may_be_copy = !recording_.copies().empty();
  const ir::Value value = may_be_copy ? recording_.original(impl.value) : impl.value;
  const std::uint32_t node_id = may_be_copy ? value.node->id : impl.node_id;
  if (may_be_copy ? value.node->op == &ir::ops::parameter : impl.is_input)
    return place_of_input(value.node->attributes<ir::ParameterAttributes>().index);
  auto& outputs = scratch_.outputs;
  auto& [sync, first] = scratch_.first_output[node_id];
  if (std::exchange(sync, scratch_.sync) != scratch_.sync) {
    first = outputs.size();
  } else {
    for (std::uint32_t i = first; i < outputs.size(); ++i) {
      if (outputs[i] == value && layout_of_output(i) == impl.layout) return {nullptr, i};
    }
  }
  outputs.push_back(value);
  scratch_.output_ids.push_back(node_id);
  if (impl.layout) [[unlikely]]
    set_layout_of_output(outputs.size() - 1, impl.layout);
  return {nullptr, static_cast<std::uint32_t>(outputs.size() - 1)};
}

runtime::LayoutId Synchronizer::layout_of_output(std::size_t i) const {
  return i < scratch_.output_layouts.size() ? scratch_.output_layouts[i] : runtime::LayoutId();
}

void Synchronizer::set_layout_of_output(std::size_t i, runtime::LayoutId layout) {
  is_sharded_ = true;
  scratch_.output_layouts.resize(i + 1);
  scratch_.output_layouts[i] = layout;
}

Synchronizer::Place Synchronizer::place_of_input(std::size_t index) {
  const auto& inputs = recording_.inputs_;
  if (inputs[index].buffer) {
    scratch_.bindings[index] = Binding::kept;  // a live tensor will hold it
    return {inputs[index].buffer};
  }
  const std::size_t number = std::ranges::count(std::span(scratch_.bindings).first(index), Binding::number);
  const Type type = recording_.graph().inputs()[index].type();
  return {device().upload(type, std::span(recording_.immediates_[number]).first(type.bytes()))};
}

void Synchronizer::let_go() {
  recording_.forget_live();
  recording_.clear();
}

void Synchronizer::launch(Plan& plan) {
  auto& arguments = scratch_.arguments;
  const bool looks_for_donations =
      diagnostics::enabled(diagnostics::Kind::missed_donation) && !session.observer && !debugs_nans_;
  std::vector<runtime::BufferPtr> looked_at;
  bool is_held = true;
  for (Recording::Input& input : recording_.inputs_) arguments.push_back(std::move(input.buffer));
  try {
    {
      const std::lock_guard lock(plan.mutex);
      plan.immediates.fill(arguments, plan.executable->inputs, recording_.immediates_);
    }
    if (debugs_nans_) {
      recording_.graph().set_outputs({scratch_.outputs.begin(), scratch_.outputs.end()});
      launched_graph_ = recording_.graph_;
      launched_inputs_ = arguments;
    }
    let_go_of(arguments);
    is_held = false;
    if (mesh_) [[unlikely]]
      move_to_mesh(arguments);
    // The host does its work before it may have to wait, because none of it is in the cache any more after that.
    if (looks_for_donations) [[unlikely]]
      looked_at = arguments;
    const auto accepted = [&] {
      if (looks_for_donations) [[unlikely]]
        last().missed_donations.look(identity_, *plan.executable, looked_at, scratch_.results);
      looked_at.clear();
      commit();
    };
    waited_ns_ += device().launch(plan.executable, std::move(arguments), scratch_.results, std::ref(accepted));
  } catch (...) {
    take_back(arguments, is_held);
    throw;
  }
}

// The recording holds nothing any more; otherwise the device would find donated bytes still in use.
void Synchronizer::let_go_of(std::span<const runtime::BufferPtr> arguments) const {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    switch (scratch_.bindings[i]) {
      case Binding::donatable: arguments[i]->set_holders(0); break;
      case Binding::kept: arguments[i]->remove_holder(); break;
      case Binding::number: break;
    }
  }
}

void Synchronizer::take_back(std::vector<runtime::BufferPtr>& arguments, bool is_held) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (scratch_.bindings[i] == Binding::number) continue;
    if (!is_held) arguments[i]->add_holder();
    recording_.inputs_[i].buffer = std::move(arguments[i]);
  }
  arguments.clear();
}

void Synchronizer::commit() {
  const std::size_t results =
      std::ranges::count_if(scratch_.places, [](const Place& place) { return place.input == nullptr; });
  const bool one_each = results == scratch_.results.size() && !session.observer && !debugs_nans_;
  for (std::size_t i = 0; i < scratch_.live.size(); ++i) {
    TensorImpl& impl = *scratch_.live[i];
    Place& place = scratch_.places[i];
    if (place.input) {
      impl.set_buffer(std::move(place.input));
      continue;
    }
    if (one_each) {
      impl.set_first_buffer(std::move(scratch_.results[place.output]));
    } else {
      impl.set_buffer(scratch_.results[place.output]);
    }
    if (kept_) keep(impl);
  }
  let_go();
}

void Synchronizer::keep(TensorImpl& impl) {
  LaunchedGraph::Known& known =
      kept_->known.emplace_back(impl.value, impl.buffer, impl.buffer->id(), impl.is_state.load());
  if (!recording_.copies().empty()) known.identity = impl.identity();  // copies have the same buffer
  if (!impl.is_state && is_float(impl.type.dtype())) impl.origin = {kept_, impl.value};
}

}  // namespace record

void sync() { record::Recording::current().sync(); }

void synchronize() {
  sync();
  device().synchronize();
}

SyncStats last_sync() { return record::Synchronizer::last().stats; }
std::optional<compiler::Report> last_compile() { return record::Synchronizer::last().report; }

runtime::Device& device() {
  runtime::Device* const chosen = record::session.device;
  return chosen ? *chosen : runtime::default_device();
}
void set_device(runtime::Device& device) {
  record::session.device = &device;
  record::Recording::current().drop_dead();  // its inputs belong to another device
}

void clear_graph_cache() {
  record::PlanCache::instance().clear();
  record::SizeFamilies::instance().clear();
  compiler::clear_kernel_cache();
}
std::size_t graph_cache_size() { return record::PlanCache::instance().size(); }

}  // namespace weft
