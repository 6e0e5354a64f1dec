#include <weft/record/recording.h>

#include <algorithm>
#include <array>
#include <atomic>

#include <weft/compiler/sharding_layout.h>
#include <weft/ir/autodiff.h>
#include <weft/ir/ops.h>
#include <weft/ir/place_text.h>
#include <weft/record/call_error.h>
#include <weft/record/mesh.h>
#include <weft/record/sync.h>
#include <weft/record/synchronizer.h>
#include <weft/record/wrong_device.h>
#include <weft/runtime/node_pool.h>

namespace weft::record {

namespace {

// A stamp tells which input of which recording a buffer became last: 40 bits of epoch, 24 bits of position.
constexpr int position_bits = 24;
constexpr std::uint64_t stamp_of(std::uint64_t epoch, std::uint64_t position) {
  return epoch << position_bits | position;
}
// A recording gets its epochs in blocks of this size, so that it recognises its own by their numbers.
constexpr std::uint64_t epochs_together = 1 << 12;
bool of_one_recording(std::uint64_t a, std::uint64_t b) { return a / epochs_together == b / epochs_together; }

}  // namespace

Recording::Recording() : Recording(nullptr) { begin_epoch(); }

Recording::Recording(Recording* parent) : graph_(std::make_shared<ir::Graph>()), parent_(parent) {
  live_.previous = live_.next = &live_;
}

Recording::Recording(Recording& parent) : Recording(&parent) {
  scope_ = parent.scope_;
  session.recording = this;
}

Recording::~Recording() {
  leave();
  forget_live();
  let_go_of_inputs();
}

void Recording::leave() {
  if (session.recording != this) return;
  session.recording = parent_;
}

Recording& Recording::current() {
  if (!session.recording) [[unlikely]] {
    thread_local Recording outermost;  // each thread records its own operations
    session.recording = &outermost;
  }
  return *session.recording;
}

ir::Value Recording::value_of(const TensorPtr& tensor, const char* function) {
  require_call(bool(tensor), function, "an operand is a default-constructed Tensor, which has no value");
  TensorImpl& impl = *tensor;
  if (impl.recording == this) [[likely]]
    return impl.value;
  if (!impl.buffer) {
    require_call(
        impl.recording != nullptr, function,
        "an operand was recorded in a loop body, branch or thread that has ended, or by a compiled function that "
        "was tried with other sizes: it has no elements; return it from there");
    const Recording* owner = parent_;
    while (owner && owner != impl.recording) owner = owner->parent_;
    require_call(owner != nullptr, function,
                 "an operand was recorded by another thread and is not launched; call sync() there");
  }
  if (!is_body()) return input_of(impl, function);
  if (impl.buffer) require_here(impl, function);
  return capture(tensor);
}

void Recording::require_here(const TensorImpl& impl, const char* function) {
  if (impl.buffer->usable_on(device().id())) [[likely]]
    return;
  const std::string name = session.observer ? session.observer->name_of(impl) : "an operand";
  fail_on_wrong_device(concat(function, ": ", name), *impl.buffer);
}

ir::Value Recording::input_of(TensorImpl& impl, const char* function) {
  const std::uint64_t stamp = impl.stamp.load(std::memory_order_relaxed), epoch = stamp >> position_bits;
  if (epoch == epoch_) return graph_->inputs()[stamp & ((1u << position_bits) - 1)];
  // Another recording, such as of a thread that uses the same parameters, may have overwritten the stamp of this one.
  if (epoch != 0 && !of_one_recording(epoch, epoch_)) [[unlikely]] {
    if (const auto position = position_of(impl)) {
      impl.stamp.store(stamp_of(epoch_, *position), std::memory_order_relaxed);
      return graph_->inputs()[*position];
    }
  }
  if (session.observer) [[unlikely]]
    if (TensorImpl* const other = session.observer->stand_in_for(impl)) return input_of(*other, function);
  require_here(impl, function);
  if ((session.mesh || impl.layout) && impl.is_state.load(std::memory_order_relaxed)) [[unlikely]]
    move_state(impl);
  if (impl.layout) [[unlikely]]
    runs_on(compiler::sharding_of(impl.layout).mesh(), function);
  if (session.observer) [[unlikely]]
    session.observer->input(impl);
  const ir::Value value = graph_->add_input(impl.type);
  impl.stamp.store(stamp_of(epoch_, inputs_.size()), std::memory_order_relaxed);
  impl.buffer->add_holder();
  inputs_.push_back({impl.buffer, &impl, impl.identity(), impl.origin, impl.is_state.load(std::memory_order_relaxed),
                     impl.cut, impl.layout});
  return value;
}

std::optional<std::size_t> Recording::position_of(const TensorImpl& impl) {
  for (; indexed_ < inputs_.size(); ++indexed_) positions_.insert_or_assign(inputs_[indexed_].tensor, indexed_);
  const auto at = positions_.find(&impl);
  if (at == positions_.end() || inputs_[at->second].buffer != impl.buffer) return std::nullopt;
  return at->second;
}

ir::Value Recording::immediate(Type type, const Immediate& bytes, const ImmediateSource& source) {
  if (is_body()) return capture(parent_->wrap(parent_->immediate(type, bytes, source)));
  if (session.observer) [[unlikely]]
    session.observer->input(source);
  const ir::Value value = graph_->add_input(type);
  inputs_.emplace_back();
  immediates_.push_back(bytes);
  return value;
}

TensorPtr Recording::wrap(ir::Value value) {
  TensorImpl* impl = runtime::make_in_pool<TensorImpl>(value.type());
  impl->value = value;
  impl->node_id = value.node->id;
  impl->is_input = value.node->op == &ir::ops::parameter;
  append_live(*impl);
  return TensorPtr(impl);
}

ir::Value Recording::copy(ir::Value value) {
  const ir::Value made =
      graph_->append(ir::ops::reshape, std::array{value}, nullptr, std::array{value.type()}).result();
  is_copy(made);
  return made;
}

ir::Value Recording::original(ir::Value value) const {
  while (std::ranges::find(copies_, value) != copies_.end()) value = value.node->operands[0];
  return value;
}

void Recording::append_live(TensorImpl& impl) {
  impl.recording = this;
  impl.previous = live_.previous;
  impl.next = &live_;
  live_.previous = live_.previous->next = &impl;
}

void Recording::unlink(TensorImpl& impl) {
  impl.previous->next = impl.next;
  impl.next->previous = impl.previous;
  impl.recording = nullptr;
  impl.value = {};
}

void Recording::forget_live() {
  for (TensorImpl* impl = live_.next; impl != &live_; impl = impl->next) {
    impl->recording = nullptr;
    impl->value = {};
  }
  live_.previous = live_.next = &live_;
}

void Recording::let_go_of_inputs() {
  for (const Input& input : inputs_)
    if (input.buffer) input.buffer->remove_holder();
  inputs_.clear();
  positions_.clear();
  indexed_ = 0;
}

void Recording::clear() {
  let_go_of_inputs();
  immediates_.clear();
  if (graph_.use_count() != 1) {  // kept by a plan, or by a loss that was read; mostly until the next one is
    std::swap(graph_, spare_);
    if (!graph_ || graph_.use_count() != 1) graph_ = std::make_shared<ir::Graph>();
  }
  graph_->clear();
  growth_.cleared();
  differentiated_.clear();
  copies_.clear();
  mesh_.reset();
  begin_epoch();
}

void Recording::runs_on(const ir::Mesh& mesh, const char* function) {
  if (is_body()) return parent_->runs_on(mesh, function);
  if (!mesh_) mesh_ = session.mesh ? *session.mesh : mesh;
  require_call(*mesh_ == mesh, function, "a tensor is on the mesh (", mesh, "), and the program runs on the mesh (",
               *mesh_, "): a program runs on one mesh");
}

void Recording::cut_if_repeated() {
  if (is_body() || session.observer || !growth_.look(*graph_)) return;
  std::vector<TensorPtr> cut;
  const std::vector<bool> loses = lost_gradients();
  for (TensorImpl* live = live_.next; live != &live_; live = live->next)
    if (loses[live->value.node->id]) cut.push_back(TensorPtr::sharing(*live));
  sync();
  for (const TensorPtr& tensor : cut) tensor->cut = true;
}

// Returns what is known about the launched graph before the launch.
std::shared_ptr<LaunchedGraph> Recording::to_be_launched() const {
  auto launched = std::make_shared<LaunchedGraph>();
  launched->program = std::make_shared<LaunchedProgram>(graph_, differentiated_, copies_);
  launched->nodes = graph_->nodes().size();
  auto number = immediates_.begin();
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const auto& [buffer, tensor, identity, origin, is_state, is_cut, layout] = inputs_[i];
    const ir::Value value = graph_->inputs()[i];
    if (!buffer) {
      launched->numbers.emplace_back(value, *number++);
      continue;
    }
    LaunchedGraph::Known& known = launched->known.emplace_back(value, buffer, buffer->id());
    known.identity = identity;
    if (origin) launched->follow(known, origin);
    known.is_lost |= is_cut;
    if (is_state || buffer->holders() > 1 || value.type().bytes() > LaunchedGraph::most_held_bytes) continue;
    launched->hold(buffer);
  }
  return launched;
}

