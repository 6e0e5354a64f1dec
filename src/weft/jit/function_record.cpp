// Handles a call that no specialisation fits: captures it, records the function for other sizes, and then launches it.
#include <chrono>
#include <exception>
#include <utility>

#include <weft/base/log.h>
#include <weft/base/trace.h>
#include <weft/jit/function.h>
#include <weft/record/size_families.h>
#include <weft/record/sync.h>

namespace weft::jit {

struct Function::Call {
  std::span<const Leaf> leaves;
  const std::vector<std::string>& paths;
  const Body& body;
  const Found& found;
  bool is_first = false;
  std::uint64_t buckets = 0;
  bool compiles = current_stance() != Stance::eager_on_recompile;
  bool learns_sizes = false, records_buckets = false;
  std::optional<record::Backend> rest = {};  // the backend for programs that would have to be compiled but must not be
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  Context context = Context::now();
  Difference difference = {};
  std::vector<record::CompileAhead::Job> ahead = {};
  std::optional<Trace> trace = {};

  SampledCall sampled() const { return {leaves, paths, body.sample, trace->ignores_aliases()}; }
  double ms() const {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  }
};

std::vector<Tensor> Function::record(std::span<const Leaf> leaves, const std::vector<std::string>& paths,
                                     const Body& body, const Found& found) {
  const std::lock_guard turn(turn_);
  Call call{.leaves = leaves, .paths = paths, .body = body, .found = found};
  {
    const std::lock_guard lock(mutex_);
    call.is_first = recorded_ == 0;
    sizes_.check(leaves, paths, options_);
    call.buckets = sizes_.buckets_of(types_of(leaves), leaves, paths);
    call.records_buckets = call.compiles && body.sample && sizes_.any_buckets() && !buckets_recorded_;
    if (logging::enabled(logging::Channel::recompiles)) find_difference(call);
  }
  call.learns_sizes = call.compiles && body.sample && may_learn_sizes();
  const bool generalises = options_.limit_policy == LimitPolicy::generalise, is_generalised = generalises && is_full();
  const record::SymbolicSizesScope symbolic_sizes(
      (options_.dynamic != Dynamic::off || is_generalised) && record::sizes_are_symbols(), generalises, call.buckets);
  const trace::Scope recording("host", "record");
  capture(call);
  learn(call);
  launch(call);
  std::vector<Tensor> results = call.trace->results();
  if (!call.rest) {
    keep(call);
  } else if (call.rest == record::Backend::eager) {
    WEFT_LOG(recompiles, options_.name, ": the stance is eager_on_recompile, and no known program fits: ",
             call.difference.none() ? "there is none yet" : call.difference.text(single_size_reason()));
  }
  return results;
}

void Function::capture(Call& call) {
  const auto& checked = call.found.checked;
  Trace::Options options{.function = options_.name,
                         .fullgraph = options_.fullgraph,
                         .knows = [this, &call](const record::Plan& plan) { knows(call, plan); },
                         .compiling = [this, &call] { compiling(call); },
                         .is_first_of_kind = call.found.is_first_of_kind,
                         .ignores_aliases = checked && !checked->aliases_matter};
  while (!call.trace.emplace(options, call.leaves, call.paths).capture(call.body.run)) options.ignores_aliases = true;
}

// Runs before anything is launched; otherwise a program would be compiled for these sizes only, without need.
void Function::learn(Call& call) {
  const bool learns_sizes = call.is_first && call.learns_sizes;
  if ((!learns_sizes && !call.records_buckets) || !call.trace->can_be_sampled()) return;
  const Trace::Aside aside(*call.trace);
  call.learns_sizes &= !learns_sizes;
  if (learns_sizes) learn_sizes(call.sampled());
  if (call.records_buckets) call.ahead = other_buckets(call.sampled());
}

void Function::launch(Call& call) {
  if (call.trace->launch()) return;
  {
    const Trace::Aside aside(*call.trace);
    learn_sizes(call.sampled());
  }
  call.trace->launch();
}

// Finds the difference from known calls only when it is needed, because a call with new sizes rarely compiles.
void Function::find_difference(Call& call) const {
  constexpr std::size_t compared = 32;  // number of specialisations
  if (call.difference.none())
    call.difference = nearest_difference(specializations_.recent(compared), call.leaves, call.paths, call.context);
}

void Function::compiling(Call& call) {
  if (call.rest) return;
  if (!call.compiles) {
    call.rest = record::Backend::eager;
    return call.trace->continue_with(*call.rest);
  }
  // The function records something different for these sizes, so it must be sampled again.
  if (call.trace->can_be_sampled() && std::exchange(call.learns_sizes, false)) return call.trace->postpone();
  const std::lock_guard lock(mutex_);
  find_difference(call);
  if (current_stance() == Stance::fail_on_recompile)
    return call.trace->reject(std::make_exception_ptr(RecompileError(
        concat(options_.name, ": the stance is fail_on_recompile, and no known program fits: ",
               call.difference.none() ? "there is none yet" : call.difference.text(single_size_reason())))));
  const std::string limit = limit_reached();
  if (limit.empty() || options_.limit_policy == LimitPolicy::evict) return;
  if (options_.limit_policy == LimitPolicy::generalise)
    return warn_of_limit("sizes are symbols from now on, and one program serves those that are new");
  past_limit(call, limit);
}

// The program belongs to another function, or was forgotten by this one. It counts against the limit, so that the limit
// does not depend on other functions.
void Function::knows(Call& call, const record::Plan& plan) {
  const LimitPolicy policy = options_.limit_policy;
  if (call.rest || call.buckets != 0 || policy == LimitPolicy::evict || policy == LimitPolicy::generalise) return;
  const std::lock_guard lock(mutex_);
  if (const std::string limit = limit_reached(); !limit.empty() && !specializations_.runs(plan))
    past_limit(call, limit);
}

void Function::past_limit(Call& call, const std::string& limit) {
  find_difference(call);
  const std::string why = concat(limit, "; this call needs another one: ",
                                 call.difference.none() ? "the same arguments led to different operations"
                                                        : call.difference.text(single_size_reason()));
  if (options_.limit_policy == LimitPolicy::error)
    return call.trace->reject(std::make_exception_ptr(RecompileError(why)));
  WEFT_LOG(recompiles, why, "; this call is interpreted");
  warn_of_limit("calls that need another one are interpreted, which is slow");
  call.rest = record::Backend::interpreter;
  call.trace->continue_with(*call.rest);
}

void Function::keep(Call& call) {
  if (call.trace->writes_parameters()) writes_.store(true, std::memory_order_release);
  std::shared_ptr<Specialization> made = call.trace->take();
  made->prototype = call.body.prototype();
  made->is_of_bucket = call.buckets != 0;
  require(!made->prototype.leaves.empty() || made->rerecorded_because != Trace::records_nothing, options_.name,
          ": compile: the function returns no tensor and changes no parameter, so its work would be lost. Return what "
          "it computes, or hold it in a Parameter");
  if (made->compiled) made->compile_ms = call.ms();
  for (record::CompileAhead::Job& job : call.ahead) {
    job.made = ahead_;
    record::CompileAhead::instance().add(std::move(job));
  }
  const std::lock_guard lock(mutex_);
  const auto& checked = call.found.checked;
  if (call.found.is_trial) return end_trial(*checked, std::move(made));
  ++recorded_;
  compiles_ += made->compiled;
  // A program that was not compiled ahead differs in more than its sizes, and so will those of the other buckets.
  if (made->compiled && call.ahead.empty()) buckets_recorded_ = false;
  tell(*made, call.trace->breaks(), call.difference, call.ms());
  const std::string wrong = checked ? difference_of_replay(*checked, *made) : "";
  keep(std::move(made));
  require(wrong.empty(), options_.name, ": a replay would have been wrong: ", wrong);
}

void Function::end_trial(const Specialization& checked, std::shared_ptr<Specialization> made) {
  const std::string difference = difference_of_replay(checked, *made);
  if (difference.empty()) return;
  WEFT_DIAGNOSE(stale_capture, .subject = options_.name, .place = place_,
                .reason = concat(difference,
                                 "; without WEFT_DEBUG=1, which records some calls again, every call keeps what "
                                 "was recorded first"));
  ++recorded_;
  compiles_ += made->compiled;
  keep(std::move(made));
}

}  // namespace weft::jit
