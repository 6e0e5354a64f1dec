// A compiled function without its C++ types: its specialisations, which of them fits a call, and what becomes of a call that none
// fits. Thread-safe.
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

#include <weft/jit/difference.h>
#include <weft/jit/dynamic_sizes.h>
#include <weft/jit/explanation.h>
#include <weft/jit/invocation.h>
#include <weft/jit/options.h>
#include <weft/jit/specializations.h>
#include <weft/jit/trace.h>
#include <weft/record/backend.h>

namespace weft::jit {

// The function without its C++ types.
struct Body {
  std::function<std::vector<Tensor>()> run;     // returns the tensors of its result
  std::function<std::vector<Tensor>()> sample;  // the same, but the result is nobody's; none: it must not be tried
  std::function<Prototype()> prototype;         // the result of the last run without tensors
};

// A call as it is recorded for other sizes.
struct SampledCall {
  std::span<const Leaf> leaves;
  const std::vector<std::string>& paths;
  const Trace::Run& run;
  bool ignores_aliases;
};

class Function {
 public:
  Function(CompileOptions options, const std::source_location& where);

  // Whether a call belongs to the graph of the function that calls it, or of the loop body around it.
  static bool called_inside();

  // See call() in invocation.h.
  void call(Invocation& invocation, const std::shared_ptr<const Specialization>& pinned);

  // The specialisation of the last call. Throws Error if there is none that can be replayed.
  std::shared_ptr<const Specialization> last() const;

  Explanation explain() const;
  const std::string& name() const { return options_.name; }

 private:
  void run_as_part(Invocation& invocation) const;

  // For the time of a call: others wait, if the function is known to update Parameters.
  std::unique_lock<std::recursive_mutex> turn() {
    return writes_.load(std::memory_order_acquire) ? std::unique_lock(turn_) : std::unique_lock<std::recursive_mutex>();
  }

  // Whether the stance of this thread wants the call run operation by operation, whatever is known.
  bool starts_eagerly();
  static void run_eagerly(Invocation& invocation);

  // What is known for a call. Nothing to replay: it must be recorded, and be what a replay of `checked`, if any, would have been;
  // or it becomes part of the caller's recording, as gradients are taken through calls like it.
  struct Found {
    std::shared_ptr<const Specialization> replayed = nullptr, checked = nullptr;
    bool is_inlined = false;
    bool is_first_of_kind = false;
  };
  Found find(std::span<const Leaf> leaves);
  // The same for a call of a handle: `pinned`, of whose guards only the arguments are looked at. Throws Error if they differ.
  Found find_pinned(const std::shared_ptr<const Specialization>& pinned, std::span<const Leaf> leaves) const;

  void record(Invocation& invocation, const Found& found);
  // Runs the function, and keeps what was learned, unless a stance or a limit had some of it run otherwise than compiled. Throws
  // Error if a replay of `checked` would have done something else.
  std::vector<Tensor> record(std::span<const Leaf> leaves, const std::vector<std::string>& paths, const Body& body,
                             const Found& found);

  bool is_inlined(const Specialization& found) const;
  bool is_full() const;
  std::string limit_reached() const;  // empty: not yet
  bool may_learn_sizes() const;
  // Records the function for other sizes than those of `types`, of those that may change, as they were declared. Returns why it
  // cannot be; empty: it was.
  std::string learn_declared(const SampledCall& call, std::span<const Type> types);
  // The same for the leaves' own, declared or found out.
  void learn_sizes(const SampledCall& call);
  void with_sample(const SampledCall& call, std::vector<Type> types, const std::function<bool(Trace&)>& use) const;
  // For each size of one element, a sample that differs in the others alone: gradients sum over what was broadcast, and nothing is
  // where there is one element.
  void keep_samples_of_ones(const SampledCall& call, std::span<const Type> types, std::span<const ChangingSize> sizes,
                            std::span<const LinkedSizes> links);
  bool record_sample(const SampledCall& call, std::vector<Type> types, bool keep, std::string& why_not);
  // What to compile ahead for buckets: the function as recorded for the other ones, if that was not done yet.
  std::vector<record::CompileAhead::Job> other_buckets(const SampledCall& call);
  std::vector<LinkedSizes> free_sizes(const SampledCall& call, std::span<const ChangingSize> sizes);

  // A call that is recorded.
  struct Call;
  void capture(Call& call);
  // Runs the function for other sizes while the call waits to be launched, or returns at once where that could be seen.
  void learn(Call& call);
  void knows(Call& call, const record::Plan& plan);
  void compiling(Call& call);
  void past_limit(Call& call, const std::string& limit);
  void find_difference(Call& call) const;
  void launch(Call& call);
  void keep(Call& call);

  // Logs and diagnostics of what was recorded.
  void tell(const Specialization& made, std::span<const GraphBreak> breaks, const Difference& difference, double ms);
  // Why each size has a program of its own, whatever is recorded, and what to do; empty: they need not.
  std::string why_single_sizes() const;
  // The same once the call is recorded; or what else becomes of sizes that differ.
  std::string about_sizes(const Difference& difference, const Specialization& made);
  void count(const GraphBreak& cut);
  void tell_missed_donations(const Specialization& made) const;  // of parameters
  void keep(std::shared_ptr<Specialization> made);

  void warn_of_limit(const std::string& what);

  CompileOptions options_;
  std::optional<record::Backend> backend_;
  std::string program_name_;  // options_.name, or the place in short
  std::string place_;         // where compile() was called
  record::BuildOptions build_options_;
  std::atomic<bool> was_called_ = false, writes_ = false;
  std::recursive_mutex
      turn_;  // of calls that update Parameters, and of those that are recorded: a function may call itself
  bool warned_ = false;
  mutable std::mutex mutex_;
  Specializations specializations_;
  std::uint64_t calls_ = 0, recorded_ = 0, compiles_ = 0, evicted_ = 0;
  const std::shared_ptr<std::atomic<std::uint64_t>> ahead_ = std::make_shared<std::atomic<std::uint64_t>>(0);
  DynamicSizes sizes_;
  bool buckets_recorded_ = false;
  std::vector<Explanation::Break> breaks_;
  std::vector<std::string> recompiles_;
  std::string given_up_;  // why no program serves several sizes
};

}  // namespace weft::jit