// Returns, by node id, whether the node has a gradient with respect to something that is held, or that was cut off by an
// earlier automatic sync. Values made only of constants, random numbers and released data have no gradient that anybody could
// ask for.
std::vector<bool> Recording::lost_gradients() const {
  std::vector<bool> held(graph_->nodes().size()), loses(graph_->nodes().size());
  for (const TensorImpl* live = first_live(); live; live = next_live(*live)) held[live->value.node->id] = true;
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const std::uint32_t id = graph_->inputs()[i].node->id;
    held[id] = inputs_[i].buffer && inputs_[i].buffer->holders() > 1;  // one holder is the recording
    loses[id] = inputs_[i].is_cut;
  }
  for (const ir::Node* node : graph_->nodes()) {
    if (!ir::passes_derivatives(*node)) continue;
    for (const ir::Value operand : node->operands)
      if (is_float(operand.dtype()) && (held[operand.node->id] || loses[operand.node->id])) loses[node->id] = true;
  }
  return loses;
}

void Recording::require_whole(ir::Value loss, std::span<const ir::Value> wrt, const char* function) const {
  if (std::ranges::none_of(inputs_, &Input::is_cut)) return;
  std::vector<bool> is_cut(graph_->nodes().size()), seen(is_cut.size());
  for (std::size_t i = 0; i < inputs_.size(); ++i) is_cut[graph_->inputs()[i].node->id] = inputs_[i].is_cut;
  for (const ir::Value x : wrt) seen[x.node->id] = true;
  std::vector<const ir::Node*> way{loss.node};
  while (!way.empty()) {
    const ir::Node& node = *way.back();
    way.pop_back();
    if (seen[node.id]) continue;
    seen[node.id] = true;
    require_call(
        !is_cut[node.id] || !is_float(node.type().dtype()), function,
        "the loss depends on a tensor that an automatic sync launched because the recording had grown too large; ",
        "call sync() at the end of each step, or set WEFT_GRAPH_GROWTH_NODES=0");
    if (!ir::passes_derivatives(node)) continue;
    for (const ir::Value operand : node.operands) way.push_back(operand.node);
  }
}

