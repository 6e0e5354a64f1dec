// The interface to one call of a compiled function, for code that does not know its C++ types.
#pragma once

#include <memory>
#include <source_location>
#include <string>
#include <vector>

#include <weft/jit/explanation.h>
#include <weft/jit/leaves.h>
#include <weft/jit/options.h>
#include <weft/tensor/tensor.h>

namespace weft::jit {

class Function;
class Pipeline;
struct Specialization;

// A Prototype is what a function returned when it was recorded, without its tensors.
struct Prototype {
  std::shared_ptr<void> value;  // its tensors are undefined; null if the function returns nothing
  std::vector<Leaf> leaves;     // the leaves of the result, whose numbers every replay returns
  std::vector<std::string> paths;
};

// Holds the arguments, the function, and the result of the call.
class Invocation {
 public:
  virtual void collect(LeafCollector& collector) = 0;   // collects the leaves of the arguments
  virtual void run() = 0;                               // runs the function and keeps its result as that of the call
  virtual std::vector<Tensor> tensors() const = 0;      // the tensors of the result
  virtual Prototype prototype() const = 0;              // the prototype of the result
  virtual void replay(const Prototype& prototype) = 0;  // sets the result to a copy of the prototype, without tensors
  virtual void fill(std::vector<Tensor>& tensors) = 0;  // moves the tensors into the result
  // Runs the function, discards its result and returns the tensors of it. Requires may_sample().
  virtual std::vector<Tensor> sample() = 0;
  virtual bool may_sample() const = 0;

 protected:
  ~Invocation() = default;
};

std::shared_ptr<Function> make_function(CompileOptions options, const std::source_location& where);
// Runs the call; afterwards the invocation holds its result. `pinned`: if not null, the call must be a replay of it.
void call(Function& function, Invocation& invocation, const std::shared_ptr<const Specialization>& pinned);
// Hands the call to the pipeline, and returns false; or runs it after the steps that are in the pipeline, if the call must be recorded, and
// returns true: the invocation then holds its result, which follows those that the pipeline has finished.
bool call_in(Pipeline& pipeline, Function& function, Invocation& invocation);
// The results of the steps that a pipeline has launched since the last time, in the order of the calls.
struct FinishedStep {
  std::shared_ptr<const Prototype> prototype;
  std::vector<Tensor> tensors;
};
std::vector<FinishedStep> take_finished(Pipeline& pipeline);
// Returns the specialisation of the last call. Throws Error if it cannot be replayed or if there was none.
std::shared_ptr<const Specialization> last_call(const Function& function);
Explanation explain(const Function& function, const ExplainOptions& options);

}  // namespace weft::jit
