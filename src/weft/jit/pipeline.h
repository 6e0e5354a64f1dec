// Runs the steps of a compiled function so that part of the next one is computed while the current one runs. Without the C++ types of the
// function; train/pipeline.h has them.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <weft/compiler/options/ahead.h>
#include <weft/jit/explanation.h>
#include <weft/jit/specialization.h>
#include <weft/runtime/executable.h>

namespace weft::jit {

struct PipelineProgram;
struct PipelinePrograms;  // of one step

class Pipeline {
 public:
  // A pipeline uses the choice that is predicted to take the least time, among those whose programs need at most so many bytes at their
  // peak; if none does, the last. The first of equal ones counts.
  struct Choices {
    std::vector<compiler::Ahead> ahead;
    std::uint64_t memory_bytes = std::numeric_limits<std::uint64_t>::max();
  };
  explicit Pipeline(Choices choices);
  ~Pipeline();  // warns if a step was not launched
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  // A step that has been launched, with its results.
  struct Finished {
    std::shared_ptr<const Specialization> step;
    std::vector<Tensor> results;
  };

  // Takes a call of the function, which this specialisation serves. Launches the step of the call before, with what is computed ahead for
  // this one. Throws what a replay throws.
  void feed(const std::shared_ptr<const Specialization>& step, std::span<const Leaf> arguments);
  // Launches the step of the last call, if it was not launched yet.
  void drain();
  // Returns the steps that were launched since the last time, in the order of the calls.
  std::vector<Finished> take() { return std::exchange(finished_, {}); }

  // Returns which exchanges run ahead, or why none does; empty before the first step. `remedies`: also which values steps hand on to each
  // other, and what a step is predicted to take if the next one did not wait for them. That takes as long as compiling the step.
  std::string explain(const ExplainOptions& options = {}) const;
  // Returns the program that runs in each step once the pipeline is filled, of the step that was given last; null before the first step, and if
  // the step has no program of its own.
  std::shared_ptr<const runtime::Executable> steady() const;
  // Returns the memory that a step needs at its peak, with what it is given and what is computed ahead; before the first step 0.
  std::uint64_t peak_bytes() const;

 private:
  // The call whose step is not launched yet.
  struct Pending {
    std::shared_ptr<const Specialization> step;
    std::vector<Tensor> tensors;  // for each input of the step: the argument or captured tensor; undefined for others
    std::vector<record::Immediate> numbers;
    std::vector<runtime::BufferPtr> values;  // computed ahead
  };

  PipelinePrograms& programs_of(const std::shared_ptr<const Specialization>& step);
  static Pending pending_of(const std::shared_ptr<const Specialization>& step, std::span<const Leaf> arguments);
  // Launches the step of the pending call, and then what `batch` is the input for. Returns the values computed ahead.
  std::vector<runtime::BufferPtr> launch(PipelineProgram& program, Pending& pending,
                                         std::span<const runtime::BufferPtr> batch);

  Choices choices_;
  std::map<std::shared_ptr<const Specialization>, std::unique_ptr<PipelinePrograms>> programs_;
  std::optional<Pending> pending_;
  std::vector<Finished> finished_;
};

}  // namespace weft::jit
