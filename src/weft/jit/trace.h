// The recording of one call of a compiled function: runs it as it would run by itself, one program launched at its end, and
// notes what a specialisation must know to do the same without running it.
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

namespace weft::record {
class Synchronizer;
}

namespace weft::jit {

// Where a function's graph was cut, and what it cost.
struct GraphBreak {
  std::string reason, place;
  double ms = 0;  // from the cut until something was recorded again
};

class Trace final : public record::Observer, public HostObserver {
 public:
  struct Options {
    std::string function;  // for messages
    bool fullgraph = false;
    // Called before a program that is known is taken, and before one is compiled. They may call the three functions below.
    std::function<void(const record::Plan&)> knows = {};
    std::function<void()> compiling = {};
    std::vector<Type> types = {};   // of record_sample: those of the tensors among the leaves
    bool is_first_of_kind = false;  // nothing is known of calls like this one
    bool ignores_aliases = false;   // what a call finds in several places is recorded as several tensors
  };
  // Runs the function, and returns the tensors of its result.
  using Run = std::function<std::vector<Tensor>()>;

  Trace(Options options, std::span<const Leaf> leaves, std::vector<std::string> paths);
  // A call that was captured and not launched is given up: arguments, parameters and generators have the values that they had
  // before, unless a graph break has launched something.
  ~Trace() override;

  // In Specialization::rerecorded_because of a call that did nothing at all.
  static constexpr const char* records_nothing = "it records nothing";

  // Runs the function. What it reads is computed, the rest stays recorded and is launched by launch(). Returns false where the
  // function found one tensor in several places, and that made no difference: another trace, which ignores aliases, is to capture
  // the call, and nothing of this one is left. Throws what the function throws, or what the call was rejected with.
  [[nodiscard]] bool capture(const Run& run);
  // Returns false, and has done nothing, if it was postponed. Throws what the call was rejected with.
  bool launch();
  // Takes the results of the call, which was launched.
  std::vector<Tensor> results() { return std::move(results_); }

  // The call must not go on as it does. The function is not told: it may catch every exception, or none. What it still reads is
  // computed operation by operation, and when it has ended the call is given up and throws `error`.
  void reject(const std::exception_ptr& error);
  // From now on nothing is launched by another backend.
  void continue_with(record::Backend backend);
  // The call is not to be launched yet. Only where nothing of it was.
  void postpone() { is_postponed_ = true; }

  // Whether the call is one graph, leaves nothing behind that the same function would find when it is run once more, and does not
  // live on exceptions, of which a sample could not say whether they mean that other sizes do not work.
  bool can_be_sampled() const { return breaks_.empty() && made_->rerecorded_because.empty() && refusal_.empty(); }
  // For its time a captured call has not begun: this thread has another recording, and all values are what they were before.
  class Aside;

  // Records what the function would do for tensors of other types, which have no elements, and launches nothing: a sample for
  // programs for many sizes. Parameters and generators keep their values. Throws what the function throws, or Error if it caught
  // what an operation threw. A function that looks at a value sees what it would see in a call with such tensors, whose elements are
  // those of the arguments repeated, and nothing is learned of it. `keep`: else nothing is learned but that it can be done. Returns
  // false as capture() does.
  [[nodiscard]] bool record_sample(const Run& run, bool keep);
  // The same, for a program of these types that is compiled ahead. No job: there is nothing to be compiled.
  [[nodiscard]] bool record_job(const Run& run, std::optional<record::CompileAhead::Job>& job);

  std::unique_ptr<Specialization> take() { return std::move(made_); }
  const std::vector<GraphBreak>& breaks() const { return breaks_; }
  bool ignores_aliases() const { return options_.ignores_aliases; }
  bool writes_parameters() const { return !written_.empty(); }

 private:
  // What a parameter held before it was written. It does not count as somebody who holds the buffer, or else the program could
  // not write in place of it; unless it is to come back.
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
    const Tensor& held();  // and counted again
    // The parameter gets it back for a time, and then the other one again.
    void put_back(Tensor& parameter);
    void take_again(Tensor& parameter);

