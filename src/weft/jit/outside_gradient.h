// A call of a compiled function keeps what a gradient needs that is taken outside of it, through what the call returned.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include <weft/jit/place.h>
#include <weft/record/launched_graph.h>
#include <weft/record/lifetime.h>

namespace weft::jit {

struct Specialization;

// The program of one specialisation, as gradients see it. Thread-safe.
class DifferentiableProgram final : public record::Callee, public std::enable_shared_from_this<DifferentiableProgram> {
 public:
  // `recorded` is what the first call launched, `outputs` the values of the program's results. Null if none of these depends on an
  // input in a way that has a gradient, nor is one.
  static std::shared_ptr<DifferentiableProgram> make(const Specialization& made, const record::LaunchedGraph& recorded,
                                                     std::vector<ir::Value> outputs);

  // The arguments of a call are held until nothing of its results is left, large ones until the next call at most: temporary ones
  // would be gone when a gradient is taken.
  void holds(const std::shared_ptr<record::LaunchedGraph>& call, std::span<const runtime::BufferPtr> arguments);

  // Returns the graph that one replay launched. `inputs` and `results` are the program's; the former include null for each number.
  std::shared_ptr<const record::LaunchedGraph> launched(std::span<const Leaf> leaves,
                                                        std::span<const runtime::BufferPtr> inputs,
                                                        std::span<const record::Immediate> immediates,
                                                        std::span<const runtime::BufferPtr> results);
  // Makes what a replay returned a result of what it launched.
  void connect(const Tensor& result, std::size_t index,
               const std::shared_ptr<const record::LaunchedGraph>& graph) const;

  const std::string& function() const override { return function_; }
  std::string name_of_input(std::size_t index) const override { return names_[index]; }

 private:
  // What a parameter held.
  struct Held {
    std::uint64_t buffer_id, identity;
  };
  // The tensors that parameters held: most calls look at none of them again.
  void find_parameters(record::LaunchedGraph& graph, std::span<const Held> held) const;

  std::string function_;
  std::shared_ptr<const ir::Graph> graph_;
  std::vector<ir::Value> outputs_, differentiated_, copies_;
  std::vector<Place> inputs_;
  std::size_t parameters_ = 0;  // of the inputs
  std::vector<std::string> names_;
  bool holds_arguments_ = false;  // not where the function takes its gradients itself
  std::mutex mutex_;
  std::weak_ptr<record::LaunchedGraph> last_;       // that holds its arguments
  std::vector<record::Lifetime::Watch> lifetimes_;  // of those inputs that are parameters
};

}  // namespace weft::jit
