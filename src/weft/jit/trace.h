// The recording of one call of a compiled function: runs the function as if uncompiled, with one launch at its end, and
// collects what a specialisation needs to do the same without running it.
#pragma once

#include <chrono>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <weft/jit/found_tensors.h>
#include <weft/jit/options.h>
#include <weft/jit/specialization.h>
#include <weft/record/backend.h>
#include <weft/record/compile_ahead.h>
#include <weft/record/observer.h>
#include <weft/record/recording.h>
#include <weft/tensor/host_observer.h>
#include <weft/tensor/host_state.h>

namespace weft::record {
class Synchronizer;
}

namespace weft::jit {

// A place where a function's graph was cut, and the cost.
struct GraphBreak {
  std::string reason, place;
  double ms = 0;  // from the cut until the next recorded operation
};

class Trace final : public record::Observer, public HostObserver {
 public:
  struct Options {
    std::string function;  // for messages
    bool fullgraph = false;
    // Called before a known program is used, and before a program is compiled. They may call reject, continue_with and
    // postpone.
    std::function<void(const record::Plan&)> knows = {};
    std::function<void()> compiling = {};
    std::vector<Type> types = {};   // for record_sample: the types of the tensors among the leaves
    bool is_first_of_kind = false;  // no specialisation fits calls like this one
    bool ignores_aliases = false;   // a tensor in several places is recorded as several tensors
  };
  // Runs the function and returns the tensors of its result.
  using Run = std::function<std::vector<Tensor>()>;

  Trace(Options options, std::span<const Leaf> leaves, std::vector<std::string> paths);
  // Gives up a call that was captured but not launched: arguments, parameters and generators get back their values from
  // before, unless a graph break has launched something.
  ~Trace() override;

  // The value of Specialization::rerecorded_because for a call that records nothing.
  static constexpr const char* records_nothing = "it records nothing";

  // Runs the function. Values that it reads are computed; the rest stays recorded until launch(). Returns false if the
  // function found a tensor in several places and this made no difference: another trace that ignores aliases must then
  // capture the call, and this trace has no effect. Throws what the function throws, or the error with which the call
  // was rejected.
  [[nodiscard]] bool capture(const Run& run);
  // Launches the call. Returns false, without any effect, if the call was postponed. Throws the error with which the
  // call was rejected.
  bool launch();
  // Takes the results of the launched call.
  std::vector<Tensor> results() { return std::move(results_); }

  // Rejects the call. The function is not notified, because it may catch every exception, or none. Values that it still
  // reads are computed operation by operation; when it has returned, the call is given up and throws `error`.
  void reject(const std::exception_ptr& error);
  // Uses this backend for all further launches.
  void continue_with(record::Backend backend);
  // Postpones the launch of the call. Requires that nothing of it was launched.
  void postpone() { is_postponed_ = true; }

  // Returns whether the call can be sampled: it is one graph, it leaves nothing behind that another run of the function
  // would find, and no operation threw in it (a sample could not tell whether an exception means that other sizes do
  // not work).
  bool can_be_sampled() const { return breaks_.empty() && made_->rerecorded_because.empty() && refusal_.empty(); }
  // Sets a captured call aside during its lifetime: this thread has another recording, and all values are as before the
  // call.
  class Aside;

  // Records the function for tensors of other types, which have no elements, and launches nothing: a sample for
  // programs for many sizes. Parameters and generators keep their values. Throws what the function throws, or Error if
  // the function caught an error of an operation. If the function reads a value, it gets the elements of the arguments,
  // repeated to the other sizes, and nothing is learned from the sample. If `keep` is false, the sample only shows that
  // recording is possible. Returns false as capture() does.
  [[nodiscard]] bool record_sample(const Run& run, bool keep);
  // The same for a program of these types that is compiled ahead. `job` stays empty if there is nothing to compile.
  [[nodiscard]] bool record_job(const Run& run, std::optional<record::CompileAhead::Job>& job);

  std::unique_ptr<Specialization> take() { return std::move(made_); }
  const std::vector<GraphBreak>& breaks() const { return breaks_; }
  bool ignores_aliases() const { return options_.ignores_aliases; }
  bool writes_parameters() const { return !written_.empty(); }

 private:
  // The tensor that a parameter held before it was written. Unless it is to be restored, it does not count as a holder
  // of the buffer, because otherwise the program could not write in place.
  class Before {
   public:
    Before(const Tensor& tensor, bool comes_back);
    Before(Before&& other) noexcept
        : tensor_(std::move(other.tensor_)), lets_go_(std::exchange(other.lets_go_, false)) {}
    Before& operator=(Before&& other) noexcept {
      std::swap(tensor_, other.tensor_);
      std::swap(lets_go_, other.lets_go_);
      return *this;
    }
    ~Before() { held(); }
    const Tensor& held();  // counts as a holder again
    // put_back gives the parameter its earlier tensor temporarily; take_again undoes this.
    void put_back(Tensor& parameter);
    void take_again(Tensor& parameter);

   private:
    Tensor tensor_;
    bool let_go_before_ = false;  // the value of lets_go_ when it was put back
    bool lets_go_ = false;
  };
  struct Written {
    Parameter* parameter;
    Before before;
  };
  // A tensor argument and the stand-in with the same bytes that replaces it while the function is recorded. Aliases
  // share one stand-in, and a captured tensor that is also an argument is treated as the argument.
  struct StandIn {
    Tensor* argument;
    Tensor original;
    Tensor stand_in;  // kept alive, so that no other object gets its address
  };

