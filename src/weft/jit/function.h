// A compiled function without its C++ types: keeps the specialisations, finds the one that fits a call, and records a
// call if none fits. Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <vector>

#include <weft/base/status.h>
#include <weft/jit/difference.h>
#include <weft/jit/dynamic_sizes.h>
#include <weft/jit/explanation.h>
#include <weft/jit/invocation.h>
#include <weft/jit/options.h>
#include <weft/jit/specializations.h>
#include <weft/jit/trace.h>
#include <weft/record/backend.h>

namespace weft::jit {

// The callable parts of the function, without their C++ types.
struct Body {
  std::function<std::vector<Tensor>()> run;  // runs the function and returns the tensors of its result
  // Runs the function for a sample and discards the result; null: must not be sampled.
  std::function<std::vector<Tensor>()> sample;
  std::function<Prototype()> prototype;  // the result of the last run, without tensors
};

// A call that is to be recorded for other sizes.
struct SampledCall {
  std::span<const Leaf> leaves;
  const std::vector<std::string>& paths;
  const Trace::Run& run;
  bool ignores_aliases;
};

class Function {
 public:
  Function(CompileOptions options, const std::source_location& where);

  // Returns whether a call belongs to the graph of the calling function or of the surrounding loop body.
  static bool called_inside();

  // See call() and call_in() in invocation.h. Returns false if the pipeline has taken the call.
  bool call(Invocation& invocation, const std::shared_ptr<const Specialization>& pinned, Pipeline* pipeline = nullptr);

  // Returns the specialisation of the last call. Throws Error if it cannot be replayed or if there was none.
  std::shared_ptr<const Specialization> last() const;

  Explanation explain(const ExplainOptions& options) const;
  const std::string& name() const { return options_.name; }

 private:
  void run_as_part(Invocation& invocation) const;
  const ir::Mesh* mesh() const { return options_.mesh ? &*options_.mesh : nullptr; }

  // Returns a lock for the duration of a call, which makes other calls wait if the function is known to update
  // Parameters.
  std::unique_lock<std::recursive_mutex> turn() {
    return writes_.load(std::memory_order_acquire) ? std::unique_lock(turn_) : std::unique_lock<std::recursive_mutex>();
  }

  // Returns whether the stance of this thread requires that the call runs operation by operation.
  bool starts_eagerly();
  static void run_eagerly(Invocation& invocation);

  // What is known for a call. If `replayed` is null, the call must be recorded, and compared with a replay of `checked`
  // unless that is null; if `is_inlined`, the call becomes part of the caller's recording because gradients are taken
  // through such calls.
  struct Found {
    std::shared_ptr<const Specialization> replayed = nullptr, checked = nullptr;
    bool is_trial = false;  // tell what a replay of `checked` would have done otherwise, instead of throwing
    bool is_inlined = false;
    bool is_first_of_kind = false;
  };
  Found find(std::span<const Leaf> leaves);
  // The same for a call of a handle: checks only the arguments against the guards of `pinned`. Throws Error if they
  // differ.
  Found find_pinned(const std::shared_ptr<const Specialization>& pinned, std::span<const Leaf> leaves) const;

  void record(Invocation& invocation, const Found& found);
  // Runs the function and keeps the new specialisation, unless a stance or a limit made part of it run uncompiled.
  // Throws Error if a replay of `checked` would have done something else, unless the call is a trial.
  std::vector<Tensor> record(std::span<const Leaf> leaves, const std::vector<std::string>& paths, const Body& body,
                             const Found& found);

  bool is_inlined(const Specialization& found) const;
  bool is_full() const;
  std::string limit_reached() const;  // empty: the limit is not reached
  bool may_learn_sizes() const;
  // Records the function for sizes other than those of `types`, varying the sizes that were declared dynamic. Returns
  // the reason why it cannot be recorded; empty on success.
  Status learn_declared(const SampledCall& call, std::span<const Type> types);
  // The same for the types of the leaves, with declared or detected dynamic sizes.
  void learn_sizes(const SampledCall& call);
  void with_sample(const SampledCall& call, std::vector<Type> types, const std::function<bool(Trace&)>& use) const;
  // For each size that is 1, records a sample in which only the other sizes change. Gradients sum over a broadcast
  // dimension, but not over a dimension of size 1, so samples must keep the 1.
  void keep_samples_of_ones(const SampledCall& call, std::span<const Type> types, std::span<const ChangingSize> sizes,
                            std::span<const LinkedSizes> links);
  Status record_sample(const SampledCall& call, std::vector<Type> types, bool keep);
  // Returns the jobs to compile ahead for the other buckets; empty if they were recorded before.
  std::vector<record::CompileAhead::Job> other_buckets(const SampledCall& call);
  std::vector<LinkedSizes> free_sizes(const SampledCall& call, std::span<const ChangingSize> sizes);

  // A call that is being recorded.
  struct Call;
  void capture(Call& call);
  // Records the function for other sizes before the call is launched, if that is needed and the call can be sampled.
  void learn(Call& call);
  void knows(Call& call, const record::Plan& plan);
  void compiling(Call& call);
  void past_limit(Call& call, const std::string& limit);
  void find_difference(Call& call) const;
  void launch(Call& call);
  void keep(Call& call);

  // Writes logs and diagnostics about a new specialisation.
  void tell(const Specialization& made, std::span<const GraphBreak> breaks, const Difference& difference, double ms);
  // Returns the reason why each size always has its own program, and the remedy; empty if sizes can share a program.
  std::string single_size_reason() const;
  // The same after the call was recorded, or else what happens to sizes that differ.
  std::string about_sizes(const Difference& difference, const Specialization& made);
  // Ends a trial: tells what has changed since `checked` was recorded, if anything has.
  void end_trial(const Specialization& checked, std::shared_ptr<Specialization> made);
  void count(const GraphBreak& cut);
  void tell_missed_donations(const Specialization& made) const;  // for parameters
  void keep(std::shared_ptr<Specialization> made);

  void warn_of_limit(const std::string& what);

  CompileOptions options_;
  std::optional<record::Backend> backend_;
  std::string program_name_;  // options_.name, or the shortened place of the compile() call
  std::string place_;         // the place of the compile() call
  record::BuildOptions build_options_;
  std::atomic<bool> was_called_ = false, writes_ = false;
  // Serialises calls that update Parameters and calls that are recorded; recursive, because a function may call itself.
  std::recursive_mutex turn_;
  bool warned_ = false;
  mutable std::mutex mutex_;
  Specializations specializations_;
  std::uint64_t calls_ = 0, recorded_ = 0, compiles_ = 0, evicted_ = 0;
  const std::shared_ptr<std::atomic<std::uint64_t>> ahead_ = std::make_shared<std::atomic<std::uint64_t>>(0);
  DynamicSizes sizes_;
  bool buckets_recorded_ = false;
  std::vector<Explanation::Break> breaks_;
  std::vector<std::string> recompiles_;
  std::string given_up_;  // the reason why no program serves several sizes
};

}  // namespace weft::jit