   private:
    Tensor tensor_;
    bool let_go_before_ = false;  // it was put back
    bool lets_go_ = false;
  };
  struct Written {
    Parameter* parameter;
    Before before;
  };
  // A tensor among the arguments, for which another one of the same bytes stands while the function is recorded: those that are one
  // tensor have one, and what the function captured is taken for an argument where it is one alone.
  struct StandIn {
    Tensor* argument;
    Tensor original;
    Tensor stand_in;  // kept, so that nothing else gets its address
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
  void refused(const char* function, const std::string& place) override;
  void host_reads(const char* function, const record::TensorImpl& tensor, const ir::Location& where) override;
  void leaves_graph(const std::source_location& where) override;
  void syncing() override;
  Verdict knows(const record::Plan& plan) override;
  Verdict compiling() override;
  void launching(const record::Launching& launching) override;
  void launched(std::span<const runtime::BufferPtr> results) override;

  class Attached {  // to this thread, as what observes it
   public:
    explicit Attached(Trace& trace) {
      record::session.observer = &trace;
      host_observer = &trace;
    }
    ~Attached() {
      record::session.observer = nullptr;
      host_observer = nullptr;
    }
    Attached(const Attached&) = delete;
    Attached& operator=(const Attached&) = delete;
  };

  // If what is being recorded must be one graph.
  void reject_cut(const std::string& reason, const std::string& place, const char* remedy);
  Verdict verdict_after(const std::function<void()>& decide);

  // What a tracked value is a copy of, itself if of none.
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
  // Nothing of what is recorded will stay: what is launched from now on takes no memory from the values of before.
  void discard();

  // `closes` ends the recording if something is to be learned of it.
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
  Tensor original_of(const Tensor& recorded);  // an argument or what a parameter held; else itself
  void restore_arguments();
  void find_escapes(std::span<const Tensor> results);
  void note_lines(std::span<const Tensor> results);
  void finish(std::span<const Tensor> results);
  void bind_numbers();
  void bind_generators();
  void keep_for_gradients();
  Place place_of(const Tensor& tensor, const char* what);
  std::int32_t leaf_at(const void* object) const;  // -1: none

  Options options_;
  std::span<const Leaf> leaves_;
  std::unique_ptr<Specialization> made_ = std::make_unique<Specialization>();

  std::vector<StandIn> stand_ins_;
  FoundTensors found_;                          // recorded as stand-ins, readings, or themselves
  std::unordered_set<const Parameter*> local_;  // made by the function
  std::unordered_map<const Parameter*, Tensor>
      readings_;                  // what reading a parameter gives: its own tensor, for the same reason
  std::vector<Tensor> replaced_;  // readings of parameters that were then written
  std::vector<Written> written_;
  std::vector<Tensor> copied_;                                   // of stand-ins and readings
  std::unordered_map<const record::TensorImpl*, Place> places_;  // of all of these, which are alive
  std::vector<ValueGuard> values_;
  std::map<const void*, Origin> copies_;                                // of tracked values
  std::unordered_map<const void*, record::Lifetime::Watch> lifetimes_;  // of what is captured
  std::vector<record::ImmediateSource> sources_;                        // of the numbers among the inputs
  struct Generated {
    random::Generator* generator;
    random::Generator before;
    record::Lifetime::Watch lifetime;
    std::uint64_t count = 0;
  };
  std::vector<Generated> generators_;
  std::vector<std::pair<std::size_t, std::uint64_t>> drawn_;  // generator and which of its draws
  std::vector<GraphBreak> breaks_;
  std::string pending_reason_, pending_place_;  // of the next cut
  std::optional<std::chrono::steady_clock::time_point> cut_at_;

  bool is_open_ = false;  // arguments and parameters are not what they were before
  bool is_postponed_ = false, is_discarded_ = false;
  std::exception_ptr rejected_with_;
  std::string refusal_;                          // by the first operation that threw
  std::optional<record::BackendScope> backend_;  // another one than that of the call

  bool finishing_ = false, launched_ = false;
  std::vector<Tensor> results_;
  std::vector<runtime::BufferPtr> outputs_;
  std::shared_ptr<record::LaunchedGraph> kept_;  // of the last launch, and the values of its outputs
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
