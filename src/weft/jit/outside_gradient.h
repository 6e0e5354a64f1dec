// Keeps what a gradient outside of a compiled function needs, which is taken through the results of a call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include <weft/ir/value.h>
#include <weft/jit/place.h>
#include <weft/record/launched_graph.h>
#include <weft/record/lifetime.h>

namespace weft::jit {

struct Specialization;

// The program of one specialisation in the form that gradients need. Thread-safe.
class DifferentiableProgram final : public record::Callee, public std::enable_shared_from_this<DifferentiableProgram> {
 public:
  // `recorded` is the graph that the first call launched, `outputs` are the values of the program's results. Returns
  // null if no floating-point result depends on a floating-point input or is one. A result without a derivative is
  // connected as well, so that its gradient is zero as that of the same operations outside of a function.
  static std::shared_ptr<DifferentiableProgram> make(const Specialization& made, const record::LaunchedGraph& recorded,
                                                     std::vector<ir::Value> outputs);

  // Keeps the arguments of a call alive while any of its results exists, but large arguments at most until the next
  // call. Otherwise temporary arguments would be gone when a gradient is taken.
  void holds(const std::shared_ptr<record::LaunchedGraph>& call, std::span<const runtime::BufferPtr> arguments);

  // Returns the graph that one replay launched. `inputs` and `results` are those of the program; `inputs` has null for
  // each number.
  std::shared_ptr<const record::LaunchedGraph> launched(std::span<const Leaf> leaves,
                                                        std::span<const runtime::BufferPtr> inputs,
                                                        std::span<const record::Immediate> immediates,
                                                        std::span<const runtime::BufferPtr> results);
  // Makes a tensor that a replay returned a result of the launched graph.
  void connect(const Tensor& result, std::size_t index,
               const std::shared_ptr<const record::LaunchedGraph>& graph) const;

  std::shared_ptr<const record::LaunchedProgram> program() { return {shared_from_this(), &program_}; }
  const std::string& function() const override { return function_; }
  std::string name_of_input(std::size_t index) const override { return names_[index]; }
  void add_states(record::LaunchedGraph& graph) const override;

 private:
  // A value of the program that a parameter has.
  struct State {
    ir::Value value;
    const Parameter* parameter;
    record::Lifetime::Watch lifetime;  // null if the parameter may have ended
  };
  void find_states(const Specialization& made);

  std::string function_;
  record::LaunchedProgram program_;
  std::vector<ir::Value> outputs_;
  std::vector<Place> inputs_;
  std::vector<State> states_;        // inputs that the program does not replace
  std::vector<ir::Value> replaced_;  // inputs that are values of parameters which the program replaces
  std::vector<State> new_states_;    // results that only a parameter receives
  // The indices of the inputs and results that a call notes, and of the results in `new_states_`.
  std::vector<std::uint32_t> noted_inputs_, noted_results_, new_state_results_;
  std::vector<std::string> names_;
  bool holds_arguments_ = false;  // false if there is no gradient, or if the function takes its gradients itself
  std::mutex mutex_;
  std::weak_ptr<record::LaunchedGraph> last_;  // the last call that holds its arguments
};

}  // namespace weft::jit