  void parameter_made(const Parameter& parameter) override;
  const Tensor& parameter_read(const Parameter& parameter) override;
  void parameter_written(Parameter& parameter, const Tensor& next) override;
  void value_read(const void* value, std::size_t bytes, const record::Lifetime& lifetime, const char* name) override;
  void value_written(const void* value) override;
  void value_copied(const void* from, const record::Lifetime& lifetime, const void* to) override;
  void ended(const void* object) override;
  std::uint32_t drew(random::Generator& generator) override;
  void input(record::TensorImpl& tensor) override;
  void input(const record::ImmediateSource& source) override;
  record::TensorImpl* stand_in_for(record::TensorImpl& tensor) override;
  void parameter_copied(const record::TensorImpl& from, const Tensor& to) override;
  void differentiated_by_input() override { made_->aliases_matter = true; }
  std::string name_of(const record::TensorImpl& tensor) const override;
  std::string name_of_input(std::size_t index) const override;
  void refused(const char* function, const std::string& place) override;
  void host_reads(const char* function, const record::TensorImpl& tensor, const ir::Location& where) override;
  void leaves_graph(const std::source_location& where) override;
  void syncing() override;
  Verdict knows(const record::Plan& plan) override;
  Verdict compiling() override;
  void launching(const record::Launching& launching) override;
  void launched(std::span<const runtime::BufferPtr> results) override;

  class Attached {  // installs the trace as the observer of this thread
   public:
    explicit Attached(Trace& trace) {
      record::session.observer = &trace;
      host_state.observer = &trace;
    }
    ~Attached() {
      record::session.observer = nullptr;
      host_state.observer = nullptr;
    }
    Attached(const Attached&) = delete;
    Attached& operator=(const Attached&) = delete;
  };

  // Rejects the call if what is being recorded must be one graph.
  void reject_cut(const std::string& reason, const std::string& place, const char* remedy);
  Verdict verdict_after(const std::function<void()>& decide);

  // The tracked value from which a tracked value was copied; itself if it is no copy.
  struct Origin {
    const void* value;
    record::Lifetime::Watch lifetime;
  };
  Origin origin(const void* value, const record::Lifetime& lifetime) const;
  void cut(std::string reason, std::string place);
  void end_last_break();
  void cannot_replay(std::string reason);
  void roll_back();
  void undo();
  void forget();
  // Nothing that is recorded will be kept: further launches must not donate the earlier values.
  void discard();

  // Ends the recording if something is to be learned from it.
  using Closes = std::function<void(record::Synchronizer&)>;
  bool record_without_launch(const Run& run, const Closes& closes);
  bool is_sample() const { return !options_.types.empty(); }
  bool has_elements(std::size_t argument) const;
  bool lacks_elements(const record::TensorImpl& tensor) const;
  void give_elements();
  void end_sample();
  void stand_in();
  void let_go_of_replaced();
  bool aliases_do_not_matter() const;
  // The argument or parameter value that was recorded as this tensor; otherwise the tensor itself.
  Tensor original_of(const Tensor& recorded);
  void restore_arguments();
  void find_escapes(std::span<const Tensor> results);
  void note_lines(std::span<const Tensor> results);
  void finish(std::span<const Tensor> results);
  void bind_numbers();
  void bind_generators();
  void keep_for_gradients();
  Place place_of(const Tensor& tensor, const char* what);
  std::int32_t leaf_at(const void* object) const;  // -1 if there is none

  Options options_;
  std::span<const Leaf> leaves_;
  std::unique_ptr<Specialization> made_ = std::make_unique<Specialization>();

  std::vector<StandIn> stand_ins_;
  FoundTensors found_;                          // they are recorded as stand-ins, readings, or themselves
  std::unordered_set<const Parameter*> local_;  // created by the function
  // The tensors that reading each parameter yields: separate tensors, for the same reason as stand-ins.
  std::unordered_map<const Parameter*, Tensor> readings_;
  std::vector<Tensor> replaced_;  // readings of parameters that were written later
  std::vector<Written> written_;
  std::vector<Tensor> copied_;                                   // copies of stand-ins and readings
  std::unordered_map<const record::TensorImpl*, Place> places_;  // of all tensors above, which stay alive
  std::vector<ValueGuard> values_;
  std::map<const void*, Origin> copies_;                                // of copies of tracked values
  std::unordered_map<const void*, record::Lifetime::Watch> lifetimes_;  // of captured objects
  std::vector<record::ImmediateSource> sources_;                        // of the numbers among the inputs
  struct Generated {
    random::Generator* generator;
    random::Generator before;
    record::Lifetime::Watch lifetime;
    std::uint64_t count = 0;
  };
  std::vector<Generated> generators_;
  std::vector<std::pair<std::size_t, std::uint64_t>> drawn_;  // generator index and draw number
  std::vector<GraphBreak> breaks_;
  std::string pending_reason_, pending_place_;  // for the next cut
  std::optional<std::chrono::steady_clock::time_point> cut_at_;

  bool is_open_ = false;  // arguments and parameters differ from before the call
  bool is_postponed_ = false, is_discarded_ = false;
  std::exception_ptr rejected_with_;
  std::string refusal_;                          // the first operation that threw
  std::optional<record::BackendScope> backend_;  // the backend, if it differs from that of the call

  bool finishing_ = false, launched_ = false;
  std::vector<Tensor> results_;
  std::vector<runtime::BufferPtr> outputs_;
  std::shared_ptr<record::LaunchedGraph> kept_;  // of the last launch, with the values of its outputs
  std::vector<ir::Value> output_values_;
};

class Trace::Aside {
 public:
  explicit Aside(Trace& trace);
  ~Aside();
  Aside(const Aside&) = delete;
  Aside& operator=(const Aside&) = delete;

 private:
  void exchange_generators_and_arguments();

  Trace& trace_;
  record::SetAside recording_;
};

}  // namespace weft::jit
