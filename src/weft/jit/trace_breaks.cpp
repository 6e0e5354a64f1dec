// Handles graph breaks while a function is recorded, and rejected calls. The function itself is not notified.
#include <utility>

#include <weft/jit/session.h>
#include <weft/jit/trace.h>
#include <weft/record/sync.h>

namespace weft::jit {

void Trace::reject_cut(const std::string& reason, const std::string& place, const char* remedy) {
  const std::string* const inner = session.fullgraph;
  if (!inner && !options_.fullgraph) return;
  reject(std::make_exception_ptr(
      GraphBreakError(concat(inner ? *inner : options_.function, ": ", reason, place.empty() ? "" : " (", place,
                             place.empty() ? "" : ")", ": under fullgraph the function must be one graph. ", remedy))));
}

void Trace::reject(const std::exception_ptr& error) {
  if (rejected_with_) return;
  rejected_with_ = error;
  discard();
}

void Trace::discard() {
  if (std::exchange(is_discarded_, true)) return;
  for (Written& written : written_) written.before.held();
  continue_with(record::Backend::eager);
}

void Trace::continue_with(record::Backend backend) { backend_.emplace(backend); }

void Trace::refused(const char* function, const std::string& place) {
  if (refusal_.empty())
    refusal_ = concat(function, " refuses what it is called with", place.empty() ? "" : concat(" (", place, ')'),
                      ", and the function catches that");
}

void Trace::host_reads(const char* function, const record::TensorImpl& tensor, const ir::Location& where) {
  if (is_sample()) {
    if (lacks_elements(tensor)) give_elements();
    return;
  }
  const std::string made_at = tensor.recording ? place_text(tensor.value.node->location) : "";
  std::string reason = concat(function, " reads ", tensor.type);
  if (!made_at.empty()) reason += concat(", made at ", made_at, ',');
  reason += " on the host";
  pending_place_ = place_text(where);
  reject_cut(reason, pending_place_,
             "Return the tensor and read it outside, or decide on the device with where, cond or while_loop");
  if (tensor.recording) {
    pending_reason_ = std::move(reason);
  } else {  // nothing to launch, but later operations may depend on the value
    cut(std::move(reason), std::move(pending_place_));
  }
}

void Trace::leaves_graph(const std::source_location& where) {
  if (is_sample()) return give_elements();
  std::string reason = "it calls a function that stays out of graphs (disable)";
  pending_place_ = concat(where.file_name(), ':', where.line());
  reject_cut(reason, pending_place_, "Call that function outside");
  if (record::Recording::current().first_live()) {
    pending_reason_ = std::move(reason);
    record::Recording::current().sync(record::Recording::Keep::graph);  // keeps the graph for gradients
  } else {
    cut(std::move(reason), std::move(pending_place_));
  }
}

void Trace::syncing() {
  if (finishing_) return;
  if (is_sample()) {
    if (record::Recording::current().first_live()) give_elements();
    return;
  }
  if (pending_reason_.empty()) {
    if (!record::Recording::current().first_live()) return;  // launches nothing
    pending_reason_ = "sync() launches what is recorded";
    reject_cut(pending_reason_, "", "Leave it out: the call launches the program at its end");
  }
  cut(std::move(pending_reason_), std::move(pending_place_));
  pending_reason_.clear();
}

void Trace::cut(std::string reason, std::string place) {
  cannot_replay(concat("its graph is cut: ", reason, place.empty() ? "" : " at ", place));
  end_last_break();
  breaks_.push_back({std::move(reason), std::move(place)});
  cut_at_ = std::chrono::steady_clock::now();
}

// From a cut until the next recorded operation, the host waits and the device receives no work.
void Trace::end_last_break() {
  if (!cut_at_) return;
  breaks_.back().ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - *cut_at_).count();
  cut_at_.reset();
}

Trace::Verdict Trace::verdict_after(const std::function<void()>& decide) {
  const bool was_discarded = is_discarded_, had_backend = backend_.has_value();
  if (!rejected_with_) decide();
  if (finishing_ && (rejected_with_ || is_postponed_)) return Verdict::stop;
  const bool is_changed = is_discarded_ != was_discarded || backend_.has_value() != had_backend;
  return is_changed ? Verdict::look_again : Verdict::launch;
}

Trace::Verdict Trace::knows(const record::Plan& plan) {
  return verdict_after([&] {
    if (options_.knows) options_.knows(plan);
  });
}

Trace::Verdict Trace::compiling() {
  return verdict_after([&] {
    if (options_.compiling) options_.compiling();
  });
}

}  // namespace weft::jit
