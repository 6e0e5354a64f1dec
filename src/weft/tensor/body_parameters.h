// The parameters that the body of a loop, branch or checkpoint made itself while it is recorded: those it may write. In any other it
// would leave a value that exists in the body alone.
#pragma once

#include <unordered_set>

namespace weft {
class Parameter;
class Tensor;
}  // namespace weft

namespace weft::detail {

class BodyParameters {
 public:
  // Those of the innermost body from now on, until leave().
  BodyParameters();
  void leave();
  ~BodyParameters() { leave(); }
  BodyParameters(const BodyParameters&) = delete;
  BodyParameters& operator=(const BodyParameters&) = delete;

  void added(const Parameter& parameter) { own_.insert(&parameter); }
  void removed(const Parameter& parameter) { own_.erase(&parameter); }
  bool own(const Parameter& parameter) const { return own_.contains(&parameter); }
  // Throws Error for others.
  void require_own(const Parameter& parameter, const Tensor& next) const {
    if (!own(parameter)) refuse(parameter, next);
  }

 private:
  [[noreturn]] static void refuse(const Parameter& parameter, const Tensor& next);

  BodyParameters* outer_;
  std::unordered_set<const Parameter*> own_;
};

// Of the innermost body that this thread records; null: none.
inline constinit thread_local BodyParameters* body_parameters = nullptr;

inline BodyParameters::BodyParameters() : outer_(body_parameters) { body_parameters = this; }
inline void BodyParameters::leave() {
  if (body_parameters == this) body_parameters = outer_;
}

}  // namespace weft::detail