void Recording::differentiated(std::span<const ir::Value> wrt) {
  growth_.differentiated(*graph_);
  differentiated_.insert(differentiated_.end(), wrt.begin(), wrt.end());
  const auto is_input = [](ir::Value x) { return x.node->op == &ir::ops::parameter; };
  if (session.observer && std::ranges::any_of(wrt, is_input)) session.observer->differentiated_by_input();
}

bool Recording::were_differentiated(std::span<const ir::Value> wrt) const {
  return std::ranges::any_of(
      wrt, [this](ir::Value x) { return std::ranges::find(differentiated_, x) != differentiated_.end(); });
}

void Recording::begin_epoch() {
  static constinit std::atomic<std::uint64_t> next = epochs_together;  // 0 means none
  const bool is_in_block = epoch_ != 0 && of_one_recording(epoch_, epoch_ + 1);
  epoch_ = is_in_block ? epoch_ + 1 : next.fetch_add(epochs_together, std::memory_order_relaxed);
}

bool Recording::sync(Keep keep) {
  require(!is_body(),
          "sync: a value cannot be read inside the body of a loop or branch, or a function of vmap or jvp: it is "
          "recorded, not run");
  if (session.observer) session.observer->syncing();
  return Synchronizer(*this).run(keep == Keep::graph && may_be_differentiated() ? to_be_launched() : nullptr);
}

bool Recording::may_be_differentiated() const {
  for (const TensorImpl* live = first_live(); live; live = next_live(*live))
    if (!live->is_input && !live->is_state && is_float(live->type.dtype())) return true;
  return false;
}

void Recording::drop_dead() {
  if (!is_body() && !session.observer && !first_live()) clear();
}

ir::Value Recording::capture(const TensorPtr& tensor) {
  for (std::size_t i = 0; i < captures_.size(); ++i) {
    if (captures_[i].get() == tensor.get()) return capture_values_[i];
  }
  captures_.push_back(tensor);
  capture_values_.push_back(graph_->add_input(tensor->type));
  return capture_values_.back();
}

std::shared_ptr<const ir::Graph> Recording::finish_body(std::vector<ir::Value> outputs) {
  graph_->set_outputs(std::move(outputs));
  return graph_;
}

std::string Recording::place_of_call() const {
  if (depth_ > 0) return place_text(graph_->location());
  return parent_ ? parent_->place_of_call() : std::string();
}

SetAside::SetAside() : recorded_(Recording::current()) {
  for (const Recording::Input& input : recorded_.inputs_)
    if (input.buffer) input.buffer->remove_holder();
  other_.scope_ = recorded_.scope_;
  session.recording = &other_;
}

SetAside::~SetAside() {
  session.recording = &recorded_;
  for (const Recording::Input& input : recorded_.inputs_)
    if (input.buffer) input.buffer->add_holder();
}

void fail_call(const std::string& message) {
  const std::string place = Recording::current().place_of_call();
  fail(message, place.empty() ? "" : concat(" (", place, ')'));
}

}  // namespace weft::record
