// Overlaps the steps of a training loop: part of the next step is computed while the current one runs.
//
//   const auto train_step = weft::compile(mesh, [&](const Batch& batch) { ... });
//   weft::train::Pipeline pipeline(train_step, {.schedule = weft::train::schedule::exact()});
//   for (const Batch& batch : loader)
//     if (const auto loss = pipeline(batch)) report(*loss);   // of an earlier batch
//   while (const auto loss = pipeline.finish()) report(*loss);
//
// The step is written as if it ran alone. Which exchanges between devices may run ahead follows from what they depend on: the batch, embedding
// tables, other state (compiler/spmd/look_ahead.h). An exact schedule gives the bits of the same steps one after the other; a stale one is asked for by name.
//
// Between two calls, the last step is not launched yet: call finish() before you read, save or change parameters.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <weft/base/error.h>
#include <weft/jit/compile.h>
#include <weft/jit/pipeline.h>

namespace weft::train {

// Which part of the next step is computed ahead. The names are those of TorchRec's pipelines.
class Schedule {
 public:
  explicit Schedule(jit::Pipeline::Choices choices, bool returns_later = false)
      : choices_(std::move(choices)), returns_later_(returns_later) {}
  const jit::Pipeline::Choices& choices() const { return choices_; }
  // Whether a result is returned with the next call at the earliest, even if its step has been launched.
  bool returns_later() const { return returns_later_; }

 private:
  jit::Pipeline::Choices choices_;
  bool returns_later_;
};

namespace schedule {
inline Schedule base() { return Schedule({.ahead = {compiler::Ahead::nothing}}); }     // one step after the other
inline Schedule sparse_dist() { return Schedule({.ahead = {compiler::Ahead::ids}}); }  // the exchange of ids
inline Schedule fused_sparse_dist() {
  return Schedule({.ahead = {compiler::Ahead::lookups}});
}  // and lookups, as soon as tables are updated
// Lookups read what is named as it was so many steps ago. Only embedding tables may be stale, "tables", by one step: their lookups run beside
// the backward pass of the step before. Throws Error for anything else.
inline Schedule stale(std::string_view what, int steps) {
  require(what == "tables" && steps == 1, "Pipeline: only \"tables\" may be stale, by 1 step, not \"", what, "\" by ",
          steps);
  return Schedule({.ahead = {compiler::Ahead::stale_lookups}});
}
inline Schedule semi_sync() { return stale("tables", 1); }
// The exchange of ids, and whatever the host does to make a batch, such as StoredEmbeddingBagCollection::prepare, which reads rows of tables
// in files: the result of a step is returned with the next batch, so that nobody waits for it before that one is made.
inline Schedule prefetch() { return Schedule({.ahead = {compiler::Ahead::ids}}, true); }
// The fastest of those that are exact, as predicted when the step is compiled, whose steps need at most so much memory.
inline Schedule exact(std::uint64_t memory_bytes = std::numeric_limits<std::uint64_t>::max()) {
  return Schedule({.ahead = {compiler::Ahead::lookups, compiler::Ahead::ids, compiler::Ahead::nothing},
                   .memory_bytes = memory_bytes});
}
}  // namespace schedule

struct PipelineOptions {
  Schedule schedule = train::schedule::exact();
};

// `F` must not be a generic lambda. Not thread-safe.
template <class F>
class Pipeline {
 public:
  using Result =
      jit::Made<std::remove_cvref_t<typename decltype(std::function{std::declval<std::decay_t<F>>()})::result_type>>;

  explicit Pipeline(Compiled<F> step, PipelineOptions options = {})
      : step_(std::move(step)),
        pipeline_(std::make_unique<jit::Pipeline>(options.schedule.choices())),
        returns_later_(options.schedule.returns_later()) {}

  // Takes a batch, and returns the result of the earliest one that has none yet; nullopt while the pipeline fills. Throws what the step
  // throws; the steps before it are then complete.
  template <class... Given>
  std::optional<Result> operator()(Given&&... given) {
    const std::size_t before = results_.size();
    step_.call_in(*pipeline_, keep(), std::forward<Given>(given)...);
    if (returns_later_ && before == 0) return std::nullopt;
    return next();
  }

  // Launches what was not launched yet, and returns the next result; nullopt if there are no more.
  std::optional<Result> finish() {
    pipeline_->drain();
    Compiled<F>::template take<Result>(*pipeline_, keep());
    return next();
  }

  // Tells which exchanges run ahead, or why none does, and how schedules compare if one was chosen; also which values steps hand on to each other,
  // and what a step is predicted to take if the next one did not wait for them, unless remedies are not wanted.
  std::string explain(const ExplainOptions& options = {}) const { return pipeline_->explain(options); }
  // Returns the program that runs in each step, to look at its schedule; null before the first step.
  std::shared_ptr<const runtime::Executable> steady() const { return pipeline_->steady(); }
  // Returns the memory that a step needs at its peak, as planned; before the first step 0.
  std::uint64_t peak_bytes() const { return pipeline_->peak_bytes(); }

 private:
  auto keep() {
    return [this](Result result) { results_.push_back(std::move(result)); };
  }
  std::optional<Result> next() {
    if (results_.empty()) return std::nullopt;
    std::optional<Result> first(std::move(results_.front()));
    results_.pop_front();
    return first;
  }

  Compiled<F> step_;
  std::unique_ptr<jit::Pipeline> pipeline_;
  bool returns_later_;
  std::deque<Result> results_;
};

}  // namespace weft::train
