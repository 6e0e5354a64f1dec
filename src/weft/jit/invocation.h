// One call of a compiled function, as code that does not know its C++ types sees it.
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
struct Specialization;

// A Prototype is what a function returned when it was recorded, without its tensors.
struct Prototype {
  std::shared_ptr<void> value;  // its tensors empty; null: the function returns nothing
  std::vector<Leaf> leaves;     // of it, whose numbers every replay returns
  std::vector<std::string> paths;
};

// The arguments, the function, and the result that the call makes.
class Invocation {
 public:
  virtual void collect(LeafCollector& collector) = 0;   // the leaves of the arguments
  virtual void run() = 0;                               // the function, whose result becomes that of the call
  virtual std::vector<Tensor> tensors() const = 0;      // of the result
  virtual Prototype prototype() const = 0;              // of the result
  virtual void replay(const Prototype& prototype) = 0;  // the result becomes that, without tensors
  virtual void fill(std::vector<Tensor>& tensors) = 0;  // the result with its tensors, which it takes
  // Runs the function for a result that is nobody's, and returns its tensors. Only where may_sample().
  virtual std::vector<Tensor> sample() = 0;
  virtual bool may_sample() const = 0;

 protected:
  ~Invocation() = default;
};

std::shared_ptr<Function> make_function(CompileOptions options, const std::source_location& where);
// After it the invocation has its result. `pinned`: null, or the call that it must be a replay of.
void call(Function& function, Invocation& invocation, const std::shared_ptr<const Specialization>& pinned);
// What the last call was. Throws Error if there was none that can be replayed.
std::shared_ptr<const Specialization> last_call(const Function& function);
Explanation explain(const Function& function);

}  // namespace weft::jit
